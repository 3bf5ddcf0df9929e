"""A file with pages and sitemaps → one file for each, with unchanged entries."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from urlset.findings.fix import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Left
from urlset.fixing.names import IsFree, anything, beside, sibling
from urlset.fixing.patchwork import Patchwork
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document, Kind
from urlset.model.entry import IndexEntry
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read
from urlset.writing.urlset import child_bytes

CODE = "S006"
_ROW = re.compile(rb"<(?:[\w.\x80-\xff-]+:)?(url|sitemap)(?=[\s/>])", re.IGNORECASE)
_ROOT = {Kind.URLSET: b"urlset", Kind.SITEMAPINDEX: b"sitemapindex"}
_WORDS = {Kind.URLSET: "index", Kind.SITEMAPINDEX: "pages"}
"""the word in the name of the new file"""


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
        return _left_because(fixed, "the file has to be well-formed before it can be split")
    if not wrong or present.root is None or present.root.synthetic:
        return fixed
    if len(wrong) == len(present):
        return _renamed_root(fixed, present, reported)
    if address is None:
        return _left_because(fixed, "the URL of the new file is unknown; set --at URL or --base-url")
    return _two_files(fixed, present, reported, wrong, address, is_free)


def _left_because(fixed: FixResult, reason: str) -> FixResult:
    left = tuple(msgspec.structs.replace(each, reason=reason) if each.code == CODE else each for each in fixed.left)
    return msgspec.structs.replace(fixed, left=left)


def _wrong_rows(document: Document) -> Iterator[int]:
    """Entries that do not match the root."""
    own = b"url" if document.kind is Kind.URLSET else b"sitemap"
    for row, mark in enumerate(document.columns.marks):
        tag = _ROW.match(document.data, document.columns.starts[row]) if mark & Mark.IRREGULAR else None
        if tag is not None and tag[1].lower() != own:
            yield row


def _other(kind: Kind) -> Kind:
    return Kind.SITEMAPINDEX if kind is Kind.URLSET else Kind.URLSET


def _renamed_root(fixed: FixResult, document: Document, reported: Left) -> FixResult:
    """All entries are of the other kind: the root is wrong."""
    edits = list(_root_names(document, _ROOT[_other(document.kind)]))
    result = _edited(fixed, document, edits)
    name = _ROOT[_other(document.kind)].decode()
    return _describe(result, reported, f"change the root to {name}", str(document.kind), name)


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
    new = Patchwork(head + tail)
    new.apply(list(_root_names(frame, _ROOT[_other(document.kind)])) if frame.root is not None else [])
    shift = len(new.data) - len(head + tail)
    at = len(head) + (shift // 2 if tail.strip() else shift)
    listing = b""
    if document.kind is Kind.URLSET:  # the new index also lists this file
        listing = child_bytes(IndexEntry(address))
    content = new.data[:at].rstrip() + b"\n" + listing + moved + b"\n" + new.data[at:].lstrip()
    named = beside(document.name, [_WORDS[document.kind]], [FixedFile("", (content,))], is_free)
    if named is None:
        return _left_because(fixed, "a file with the name of the new file already exists")
    edits = [Edit(with_its_line(data, columns.place(row)), b"") for row in wrong]
    if document.kind is Kind.SITEMAPINDEX:
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
    work = Patchwork(fixed.original)
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
