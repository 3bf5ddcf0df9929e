"""What a crawl found, in words."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from urlset.cli.numbers import amount
from urlset.cli.terminal import Style, printable
from urlset.workflows.crawl.options import CrawlOptions, CrawlReport

_SHOWN = 8
_LEVELS = 7
_NOT_SAID = "looks endless"
"""what is told of each trap says more"""
_STATES = {
    "ok": "answer",
    "redirected": "redirect",
    "gone": "not there (404, 410)",
    "error": "failed on the server's side",
    "blocked": "kept us out",
    "unknown": "no answer worth a verdict",
}


def reported(report: CrawlReport, options: CrawlOptions, style: Style) -> Iterator[str]:
    """Lines for a terminal."""
    yield style.bold(printable(report.home + "/"))
    if report.completeness.cut_short:
        yield f"  {style.yellow('stopped early')}: {printable(report.completeness.cut_short)}"
    if report.taken_over:
        yield style.dim(
            f"  went on with the crawl of {report.started}: {amount(report.taken_over, 'page')} visited before; "
            "--fresh starts over"
        )
    yield from _pages(report, style)
    for reason, count in report.not_asked.items():
        if reason != _NOT_SAID and report.visited:
            yield f"  not asked  {amount(count, 'address', 'addresses')}: {reason}"
    for trap in report.traps[:_SHOWN]:
        kind = f"{trap.kind}, {amount(trap.addresses, 'address', 'addresses')}"
        yield f"  {style.yellow('endless')}    {printable(trap.place)}: {trap.reason} ({kind})"
        yield style.dim(f"             such as {printable(trap.example)}")
    if len(report.traps) > _SHOWN:
        yield f"             and {len(report.traps) - _SHOWN:,} more"
    if report.tracking:
        yield f"  left out   tracking parameters and sessions: {printable(', '.join(list(report.tracking)[:_SHOWN]))}"
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
        more = f", …, the deepest after {deepest}" if len(report.depths) > _LEVELS else ""
        yield f"  clicks     {', '.join(f'{count:,} after {depth}' for depth, count in shown)}{more}"
    if report.only_in_sitemaps:
        yield f"  sitemaps   {amount(report.only_in_sitemaps, 'page')} that no link leads to"


def _complete(report: CrawlReport, style: Style) -> Iterator[str]:
    found = report.completeness
    if found.complete:
        apart = f", apart from {'; '.join(found.apart)}" if found.apart else ""
        yield style.green("complete") + f": every page that links lead to was asked for{apart}"
        return
    if not report.states.get("ok"):
        yield style.red("nothing was read") + f": {printable('; '.join(found.reasons))}"
        return
    yield style.yellow("not complete") + ": what was not found may still be linked somewhere"
    for reason in found.reasons:
        yield f"  because    {printable(reason)}"


def _next(report: CrawlReport, options: CrawlOptions, style: Style) -> Iterator[str]:
    if report.ended == "stopped":
        yield f"stopped; everything so far is kept in {printable(report.state_file)}: the same command goes on"
    elif report.ended == "kept out":
        yield "the same command goes on from here another time; a --delay between requests may help"
    elif report.ended == "limit":
        yield "the same command with a higher limit goes on from here"
    elif report.states.get("ok"):
        private = " --allow-private" if options.web.allow_private else ""
        excluding = [f"--exclude {quote(trap.exclude)}" for trap in report.traps[:_SHOWN] if trap.exclude]
        if excluding:
            patterns = printable(" ".join(excluding))
            yield style.dim(f"next: {patterns} keeps out of what looks endless, and of every address of that form")
        yield style.dim(
            f"next: urlset build {printable(options.url)} --out DIR{private} makes a sitemap of these pages"
        )
