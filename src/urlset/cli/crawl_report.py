"""What a crawl found, in words."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from urlset.cli.terminal import Style, amount, printable
from urlset.model.few import and_more, few
from urlset.workflows.crawl.options import CrawlOptions, CrawlReport

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


def reported(report: CrawlReport, options: CrawlOptions, style: Style) -> Iterator[str]:
    """Lines for a terminal."""
    yield style.bold(printable(report.home + "/"))
    if report.completeness.cut_short:
        yield f"  {style.yellow('stopped early')}: {printable(report.completeness.cut_short)}"
    if report.taken_over:
        yield style.dim(
            f"  resumed the crawl of {report.started}: {amount(report.taken_over, 'page')} visited before; "
            "--fresh starts over"
        )
    yield from _pages(report, style)
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
    yield from _complete(report, style)
    yield from _next(report, options, style)


def _pages(report: CrawlReport, style: Style) -> Iterator[str]:
    if not report.visited:
        return
    yield f"  visited    {style.bold(amount(report.visited, 'page'))}"
    for state, count in report.states.items():
        palette = style.green if state == "ok" else style.red if state in ("gone", "error") else style.yellow
        yield f"             {palette(f'{count:>8,}')} {_STATES.get(state, state)}"
    if len(report.depths) > 1:
        shown = list(report.depths.items())[:_LEVELS]
        deepest = max(report.depths)
        more = f", …, deepest {deepest}" if len(report.depths) > _LEVELS else ""
        yield f"  clicks     {', '.join(f'{count:,} after {depth}' for depth, count in shown)}{more}"
    if report.only_in_sitemaps:
        yield f"  sitemaps   {amount(report.only_in_sitemaps, 'page')} only in sitemaps, not linked"


def _complete(report: CrawlReport, style: Style) -> Iterator[str]:
    found = report.completeness
    if found.complete:
        apart = f", except {'; '.join(found.apart)}" if found.apart else ""
        yield style.green("complete") + f": every linked page was visited{apart}"
        return
    if not report.states.get("ok"):
        yield style.red("no page was read") + f": {printable('; '.join(found.reasons))}"
        return
    yield style.yellow("not complete") + ": pages that were not found may still be linked"
    for reason in found.reasons:
        yield f"  because    {printable(reason)}"


def _next(report: CrawlReport, options: CrawlOptions, style: Style) -> Iterator[str]:
    if report.ended == "stopped":
        yield f"stopped; progress is saved in {printable(report.state_file)}: run the same command to resume"
    elif report.ended == "kept out":
        yield "run the same command later to resume; --delay may help"
    elif report.ended == "limit":
        yield "run the same command with a higher limit to resume"
    elif report.states.get("ok"):
        private = " --allow-private" if options.web.allow_private else ""
        excluding = [f"--exclude {quote(trap.exclude)}" for trap in report.traps if trap.exclude]
        if excluding:
            yield style.dim(f"next: {printable(few(excluding, _SHOWN, joined=' '))} skips the URLs that look endless")
        yield style.dim(
            f"next: urlset build {printable(options.url)} --out DIR{private} builds a sitemap of these pages"
        )
