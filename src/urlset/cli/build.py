"""`urlset build`: sources → a published set of sitemaps, or the reasons why not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.terminal import Style

if TYPE_CHECKING:
    from urlset.workflows.build_options import BuildOptions


@click.command(
    short_help="Build and publish sitemaps.", epilog="Example: urlset build public/ --base-url https://www.example.com/"
)
@click.argument("sources", nargs=-1, metavar="FOLDER|FILE|DATABASE|-...")
@click.option("--base-url", required=True, metavar="URL", help="The address the output folder is served at.")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Where the sitemaps go; for a build folder that is the folder itself.",
)
@click.option(
    "--state",
    type=click.Path(file_okay=False),
    default=".urlset",
    show_default=True,
    metavar="DIR",
    help="Where the ledger and the previous set are kept.",
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
@click.option("--gzip", is_flag=True, help="Pack the parts of a set with an index.")
@click.option("--text", is_flag=True, help="Write plain text lists instead of XML.")
@click.option("--human-view", is_flag=True, help="Write a page for people beside the sitemaps (HTML and CSS).")
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option(
    "--force", multiple=True, metavar="GUARD", help="Publish in spite of a guard: empty, shrink, section, host, errors."
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
    "folder, sitemap, csv, tsv, jsonl, text, parquet, sql.",
)
@click.option("--sql", metavar="QUERY", help="For a database: the query; its columns are named as in docs/sources.md.")
@click.option("--db", metavar="ADDRESS", help="A database as a further source, such as sqlite:///site.db.")
@click.option("--timezone", metavar="OFFSET", help="What dates without an offset are meant in, such as +02:00.")
@click.option("--images", is_flag=True, help="Take images from the pages of a build folder.")
@click.option("--videos", is_flag=True, help="Take videos from the pages of a build folder.")
@click.option(
    "--evidence",
    multiple=True,
    type=click.Choice(["given", "page", "git", "observed", "http"]),
    help="What dates may come from, best first; may be given several times.",
)
@click.option("--compact", is_flag=True, help="Pack the pages anew, closing the holes that deletions left.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How to report.")  # fmt: skip
def build(sources: tuple[str, ...], form: str, **given: Any) -> int:
    """Build sitemaps from a folder of pages, a list, a table, a database, a feed or a sitemap.

    Only pages that deserve it are listed; `urlset explain URL` tells why one is in or out. Dates come from
    evidence and are left out where there is none; never the time of the build. A page stays in its file, files
    that did not change are not touched, and the set is checked before it is published, all at once or not at all.

    Exit code 0: published, or with --dry-run nothing speaks against it; 1: a guard refused; 2: a source could
    not be read, or the set not be written.
    """
    from urlset.building.ledger import LedgerError
    from urlset.building.patterns import PatternError
    from urlset.building.publish import PublishError
    from urlset.building.sources.options import SourceBroken, SourceError
    from urlset.workflows.build import build as run
    from urlset.workflows.build_options import BuildError

    options = _options(sources, given)
    try:
        report = run(options, stdin=sys.stdin.buffer)
    except PatternError as error:
        raise click.UsageError(str(error)) from error
    except (BuildError, SourceBroken, SourceError, LedgerError, PublishError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        where = error.filename or options.out
        raise click.ClickException(f"{where}: {error.strerror or error}; the published set stands as it was") from error
    if form == "json":
        click.echo(_json(report))
    else:
        from urlset.cli.built import told

        click.echo("\n".join(told(report, Style.for_stream(sys.stdout))))
    return FINDINGS if report.refusals else OK


def _options(sources: tuple[str, ...], given: dict[str, Any]) -> BuildOptions:
    from urlset.building.candidate import EvidenceKind, Verdict
    from urlset.building.evidence import DEFAULT_ORDER
    from urlset.building.guard import named
    from urlset.workflows.build_options import BuildOptions

    out, database = given.pop("out"), given.pop("db")
    if not sources and database is None:
        raise click.UsageError("say what to list: a folder, a file, - for standard input, or --db ADDRESS")
    folders = [source for source in sources if Path(source).is_dir()]
    if out is None and not folders:
        raise click.UsageError("say where the sitemaps go with --out DIR")
    try:
        keep = frozenset(Verdict(reason) for reason in given.pop("keep"))
        named(given["force"])
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    evidence = given.pop("evidence")
    order = tuple(EvidenceKind(kind) for kind in evidence) or DEFAULT_ORDER
    robots = given.pop("robots")
    return BuildOptions(
        sources=(*sources, *([database] if database else [])),
        out=Path(out or folders[0]),
        state=Path(given.pop("state")),
        keep=keep,
        order=order,
        robots=Path(robots) if robots else None,
        **given,
    )


def _json(report: object) -> str:
    import msgspec

    from urlset.version import __version__

    whole = {"schema": 1, "urlset": __version__, "command": "build", **msgspec.to_builtins(report)}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()
