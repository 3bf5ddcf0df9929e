"""The reference reader: one pass of expat from a given byte, until the end, an error or enough rows.

It defines correct output. The compiled scanner is only faster, and must agree with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

import msgspec

from urlset.model.columns import Columns, Edit, EntryFields, Mark
from urlset.model.place import Place, between
from urlset.reading import limits
from urlset.reading.around import open_tag
from urlset.reading.prolog import assumed_namespace, declarations
from urlset.reading.vocabulary import FIELD_NAMES, Cast, ElementRole, NamespaceMap, is_name, name_at, tag_at
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlset.reading.around import Seeker


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
        self._parser = parser = limits.new_parser()
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
            # Of the handlers: with them parser and pass hold each other, and with them all that was read.
            parser = self._parser
            parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
            parser.CommentHandler = parser.ProcessingInstructionHandler = None
        return self._outcome(Stop.END, stop)

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
        prefix, colon, _ = self._root_name.rpartition(b":")
        name = prefix + colon + self._namespace_map.vocabulary.rows[0].encode()
        row.end = self._after = end
        self._row = self._bare_end = None
        edits = (Edit(Place(row.start), b"<" + name + b">"), Edit(Place(end), b"</" + name + b">"))
        self._columns.edits[len(self._columns)] = edits
        self._take_row(row)

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
            # Atom: the first link without a relation, or with `alternate`, is the page.
            if row.loc is None and attributes.get("rel", "alternate") == "alternate":
                row.loc = attributes.get("href")
        else:
            row.mark |= Mark.IRREGULAR

    @property
    def _is_sitemap(self) -> bool:
        return not self._namespace_map.vocabulary.strict_namespace

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
            if self._text:
                self._settle_text()
            row.end = self._after = self._tag_end(row.start)
            if row.loc is None and row.permalink is not None:
                row.loc = row.permalink
                row.mark |= Mark.IRREGULAR
            self._row = None
            self._take_row(row)

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
        end = self._data.find(b"-->", here + 4) + 3
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


# The open tags around a stretch of a document → the bytes that expat is fed before the stretch.
#
# A document is read by many parsers: one behind each fault, one for each odd entry, one for each second look. If each
# read the root's tag again, a root with n attributes and n odd entries would cost n² steps. So the bytes leave out
# all attributes but declarations, and where these are many, the declarations of prefixes that the stretch does not
# use.

_ATTRIBUTE = lazy_pattern(rb"""\s([^\s=<>]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
_USED = lazy_pattern(rb"[<\s/]([^\s:<>/=\"']++):")
_UNBOUND = lazy_pattern(
    rb"(?:</?|\s)([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):[A-Za-z_\x80-\xff][\w.\x80-\xff-]*(?=[\s=/>])"
)
_ALWAYS_BOUND = frozenset({b"xml", b"xmlns"})


class OpenTag:
    """The name of an element and the namespaces that it declares."""

    __slots__ = ("_declared", "_whole", "before", "length", "name")

    def __init__(self, tag: bytes) -> None:
        """`tag` is well-formed; a root's tag may have declarations of entities before it."""
        start = open_tag(tag)
        self.before = tag[:start]
        self.name = name_at(tag, start)
        self._whole = b""
        self.length = len(self.name) + 2
        """of the tag with all declarations"""
        self._declared: dict[bytes, bytes] = {}
        """what is declared, by prefix, as it is written"""
        if b"xmlns" in tag:
            for name, value in _ATTRIBUTE.findall(tag, start):
                word, _, prefix = name.partition(b":")
                if word == b"xmlns":
                    self._declare(prefix, b" " + name + b"=" + value)

    @property
    def declares(self) -> bool:
        return bool(self._declared)

    @property
    def prefixes(self) -> tuple[bytes, ...]:
        """That are declared; the empty one for the default namespace."""
        return tuple(self._declared)

    @property
    def whole(self) -> bytes:
        """With all declarations."""
        self._whole = self._whole or self.declaring(self._declared)
        return self._whole

    def declaring(self, used: Iterable[bytes]) -> bytes:
        """With the declarations of these prefixes only."""
        return self.before + b"<" + self.name + self.declarations_of(used) + b">"

    def declarations_of(self, used: Iterable[bytes]) -> bytes:
        return b"".join(self._declared[prefix] for prefix in used if prefix in self._declared)

    def unbound_in(self, written: bytes) -> list[str]:
        """The prefixes in `written` that this tag does not declare."""
        used = dict.fromkeys(_UNBOUND.findall(written))
        return [
            prefix.decode()
            for prefix in used
            if prefix not in self._declared and prefix not in _ALWAYS_BOUND and is_name(prefix)
        ]

    def binds(self, prefix: str) -> bool:
        return prefix.encode() in self._declared or prefix in ("xml", "xmlns")

    def bind(self, prefixes: Iterable[str]) -> None:
        """Declare prefixes as what they are taken to mean."""
        for prefix in prefixes:
            self._declare(prefix.encode(), declarations({prefix: assumed_namespace(prefix)}))

    def _declare(self, prefix: bytes, written: bytes) -> None:
        self._declared[prefix] = written
        self.length += len(written)
        self._whole = b""

    def around(self, text: bytes) -> bytes:
        """Fed before `text`."""
        return opened((self,), text, 0, len(text))

    def binding(self, text: bytes) -> bytes:
        """The same, with the prefixes declared that are not bound."""
        found = self.around(text)
        missing = {prefix: assumed_namespace(prefix) for prefix in self.unbound_in(text)}
        return found[:-1] + declarations(missing) + b">"


def opened(tags: Sequence[OpenTag], data: bytes, start: int, stop: int) -> bytes:
    """Fed before `data[start:stop]`."""
    if _are_short(tags):
        return b"".join(tag.whole for tag in tags)
    # of the tags, of attributes with default values, of the data, and the default namespace
    own = (tag.name.rpartition(b":")[0] for tag in tags)
    used = {b"", *own, *_USED.findall(tags[0].before), *_USED.findall(data, start, stop)}
    return b"".join(tag.declaring(used) for tag in tags)


def opened_ahead(tags: Sequence[OpenTag], data: bytes, start: int, reach: int) -> tuple[bytes, int]:
    """Fed before `data[start:]`, and the end of the stretch whose prefixes it declares; no tag crosses that end."""
    stop = start + reach
    if stop >= len(data) or _are_short(tags):
        return opened(tags, data, start, len(data)), len(data)
    return opened(tags, data, start, stop), max(start, data.rfind(b"<", start, stop))


def _are_short(tags: Sequence[OpenTag]) -> bool:
    return sum(tag.length for tag in tags) <= limits.FIRST_CHUNK


class _EntryEndError(Exception):
    """Raised by a handler behind the entry."""


def unbound_in_entry(tags: Sequence[OpenTag], data: bytes, start: int) -> dict[str, int]:
    """The prefixes in the entry at `start` that nothing declares, and where the first tag with each begins.

    Found in one pass, as each of thousands would else start the entry anew. Ends early where the entry is malformed.
    """
    found: dict[str, int] = {}
    opened_scopes: list[list[str]] = []
    declared: Counter[str] = Counter()
    before = tags[0].before
    parser = ParserCreate("utf-8")

    def begin(name: str, attributes: dict[str, str]) -> None:
        own = [each[6:] for each in attributes if each.startswith("xmlns:")]
        opened_scopes.append(own)
        declared.update(own)
        for prefix, colon, _ in (written.partition(":") for written in (name, *attributes)):
            if colon and prefix not in found and not declared[prefix] and not any(tag.binds(prefix) for tag in tags):
                found[prefix] = parser.CurrentByteIndex - len(before) + start

    def end(_name: str) -> None:
        declared.subtract(opened_scopes.pop())
        if not opened_scopes:
            raise _EntryEndError

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(before)
        for at in range(start, len(data), limits.FIRST_CHUNK):
            parser.Parse(data[at : at + limits.FIRST_CHUNK])
    except (_EntryEndError, ExpatError):
        pass
    finally:  # with its handlers the parser would stay until the garbage collector runs
        parser.StartElementHandler = parser.EndElementHandler = None
    return found


# How one pass over a document ended: where, why, and what was open then.


class Stop(Enum):
    """Why a pass ended."""

    ENOUGH = "enough rows"
    ROOT_CLOSED = "root closed"
    MALFORMED = "malformed"
    NESTED_ROW = "a row begins inside a row"
    ROWLESS_FIELD = "a field is outside any row"
    TOO_DEEP = "too deep"
    TOKEN_TOO_LONG = "token too long"
    TOO_MANY = "too many entries, comments or other elements"
    END = "unexpected end of data"


class Halt(Exception):  # noqa: N818 - not an error: it stops the parser from inside a handler
    """Raised by a handler to end the pass at `at`."""

    def __init__(self, stop: Stop, at: int) -> None:
        super().__init__(stop.value)
        self.stop = stop
        self.at = at


class Container(msgspec.Struct, frozen=True):
    """An element that is open around the rows; expected for <channel>, not for anything else."""

    tag: OpenTag
    expected: bool


class PassEnd:
    """Where and why a pass ended, and what was open then."""

    __slots__ = ("at", "code", "opened", "row_start", "stop")

    def __init__(
        self, stop: Stop, at: int, *, code: int = 0, row_start: int | None = None, opened: Sequence[int] = ()
    ) -> None:
        self.stop = stop
        self.at = at
        self.code = code
        self.row_start = row_start
        self.opened = opened
        """for a nested row: where the elements around it begin, from the outer row on"""


# A place in a document → whether expat takes everything from there to the end of the root.

_AFTER_ROOT = 9
_NOT_CLOSED = 3
"""expat's codes for junk after the document element, which says that the root itself is sound, and for its absence"""


class Soundness:
    """Asked at rising offsets, answered in linear time altogether: no stretch is parsed twice."""

    def __init__(self, data: bytes, *, rootless: bool) -> None:
        self._data = data
        self._sound_codes = (_AFTER_ROOT, _NOT_CLOSED) if rootless else (_AFTER_ROOT,)
        self.fault = -1
        """no stretch that begins here or before is well-formed to the end of its root"""

    def rule_out(self) -> None:
        """From here on it is not worth knowing."""
        self.fault = len(self._data)

    def holds(self, tags: Sequence[OpenTag], start: int) -> bool:
        """Whether the data from `start`, inside these open tags, are well-formed until the root is closed."""
        if start <= self.fault:
            return False
        reach, answer = limits.FIRST_CHUNK, None
        while answer is None:
            answer = self._parse(*opened_ahead(tags, self._data, start, reach), start)
            reach *= 4
        return answer

    def _parse(self, frame: bytes, until: int, start: int) -> bool | None:
        """None where a prefix is not declared behind `until`."""
        parser = limits.new_parser()
        view = memoryview(self._data)
        base = start - len(frame)
        try:
            parser.Parse(frame)
            for at in range(start, len(self._data), limits.CHUNK):
                parser.Parse(view[at : at + limits.CHUNK])
                if at - (parser.CurrentByteIndex + base) > limits.MAX_TOKEN:
                    self.fault = at
                    return False
            parser.Parse(b"", True)
        except ExpatError as error:
            fault = max(start, parser.ErrorByteIndex + base)
            if error.code == UNBOUND_PREFIX and fault >= until:
                return None
            self.fault = fault
            return error.code in self._sound_codes
        return True


# A place in a damaged document → the entries, comments and close tags near it, found in linear time altogether.

_FIELD = lazy_pattern(
    rb"<(?:[\w.\x80-\xff-]+:)?(?:" + b"|".join(name.encode() for name in FIELD_NAMES) + rb")[\s>]", re.IGNORECASE
)


class Landmarks:
    """Asked at rising offsets, as a reader goes through the document."""

    def __init__(self, data: bytes, seeker: Seeker, rows: tuple[str, ...]) -> None:
        self._data = data
        self._seeker = seeker
        names = b"|".join(name.encode() for name in rows)
        self.row_start = re.compile(rb"<(?:[\w.\x80-\xff-]+:)?(?:" + names + rb")(?=[\s/>])", re.IGNORECASE)
        self._before = (-1, -1)
        """a place where an entry begins, and the last comment before it"""

    def next_start(self, at: int) -> int | None:
        """The next entry that is not inside a comment."""
        while (found := self._seeker.find(self.row_start, at)) != -1:
            if self._before[0] != found:
                self._before = (found, self._data.rfind(b"<!--", at, found))
            hidden = self._before[1]
            if hidden < at:
                return found
            end = self._seeker.find(b"-->", hidden)
            if end == -1 or end < found:
                return found
            at = end + 3
        return None

    def look_back(self, after: int, error: int) -> int | None:
        """The damaged beginning of an entry between the last good one and the error."""
        found = self.row_start.search(self._data, after, min(error + 16, len(self._data)))
        if found is not None and found.start() <= error:
            return found.start()
        field = _FIELD.search(self._data, after, error)
        return field.start() if field is not None else None

    def comment_around(self, at: int, error: int) -> Place | None:
        """The comment between entries that contains the error: it has -- inside."""
        while (start := self._data.find(b"<!--", at, error + 4)) != -1:
            end = self._seeker.find(b"-->", start + 4)
            if end == -1:
                return None
            inner = self._data[start + 4 : end]
            if end >= error - 3 and (b"--" in inner or inner.endswith(b"-")):
                return between(start, end + 3)
            at = end + 3
        return None
