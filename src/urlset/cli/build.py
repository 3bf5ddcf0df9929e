"""`urlset build`: sources → a published set of sitemaps, or the reasons why not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from urlset.cli.section_options import kept_reasons, section_options, take_section_policies
from urlset.cli.terminal import Style, printable
from urlset.cli.web_options import fill_from_settings, take_web_options, web_options

if TYPE_CHECKING:
    from urlset.workflows.build.options import BuildOptions, BuildReport
    from urlset.workflows.crawl.options import CrawlOptions, CrawlReport


def _key(_context: click.Context, _option: click.Parameter, key: str | None) -> str | None:
    if key is None:
        return None
    from urlset.submitting.indexnow import key_problem

    problem = key_problem(key)
    if problem is not None or key.startswith("-"):
        raise click.UsageError(f"--indexnow-key {key!r}: {problem or 'a file name cannot begin with -'}")
    return key


@click.command(
    short_help="Build and publish sitemaps.", epilog="Example: urlset build public/ --base-url https://www.example.com/"
)
@click.argument("sources", nargs=-1, type=click.Path(readable=False), metavar="URL|FOLDER|FILE|DATABASE|-...")
@click.option(
    "--base-url", metavar="URL", help="The address the output folder is served at; of a site on the web its root."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Where the sitemaps go; for a build folder that is the folder itself.",
)
@click.option(
    "--state",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="State folder of this output [one per output in .urlset].",
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    metavar="NAME=PATTERN",
    help="Files of their own for pages that match, as in products=/p/*; may be given several times.",
)
@click.option(
    "--sections-by",
    type=click.Choice(["none", "path", "language"]),
    default="none",
    show_default=True,
    help="Sections for what no --section takes.",
)
@section_options
@click.option("--gzip", is_flag=True, help="Pack the parts of a set with an index.")
@click.option("--text", is_flag=True, help="Write plain text lists instead of XML.")
@click.option("--indexnow-key", metavar="KEY", callback=_key, help="Write the IndexNow key file KEY.txt.")
@click.option("--human-view", is_flag=True, help="Write a page for people beside the sitemaps (HTML and CSS).")
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option(
    "--force",
    multiple=True,
    metavar="GUARD",
    help="Override a safety check: empty, shrink, section, host, errors, incomplete.",
)
@click.option(
    "--shrink-percent",
    type=click.FloatRange(0, 100),
    default=20.0,
    show_default=True,
    metavar="P",
    help="Refuse a set that has lost more pages than this.",
)
@click.option("--strict", is_flag=True, help="Stop at the first row or page that cannot be used.")
@click.option("--include", multiple=True, metavar="PATTERN", help="List only pages that match; glob, or re:REGEX.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out pages that match; glob, or re:REGEX.")
@click.option(
    "--keep",
    multiple=True,
    metavar="REASON",
    help="List pages in spite of a reason to leave them out, such as paginated or facet.",
)
@click.option("--host", "hosts", multiple=True, metavar="URL", help="A further host whose pages may be listed.")
@click.option(
    "--robots",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="The robots.txt to obey; a build folder's own is found.",
)
@click.option("--write-robots", is_flag=True, help="Create robots.txt in the output folder if there is none.")
@click.option(
    "--source-kind",
    metavar="KIND",
    help="How to read the sources, where the content should not decide: "
    "folder, sitemap, crawl, csv, tsv, jsonl, text, parquet, sql.",
)
@click.option("--sql", metavar="QUERY", help="For a database: the query; its columns are named as in docs/sources.md.")
@click.option("--db", metavar="ADDRESS", help="A database as a further source, such as sqlite:///site.db.")
@click.option("--timezone", metavar="OFFSET", help="What dates without an offset are meant in, such as +02:00.")
@click.option(
    "--content",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Sources of a build folder's pages, for front matter dates.",
)
@click.option("--images", is_flag=True, help="Take images from the pages of a folder or a site.")
@click.option("--videos", is_flag=True, help="Take videos from the pages of a folder or a site.")
@click.option("--max-pages", type=click.IntRange(1), metavar="N", help="Crawl no more pages of a site than this.")
@click.option("--max-depth", type=click.IntRange(0), metavar="N", help="Crawl no further than N clicks from the start.")
@click.option("--prefix", metavar="PATH", help="Crawl only below this path, such as /blog/.")
@click.option("--seed-sitemaps", is_flag=True, help="Crawl also what only the site's present sitemaps name.")
@click.option("--fresh", is_flag=True, help="Crawl from the start instead of going on with an interrupted crawl.")
@click.option(
    "--evidence",
    multiple=True,
    type=click.Choice(["given", "page", "git", "observed", "http"]),
    help="What dates may come from, best first; may be given several times.",
)
@click.option("--compact", is_flag=True, help="Pack the pages anew, closing the holes that deletions left.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How to report.")  # fmt: skip
@web_options
def build(sources: tuple[str, ...], form: str, **given: Any) -> int:
    """Build sitemaps from a site on the web, a folder of pages, a list, a table, a database, a feed or a sitemap.

    Only pages that deserve it are listed; `urlset explain URL` tells why one is in or out. Dates come from
    evidence and are left out where there is none; never the time of the build. A page stays in its file, files
    that did not change are not touched, and the set is checked before it is published, all at once or not at all.

    A site is crawled as `urlset crawl` does it. Pages of the last set that the crawl could not judge, because it
    was not complete or their server failed, stay listed.

    Exit code 0: published, or with --dry-run nothing speaks against it; 1: a guard refused; 2: a source could
    not be read, or the set not be written.
    """
    from urlset.building.ledger import LedgerError
    from urlset.building.patterns import PatternError
    from urlset.building.publish import PublishError
    from urlset.building.sources.options import SourceBroken, SourceError
    from urlset.workflows.build.options import BuildError

    crawling = _crawling(sources, given)
    options = _options(tuple(each for each in sources if crawling is None or each != crawling.url), given, crawling)
    try:
        report = _run(options, crawling)
    except PatternError as error:
        raise click.UsageError(str(error)) from error
    except (BuildError, SourceBroken, SourceError, LedgerError, PublishError) as error:
        raise click.ClickException(printable(str(error))) from error
    except OSError as error:
        where = error.filename or options.out
        raise click.ClickException(f"{where}: {error.strerror or error}; the published set stands as it was") from error
    if report is None:
        return INTERRUPTED
    if form == "json":
        click.echo(_json(report))
    else:
        from urlset.cli.build_report import reported

        click.echo("\n".join(reported(report, Style.for_stream(sys.stdout))))
    return FINDINGS if report.refusals else OK


def _crawling(sources: tuple[str, ...], given: dict[str, Any]) -> CrawlOptions | None:
    """The site among the sources, and how it is crawled; None where there is none."""
    sites = [source for source in sources if source.lower().startswith(("http://", "https://"))]
    if sites:
        fill_from_settings(given)
    web = take_web_options(given)
    said = {name: given.pop(name) for name in ("max_pages", "max_depth", "prefix", "seed_sitemaps", "fresh")}
    if len(sites) > 1:
        raise click.UsageError("one site can be crawled at a time; build from the others' pages with `urlset crawl`")
    if not sites:
        if given["base_url"] is None:
            raise click.UsageError("say which address the output folder is served at with --base-url URL")
        return None
    from urlset.building.state_home import STATE_ROOT
    from urlset.workflows.crawl.options import CrawlOptions

    pictures = {"images": given["images"], "videos": given["videos"]}
    return CrawlOptions(url=sites[0], state=Path(given["state"] or STATE_ROOT), web=web, **said, **pictures)


def _run(options: BuildOptions, crawling: CrawlOptions | None) -> BuildReport | None:
    """None where a crawl was interrupted, which is told."""
    if crawling is None:
        from urlset.workflows.build.build import build as run

        return run(options, stdin=sys.stdin.buffer)
    from urlset.cli.crawl import ProgressLine
    from urlset.cli.live_options import recording_faults
    from urlset.workflows.build.crawl import build_from_web
    from urlset.workflows.crawl.options import CrawlError
    from urlset.writing.state_file import StateError

    line = ProgressLine()
    crawled: CrawlReport
    try:
        with recording_faults():
            crawled, report = build_from_web(
                options, crawling, progress=line.show if line.wanted else None, built=line.clear, stdin=sys.stdin.buffer
            )
    except (CrawlError, StateError) as error:
        raise click.ClickException(printable(str(error))) from error
    finally:
        line.clear()
    if report is None:
        click.echo(f"stopped after {crawled.visited:,} pages, nothing was built; the same command goes on", err=True)
    return report


def _options(sources: tuple[str, ...], given: dict[str, Any], crawling: CrawlOptions | None) -> BuildOptions:
    from urlset.building.candidate import EvidenceKind
    from urlset.building.evidence import DEFAULT_ORDER
    from urlset.building.guard import named
    from urlset.workflows.build.options import BuildOptions

    out, database = given.pop("out"), given.pop("db")
    if not sources and database is None and crawling is None:
        raise click.UsageError("say what to list: a site, a folder, a file, - for standard input, or --db ADDRESS")
    folders = [source for source in sources if Path(source).is_dir()]
    if out is None and not folders:
        if len(sources) == 1 and sources[0].endswith("/"):  # meant as a folder, so --out is not what is missing
            raise click.UsageError(f"{printable(sources[0])}: no such folder")
        raise click.UsageError("say where the sitemaps go with --out DIR")
    try:
        keep = kept_reasons(given.pop("keep"))
        per_section = take_section_policies(given)
        named(given["force"])
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    evidence = given.pop("evidence")
    order = tuple(EvidenceKind(kind) for kind in evidence) or DEFAULT_ORDER
    robots = given.pop("robots")
    state, note = _state(given.pop("state"), Path(out or folders[0]), given["base_url"], crawling)
    return BuildOptions(
        sources=(*sources, *([database] if database else [])),
        out=Path(out or folders[0]),
        state=state,
        keep=keep,
        per_section=per_section,
        order=order,
        robots=Path(robots) if robots else None,
        base_url=given.pop("base_url") or "",
        notes=note,
        **given,
    )


def _state(
    given: str | None, out: Path, base_url: str | None, crawling: CrawlOptions | None
) -> tuple[Path, tuple[str, ...]]:
    """The state folder named, or the one that belongs to the output; and what should be said about it."""
    if given is not None:
        return Path(given), ()
    from urlset.building.state_home import STATE_ROOT, state_for
    from urlset.workflows.build.build import folder_url

    address = base_url or (crawling.url if crawling is not None else None)
    home = state_for(out, Path(STATE_ROOT), base_url=folder_url(address) if address else None)
    return home.state, (home.note,) if home.note else ()


def _json(report: object) -> str:
    import msgspec

    from urlset.version import __version__

    whole = {"schema": 1, "urlset": __version__, "command": "build", **msgspec.to_builtins(report)}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()
