"""Which fix a finding can promise: none in an incomplete file, and XML is fixed before values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter

import msgspec

from urlset.findings.card import Card
from urlset.findings.finding import Fix, Problem, Safety
from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Mark
from urlset.model.document import Document, Has
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.spec.protocol import URL_CHILDREN

TAGS = frozenset({"X001", "X011"})
"""codes about malformed tags: their fixes in one entry belong together"""
_ROOT = -1
"""the row of problems in the open tag of the root"""


def malformed_rows(document: Document) -> set[int]:
    """Entries that were read after repairs."""
    rows, marks = document.troubles.rows(), document.columns.marks
    if any(mark & Mark.SALVAGED for mark in set(marks)):
        rows.update(row for row, mark in enumerate(marks) if mark & Mark.SALVAGED)
    return rows


def row_behind(document: Document, offset: int) -> int | None:
    """The entry that begins there, or behind whitespace: a tag in front of it may belong to it."""
    starts = document.columns.starts
    row = bisect_left(starts, offset)
    return row if row < len(starts) and not document.data[offset : starts[row]].strip() else None


class TwistedRows:
    """Entries with an element inside a value, so positions in the text are not positions in the file."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[int, bool] = {}
        """an entry may have thousands of problems"""

    def __contains__(self, row: int) -> bool:
        document = self._document
        if not document.columns.marks[row] & Mark.IRREGULAR:
            return False
        if row not in self._known:
            fields = (field for field in document.element(row).children if field.local.lower() in URL_CHILDREN)
            self._known[row] = any(field.children for field in fields)
        return self._known[row]


def malformed_root(document: Document) -> Place:
    """The open tag of the root; empty if nothing is wrong with it."""
    root = document.root
    is_malformed = root is not None and any(
        trouble.row is None and root.place.offset <= trouble.place.offset < root.place.end
        for trouble in document.troubles
        if trouble.kind is not TroubleKind.UNBOUND_PREFIX
    )
    return root.place if root is not None and is_malformed else Place(0)


class Fixability:
    """Knows which malformed entries have no safe fix."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._hard: dict[int, Safety | None] = {}
        """the least safe fix of the XML of an entry; None if there is none"""
        self._hard_tags: dict[int, Safety | None] = {}
        """the same for its tags"""
        self._tags: Counter[int] = Counter()
        """fixes of tags by entry"""
        self._twisted = TwistedRows(document)

    def note(self, card: Card, problem: Problem, row: int | None) -> int:
        """How many more findings are fixable because of this one; problems of XML have to come first."""
        if card.family == "X":
            return self._note_malformed(problem, is_tag=card.code in TAGS)
        return int(self.promised(card, problem, row) is not None)

    def _note_malformed(self, problem: Problem, *, is_tag: bool) -> int:
        fix = problem.fix
        row = None if fix is not None and fix.safety is Safety.SAFE and not is_tag else self._where(problem)
        if row is None or row not in self._rows:
            return int(fix is not None)
        self._lower(self._hard, row, fix)
        if not is_tag:
            return int(fix is not None)
        before = 0 if self.of_tags(row) is None else self._tags[row]
        self._lower(self._hard_tags, row, fix)
        self._tags[row] += fix is not None
        return (0 if self.of_tags(row) is None else self._tags[row]) - before

    @staticmethod
    def _lower(known: dict[int, Safety | None], row: int, fix: Fix | None) -> None:
        if fix is None or (fix.safety is Safety.REVIEW and known.get(row, Safety.SAFE) is not None):
            known[row] = None if fix is None else fix.safety

    def of_row(self, row: int | None) -> Safety | None:
        """What fixing the XML of the entry takes; None if it cannot be fixed."""
        return Safety.SAFE if row is None else self._hard.get(row, Safety.SAFE)

    def of_tags(self, row: int | None) -> Safety | None:
        return Safety.SAFE if row is None else self._hard_tags.get(row, Safety.SAFE)

    def promised(self, card: Card, problem: Problem, row: int | None) -> Fix | None:
        """The fix of a problem, as safe as everything it needs."""
        fix = problem.fix
        if fix is not None and row is not None and card.family not in ("X", "S") and row in self._twisted:
            return None
        if fix is None or not self._hard or (card.family == "X" and card.code not in TAGS):
            return fix
        where = self._where(problem) if row is None else row
        needed = self.of_tags(where) if card.family == "X" else self.of_row(where)
        if needed is None:
            return None
        return fix if needed is Safety.SAFE else msgspec.structs.replace(fix, safety=needed)

    @cached_property_unlocked
    def _rows(self) -> set[int]:
        return {*malformed_rows(self._document), *((_ROOT,) if self._root.length else ())}

    @cached_property_unlocked
    def _root(self) -> Place:
        return malformed_root(self._document)

    def _where(self, problem: Problem) -> int | None:
        """The entry of a problem, or of its fix: a tag that is missing at the end is added to the last entry."""
        row = self._row(problem.place.offset)
        if row is None and problem.place.length:
            return row_behind(self._document, problem.place.end)
        if row is not None or problem.fix is None:
            return row
        return next((row for edit in problem.fix.edits if (row := self._row(edit.place.offset)) is not None), None)

    def _row(self, offset: int) -> int | None:
        columns = self._document.columns
        if self._root.offset <= offset < self._root.end:
            return _ROOT
        row = bisect_right(columns.starts, offset) - 1
        return row if row >= 0 and offset < columns.ends[row] else None


# A document → whether it was read completely, and is a sitemap at all: otherwise nothing in it can be fixed.

_NOT_WHOLE = frozenset(
    {
        TroubleKind.TRUNCATED_GZIP,
        TroubleKind.CORRUPT_GZIP,
        TroubleKind.COMPRESSION_BOMB,
        TroubleKind.OTHER_COMPRESSION,
        TroubleKind.TOO_LARGE,
        TroubleKind.UNREADABLE,
        TroubleKind.TOO_DAMAGED,
        TroubleKind.TOO_MANY_ENTRIES,
    }
)
"""the document was not read completely, and a fix would hide that"""


def is_complete(document: Document) -> bool:
    """If not, no fix is offered or applied; an entity may hold anything, even entries."""
    return _is_whole(document) and not document.troubles.has(TroubleKind.ENTITY_USED)


def _is_whole(document: Document) -> bool:
    return document.envelope.complete and not document.troubles.has(*_NOT_WHOLE)


def is_other(document: Document) -> bool:
    """Other XML, a web page, or the source of a template: a rule says what it is, and no other rule applies to it."""
    other = bool(document.kind.has & Has.OTHER_FORMAT) or document.troubles.has(TroubleKind.UNRENDERED)
    return other and (_is_whole(document) or document.kind.is_other_list)


def why_incomplete(document: Document) -> str:
    """The reason not to fix a document that is not complete."""
    if _is_whole(document):
        return "the file uses entities that its DOCTYPE declares; write their text instead"
    return "the file is incomplete; download or generate it again"
