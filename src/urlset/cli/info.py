"""`urlset info`: files and addresses → a description of each, for people or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, NOTHING, OK
from urlset.cli.live_options import TARGETS, live_options, recording_faults, take_live
from urlset.cli.terminal import Style, complain, printable

if TYPE_CHECKING:
    from urlset.reading.tree import Missing
    from urlset.workflows.info.description import Description


@click.command(epilog="Example: urlset info public/sitemap-index.xml --root public --follow")
@click.argument("files", nargs=-1, required=True, type=click.Path(readable=False), metavar=TARGETS)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print."
)
@click.option("--follow", is_flag=True, help="Describe the children of every sitemap index as well.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="The folder that holds the site: https://example.com/a/b.xml in an index is DIR/a/b.xml. "
    "Without it, the children of an index are looked for next to it.",
)
@live_options
def info(files: tuple[str, ...], form: str, follow: bool, root: str | None, **given: Any) -> int:
    """Describe sitemaps: what they hold, and what is broken.

    A URL is a sitemap, an index or a whole site. Kind, how it is served, size, encoding, namespaces, counts, the
    spread of lastmod, and every kind of trouble met while reading.

    Places are line:column, both from 1. Whatever is broken is named, with what became of the entries it
    touched; to judge a sitemap by the rules of search engines is not the business of this command.
    """
    from urlset.reading.starts import Missing, NoSitemap
    from urlset.workflows.info.info import describe_files

    live = take_live(files, given)
    starts = [sys.stdin.buffer if name == "-" else name for name in files]
    style = Style.for_stream(sys.stdout)
    described, missing, nothing = [], [], True
    for found in _watched(describe_files(starts, root=root, follow=follow, live=live)):
        if isinstance(found, Missing):
            missing.append(found)
            nothing &= isinstance(found, NoSitemap)
            complain(printable(f"{found.loc}: {_absence(found)}"))
        elif form == "json":
            described.append(found)
        else:
            from urlset.cli.format_info import format_info

            click.echo("\n".join([*([""] if described else []), *format_info(found, style, follow=follow)]))
            described.append(found)
    if form == "json":
        click.echo(_json(described, missing))
    if missing:
        if not nothing:
            return BROKEN
        return OK if any(each.kind != "robots" for each in described) else NOTHING
    return OK


def _absence(missing: Missing) -> str:
    from urlset.reading.starts import NoSitemap

    if isinstance(missing, NoSitemap):
        return missing.reason
    return (
        f"listed in {missing.parent}, not read: {missing.reason}"
        if missing.parent
        else f"cannot be read: {missing.reason}"
    )


def _watched(found: Iterator[Description | Missing]) -> Iterator[Description | Missing]:
    with recording_faults():
        yield from found


def _json(described: Sequence[object], missing: Sequence[Missing]) -> str:
    import msgspec

    from urlset.version import __version__

    report = {
        "schema": 1,
        "urlset": __version__,
        "command": "info",
        "documents": described,
        "not_read": [each._asdict() for each in missing],
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()
