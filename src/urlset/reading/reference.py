"""The reference reader: one pass of expat from a given byte, until the end, an error or enough rows.

It defines correct output. The compiled scanner is only faster, and must agree with it.
"""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

from urlset.model.columns import Columns, Edit, EntryFields, Mark
from urlset.model.place import Place, between
from urlset.reading import limits
from urlset.reading.doctype import open_tag
from urlset.reading.frame import OpenTag
from urlset.reading.outcome import Container, Halt, PassEnd, Stop
from urlset.reading.tags import name_at, tag_at
from urlset.reading.vocabulary import FIELD_NAMES, Cast, ElementRole, NamespaceMap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

UNBOUND_PREFIX = 27
"""expat's code"""


class Pass:
    """One run of expat over `data[start:stop]`, inside the open tags of `frame`, which are fed first."""

    def __init__(
        self,
        data: bytes,
        frame: bytes,
        namespace_map: NamespaceMap,
        columns: Columns,
        *,
        around: Sequence[Container] = (),
        stray: Callable[[Place], None],
        misplaced: Callable[[int], None],
        sound: bool = False,
    ) -> None:
        """The frame has the root's open tag and those of the elements in `around`.

        With `sound`, the bytes are known to be well-formed: rows in odd places are then read in place,
        instead of being taken for the remains of broken tags.
        """
        self._data = data
        self._root_name = name_at(frame, open_tag(frame))
        self._around = around
        self._namespace_map = namespace_map
        self._casts = namespace_map.known
        self._columns = columns
        self._stray = stray
        self._misplaced = misplaced
        self._sound = sound
        self._odd_places: list[int] = []
        """fields inside fields, to be reported when the row has turned out to be well-formed"""
        self._opened: list[int] = []
        self._nested: list[tuple[int, int]] = []
        """depth and offset of the rows that are open inside the row"""
        self._aside: tuple[int, list[str]] | None = None
        """inside a field: the depth of another field, whose text is not part of it, and the text before it"""
        self._bare_end: int | None = None
        """in a row without its own tag: the end of its last field"""
        self._parser = parser = ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.buffer_size = limits.FIRST_CHUNK
        self._base = -len(frame)
        self._depth = -1
        self._row: EntryFields | None = None
        self._field: ElementRole | None = None
        self._row_depth = 0
        self._last = -1
        self._left = -1
        self._after = 0
        self._text: list[str] = []
        self.containers: list[Container] = []
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.Parse(frame)

    def run(self, start: int, stop: int, *, rows: int = -1) -> PassEnd:
        """Read rows from `start`; with `rows` given, stop after that many."""
        self._base += start
        self._left = rows
        self._after = start
        at, chunk = start, limits.FIRST_CHUNK
        view = memoryview(self._data)
        parse = self._parser.Parse
        try:
            while at < stop:
                parse(view[at : min(at + chunk, stop)])
                at = min(at + chunk, stop)
                chunk = min(chunk * 2, limits.CHUNK)
                self._guard_token(at)
            parse(b"", True)
        except Halt as halt:
            return self._outcome(halt.stop, halt.at)
        except ExpatError as error:
            where = self._parser.ErrorByteIndex + self._base
            if error.code == UNBOUND_PREFIX and self._row is None:  # the next pass begins at this tag
                self._parser.buffer_text = False  # hands over what is in the buffer
                self._settle_text()
            return self._outcome(Stop.MALFORMED, max(start, min(where, stop)), code=error.code)
        finally:
            self._let_go()
        return self._outcome(Stop.END, stop)

    def _let_go(self) -> None:
        """Of the handlers: with them parser and pass hold each other, and with them all that was read."""
        parser = self._parser
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
        parser.CommentHandler = parser.ProcessingInstructionHandler = None

    def _outcome(self, stop: Stop, at: int, code: int = 0) -> PassEnd:
        row_start = self._row.start if self._row else None
        opened = self._opened[: self._opened.index(at)] if stop is Stop.NESTED_ROW and at in self._opened else ()
        return PassEnd(stop, at, code=code, row_start=row_start, opened=opened)

    def _guard_token(self, fed: int) -> None:
        """Refuse a tag, comment or text that never ends before it fills the memory."""
        if fed - self._here() > limits.MAX_TOKEN + limits.CHUNK:
            raise Halt(Stop.TOKEN_TOO_LONG, self._here())
        if sum(map(len, self._text)) > limits.MAX_TOKEN:
            raise Halt(Stop.TOKEN_TOO_LONG, self._here())
        if self._row is not None and fed - self._row.start > limits.MAX_ENTRY:
            raise Halt(Stop.TOKEN_TOO_LONG, self._row.start)
        if max(len(self._columns.comments), len(self._columns.outside)) > limits.MAX_ROWS:
            raise Halt(Stop.TOO_MANY, self._here())

    def _here(self) -> int:
        return self._parser.CurrentByteIndex + self._base

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        cast = self._casts.get(name) or self._namespace_map(name)
        depth = self._depth = self._depth + 1
        if self._text:
            self._settle_text()
        if depth > limits.MAX_DEPTH:
            raise Halt(Stop.TOO_DEEP, self._here())
        if self._bare_end is not None and depth == self._row_depth + 1 and not self._goes_on(cast.role):
            self._close_bare_row()
        row = self._row
        if row is None:
            self._start_outside(cast, attributes)
        elif depth > self._row_depth + 1:
            self._start_deep(row, cast)
        else:
            self._start_inside(row, cast, attributes)
        if self._sound and self._row is not None:
            self._opened.append(self._here())

    def _start_deep(self, row: EntryFields, cast: Cast) -> None:
        """An element inside a field or an extension."""
        if self._field is not None:
            row.mark |= Mark.IRREGULAR
        if cast.role is ElementRole.ROW:
            self._start_nested(row)
        elif cast.role <= ElementRole.PRIORITY and self._is_sitemap:
            if cast.role is ElementRole.LOC and self._nested and self._nested[-1][0] == self._depth - 1:
                raise Halt(Stop.NESTED_ROW, self._nested[-1][1])
            if self._field is not None:
                self._odd_places.append(self._here())
                blank = all(piece.isspace() for piece in self._text)
                takes_over = cast.role is self._field is ElementRole.LOC and blank
                if self._aside is None and not takes_over:
                    self._aside = (self._depth, self._text.copy())

    def _start_nested(self, row: EntryFields) -> None:
        """A row inside a row: one of its own when it turns out to have an address, else an odd element."""
        if not self._sound:
            raise Halt(Stop.NESTED_ROW, self._here())
        row.mark |= Mark.IRREGULAR
        self._misplaced(self._here())
        self._nested.append((self._depth, self._here()))

    def _start_outside(self, cast: Cast, attributes: dict[str, str]) -> None:
        here = self._here()
        if cast.role is ElementRole.ROW and here >= 0:
            self._row = EntryFields(here)
            self._row_depth = self._depth
            self._last = -1
            self._opened.clear()
            self._row.mark = (Mark.ATTRIBUTED if attributes else 0) | (0 if cast.exact else Mark.IRREGULAR)
            return
        if cast.role <= ElementRole.PRIORITY and self._is_sitemap and here >= 0:
            if not self._sound:
                raise Halt(Stop.ROWLESS_FIELD, here)
            self._misplaced(here)
            if cast.role is ElementRole.LOC:
                self._open_bare_row(cast, attributes)
                return
        if here < 0:
            if self._depth > 0:
                self.containers.append(self._around[self._depth - 1])
        elif self._depth > 0:
            expected = cast.role is ElementRole.CONTAINER
            self.containers.append(Container(OpenTag(tag_at(self._data, here)), expected))
            if not expected:
                self._columns.outside.append(here)

    def _open_bare_row(self, cast: Cast, attributes: dict[str, str]) -> None:
        """An address outside any row begins one; the fields that follow it belong to it."""
        here = self._here()
        self._row = EntryFields(here, mark=Mark.IRREGULAR | Mark.SALVAGED)
        self._row_depth = self._depth - 1
        self._last = -1
        self._bare_end = here
        self._opened.clear()
        self._start_inside(self._row, cast, attributes)

    def _goes_on(self, role: ElementRole) -> bool:
        return ElementRole.LOC < role <= ElementRole.PRIORITY and getattr(self._row, FIELD_NAMES[role]) is None

    def _close_bare_row(self) -> None:
        row, end = self._row, self._bare_end
        assert row is not None
        assert end is not None
        name = self._row_name()
        row.end = self._after = end
        self._row = self._bare_end = None
        edits = (Edit(Place(row.start), b"<" + name + b">"), Edit(Place(end), b"</" + name + b">"))
        self._columns.edits[len(self._columns)] = edits
        self._take_row(row)

    def _row_name(self) -> bytes:
        prefix, colon, _ = self._root_name.rpartition(b":")
        return prefix + colon + self._namespace_map.vocabulary.rows[0].encode()

    def _start_inside(self, row: EntryFields, cast: Cast, attributes: dict[str, str]) -> None:
        role = cast.role
        if role <= ElementRole.PRIORITY:
            self._field = role
            if role <= self._last or row.mark & Mark.EXTENDED:
                row.mark |= Mark.DISORDERED
            row.mark |= (Mark.ATTRIBUTED if attributes else 0) | (0 if cast.exact else Mark.IRREGULAR)
            self._last = role
        elif role is ElementRole.EXTENSION:
            row.mark |= Mark.EXTENDED
        elif role is ElementRole.ROW:
            self._start_nested(row)
        elif role is ElementRole.FALLBACK_LASTMOD or (role is ElementRole.PERMALINK and _is_permalink(attributes)):
            self._field = role
        elif role is ElementRole.PERMALINK:
            pass
        elif role is ElementRole.LINK_ATTRIBUTE:
            self._take_link(row, attributes)
        else:
            row.mark |= Mark.IRREGULAR

    @property
    def _is_sitemap(self) -> bool:
        return not self._namespace_map.vocabulary.strict_namespace

    def _take_link(self, row: EntryFields, attributes: dict[str, str]) -> None:
        """Atom: the first link without a relation, or with `alternate`, is the page."""
        if row.loc is None and attributes.get("rel", "alternate") == "alternate":
            row.loc = attributes.get("href")

    def _end(self, _name: str) -> None:
        depth = self._depth = self._depth - 1
        if self._aside is not None and self._aside[0] == depth + 1:
            self._text[:] = self._aside[1]
            self._aside = None
        if self._sound:
            self._end_misplaced(depth)
        row = self._row
        if row is None:
            if self._text:
                self._settle_text()
            if self.containers:
                self.containers.pop()
                here = self._here()
                is_empty = not self._data.startswith(b"</", here)  # an empty element, whose end is reported behind it
                self._after = max(self._after, here if is_empty else self._data.find(b">", here) + 1)
            if depth < 0:
                raise Halt(Stop.ROOT_CLOSED, self._here())
        elif depth == self._row_depth:
            if self._field is not None:
                self._take_field(row)
            self._text.clear()
        elif depth < self._row_depth:
            self._close_row(row)

    def _end_misplaced(self, depth: int) -> None:
        """Leave what was entered for elements in odd places."""
        started = self._opened.pop() if self._opened else 0
        if self._nested and self._nested[-1][0] == depth + 1:
            self._nested.pop()
        if self._bare_end is not None:
            if depth < self._row_depth:
                self._close_bare_row()
            elif depth == self._row_depth:
                self._bare_end = self._tag_end(started)

    def _tag_end(self, started: int) -> int:
        """Behind the close tag that is being reported; that of an empty element is reported behind it."""
        here = self._here()
        tag = tag_at(self._data, started)
        if tag.endswith(b"/>") and here == started + len(tag):
            return here
        return self._data.find(b">", here) + 1 or len(self._data)

    def _take_field(self, row: EntryFields) -> None:
        role, self._field = self._field, None
        value = "".join(self._text)
        if role is ElementRole.FALLBACK_LASTMOD:
            if row.lastmod is None:
                row.lastmod = value
            return
        if role is ElementRole.PERMALINK:
            row.permalink = value if value.lstrip()[:8].lower().startswith(("http://", "https://")) else None
            return
        if role is ElementRole.LASTMOD and not self._is_sitemap:
            row.lastmod = value
            return
        assert role is not None
        name = FIELD_NAMES[role]
        if getattr(row, name) is None:
            setattr(row, name, value)
        else:
            row.mark |= Mark.IRREGULAR

    def _close_row(self, row: EntryFields) -> None:
        if self._text:
            self._settle_text()
        row.end = self._after = self._tag_end(row.start)
        if row.loc is None and row.permalink is not None:
            row.loc = row.permalink
            row.mark |= Mark.IRREGULAR
        self._row = None
        self._take_row(row)

    def _take_row(self, row: EntryFields) -> None:
        for at in self._odd_places:
            self._misplaced(at)
        self._odd_places.clear()
        self._columns.append(row)
        self._left -= 1
        if self._left == 0:
            raise Halt(Stop.ENOUGH, row.end)

    def _settle_text(self) -> None:
        """Text that belongs to no field: whitespace is dropped, anything else is noted."""
        text = self._text
        if not all(piece.isspace() for piece in text):
            if self._row is None:
                if all(container.expected for container in self.containers):
                    self._stray(between(self._after, self._here()))
            elif self._field is not None or self._depth <= self._row_depth + 1:
                self._row.mark |= Mark.IRREGULAR
        if self._row is None or self._field is None:
            text.clear()

    def _comment(self, _text: str) -> None:
        here = self._here()
        end = self._data.find(b"-->", here) + 3
        self._columns.comments.append(between(here, end))
        self._note_inside()

    def _instruction(self, _target: str, _data: str) -> None:
        self._note_inside()

    def _note_inside(self) -> None:
        if self._row is not None:
            self._row.mark |= Mark.COMMENTED


def _is_permalink(attributes: dict[str, str]) -> bool:
    """A guid is the address of its item unless it says that it is not."""
    return attributes.get("isPermaLink", "true").strip().lower() != "false"
