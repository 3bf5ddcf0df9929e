"""An index and its changed children → the index that lists them as they are now."""

from __future__ import annotations

import re

import msgspec

from urlset.findings.finding import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Removed
from urlset.fixing.edit_buffer import EditBuffer
from urlset.fixing.prove import lost_addresses
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.model.entry import IndexEntry
from urlset.reading.read import read
from urlset.writing.xml import escaped

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
    work = EditBuffer(fixed.original)
    work.apply(fixed.edits)
    work.apply(edits)
    after_all = read(work.data, name=document.name, url=document.url)
    lost = lost_addresses(document, [after_all], removed, ())
    reported = {(item.code, item.subject) for item in applied}
    return msgspec.structs.replace(
        fixed,
        pieces=(FixedFile(document.name, (work.data,)), *fixed.pieces[1:]),
        edits=work.edits(),
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
