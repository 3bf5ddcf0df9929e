"""`urlset build`: sources → a published set of sitemaps, or the reasons why not."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from urlset.cli.output import json_report, tell
from urlset.cli.progress import StageLine
from urlset.cli.targets import url_or_path
from urlset.cli.terminal import Style, printable
from urlset.model.shown import amount, and_more, few
from urlset.storage.paths import is_address, is_stored
from urlset.workflows.build.result import BuildReport
from urlset.writing.files import STATE_ROOT

if TYPE_CHECKING:
    from urlset.settings.build import BuildSettings
    from urlset.settings.crawl import CrawlSettings
    from urlset.workflows.build.result import BuildReport
    from urlset.workflows.publish import PublishReport


_SQLITE = b"SQLite format 3\0"
_SLUG = re.compile(r"[^a-z0-9]+")


@command(
    "build",
    usual="base-url out section exclude evidence gzip write-robots format dry-run force quiet",
    epilog="""Examples:
  urlset build public/ --base-url https://www.example.com/
  urlset build urls.csv --out public/ --section products=/p/*
  urlset build shop.db --sql "SELECT url AS loc FROM pages" --out public/
  urlset build urls.csv --out s3://bucket/site --base-url https://www.example.com/
  urlset build https://www.example.com/ --out public/ --dry-run""",
)
def build(settings: BuildSettings) -> int:
    """Build sitemaps from a site, a folder, a list, a table, a database, a feed or a sitemap.

    Only indexable, canonical pages are listed; run `urlset explain URL` to see why a page is in or out. Dates come
    from evidence and are omitted without it; the time of the build is never used. A page stays in its file, unchanged
    files are not rewritten, and the set is checked, then published all at once or not at all.

    A site is crawled as with `urlset crawl`. Listed pages that the crawl could not judge, because it was incomplete or
    their server failed, stay listed.

    Exit code 0: published, or --dry-run found no blockers; 1: a safety check refused; 2: a source could not be read or
    the set not be written.
    """

    sources = tuple(map(_source, settings.sources))
    crawling = _crawling(sources, settings)
    sources = tuple(each for each in sources if crawling is None or each != crawling.url)
    out = _out(sources, settings, crawling)
    state, notes = _state(settings, out)
    resolved = replace(settings, sources=sources, out=out, state=state)
    try:
        report = _run(resolved, crawling, notes)
    except OSError as error:
        where = error.filename or out
        raise click.ClickException(
            f"{where}: {error.strerror or error}; the published sitemaps are unchanged"
        ) from error
    if report is None:
        return INTERRUPTED
    uploaded = _upload(settings, out, report)
    if settings.format == "json":
        stored = {} if uploaded is None else {"storage": uploaded}
        tell(json_report("build", report, **stored))
    else:
        tell("\n".join(reported(report, Style.for_stream(sys.stdout))))
    if report.refusals or uploaded is None:
        return FINDINGS if report.refusals else OK
    from urlset.cli.publish import lines_of, outcome

    if settings.format != "json":
        tell("\n".join(lines_of(uploaded)))
    return outcome(uploaded)


def _store_url(settings: BuildSettings) -> str | None:
    """`--out s3://bucket/prefix`: the files are built in the state folder and published from there."""
    if not isinstance(settings.out, str) or "://" not in settings.out:
        return None
    from urlset.storage.store import SCHEMES

    if settings.out.partition("://")[0] not in SCHEMES:
        raise click.UsageError(f"--out: unknown storage URL {printable(settings.out)!r}; use {', '.join(SCHEMES)}")
    return settings.out


def _upload(settings: BuildSettings, out: Path, report: BuildReport) -> PublishReport | None:
    to = _store_url(settings)
    if to is None or not report.published:
        return None
    from urlset.cli.publish import published
    from urlset.settings.load import load
    from urlset.settings.publish import PublishSettings

    context = click.get_current_context(silent=True)
    given = context.params if context is not None else {}
    flags = {"folder": str(out), "to": to, "base_url": settings.base_url or "", "force": tuple(settings.force)}
    file = Path(given["_config"]) if given.get("_config") else None
    return published(load(PublishSettings, flags, profile=given.get("_profile"), file=file).settings)


def _source(spec: str) -> str:
    """A bare host is a site, an SQLite file is a database."""
    url = url_or_path(spec)
    path = Path(spec)
    if url == spec and path.is_file():
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                return f"sqlite:///{path.resolve()}"
    return url


def _crawling(sources: tuple[str, ...], settings: BuildSettings) -> CrawlSettings | None:
    """The site among the sources, and how it is crawled; None where there is none."""
    sites = [source for source in sources if is_address(source)]
    if len(sites) > 1:
        raise click.UsageError("only one site can be crawled at a time; save the others with `urlset crawl --out FILE`")
    if not sites:
        return None
    from urlset.workflows.build.crawl import crawl_for_build

    return crawl_for_build(settings, sites[0], Path(settings.state or STATE_ROOT))


def _run(settings: BuildSettings, crawling: CrawlSettings | None, notes: list[str]) -> BuildReport | None:
    """None if a crawl was interrupted. `notes` come before those of the build."""
    import msgspec

    from urlset.workflows.build.result import BuildRun

    if crawling is not None:
        from urlset.cli.crawl import ProgressLine
        from urlset.workflows.build.crawl import build_from_web

        run = BuildRun(stdin=sys.stdin.buffer, workers=settings.workers)
        with ProgressLine() as line:
            shown = line.show if line.wanted else None
            crawled, report = build_from_web(settings, crawling, run, progress=shown, built=line.clear)
        if report is None:
            stopped = f"stopped after {crawled.visited:,} pages, nothing was built; run the same command to resume"
            click.echo(stopped, err=True)
            return None
    else:
        from urlset.workflows.build.build import build as build_set
        from urlset.workflows.build.build import inferred_base_url

        if not settings.base_url:
            settings = replace(settings, base_url=inferred_base_url(settings))
            notes.append(f"base URL inferred from the sources: {settings.base_url}")
        with StageLine() as bar:
            report = build_set(settings, BuildRun(stdin=sys.stdin.buffer, workers=bar.watching(settings.workers)))
    return msgspec.structs.replace(report, notes=(*notes, *report.notes))


def _out(sources: tuple[str, ...], settings: BuildSettings, crawling: CrawlSettings | None) -> Path:
    if not sources and settings.db is None and crawling is None:
        raise click.UsageError("missing source: a site, a folder, a file, - for standard input, or --db URL")
    if (to := _store_url(settings)) is not None:
        from urlset.reading.fingerprint import hash_of

        name = f"{_SLUG.sub('-', to.lower()).strip('-')[:40]}-{hash_of(to) & 0xFFFFFFFF:08x}"
        return Path(settings.state or STATE_ROOT) / "storage" / name
    if settings.out is not None:
        return Path(settings.out)
    folders = [source for source in sources if Path(source).is_dir()]
    if folders:
        return Path(folders[0])
    # one that ends like this is meant as a folder, so --out is not what is missing
    if len(sources) == 1 and sources[0].endswith("/") and not is_stored(sources[0]):
        raise click.UsageError(f"{printable(sources[0])}: no such folder")
    raise click.UsageError("missing output folder: add --out DIR")


def _state(settings: BuildSettings, out: Path) -> tuple[Path, list[str]]:
    """The state folder named, or the one that belongs to the output; and what should be said about it."""
    if settings.state is not None:
        return Path(settings.state), []
    from urlset.building.state_home import state_for

    home = state_for(out, Path(STATE_ROOT))
    return home.state, [home.note] if home.note else []


_SHOWN = 5
_EVIDENCE = {
    "given": "from the source",
    "page": "from the page",
    "git": "from git",
    "observed": "from an observed change",
    "http": "from Last-Modified",
    "none": "without a date",
}


def reported(report: BuildReport, style: Style) -> Iterator[str]:
    """Lines for a terminal."""
    moves = f"{report.added:,} new, {report.removed:,} removed, {report.redated:,} with a new date"
    yield f"  listed     {style.bold(amount(report.listed, 'page'))}: {moves}"
    dates = ", ".join(f"{count:,} {_EVIDENCE.get(kind, kind)}" for kind, count in report.dated.items())
    if dates:
        yield f"  dates      {dates}"
    for reason, count in sorted(report.left_out.items(), key=lambda item: -item[1]):
        yield f"  excluded   {count:,} {reason}: {style.dim(printable(report.examples[reason]))}"
    changes = report.changes
    for word, names in (("new", changes.added), ("changed", changes.changed), ("removed", changes.removed)):
        if names:
            yield f"  {word:<10} {few(names, _SHOWN)}"
    if changes.unchanged:
        yield style.dim(f"  unchanged  {amount(len(changes.unchanged), 'file')}")
    for note in report.notes:
        yield f"  note       {printable(note)}"
    if report.trouble_count:
        rows = amount(report.trouble_count, "row or file", "rows or files")
        yield f"  trouble    {rows} used in part or skipped"
        for trouble in report.troubles[:_SHOWN]:
            yield style.dim(f"             {printable(trouble.origin)}: {printable(trouble.reason)}")
        yield from _rest(report.trouble_count, len(report.troubles), style)
    for finding in report.findings[:_SHOWN]:
        yield f"  check      {printable(finding)}"
    yield from _rest(report.finding_count, len(report.findings), style)
    for refusal in report.refusals:
        yield f"  {style.red('refused')}    {refusal.text}; override with --force {refusal.name}"
    if report.refusals:
        yield style.red("Not published. The existing sitemaps are unchanged.")
    elif report.dry_run:
        yield "dry run: nothing was written"
    elif not report.changes.touched:
        yield "nothing changed"
    else:
        yield style.green(f"published {amount(len(report.files), 'file')}")


def _rest(count: int, listed: int, style: Style) -> Iterator[str]:
    """How many there are beyond those shown; `listed` of them are in the JSON report."""
    if count > _SHOWN:
        where = f" (--format json lists {'all' if listed == count else f'the first {listed:,}'})"
        yield style.dim(f"            {and_more(count - _SHOWN)}{where if listed > _SHOWN else ''}")
