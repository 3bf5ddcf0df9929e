"""A sitemap over the limits → parts and an index under its name; changed children → the index that lists them.

The entries are moved byte for byte. Only the text before the first and after the last entry is repeated in each part.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

import msgspec

from urlset.findings.finding import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Left, Removed
from urlset.fixing.edit_buffer import EditBuffer
from urlset.fixing.markup import with_its_line
from urlset.fixing.prove import lost_addresses
from urlset.model.address import Address
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document, Kind
from urlset.model.entry import IndexEntry
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read
from urlset.spec.protocol import MAX_BYTES, MAX_NEWS_PER_SITEMAP, MAX_URLS
from urlset.writing.urlset import child_bytes, write_index
from urlset.writing.xml import escaped

# A file and its URL → names and URLs for the files made from it.

IsFree = Callable[[FixedFile], bool]
"""whether a file of that name may be written: it does not exist, or has the same bytes"""
_SCHEMES = ("{stem}-{word}{suffix}", "{stem}-part-{word}{suffix}", "{stem}-fixed-{word}{suffix}")


def anything(_piece: FixedFile) -> bool:
    return True


def beside(name: str, words: Sequence[str], contents: Sequence[FixedFile], is_free: IsFree) -> list[FixedFile] | None:
    """The contents under new names in the folder of `name`, one word each; None if such files exist."""
    folder, last = os.path.split(name)
    path = PurePath(last)
    suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    stem = last.removesuffix(suffix) if suffix else last
    for scheme in _SCHEMES:
        files = (scheme.format(stem=stem, word=word, suffix=suffix) for word in words)
        named = [
            FixedFile(os.path.join(folder, file), piece.chunks)  # noqa: PTH118 - keeps the spelling
            for file, piece in zip(files, contents, strict=True)
        ]
        if all(map(is_free, named)):
            return named
    return None


def with_suffix(name: str, suffix: str) -> str:
    """The same name with another suffix; .gz stays."""
    packed = ".gz" if name.endswith(".gz") else ""
    return name.removesuffix(packed).rpartition(".")[0] + suffix + packed


def sibling(url: str, name: str) -> str:
    """The URL of a file in the folder of another URL."""
    address = Address.parse(url)
    folder = address.raw[: address.parts.path[1]].rpartition("/")[0]
    return f"{folder}/{PurePath(name).name}"


CODES = ("S007", "S008", "N014", "S031", "I002", "I003")
HEADROOM = 0.98
"""share of the byte limit: a completely full part would exceed the limit after the next edit"""
_HARMLESS = (TroubleKind.STRAY_TEXT, TroubleKind.NOT_AN_ADDRESS)


class SplitLimits(msgspec.Struct, frozen=True):
    """The limits of a part, and its location."""

    urls: int = MAX_URLS
    bytes: int = MAX_BYTES
    news: int = MAX_NEWS_PER_SITEMAP
    address: str | None = None
    """of the original file"""
    listed: bool = False
    """an index lists the file, and will list the parts instead"""
    is_free: IsFree = anything


class SplitResult(msgspec.Struct, frozen=True):
    """The result, and the parts as an index lists them; none if nothing was split."""

    fixed: FixResult
    parts: tuple[IndexEntry, ...] = ()


def split(fixed: FixResult, document: Document, limits: SplitLimits, *, unsafe: bool = False) -> SplitResult:
    """The same result, in parts if a rule about limits still has a finding."""
    reported = next((left for code in CODES for left in fixed.left if left.code == code), None)
    if reported is None or fixed.refused is not None:
        return SplitResult(fixed)
    data = fixed.data
    present = document if data is document.data else read(data, name=document.name, url=document.url)
    per_file = limits.news if reported.code == "N014" else limits.urls
    if len(present) <= per_file and len(data) <= limits.bytes:
        return SplitResult(fixed)
    obstacle = _obstacle(present, limits, unsafe=unsafe)
    if obstacle is not None:
        return SplitResult(_left_because(fixed, obstacle))
    rows = list(_rows(present, per_file, int(limits.bytes * HEADROOM)))
    contents = [FixedFile("", _chunks(present, first, last)) for first, last in rows]
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    named = beside(document.name, numbers, contents, limits.is_free)
    if named is None:
        return SplitResult(_left_because(fixed, "files with the names of the parts already exist"))
    doubt = _doubt(present, named)
    if doubt is not None:
        return SplitResult(msgspec.structs.replace(fixed, refused=doubt))
    return _result(fixed, present, limits, reported, rows, named)


def _obstacle(document: Document, limits: SplitLimits, *, unsafe: bool) -> str | None:
    if document.kind.is_feed or not document.kind.is_sitemap:
        return "split a feed in the program that generates it"
    if any(trouble.row is None and trouble.kind not in _HARMLESS for trouble in document.troubles):
        return "the file has to be well-formed before it can be split"
    if document.kind.lists_sitemaps and not unsafe:
        return "an index must not list indexes, so each part has to be submitted; use --unsafe to split it"
    if document.kind is Kind.TEXT and not unsafe and not limits.listed:
        return "a text sitemap cannot become an index, so the parts need a new one; use --unsafe to create it"
    if limits.address is None and not document.kind.lists_sitemaps:
        return "the URLs of the parts are unknown; set --at URL or --base-url"
    return None


def _left_because(fixed: FixResult, reason: str, codes: Sequence[str] = CODES) -> FixResult:
    left = tuple(msgspec.structs.replace(each, reason=reason) if each.code in codes else each for each in fixed.left)
    return msgspec.structs.replace(fixed, left=left)


def _rows(document: Document, per_file: int, max_bytes: int) -> Iterator[tuple[int, int]]:
    """(first row, last row + 1), as evenly as the limits allow."""
    columns = document.columns
    count = len(columns)
    frame = columns.starts[0] + len(document.data) - columns.ends[-1]
    body = columns.ends[-1] - columns.starts[0]
    wanted = max(-(-count // per_file), -(-body // max(1, max_bytes - frame)))
    size = -(-count // wanted)
    first = 0
    while first < count:
        last = min(first + size, count)
        while last > first + 1 and columns.ends[last - 1] - columns.starts[first] + frame > max_bytes:
            last -= max(1, (last - first) // 20)
        yield first, last
        first = last


def _chunks(document: Document, first: int, last: int) -> tuple[bytes | memoryview, ...]:
    """The text between two parts goes with the first, because it may be a comment."""
    columns, data = document.columns, document.data
    if document.kind is Kind.TEXT:
        end = columns.starts[last] if last < len(columns) else len(data)
        return (memoryview(data)[columns.starts[first] : end],)
    end = columns.ends[last - 1]
    if last < len(columns):
        end += len(data[end : columns.starts[last]].rstrip())
    head, tail = data[: columns.starts[0]], data[columns.ends[-1] :]
    return (head, memoryview(data)[columns.starts[first] : end], tail)


def _doubt(document: Document, parts: list[FixedFile]) -> str | None:
    """Verified one at a time: the parts have the same entries in the same order and are well-formed."""
    row = 0
    locs = document.columns.locs
    for part in parts:
        again = read(part.data, name=part.name)
        if again.kind is not document.kind or again.columns.locs != locs[row : row + len(again)]:
            return f"{part.name} would not contain the expected entries"
        row += len(again)
    return None if row == len(locs) else f"{len(locs) - row:,} entries would be in no part"


def _result(
    fixed: FixResult,
    document: Document,
    limits: SplitLimits,
    reported: Left,
    rows: list[tuple[int, int]],
    parts: list[FixedFile],
) -> SplitResult:
    children = tuple(
        IndexEntry(sibling(limits.address, part.name), _newest(document, first, last))
        for part, (first, last) in zip(parts, rows, strict=True)
        if limits.address is not None
    )
    pieces, title = _pieces(fixed, document, limits, parts, children)
    applied = Applied(
        code=reported.code,
        name=reported.name,
        title=title,
        safety=Safety.SAFE if document.kind is Kind.URLSET else Safety.REVIEW,
        line=reported.line or 1,
        column=reported.column or 1,
        before=f"{len(document):,} entries, {len(document.data):,} bytes",
        after=", ".join(part.name for part in parts),
    )
    left = tuple(each for each in fixed.left if each.code not in CODES)
    result = msgspec.structs.replace(fixed, pieces=pieces, applied=(*fixed.applied, applied), left=left)
    return SplitResult(result, children)


def _pieces(
    fixed: FixResult, document: Document, limits: SplitLimits, parts: list[FixedFile], children: tuple[IndexEntry, ...]
) -> tuple[tuple[FixedFile, ...], str]:
    """All files of the result, the one with the old name first, and the change in words."""
    if limits.listed:
        return (*fixed.pieces, *parts), f"split into {len(parts)} parts, which the index lists instead of this file"
    if document.kind.lists_sitemaps:
        own = FixedFile(document.name, parts[0].chunks)
        return (own, *parts[1:]), f"split into {len(parts)} indexes; submit each of them"
    index = tuple(write_index(children))
    if document.kind is Kind.TEXT:
        name = parts[0].name.removesuffix(".gz").rpartition("-")[0] + "-index.xml"
        name += ".gz" if document.name.endswith(".gz") else ""
        return (*fixed.pieces, FixedFile(name, index), *parts), f"split into {len(parts)} parts; submit {name} instead"
    return (FixedFile(document.name, index), *parts), f"split into {len(parts)} parts and an index"


def _newest(document: Document, first: int, last: int) -> str | None:
    """The newest lastmod in the part, never the time of writing."""
    newest: Moment | None = None
    for text in {text.strip() for text in document.columns.lastmods[first:last] if text}:
        moment = Moment.parse(text)
        if moment.w3c_valid and (newest is None or moment.newer_than(newest)):
            newest = moment
    return newest.text if newest else None


# A file with pages and sitemaps → one file for each, with unchanged entries.

CODE = "S006"
_ROW = re.compile(rb"<(?:[\w.\x80-\xff-]+:)?(url|sitemap)(?=[\s/>])", re.IGNORECASE)


def separate(
    fixed: FixResult, document: Document, *, unsafe: bool, address: str | None = None, is_free: IsFree = anything
) -> FixResult:
    """The same result, in two files if it contains both kinds; only on request, because the files must be submitted."""
    reported = next((left for left in fixed.left if left.code == CODE), None)
    if reported is None or fixed.refused is not None or not unsafe:
        return fixed
    data = fixed.data
    present = document if data is document.data else read(data, name=document.name, url=document.url)
    wrong = list(_wrong_rows(present))
    if any(trouble.row is None and trouble.kind is not TroubleKind.STRAY_TEXT for trouble in present.troubles):
        return _left_because(fixed, "the file has to be well-formed before it can be split", [CODE])
    if not wrong or present.root is None or present.root.synthetic:
        return fixed
    if len(wrong) == len(present):
        # All entries are of the other kind: the root is wrong.
        edits = list(_root_names(present, _other_root(present.kind)))
        result = _edited(fixed, present, edits)
        name = _other_root(present.kind).decode()
        return _describe(result, reported, f"change the root to {name}", str(present.kind), name)
    if address is None:
        return _left_because(fixed, "the URL of the new file is unknown; set --at URL or --base-url", [CODE])
    return _two_files(fixed, present, reported, wrong, address, is_free)


def _wrong_rows(document: Document) -> Iterator[int]:
    """Entries that do not match the root."""
    own = b"url" if document.kind is Kind.URLSET else b"sitemap"
    for row, mark in enumerate(document.columns.marks):
        tag = _ROW.match(document.data, document.columns.starts[row]) if mark & Mark.IRREGULAR else None
        if tag is not None and tag[1].lower() != own:
            yield row


def _other_root(kind: Kind) -> bytes:
    return (Kind.SITEMAPINDEX if kind.lists_pages else Kind.URLSET).encode()


def _root_names(document: Document, name: bytes) -> Iterator[Edit]:
    """The root's open and close tag with another name and the same prefix."""
    root = document.root
    assert root is not None
    size = len(root.local.encode())
    shift = len(root.written.encode()) - size
    yield Edit(Place(root.place.offset + 1 + shift, size), name)
    close = document.data.rfind(b"</" + root.written.encode())
    if close > root.place.offset:
        yield Edit(Place(close + 2 + shift, size), name)


def _two_files(
    fixed: FixResult, document: Document, reported: Left, wrong: list[int], address: str, is_free: IsFree
) -> FixResult:
    columns, data = document.columns, document.data
    moved = b"\n".join(columns.place(row).cut(data) for row in wrong)
    head, tail = data[: columns.starts[0]], data[columns.ends[-1] :]
    frame = read(head + tail, name=document.name)
    new = EditBuffer(head + tail)
    new.apply(list(_root_names(frame, _other_root(document.kind))) if frame.root is not None else [])
    shift = len(new.data) - len(head + tail)
    at = len(head) + (shift // 2 if tail.strip() else shift)
    listing = b""
    if document.kind.lists_pages:  # the new index also lists this file
        listing = child_bytes(IndexEntry(address))
    content = new.data[:at].rstrip() + b"\n" + listing + moved + b"\n" + new.data[at:].lstrip()
    word = "index" if document.kind.lists_pages else "pages"
    named = beside(document.name, [word], [FixedFile("", (content,))], is_free)
    if named is None:
        return _left_because(fixed, "a file with the name of the new file already exists", [CODE])
    edits = [Edit(with_its_line(data, columns.place(row)), b"") for row in wrong]
    if document.kind.lists_sitemaps:
        edits.append(
            Edit(Place(columns.ends[-1]), b"\n" + child_bytes(IndexEntry(sibling(address, named[0].name))).rstrip())
        )
    result = _edited(fixed, document, edits)
    result = msgspec.structs.replace(result, pieces=(*result.pieces, *named))
    again = [read(piece.data, name=piece.name) for piece in result.pieces]
    kept = {loc for each in again for loc in each.columns.locs}
    if not kept.issuperset(columns.locs) or any(each.troubles for each in again):
        return msgspec.structs.replace(fixed, refused=f"{named[0].name} would not contain the expected entries")
    title = f"move {len(wrong):,} entries to {named[0].name}"
    if document.kind is Kind.URLSET:
        title += ", which also lists this file; submit it"
    return _describe(result, reported, title, f"{len(wrong):,} of {len(columns):,} entries", named[0].name)


def _edited(fixed: FixResult, document: Document, edits: list[Edit]) -> FixResult:
    """Further edits on top of those already made."""
    work = EditBuffer(fixed.original)
    work.apply(fixed.edits)
    work.apply(sorted(edits, key=lambda edit: edit.place.offset))
    return msgspec.structs.replace(
        fixed, pieces=(FixedFile(document.name, (work.data,)), *fixed.pieces[1:]), edits=work.edits()
    )


def _describe(fixed: FixResult, reported: Left, title: str, before: str, after: str) -> FixResult:
    applied = Applied(
        reported.code, reported.name, title, Safety.REVIEW, reported.line or 1, reported.column or 1, before, after
    )
    left = tuple(each for each in fixed.left if each.code != CODE)
    return msgspec.structs.replace(fixed, applied=(*fixed.applied, applied), left=left)


_INDENT = re.compile(rb"[ \t]*\Z")


class RowChange(msgspec.Struct, frozen=True):
    """The change of one row of an index."""

    code: str
    name: str
    title: str
    safety: Safety
    instead: tuple[IndexEntry, ...] | None = None
    """the sitemaps to list instead"""
    lastmod: str | None = None
    """or the new date"""


def follow(fixed: FixResult, document: Document, changes: dict[int, RowChange]) -> FixResult:
    """`document` is the fixed index, read again; rows refer to it."""
    edits: list[Edit] = []
    applied: list[Applied] = []
    removed: list[Removed] = []
    for row, each in sorted(changes.items()):
        edit = _replaced(document, row, each) if each.instead is not None else _redated(document, row, each)
        if edit is None:
            continue
        edits.append(edit)
        loc = (document.columns.locs[row] or "").strip()
        if each.instead is not None and loc not in {entry.loc for entry in each.instead}:
            removed.append(Removed(loc, each.code))
        at = document.lines.at(edit.place.offset)
        before = edit.place.cut(document.data).decode("utf-8", "replace")
        after = edit.text.decode("utf-8", "replace")
        applied.append(
            Applied(each.code, each.name, each.title, each.safety, at.line, at.column, before[:160], after[:160], loc)
        )
    if not edits:
        return fixed
    result = _edited(fixed, document, edits)
    after_all = read(result.data, name=document.name, url=document.url)
    lost = lost_addresses(document, [after_all], removed, ())
    reported = {(item.code, item.subject) for item in applied}
    return msgspec.structs.replace(
        result,
        applied=(*fixed.applied, *applied),
        removed=(*fixed.removed, *removed),
        left=tuple(each for each in fixed.left if each.code not in {code for code, _ in reported}),
        refused=f"{lost[0]!r} would no longer be listed" if lost or after_all.troubles else fixed.refused,
    )


def _replaced(document: Document, row: int, change: RowChange) -> Edit:
    """The new entries, formatted like the old one."""
    place = document.place(row)
    old = place.cut(document.data)
    before = document.data[: place.offset]
    line_start = max(before.rfind(b"\n"), before.rfind(b">")) + 1
    indent = before[line_start:] if _INDENT.fullmatch(before[line_start:]) else b""
    separator = b"\n" + indent if b"\n" in before[-200:] else b""
    assert change.instead is not None
    return Edit(place, separator.join(_entry(document, old, indent, entry) for entry in change.instead))


def _entry(document: Document, old: bytes, indent: bytes, entry: IndexEntry) -> bytes:
    root = document.root
    core = root.written.rpartition(":")[0] if root is not None else ""
    prefix = f"{core}:" if core else ""
    fields = [("loc", entry.loc), ("lastmod", entry.lastmod)]
    leaves = [f"<{prefix}{name}>{escaped(text)}</{prefix}{name}>" for name, text in fields if text is not None]
    gap, end = ("", "")
    if b"\n" in old:
        inner = re.search(rb"\n([ \t]*)<", old)
        gap = "\n" + (inner[1].decode() if inner else indent.decode() + "  ")
        end = "\n" + indent.decode()
    return f"<{prefix}sitemap>{''.join(gap + leaf for leaf in leaves)}{end}</{prefix}sitemap>".encode()


def _redated(document: Document, row: int, change: RowChange) -> Edit | None:
    for child in document.element(row).children:
        if child.local.lower() == "lastmod" and child.value.text.strip() and change.lastmod is not None:
            return Edit(child.inner, change.lastmod.encode())
    return None
