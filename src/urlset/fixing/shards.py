"""A sitemap over the limits → parts within them, and an index under its name.

The entries are moved byte for byte. Only the text before the first and after the last entry is repeated in each part.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.findings.fix import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Left
from urlset.fixing.names import IsFree, anything, beside, sibling
from urlset.model.document import Document, Kind
from urlset.model.entry import IndexEntry
from urlset.model.moment import Moment
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read
from urlset.spec.protocol import MAX_BYTES, MAX_NEWS_PER_SITEMAP, MAX_URLS
from urlset.writing.urlset import write_index

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
    if document.kind not in (Kind.URLSET, Kind.TEXT, Kind.SITEMAPINDEX):
        return "split a feed in the program that generates it"
    if any(trouble.row is None and trouble.kind not in _HARMLESS for trouble in document.troubles):
        return "the file has to be well-formed before it can be split"
    if document.kind is Kind.SITEMAPINDEX and not unsafe:
        return "an index must not list indexes, so each part has to be submitted; use --unsafe to split it"
    if document.kind is Kind.TEXT and not unsafe and not limits.listed:
        return "a text sitemap cannot become an index, so the parts need a new one; use --unsafe to create it"
    if limits.address is None and document.kind is not Kind.SITEMAPINDEX:
        return "the URLs of the parts are unknown; set --at URL or --base-url"
    return None


def _left_because(fixed: FixResult, reason: str) -> FixResult:
    left = tuple(msgspec.structs.replace(each, reason=reason) if each.code in CODES else each for each in fixed.left)
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
    if document.kind is Kind.SITEMAPINDEX:
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
