"""`urlset crawl`: an address → the pages of its site, and whether that is all of them."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, INTERRUPTED, NOTHING, OK
from urlset.cli.settings_options import CommaList
from urlset.cli.terminal import Style, can_redraw, printable
from urlset.cli.web_options import fill_from_settings, take_web_options, web_options

if TYPE_CHECKING:
    from urlset.crawling.frontier import CrawlFrontier
    from urlset.crawling.loop import Crawl
    from urlset.workflows.crawl.options import CrawlOptions, CrawlReport

TRAPS = (
    *("long-address", "deep-path", "repeated-segments", "session-id", "return-address"),
    *("facets", "parameter-order", "calendar", "endless-chain"),
)


@click.command(
    short_help="Follow the links of a site.", epilog="Example: urlset crawl https://www.example.com/ --out pages.csv"
)
@click.argument("url", metavar="URL")
@click.option(
    "--out",
    type=click.Path(readable=False),
    metavar="FILE",
    help="Write every address to FILE: .csv, else JSON Lines; - is stdout.",
)
@click.option("--max-pages", type=click.IntRange(1), metavar="N", help="Ask for no more pages than this.")
@click.option("--max-depth", type=click.IntRange(0), metavar="N", help="Go no further from the start than N clicks.")
@click.option("--prefix", metavar="PATH", help="Stay below this path, such as /blog/.")
@click.option("--include", multiple=True, metavar="PATTERN", help="Ask only for pages that match; glob, or re:REGEX.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out pages that match; glob, or re:REGEX.")
@click.option("--follow-nofollow", is_flag=True, help="Follow links in spite of nofollow.")
@click.option("--ignore-robots", is_flag=True, help="Ask for what robots.txt forbids; for your own site.")
@click.option(
    "--ignore-traps", type=CommaList(TRAPS), multiple=True, metavar="KINDS",
    help=f"Walk into what looks endless: {', '.join(TRAPS)}.",
)  # fmt: skip
@click.option("--seed-sitemaps", is_flag=True, help="Ask also for pages that only the site's sitemaps name.")
@click.option("--state", type=click.Path(file_okay=False), default=".urlset", show_default=True, metavar="DIR",
              help="Where the crawl is kept, to go on after an interruption.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Start over instead of going on with an interrupted crawl.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How to report.")  # fmt: skip
@web_options
def crawl(url: str, out: str | None, form: str, **given: Any) -> int:
    """Follow the links of a site, politely, and say what is there.

    robots.txt, nofollow and Crawl-delay are obeyed. The crawl is kept on disk page by page: after ctrl-C or a
    crash the same command goes on where it stopped. Addresses that look endless (calendars, facets, session ids)
    are left out with the reason. At the end it says whether everything was seen, and if not, why.

    Exit code 0: the start page was read; 2: it could not be; 3: there is no page to list; 130: interrupted.
    """
    options = _options(url, given, for_file=out is not None)
    if out is not None and not Path(out).parent.is_dir():  # said now, not when the whole site has been asked
        raise click.UsageError(f"--out {printable(out)}: there is no folder {printable(str(Path(out).parent))}")
    aside = out == "-"
    line = ProgressLine()
    try:
        report = run_crawl(options, line, out)
    finally:
        line.clear()
    if form == "json":
        click.echo(_json(report), err=aside)
    else:
        from urlset.cli.crawl_report import reported

        click.echo(
            "\n".join(reported(report, options, Style.for_stream(sys.stderr if aside else sys.stdout))), err=aside
        )
    if report.ended == "stopped":
        return INTERRUPTED
    if not report.states.get("ok"):
        return BROKEN if report.visited <= 1 else NOTHING
    return OK


def run_crawl(options: CrawlOptions, line: ProgressLine, out: str | None = None) -> CrawlReport:
    """The crawl, its faults as click's."""
    from urlset.building.patterns import PatternError
    from urlset.cli.live_options import recording_faults
    from urlset.workflows.crawl.crawl import crawl as run
    from urlset.workflows.crawl.options import CrawlError
    from urlset.writing.state_file import StateError

    def use(frontier: CrawlFrontier, report: CrawlReport) -> None:
        line.clear()
        if out is not None:
            _write(frontier, report, out)

    try:
        with recording_faults():
            return run(options, progress=line.show if line.wanted else None, use=use)
    except PatternError as error:
        raise click.UsageError(str(error)) from error
    except (CrawlError, StateError) as error:
        raise click.ClickException(printable(str(error))) from error


def _options(url: str, given: dict[str, Any], *, for_file: bool) -> CrawlOptions:
    """A file is also there to be built from, for which the text of the pages must be judged."""
    from urlset.crawling.found import TrapKind
    from urlset.workflows.crawl.options import CrawlOptions

    fill_from_settings(given)
    web = take_web_options(given)
    prefix = given.pop("prefix")
    if prefix is not None and not prefix.startswith("/"):
        raise click.UsageError(f"--prefix {prefix!r} must begin with a slash, as in /blog/")
    traps = tuple(TrapKind(kind) for kinds in given.pop("ignore_traps") for kind in kinds)
    given |= {"content": for_file, "purpose": "file" if for_file else ""}
    return CrawlOptions(url=url, web=web, prefix=prefix, state=Path(given.pop("state")), ignore_traps=traps, **given)


def _write(frontier: CrawlFrontier, report: CrawlReport, out: str) -> None:
    from urlset.cli.output import opened
    from urlset.workflows.crawl.rows import as_csv, as_json_lines, crawl_rows

    form = as_csv if out.lower().endswith(".csv") else as_json_lines
    with opened(out) as file:
        for block in form(crawl_rows(frontier, report.robots_txt)):
            file.write(block)


def _json(report: CrawlReport) -> str:
    import msgspec

    from urlset.version import __version__

    values = msgspec.to_builtins(report)
    values.pop("robots_txt", None)
    values["depths"] = {str(depth): count for depth, count in report.depths.items()}
    whole = {"schema": 1, "urlset": __version__, "command": "crawl", **values}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()


class ProgressLine:
    """One line on a terminal that says how far the crawl is; nothing elsewhere."""

    def __init__(self) -> None:
        self.wanted = can_redraw(sys.stderr)
        self._began = time.monotonic()
        self._shown = 0.0

    def show(self, sitting: Crawl) -> None:
        now = time.monotonic()
        if now - self._shown < 0.2:
            return
        self._shown = now
        rate = sitting.asked / max(now - self._began, 0.001)
        clicks = f"{sitting.depth} click{'s' if sitting.depth != 1 else ''} deep"
        line = f"  {sitting.visited:,} visited, {sitting.waiting:,} waiting, {clicks}, {rate:,.0f} a second"
        click.echo(f"\r\x1b[K{line}", nl=False, err=True)

    def clear(self) -> None:
        if self.wanted and self._shown:
            self._shown = 0.0
            click.echo("\r\x1b[K", nl=False, err=True)
