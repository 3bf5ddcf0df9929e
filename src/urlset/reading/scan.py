"""A beginning → all entries and troubles: scanner and reference in turn, salvage where the bytes are broken."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from urlset.model.columns import Columns, Edit, EntryFields, Mark
from urlset.model.document import Root
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import limits
from urlset.reading.around import Seeker, behind_root, judged
from urlset.reading.limits import is_compiled
from urlset.reading.prolog import KNOWN_ROOT, Beginning, assumed_namespace, read_root
from urlset.reading.reference import (
    UNBOUND_PREFIX,
    Container,
    Landmarks,
    OpenTag,
    Pass,
    PassEnd,
    Soundness,
    Stop,
    opened,
    opened_ahead,
    unbound_in_entry,
)
from urlset.reading.row_reader import RootScope, RowReader
from urlset.reading.salvage import Salvage
from urlset.reading.vocabulary import (
    MAX_PREFIXES,
    NamespaceMap,
    can_be_known,
    declared_inside,
    feed_names,
    name_at,
    prefixes,
    tag_at,
)
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlset.reading.compiled import CompiledScanner, Salvager
    from urlset.reading.decode import OffsetMap
    from urlset.reading.vocabulary import Prefixes, Vocabulary

_CUT_SHORT = frozenset({3, 5, 6, 20})
"""expat's codes for: no element found, unclosed token, partial character, unclosed CDATA section"""
_COMMENT = lazy_pattern(rb"<!--.*?-->", re.DOTALL)
_MARKUP = lazy_pattern(rb"(?:<!--.*?-->|<!\[CDATA\[|<(?:[^\"'>]|\"[^\"]*+\"|'[^']*+')*+>)\s*+", re.DOTALL)
_DECLARATION = lazy_pattern(rb"<\?xml[\s?][^<]*\?>\s*+")
_KINDS_BY_CODE = {
    7: TroubleKind.MISMATCHED_TAG,
    8: TroubleKind.DUPLICATE_ATTRIBUTE,
    11: TroubleKind.UNDEFINED_ENTITY,
    14: TroubleKind.BAD_CHARACTER_REFERENCE,
}


class Scan:
    """Reads one document from behind its root tag to the last byte."""

    def __init__(self, data: bytes, beginning: Beginning, vocabulary: Vocabulary) -> None:
        self._data = data
        self._seeker = Seeker(data)
        self._beginning = beginning
        self._vocabulary = vocabulary
        self.columns = Columns()
        self.columns.comments += beginning.comments
        self.troubles = beginning.troubles
        self._frame = OpenTag(beginning.frame)
        self._reach = limits.FIRST_CHUNK
        """bytes ahead of a pass in which prefixes are looked for, if the root declares many"""
        self._declared_until = 0
        self._misplaced_at: set[int] = set()
        """elements that a pass has reported, which may be read again"""
        self._containers: list[Container] = []
        self._scopes: list[RootScope] = []
        self._rootless = beginning.root.synthetic
        self._damaged = 0
        self._soundness = Soundness(data, rootless=self._rootless)
        self._sound = False
        """whether all that is left of this root is known to be well-formed"""
        self._landmarks = Landmarks(data, self._seeker, vocabulary.rows)
        self._enter(beginning.root)

    def _enter(self, root: Root) -> None:
        self._root = self._bound_root = root
        self._rebound = 0
        """how often a scanner was opened for undeclared prefixes"""
        self._scope_start = len(self.columns)
        self._namespace_map = NamespaceMap(self._vocabulary, root.namespace)
        self._rely_on(root)
        core = root.written.rpartition(":")[0]
        self._row_name = (f"{core}:" if core else "").encode() + self._vocabulary.rows[0].encode()
        self._root_close = re.compile(rb"</\s*" + re.escape(root.written.encode()) + rb"\s*>", re.IGNORECASE)
        self._root_end = re.compile(rb"\s*+" + self._root_close.pattern, re.IGNORECASE)

    def _rely_on(self, root: Root) -> None:
        """Read with the prefixes that this root declares; only expat knows entities."""
        self._prefixes = known = prefixes(root, self._namespace_map)
        self._for_repaired: CompiledScanner | None = None
        self._scanner: CompiledScanner | None = None
        if not self._beginning.entities.declarations:
            self._scanner = open_scanner(self._data, root, known, self._namespace_map)
        self._salvager = None
        if self._scanner is not None:
            self._salvager = open_salvager(self._data, known, self._namespace_map, root)

    def run(self) -> None:
        at = self._beginning.content
        if self._beginning.empty:
            at = self._after_root(at)
        budget = 1
        while at < len(self._data):
            if len(self.columns) >= limits.MAX_ROWS and self._landmarks.next_start(at) is not None:
                self._give_up(TroubleKind.TOO_MANY_ENTRIES, at)
                break
            reached = at
            scanner = None if self._is_redeclared else self._scanner
            if scanner is not None:
                self.columns.settle(scanner)  # an undeclared prefix or a second root opens another scanner
                known = len(self.troubles)
                reached = scanner.run(at, self.columns, self.troubles)
                if len(self.troubles) > known:
                    self._leave_containers()
                if reached > at and len(self.columns) >= limits.MAX_ROWS:
                    at = reached
                    continue
                budget = 1 if reached > at else budget * 2
            at = self._repair_compiled(reached)
            if at == reached:
                left = max(1, limits.MAX_ROWS - len(self.columns))
                outcome = self._reference(reached, min(budget, left) if scanner else left)
                at = self._follow(outcome, reached)
        if self._beginning.empty or self._closed or self._rootless:
            return
        self._note(TroubleKind.TRUNCATED, Place(len(self._data)), "the document ends before its root is closed")

    _closed = False

    @property
    def _is_redeclared(self) -> bool:
        """Whether an element around the entries declares namespaces, which the scanner does not know of."""
        return any(container.tag.declares for container in self._containers)

    def _repair_compiled(self, at: int) -> int:
        """Behind a broken entry that compiled code can repair; `at` when it cannot."""
        if self._salvager is None or self._containers or self._sound or self._damaged == limits.MAX_DAMAGED:
            return at
        if self._root_end.match(self._data, at):
            return at
        behind = self._salvager().salvage(at, self.columns, self.troubles, self._soundness.fault)
        self._damaged += behind > at
        return max(at, behind)

    def _reference(self, at: int, rows: int) -> PassEnd:
        frame, self._declared_until = opened_ahead(self._tags, self._data, at, self._reach)
        reader = Pass(
            self._data,
            frame,
            self._namespace_map,
            self.columns,
            around=self._containers,
            stray=self._note_stray,
            misplaced=self._note_misplaced,
            sound=self._sound,
        )
        outcome = reader.run(at, len(self._data), rows=rows)
        self._containers = reader.containers
        return outcome

    def _follow(self, outcome: PassEnd, started: int) -> int:
        """Where to go on after a pass."""
        if outcome.stop is Stop.MALFORMED and outcome.code == UNBOUND_PREFIX:
            if outcome.at >= self._declared_until:
                self._reach *= 2
                return self._resume_at(outcome)
            if self._bind(outcome):
                return self._resume_at(outcome)
        self._reach = limits.FIRST_CHUNK
        self._misplaced_at.clear()
        if outcome.stop is Stop.ENOUGH:
            return outcome.at
        if outcome.stop is Stop.ROOT_CLOSED:
            self._closed = True
            return self._after_root(self._data.find(b">", outcome.at) + 1)
        if outcome.stop is Stop.END:
            return len(self._data)
        if outcome.stop is Stop.TOO_MANY:
            return self._give_up(TroubleKind.TOO_MANY_ENTRIES, outcome.at)
        if outcome.stop in (Stop.NESTED_ROW, Stop.ROWLESS_FIELD):
            if self._sound:
                return self._divide(outcome)
            start = outcome.at if outcome.row_start is None else outcome.row_start
            self._sound = self._soundness.holds(self._tags, start)
            if self._sound:
                return start
        return self._recover(outcome, started)

    @property
    def _tags(self) -> Sequence[OpenTag]:
        """All that are open around the rows."""
        return (self._frame, *(container.tag for container in self._containers))

    def _divide(self, outcome: PassEnd) -> int:
        """A row with an address inside another row: what was read of the outer one is a row, then the inner one is."""
        data, opened = self._data, outcome.opened
        start = opened[0]
        if len(self._containers) + len(opened) > limits.MAX_DEPTH // 2:
            self._note(TroubleKind.TOO_DEEP, Place(outcome.at))
            self._sound = False
            self._soundness.rule_out()
            return start
        closed = b"".join(b"</" + name_at(data, at) + b">" for at in reversed(opened))
        read = self._read_repaired(data[start : outcome.at] + closed, sound=True)
        if read is not None:
            self._append(read, start, outcome.at, (Edit(Place(outcome.at), closed),))
        self._containers += [Container(OpenTag(tag_at(data, at)), expected=False) for at in opened]
        return outcome.at

    def _resume_at(self, outcome: PassEnd) -> int:
        """Where to read again with more declarations: an entry from its start, anything else from the tag."""
        if outcome.row_start is None:
            return outcome.at
        comments = self.columns.comments
        while comments and comments[-1].offset >= outcome.row_start:
            comments.pop()
        return outcome.row_start

    def _bind(self, outcome: PassEnd) -> bool:
        """Declare the missing prefixes for the rest of the document: one trouble for each, not thousands."""
        missing = dict.fromkeys(self._frame.unbound_in(tag_at(self._data, outcome.at)), outcome.at)
        if missing and outcome.row_start is not None:
            missing = unbound_in_entry(self._tags, self._data, outcome.row_start) | missing
        tags = {at: Place(at, len(tag_at(self._data, at))) for at in {*missing.values()}}
        for prefix, at in missing.items():
            self._note(TroubleKind.UNBOUND_PREFIX, tags[at], prefix)
        self._frame.bind(missing)
        if self._rebound < MAX_PREFIXES and any(map(can_be_known, missing)):
            self._rebound += 1
            assumed = {prefix: assumed_namespace(prefix) for prefix in missing}
            self._bound_root = replace(self._bound_root, declared=self._bound_root.declared | assumed)
            self._rely_on(self._bound_root)
        return bool(missing)

    def _recover(self, outcome: PassEnd, started: int) -> int:
        error = outcome.at
        self._damaged += 1
        if self._damaged > limits.MAX_DAMAGED:
            return self._give_up(TroubleKind.TOO_DAMAGED, error)
        self._leave_containers()
        after = max(started, self.columns.ends[-1] if len(self.columns) else 0)
        if outcome.row_start is None and (comment := self._landmarks.comment_around(after, error)) is not None:
            self._note(TroubleKind.BAD_COMMENT, comment)
            self.columns.comments.append(comment)
            return comment.end
        start = outcome.row_start if outcome.row_start is not None else self._landmarks.look_back(after, error)
        if outcome.stop is Stop.ROWLESS_FIELD:
            start = error
        end = error if outcome.stop is Stop.NESTED_ROW else self._landmarks.next_start(max(error, (start or 0) + 1))
        cut = end is None and outcome.code in _CUT_SHORT and self._seeker.find(self._root_close, outcome.at) == -1
        if end is None:
            close = self._seeker.find(self._root_close, error)
            end = close if close != -1 else len(self._data)
        if start is None:
            return self._skip(outcome, after, end)
        if outcome.stop in (Stop.TOO_DEEP, Stop.TOKEN_TOO_LONG):
            self._note(_limit_kind(outcome.stop), Place(self._token_start(outcome)))
            return self._lose(start, end)
        return self._salvage(start, end, outcome, cut=cut)

    def _give_up(self, kind: TroubleKind, at: int) -> int:
        """The rest is not read."""
        self._note(kind, Place(at, 1))
        self._closed = True
        return len(self._data)

    def _leave_containers(self) -> None:
        """Behind a fault, elements around the entries count as closed unless they belong there."""
        self._containers = [container for container in self._containers if container.expected]

    def _skip(self, outcome: PassEnd, after: int, end: int) -> int:
        """Something broken between entries: say what it is, lose nothing else."""
        error = outcome.at
        close = self._root_close.search(self._data, max(after, error - 2), error + 1 + len(self._root.written) + 64)
        if close is not None and close.start() <= error:
            self._note(TroubleKind.MISMATCHED_TAG, between(*close.span()))
            self._closed = True
            return self._after_root(close.end())
        if outcome.code in _CUT_SHORT and end >= len(self._data):
            return len(self._data)
        stop = max(end, error + 1)
        if outcome.stop in (Stop.TOO_DEEP, Stop.TOKEN_TOO_LONG):
            self._note(_limit_kind(outcome.stop), Place(self._token_start(outcome), 1))
            return stop
        wrong = self._salvaging(after, stop).every()
        if wrong:
            wrong.report(self.troubles)
        else:
            kind = _KINDS_BY_CODE.get(outcome.code, TroubleKind.OTHER_MALFORMED)
            self._note(kind, Place(error, max(1, len(self._data[error:stop].rstrip()))))
        return stop

    def _token_start(self, outcome: PassEnd) -> int:
        """Text is given up somewhere in its middle, a tag or comment where it begins."""
        at = outcome.at
        if outcome.stop is Stop.TOO_DEEP or self._data[at : at + 1] == b"<":
            return at
        markup = _MARKUP.match(self._data, max(0, self._data.rfind(b"<", 0, at)), at)
        return markup.end() if markup is not None else at

    def _lose(self, start: int, end: int) -> int:
        self._note(TroubleKind.ENTRY_LOST, Place(start, len(self._data[start:end].rstrip())))
        return max(end, start + 1)

    def _salvage(self, start: int, end: int, outcome: PassEnd, *, cut: bool) -> int:
        salvage = self._salvaging(start, end, cut=cut)
        salvage.run()
        if salvage.hopeless:
            self._note(TroubleKind.OTHER_MALFORMED, Place(outcome.at, 1))
            return self._lose(start, end)
        read = self._read_repaired(salvage.repaired())
        row = len(self.columns) if read is not None else None
        salvage.repairs.report(self.troubles, row, but={TroubleKind.UNCLOSED_TAG} if cut else ())
        if not salvage.repairs:
            self._blame_gap(start, outcome)
        if read is None:
            return self._lose(start, end)
        self._append(read, start, salvage.stop, salvage.edits)
        return max(salvage.stop, start + 1)

    def _salvaging(self, start: int, end: int, *, cut: bool = False) -> Salvage:
        known = self._beginning.entities.names
        return Salvage(self._data, start, end, self._row_name, self._seeker, cut=cut, entities=known)

    def _blame_gap(self, start: int, outcome: PassEnd) -> None:
        """The entry is sound: what stopped the parser precedes it."""
        after = max((end for end in self.columns.ends[-1:] if end <= start), default=self._beginning.content)
        wrong = self._salvaging(min(after, start), start).every()
        wrong.report(self.troubles)
        if not wrong:
            self._note(_KINDS_BY_CODE.get(outcome.code, TroubleKind.OTHER_MALFORMED), Place(outcome.at))

    def _read_repaired(self, text: bytes, *, sound: bool = False) -> Columns | None:
        """The one entry in the repaired bytes; None when they still cannot be read, or say nothing.

        With `sound`, they are known to be well-formed, so an entry without a URL may be inside the entry.
        """
        columns, troubles = Columns(), Troubles()
        quick = None if self._containers else self._repaired_scanner()
        if quick is not None:
            quick.start_over(text)
            if quick.run(0, columns, troubles) == len(text) and len(columns) == 1 and not troubles:
                return columns if columns.locs[0] is not None else None
            columns = Columns()
        reader = Pass(
            text,
            opened(self._tags, text, 0, len(text)),
            self._namespace_map,
            columns,
            around=self._containers,
            stray=_unheard,
            misplaced=_unheard,
            sound=sound,
        )
        outcome = reader.run(0, len(text), rows=1)
        if outcome.stop is not Stop.ENOUGH or columns.locs[0] is None:
            return None
        return columns

    def _repaired_scanner(self) -> CompiledScanner | None:
        """One for all repaired entries, as making one costs more than reading an entry."""
        if self._for_repaired is None and not self._beginning.entities.declarations:
            self._for_repaired = open_scanner(b"", self._root, self._prefixes, self._namespace_map)
        return self._for_repaired

    def _append(self, read: Columns, start: int, end: int, edits: Sequence[Edit]) -> None:
        self.columns.edits[len(self.columns)] = edits
        self.columns.append(
            EntryFields(
                start,
                end,
                read.marks[0] | Mark.SALVAGED,
                read.locs[0],
                read.lastmods[0],
                read.changefreqs[0],
                read.priorities[0],
            )
        )

    def row_reader(self, offsets: OffsetMap) -> RowReader:
        """For the second look: any row can be read again inside the final frame."""
        return RowReader(offsets, [*self._scopes, self._scope()])

    def _scope(self) -> RootScope:
        return RootScope(self._scope_start, self._frame, self._namespace_map, self._prefixes)

    def _after_root(self, at: int) -> int:
        """Only whitespace, comments and instructions are allowed after the root's close tag."""
        data = self._data
        behind = behind_root(data, at, self._seeker, KNOWN_ROOT, self._landmarks.row_start)
        self.troubles += judged(data, behind.pieces, after_root=True)
        self.columns.comments += [piece.place for piece in behind.pieces if piece.kind is TroubleKind.BAD_COMMENT]
        found, junk = behind.at, behind.junk
        if found < len(data) and KNOWN_ROOT.match(data, found):
            return self._second_root(junk, found)
        for place in junk:
            self._note(TroubleKind.CONTENT_AFTER_ROOT, Place(place.offset, len(place.cut(data).rstrip())))
        if found < len(data):
            self._rootless = True
            if not junk:
                self._note(TroubleKind.CONTENT_AFTER_ROOT, Place(found, 1))
        return found

    def _second_root(self, junk: list[Place], at: int) -> int:
        self._note(TroubleKind.TWO_ROOTS, Place(at, 1))
        for place in junk:
            if not _DECLARATION.fullmatch(place.cut(self._data)):  # it belongs to the second document
                self._note(TroubleKind.CONTENT_AFTER_ROOT, place)
        again = read_root(self._data, at, self._beginning.prolog, self.troubles, [], self._beginning.entities)
        self._closed = self._sound = False
        if again.frame:
            self._scopes.append(self._scope())
            self._frame = OpenTag(again.frame)
            self._containers = []
            self._enter(again.root)
        return self._after_root(again.content) if again.empty else again.content

    def _note_misplaced(self, at: int) -> None:
        if at in self._misplaced_at:
            return
        self._misplaced_at.add(at)
        self.troubles.append(Trouble(TroubleKind.MISPLACED_ELEMENT, Place(at, len(tag_at(self._data, at)))))

    def _note_stray(self, place: Place) -> None:
        text = _COMMENT.sub(lambda match: b" " * len(match.group()), place.cut(self._data))
        lead = len(text) - len(text.lstrip())
        trimmed = Place(place.offset + lead, len(text.strip()))
        self._note(TroubleKind.STRAY_TEXT, trimmed)

    def _note(self, kind: TroubleKind, place: Place, detail: str = "") -> None:
        shown = detail or self._data[place.offset : min(place.end, place.offset + 120)].decode("utf-8", "replace")
        self.troubles.append(Trouble(kind, place, shown))


def _unheard(_where: Place | int) -> None:
    """What is wrong in a repaired row was reported when it was repaired."""


def _limit_kind(stop: Stop) -> TroubleKind:
    return TroubleKind.TOO_DEEP if stop is Stop.TOO_DEEP else TroubleKind.TOKEN_TOO_LONG


def open_scanner(data: bytes, root: Root, known: Prefixes, namespace_map: NamespaceMap) -> CompiledScanner | None:
    """None without compiled modules: then the reference reads everything."""
    if not is_compiled():
        return None
    from urlset.reading.compiled import CompiledScanner

    row = namespace_map.vocabulary.rows[0].encode()
    if namespace_map.vocabulary.strict_namespace:
        feed = feed_names(root, namespace_map)
        return CompiledScanner(data, known.own, row, feed.prefixes, feed.meaning, feed.words)
    meaning = cache(partial(declared_inside, core=namespace_map.root_namespace))
    return CompiledScanner(data, known.own, row, known.known, meaning)


def open_salvager(
    data: bytes, known: Prefixes, namespace_map: NamespaceMap, root: Root
) -> Callable[[], Salvager] | None:
    """What makes the compiled repair of entries when the first one is broken; None where there is none."""
    if namespace_map.vocabulary.strict_namespace or not is_compiled():
        return None

    @cache
    def salvager() -> Salvager:
        from urlset.reading.compiled import Salvager

        row, meaning = (
            namespace_map.vocabulary.rows[0].encode(),
            partial(declared_inside, core=namespace_map.root_namespace),
        )
        return Salvager(data, known.own, row, known.known, meaning, root.written.encode())

    return salvager
