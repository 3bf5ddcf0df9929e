"""`urlset dates`: a built site → honest dates in its sitemaps, or the pages whose dates are stale."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import json_report, tell
from urlset.cli.targets import need_url
from urlset.cli.terminal import Style, complain, printable
from urlset.model.shown import amount, and_more

if TYPE_CHECKING:
    from urlset.settings.dates import DatesSettings
    from urlset.workflows.dates.dates import DatesReport

_SHOWN = 10
_EVIDENCE = {
    "given": "from the source",
    "page": "from the page",
    "git": "from git",
    "observed": "from an observed change",
    "first-seen": "from the first run that saw them",
    "live": "from the live sitemap",
    "http": "from Last-Modified",
}


@command(
    "dates",
    usual="root base-url lock check from first-seen dry-run allow-shrink format quiet",
    epilog="""Examples:
  urlset dates public/
  urlset dates public/ --check
  urlset dates dist/sitemap-index.xml --root dist/
  urlset dates --from http://localhost:3000/""",
)
def dates(settings: DatesSettings) -> int:
    """Write honest dates into the sitemaps that a site generator has built.

    The pages of the built site are compared with `sitemap.lock`, which remembers the date and a fingerprint of each
    page between builds: commit it. A date moves only if the content of its page changed; navigation, footers, build
    hashes and other text that the site repeats do not count. Without evidence, a page has no date. All other bytes of
    the sitemaps stay; an index and compressed copies follow.

    Exit code 0: the dates are right; 1: --check found stale dates, or the lock would lose too many pages; 2: something
    could not be read or written; 3: no sitemap found.
    """
    from urlset.workflows.dates.dates import NothingToDateError, date_pages
    from urlset.writing.files import LockBusy

    if settings.start is not None:
        settings = replace(settings, start=need_url(settings.start, "--from takes the URL of a site or sitemap"))
    try:
        report = date_pages(settings)
    except NothingToDateError as error:
        complain(printable(str(error)))
        return NOTHING
    except LockBusy as error:
        raise click.ClickException(f"another run is working on {printable(str(error))}; wait for it to end") from error
    for trouble in report.troubles:
        complain(printable(trouble))
    if settings.format == "json":
        tell(json_report("dates", report))
    else:
        tell("\n".join(_lines(report, Style.for_stream(sys.stdout))))
    if report.troubles:
        return BROKEN
    return FINDINGS if report.refused or (report.check and report.stale) else OK


def _lines(report: DatesReport, style: Style) -> Iterator[str]:
    summary = report.summary
    moves = f"{summary.changed:,} changed, {summary.added:,} new, {summary.removed:,} removed"
    yield f"  pages      {style.bold(amount(summary.pages, 'page'))}: {moves}"
    kinds = Counter(each.evidence for each in report.pages)
    said = [f"{count:,} {_EVIDENCE.get(kind or '', 'without a date')}" for kind, count in kinds.most_common()]
    yield f"  dates      {', '.join(said) or 'none'}"
    word = "stale" if report.check else "changed"
    shown = [
        (each.url, each.reason or each.lastmod or "no date")
        for each in report.pages
        if (each.reason if report.check else each.changed)
    ]
    shown += [(each.name, each.reason) for each in report.also_stale if report.check]
    dated = [f"  {word:<10} {printable(name)} {style.dim(printable(about))}" for name, about in shown]
    for lines in (dated, [f"  note       {printable(note)}" for note in report.notes]):
        yield from lines[:_SHOWN]
        if len(lines) > _SHOWN:
            yield style.dim(f"            {and_more(len(lines) - _SHOWN)} (--format json lists all)")
    yield _last(report, style)


def _last(report: DatesReport, style: Style) -> str:
    if report.refused is not None:
        return style.red(f"Not written: {report.refused}. Check the build, or add --allow-shrink.")
    if report.check:
        if not report.stale:
            return style.green("all dates are up to date")
        fix = f"run `urlset dates{' --allow-shrink' if report.shrinks else ''}` and commit {report.lock}"
        return style.red(f"{amount(report.stale, 'stale date')}; {fix}")
    if report.dry_run:
        return "dry run: nothing was written"
    if not report.written:
        return "nothing changed"
    return style.green(f"wrote {', '.join(map(printable, report.written[:4]))}{and_more(len(report.written) - 4)}")
