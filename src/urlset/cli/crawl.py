"""`urlset crawl`: an address → the pages of its site, and whether that is all of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, INTERRUPTED, NOTHING, OK
from urlset.cli.output import Destination, json_report, write_report
from urlset.cli.progress import RedrawnLine
from urlset.cli.targets import need_url
from urlset.cli.terminal import Style, printable
from urlset.model.shown import amount, and_more, few

if TYPE_CHECKING:
    from urlset.crawling.loop import Crawl
    from urlset.settings.crawl import CrawlSettings
    from urlset.workflows.crawl import CrawlReport


@command(
    "crawl",
    usual="out include exclude max-pages max-depth ignore-robots fresh render delay format quiet",
    epilog="""Examples:
  urlset crawl https://www.example.com/ --out pages.csv
  urlset crawl www.example.com --max-pages 500 --exclude '/search*'""",
)
def crawl(settings: CrawlSettings) -> int:
    """Crawl a site and list its pages.

    Obeys robots.txt, nofollow and Crawl-delay. State is saved page by page: after Ctrl-C or a crash, the same command
    resumes. URL patterns that look endless (calendars, facets, session IDs) are skipped and reported. The report says
    whether the crawl is complete, and if not, why.

    Exit code 0: the start page was read; 2: it could not be read; 3: no page to list; 130: interrupted.
    """
    settings = replace(settings, url=need_url(settings.url or "", "crawl takes the start page of a site"))
    out = None if settings.out is None else str(settings.out)
    if out is not None:
        need_writable(out)
    aside = out == "-"
    with ProgressLine() as line:
        report = run_crawl(settings, line, out)
    if settings.format == "json":
        values = msgspec.to_builtins(report)
        values.pop("robots_txt", None)
        values["depths"] = {str(depth): count for depth, count in report.depths.items()}
        click.echo(json_report("crawl", values), err=aside)
    else:
        style = Style.for_stream(sys.stderr if aside else sys.stdout)
        click.echo("\n".join(reported(report, settings, style)), err=aside)
    if report.ended == "stopped":
        return INTERRUPTED
    if not report.states.get("ok"):
        return BROKEN if report.visited <= 1 else NOTHING
    return OK


def need_writable(out: str) -> None:
    """Before anything is fetched: a folder, an extension and a package that are missing."""
    folder = Path(out).parent
    if not folder.is_dir():
        raise click.UsageError(f"--out {printable(out)}: no such folder: {printable(str(folder))}")
    suffix = Path(out).suffix.lower()
    if out != "-" and suffix and suffix not in _FORMS:
        raise click.UsageError(f"--out {printable(out)}: unknown extension; use {', '.join(_FORMS)}")
    if suffix in (".parquet", ".xlsx"):
        from urlset.model.frames import NotInstalledError
        from urlset.reports.crawl import need_parquet
        from urlset.reports.table import need_xlsx

        try:
            (need_parquet if suffix == ".parquet" else need_xlsx)()
        except NotInstalledError as error:
            raise click.UsageError(f"--out {printable(out)}: {error}") from error


def run_crawl(settings: CrawlSettings, line: ProgressLine, out: str | None = None) -> CrawlReport:
    from urlset.workflows.crawl import CrawlUse, crawling

    # rows are also built from, which takes the text of the pages
    use = CrawlUse(name="file" if settings.out or settings.parts else "")
    with crawling(settings, use, progress=line.show if line.wanted else None) as (frontier, report):
        line.clear()
        if out is not None:
            from urlset.checking.clock import now
            from urlset.reports.crawl import CrawlSummary, render
            from urlset.reports.format import ReportOptions
            from urlset.workflows.crawl_pages import crawl_rows

            summary = msgspec.convert(report, CrawlSummary, from_attributes=True)
            write_report(
                Destination(_FORMS.get(Path(out).suffix.lower(), "jsonl"), out),
                ReportOptions(command="crawl", target=(report.url,), made=now()),
                lambda form, options: render(summary, crawl_rows(frontier, report.robots_txt), options, form),
            )
        return report


_FORMS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".html": "html", ".xlsx": "xlsx"}
"""extension of --out → its format; JSON Lines without one"""


class ProgressLine(RedrawnLine):
    """Told by a crawl."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()

    def show(self, sitting: Crawl) -> None:
        if self._is_fresh:
            return
        rate = sitting.asked / max(time.monotonic() - self._began, 0.001)
        clicks = f"{sitting.depth} click{'s' if sitting.depth != 1 else ''} deep"
        parts = [f"{sitting.visited:,} visited", f"{sitting.waiting:,} queued", clicks, f"{rate:,.0f} per second"]
        self._draw(parts, ", ")


# What a crawl found, in words.

_SHOWN = 8
_LEVELS = 7
_NOT_SAID = "looks endless"
"""each trap is reported with its reason"""
_STATES = {
    "ok": "OK",
    "redirected": "redirected",
    "gone": "not found (404, 410)",
    "error": "server error",
    "requires login": "behind a login",
    "blocked": "blocked",
    "unknown": "no usable response",
}


def reported(report: CrawlReport, settings: CrawlSettings, style: Style) -> Iterator[str]:
    """Lines for a terminal."""
    yield style.bold(printable(report.home + "/"))
    if report.completeness.cut_short:
        yield f"  {style.yellow('stopped early')}: {printable(report.completeness.cut_short)}"
    if report.taken_over:
        yield style.dim(
            f"  resumed the crawl of {report.started}: {amount(report.taken_over, 'page')} visited before; "
            "--fresh starts over"
        )
    if report.visited:
        yield f"  visited    {style.bold(amount(report.visited, 'page'))}"
        for state, count in report.states.items():
            palette = style.green if state == "ok" else style.red if state in ("gone", "error") else style.yellow
            yield f"             {palette(f'{count:>8,}')} {_STATES.get(state, state)}"
        if len(report.depths) > 1:
            shown = [f"{count:,} after {depth}" for depth, count in report.depths.items()][:_LEVELS]
            more = f", …, deepest {max(report.depths)}" if len(report.depths) > _LEVELS else ""
            yield f"  clicks     {', '.join(shown)}{more}"
        if report.only_in_sitemaps:
            yield f"  sitemaps   {amount(report.only_in_sitemaps, 'page')} only in sitemaps, not linked"
    for reason, count in report.not_asked.items():
        if reason != _NOT_SAID and report.visited:
            yield f"  skipped    {amount(count, 'URL')}: {reason}"
    for trap in report.traps[:_SHOWN]:
        kind = f"{trap.kind}, {amount(trap.addresses, 'URL')}"
        yield f"  {style.yellow('endless')}    {printable(trap.place)}: {trap.reason} ({kind})"
        yield style.dim(f"             for example {printable(trap.example)}")
    if len(report.traps) > _SHOWN:
        yield f"            {and_more(len(report.traps) - _SHOWN)}"
    if report.tracking:
        yield f"  removed    tracking parameters and sessions: {printable(few(report.tracking, _SHOWN))}"
    for notice in report.notices:
        yield f"  note       {printable(notice)}"
    yield from _ending(report, settings, style)


def _ending(report: CrawlReport, settings: CrawlSettings, style: Style) -> Iterator[str]:
    """Whether the crawl is complete, and what to do next."""
    found = report.completeness
    if found.complete:
        apart = f", except {'; '.join(found.apart)}" if found.apart else ""
        yield style.green("complete") + f": every linked page was visited{apart}"
    elif not report.states.get("ok"):
        yield style.red("no page was read") + f": {printable('; '.join(found.reasons))}"
    else:
        yield style.yellow("not complete") + ": pages that were not found may still be linked"
        yield from (f"  because    {printable(reason)}" for reason in found.reasons)
    if report.ended == "stopped":
        yield f"stopped; progress is saved in {printable(report.state_file)}: run the same command to resume"
    elif report.ended == "kept out":
        yield "run the same command later to resume; --delay may help"
    elif report.ended == "limit":
        yield "run the same command with a higher limit to resume"
    elif report.states.get("ok"):
        private = " --allow-private" if settings.allow_private else ""
        excluding = [f"--exclude {quote(trap.exclude)}" for trap in report.traps if trap.exclude]
        if excluding:
            yield style.dim(f"next: {printable(few(excluding, _SHOWN, joined=' '))} skips the URLs that look endless")
        yield style.dim(
            f"next: urlset build {printable(settings.url or '')} --out DIR{private} builds a sitemap of these pages"
        )
