"""`urlset info`: files and addresses → a description of each, for people or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, NOTHING, OK
from urlset.cli.output import json_report
from urlset.cli.targets import live_for, urls_and_paths
from urlset.cli.terminal import Style, bar, complain, printable, share, size
from urlset.model.document import Has
from urlset.model.shown import amount, few

if TYPE_CHECKING:
    from urlset.settings.ls import InfoSettings
    from urlset.workflows.info import Dates, Delivered, Description, Xml


@command(
    "info",
    usual="follow root format max-files allow-private header auth quiet",
    epilog="Example:\n  urlset info public/sitemap-index.xml --root public --follow",
)
def info(settings: InfoSettings) -> int:
    """Describe sitemaps: kind, size, encoding, namespaces, counts, lastmod, problems.

    A URL is a sitemap, an index or a site; how it is served is described too. Positions are line:column, starting at
    1. Run `urlset check` to check a sitemap against the rules of search engines.

    Exit code 0: described; 2: something could not be read; 3: no sitemap found.
    """
    from urlset.reading.disk import Missing, NoSitemap
    from urlset.workflows.info import describe_files

    targets, follow = urls_and_paths(settings.targets), settings.follow
    live = live_for(targets, settings)
    root = None if settings.root is None else str(settings.root)
    starts = [sys.stdin.buffer if name == "-" else name for name in targets]
    style = Style.for_stream(sys.stdout)
    described: list[Description] = []
    missing, nothing = [], True
    for found in describe_files(starts, root=root, follow=follow, live=live):
        if isinstance(found, Missing):
            missing.append(found)
            nothing &= isinstance(found, NoSitemap)
            reason = found.reason
            if not isinstance(found, NoSitemap):
                unread = f"listed in {found.parent}, not read" if found.parent else "cannot be read"
                reason = f"{unread}: {reason}"
            complain(printable(f"{found.loc}: {reason}"))
            continue
        if settings.format == "text":
            click.echo("\n".join([*([""] if described else []), *format_info(found, style, follow=follow)]))
        described.append(found)
    if settings.format == "json":
        click.echo(json_report("info", documents=described, not_read=[each._asdict() for each in missing]))
    if missing and not nothing:
        return BROKEN
    return NOTHING if missing and all(each.kind == "robots" for each in described) else OK


# The description of one document → aligned lines for people.

_LABEL = 12
_BAR = 28
_NAMED = 4


def format_info(description: Description, style: Style, *, follow: bool = False) -> Iterator[str]:
    """The lines, each complete in itself. `follow`: the children of an index are described as well."""
    yield style.bold(printable(description.source or "standard input"))
    for label, lines in _sections(description, style, follow=follow):
        for number, line in enumerate(lines):
            head = label if number == 0 else ""
            yield f"  {style.dim(head.ljust(_LABEL))} {line}".rstrip()


def _sections(it: Description, style: Style, *, follow: bool) -> Iterator[tuple[str, list[str]]]:
    label = it.kind.label
    yield "kind", [style.red(label) if it.kind.reader is None else label]
    if it.delivery is not None:
        yield "served", list(_served(it.delivery, it.source))
    yield "size", [_size(it)]
    yield "encoding", [_encoding(it)]
    if it.xml is not None:
        yield "namespaces", list(_namespaces(it.xml, style))
    if it.kind.has & Has.LOCS:
        yield "holds", list(_holds(it, style))
    if it.children is not None:
        yield "children", list(_children(it, follow=follow))
    if it.entries:
        yield "lastmod", list(_dates(it.dates, it.entries, style))
    if it.counts.urls:
        yield "changefreq", [_values(it.changefreqs, it.entries)]
        yield "priority", [_values(it.priorities, it.entries)]
    yield "problems", list(_troubles(it, style))


def _served(it: Delivered, asked: str) -> Iterator[str]:
    parts = [str(it.status or "no status"), printable(it.content_type or "no Content-Type")]
    if it.content_encoding:
        parts.append(f"sent in {printable(it.content_encoding)} as {size(it.sent_bytes)}")
    parts.append(f"{it.seconds:.1f} s")
    yield ", ".join(parts)
    if it.final_url != asked:
        said = f"{amount(len(it.redirects), 'redirect')} ({', '.join(map(str, it.redirects))}) " if it.redirects else ""
        yield f"{said}to {printable(it.final_url)}"
    known = [f"{name} {value}" for name, value in (("Last-Modified", it.last_modified), ("ETag", it.etag)) if value]
    yield printable(", ".join(known)) if known else "no ETag, no Last-Modified"


def _size(it: Description) -> str:
    if it.compression is None:
        return size(it.bytes)
    if it.layers == 0:
        return f"{size(it.bytes)}, compressed with {it.compression}, which is not supported"
    twice = ", compressed twice" if it.layers > 1 else ""
    ratio = f", ratio {it.unpacked_bytes / it.bytes:.0f}:1" if it.bytes < it.unpacked_bytes / 1.5 else ""
    return f"{size(it.bytes)} in {it.compression}, {size(it.unpacked_bytes)} uncompressed{ratio}{twice}"


def _encoding(it: Description) -> str:
    parts = [it.encoding.upper()]
    if it.xml is not None:
        declared = it.xml.declared_encoding
        parts.append(f"declared as {printable(declared)}" if declared else "not declared")
        if it.xml.version not in (None, "1.0"):
            parts.append(f"XML {printable(it.xml.version or '')}")
    if it.byte_order_mark:
        parts.append("with a byte order mark")
    return ", ".join(parts)


def _namespaces(xml: Xml, style: Style) -> Iterator[str]:
    if not xml.namespaces:
        yield style.yellow("none declared")
    width = max((len(each.prefix) for each in xml.namespaces), default=0)
    width = max(width, len("default"))
    for each in xml.namespaces:
        line = f"{printable(each.prefix or 'default').ljust(width)}  {printable(each.uri)}"
        yield line if each.means else f"{line}  {style.dim('(unknown)')}"
        if each.right is not None:
            yield f"{' ' * width}  {style.yellow('misspelled: should be ' + each.right)}"


def _holds(it: Description, style: Style) -> Iterator[str]:
    counts = it.counts
    things = [amount(counts.sitemaps, "sitemap") if it.kind.lists_sitemaps else amount(counts.urls, "URL")]
    media = (counts.images, "image"), (counts.videos, "video"), (counts.news, "news article")
    things += [amount(count, noun) for count, noun in (*media, (counts.alternates, "alternate")) if count]
    yield ", ".join(things)
    if counts.without_loc:
        yield style.yellow(f"{amount(counts.without_loc, 'entry has', 'entries have')} no loc")
    if counts.hosts:
        yield f"{amount(len(counts.hosts), 'host')}: {_named(counts.hosts)}"
    if counts.languages:
        spoken = len(counts.languages.keys() - {"x-default"})
        yield f"{amount(spoken, 'language')}: {_named(counts.languages, 12)}"


def _named(counts: Mapping[str, int], most: int = _NAMED) -> str:
    """`a 12, b 3 and 5 more`; a single one goes without its number."""
    if len(counts) == 1:
        return printable(next(iter(counts)))
    return few([f"{printable(name)} {count:,}" for name, count in counts.items()], most)


def _children(it: Description, *, follow: bool) -> Iterator[str]:
    children = it.children
    assert children is not None
    if children.found is None:
        hint = "; --follow describes them" if not follow and it.kind.lists_sitemaps else ""
        yield f"{children.listed:,} listed{hint}"
        return
    if children.found == children.listed:
        yield f"all {children.listed:,} on disk" if children.listed > 1 else "on disk"
        return
    yield f"{children.found:,} of {children.listed:,} on disk; not found:"
    yield from (f"  {printable(loc)}" for loc in children.missing)
    rest = children.listed - children.found - len(children.missing)
    if rest:
        yield f"  and {rest:,} more"


def _dates(dates: Dates, entries: int, style: Style) -> Iterator[str]:
    if not dates.present:
        yield "none"
        return
    span = "" if dates.oldest is None else f", {printable(dates.oldest)}"
    if dates.newest != dates.oldest:
        span += f" to {printable(dates.newest or '')}"
    yield f"{_coverage(dates.present, entries)}{span}"
    if dates.illegal:
        unread = f", {dates.not_understood:,} of them not readable" if dates.not_understood else ""
        unread = ", and not readable" if dates.not_understood == dates.illegal else unread
        yield style.yellow(f"{dates.illegal:,} not valid{unread}")
    largest = max((each.count for each in dates.histogram), default=0)
    width = max((len(each.label) for each in dates.histogram), default=0)
    if len(dates.histogram) > 1:
        for each in dates.histogram:
            drawn = style.cyan(bar(each.count, largest, _BAR))
            yield f"{each.label.ljust(width)}  {drawn}{' ' if drawn else ''}{style.dim(f'{each.count:,}')}"


def _coverage(part: int, whole: int) -> str:
    if part == whole:
        return "on all of them" if whole > 1 else "present"
    return f"on {part:,} of {whole:,} ({share(part, whole)})"


def _values(counts: Mapping[str, int], entries: int) -> str:
    if not counts:
        return "none"
    return f"{_coverage(sum(counts.values()), entries)}: {_named(counts, 6)}"


def _troubles(it: Description, style: Style) -> Iterator[str]:
    if not it.troubles:
        yield style.green("none")
        return
    counts = max(len(f"{group.count:,}") for group in it.troubles)
    words = max(len(group.kind.words) for group in it.troubles)
    for group in it.troubles:
        more = ["…"] if group.count > len(group.first) else []
        places = ", ".join([*(f"{spot.line}:{spot.column}" for spot in group.first), *more])
        yield f"{style.yellow(f'{group.count:>{counts},}')}  {group.kind.words.ljust(words)}  {style.dim(places)}"
    outcome = []
    if it.salvaged:
        outcome.append(f"{amount(it.salvaged, 'entry', 'entries')} still read")
    if it.lost:
        outcome.append(style.red(f"{amount(it.lost, 'entry', 'entries')} lost"))
    if not it.complete:
        outcome.append(style.red("the rest of the file could not be read"))
    if outcome:
        yield f"→ {', '.join(outcome)}"
