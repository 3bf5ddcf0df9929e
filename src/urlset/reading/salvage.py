"""A stretch of bytes that is not well-formed → the smallest edits that make it so, each with its kind.

No second parser: a tolerant pattern cuts the stretch into tags, references and text, known repairs are
applied, and expat judges the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import repeat

import msgspec

from urlset.model.columns import Edit, Edits
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import around, limits
from urlset.reading.around import REFERENCE, Seeker, has_double_hyphen, is_legal
from urlset.reading.decode import CONTROL, control_characters, is_xml_character, undecodable
from urlset.reading.vocabulary import FIELD_NAMES, is_name
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.misspelling import is_misspelled

_SHOWN = 120
_CONTROL = lazy_pattern(CONTROL)
_NAMED = frozenset({"open", "close", "unended"})


def repair(data: bytes, offset: int, length: int, row: int) -> tuple[Trouble, Edit]:
    """For a bare ampersand (length 1) or an undefined entity that a scanner met in a row and read as text."""
    place = Place(offset, length)
    if length == 1:
        return Trouble(TroubleKind.BARE_AMPERSAND, place, "&", row), Edit(place, b"&amp;")
    reference = place.cut(data)
    shown = reference.decode("ascii")
    return Trouble(TroubleKind.UNDEFINED_ENTITY, place, shown, row), Edit(place, around.escaped(reference))


class Open(msgspec.Struct, frozen=True):
    """An element whose close tag has not been met."""

    name: bytes
    tag_start: int
    content_start: int


@lru_cache(16)
def _row_head(row_name: bytes) -> re.Pattern[bytes]:
    local = re.escape(row_name.rpartition(b":")[2])
    return re.compile(rb"<(?:[\w.\x80-\xff-]+:)?" + local + rb"(?=[\s/>])", re.IGNORECASE)


class Salvage:
    """Works through one region of `data` and collects repairs with places in `data`."""

    def __init__(
        self,
        data: bytes,
        start: int,
        end: int,
        row_name: bytes,
        seeker: Seeker,
        *,
        cut: bool,
        entities: frozenset[bytes] = frozenset(),
    ) -> None:
        """`entities` are those that a DOCTYPE declares: references to them are not faults."""
        self._data = data
        self._entities = entities
        self._seeker = seeker
        self._start = start
        self._end = end
        self._row_name = row_name
        self._cut = cut
        self._open: list[Open] = []
        self._names: Counter[bytes] = Counter()
        """of the elements that are open"""
        self._done_at: int | None = None
        self.repairs = Repairs()
        self.hopeless = False
        """whether there is more to repair than is worth it"""

    def run(self) -> None:
        at = self._begin()
        while self._done_at is None and not self._is_hopeless():
            if self._open and not is_leaf(self._open[-1].name):
                # Behind elements in which nothing can be wrong: most of a broken entry.
                sound = SOUND.match(self._data, at, self._end)
                at = at if sound is None else sound.end()
            token = TOKEN.search(self._data, at, self._end)
            if token is None:
                break
            at = self._take_run(token) or self._take(token)
        self._finish()
        self._repair_utf8(between(self._start, self.stop))
        self.repairs = self.repairs.in_order()

    def every(self) -> Repairs:
        """All that is wrong in a region that holds no entry; what is left of it after many faults is one more."""
        at = self._start
        while (token := TOKEN.search(self._data, at, self._end)) is not None:
            if self._is_hopeless():
                rest = Place(token.start(), len(self._data[token.start() : self._end].rstrip()))
                shown = self._data[rest.offset : min(rest.end, rest.offset + _SHOWN)].decode("utf-8", "replace")
                self.repairs.add(TroubleKind.OTHER_MALFORMED, rest, b"", shown)
                break
            at = self._take_run(token) or self._take(token)
        self._repair_utf8(between(self._start, at if self.hopeless else self._end))
        return self.repairs.in_order()

    def _is_hopeless(self) -> bool:
        self.hopeless = self.hopeless or len(self.repairs) >= limits.MAX_REPAIRS
        return self.hopeless

    @property
    def stop(self) -> int:
        """Where the repaired row ends in the source."""
        return self._done_at if self._done_at is not None else self._end

    def repaired(self) -> bytes:
        return apply_edits(self._data, self._start, self.stop, self.edits)

    @property
    def edits(self) -> Edits:
        return self.repairs.edits

    def _note(self, kind: TroubleKind, place: Place, text: bytes, detail: str = "") -> None:
        shown = detail or self._data[place.offset : max(place.end, place.offset + 1)].decode("utf-8", "replace")
        self.repairs.add(kind, place, text, shown)

    def _begin(self) -> int:
        """Open the row if its own tag is missing or has lost its end; the offset to go on from."""
        head = _row_head(self._row_name).match(self._data, self._start)
        if head is None:
            opened, at = b"<" + self._row_name + b">", self._start
            self._note(TroubleKind.BROKEN_TAG, Place(at), opened, opened.decode("utf-8", "replace"))
            self._push(Open(self._row_name, at, at))
            return at
        if TOKEN.match(self._data, self._start, self._end)["open"] is None:  # type: ignore[index]  # a < always matches
            self._note(TroubleKind.BROKEN_TAG, Place(head.end()), b">", head.group().decode())
            self._push(Open(head.group()[1:], head.start(), head.end()))
            return head.end()
        return self._start

    def _take_run(self, token: re.Match[bytes]) -> int:
        """Many `<` or `&` beside each other, of which none begins anything; the offset to go on from, or 0."""
        run = RUN.match(self._data, token.start(), self._end)
        if run is None or (self._cut and run.group()[:1] == b"<"):
            return 0
        end = min(run.end(), run.start() + limits.MAX_REPAIRS)
        if run.group()[:1] == b"<":
            self.repairs.add_run(TroubleKind.STRAY_LT, range(run.start(), end), b"&lt;", "<")
        else:
            self.repairs.add_run(TroubleKind.BARE_AMPERSAND, range(run.start(), end), b"&amp;", "&")
        return end

    def _take(self, token: re.Match[bytes]) -> int:
        """Deal with one piece of markup; the offset to go on from."""
        kind = token.lastgroup or ""
        if (kind == "reference" and token.group() in PREDEFINED) or self._is_declared(token.start()):
            return token.end()
        place = between(token.start(), token.end())
        if kind in _NAMED and not self._is_tag(kind, token):
            kind, place = "lt", Place(place.offset, 1)
        if kind == "close":
            self._take_close(token, place)
            return place.end
        if kind in SECTION_ENDS:
            closer = SECTION_ENDS[kind]
            end = self._seeker.find(closer, place.end)
            if end != -1 and end + len(closer) <= self._end:
                self._take_section(kind, between(place.offset, end + len(closer)))
                return end + len(closer)
            kind, place = "lt", Place(place.offset, 1)
        match kind:
            case "open":
                self._take_open(token, place)
            case "unended":
                self._note(TroubleKind.BROKEN_TAG, Place(place.end), b">", token.group().decode())
                self._close(token["unended_name"], place)
            case "glued":
                self._note(TroubleKind.BROKEN_TAG, Place(place.end), b">", token.group().decode())
                self._push(Open(token.group()[1:], place.offset, place.end))
            case "lt":
                self._take_stray(place)
            case "amp":
                self._note(TroubleKind.BARE_AMPERSAND, place, b"&amp;")
            case "entity":
                self._note(TroubleKind.UNDEFINED_ENTITY, place, around.escaped(token.group()))
            case "reference":
                self._take_reference(token.group(), place)
            case "cdata_end":
                self._note(TroubleKind.CDATA_END_IN_TEXT, place, b"]]&gt;")
            case "control":
                self._note(TroubleKind.CONTROL_CHARACTER, place, b"", repr(token.group())[2:-1])
            case _:
                pass
        return place.end

    def _is_tag(self, kind: str, token: re.Match[bytes]) -> bool:
        """Whether its name is one, and a close tag without `>` closes something."""
        name = token[f"{kind}_name"]
        lost = kind == "unended" and (self._breaks_off(token.end()) or not self._names[name])
        return is_name(name) and not lost

    def _take_open(self, token: re.Match[bytes], place: Place) -> None:
        name = token["open_name"]
        top = self._open[-1].name if self._open else None
        if top is not None and is_leaf(top):
            # inside a value, `<b>` is more likely a stray `<` than a tag, unless it is a name that can follow
            if b":" not in name and name.lower() not in {*LEAVES, self._row_name.lower()}:
                self._note(
                    TroubleKind.STRAY_LT,
                    Place(place.offset, 1),
                    b"&lt;",
                    token.group().decode("utf-8", "replace"),
                )
                return
            self._close_top(place.offset)
        if token["attributes"]:
            self._repair_attributes(token)
        if not token["empty"]:
            self._push(Open(name, place.offset, place.end))
        elif not self._open:
            self._done_at = place.end

    def _take_close(self, token: re.Match[bytes], place: Place) -> None:
        name = token["close_name"]
        if token.group() != b"</" + name + b">" and re.fullmatch(rb"</" + NAME + rb"\s*>", token.group()) is None:
            self._note(TroubleKind.BROKEN_TAG, place, b"</" + name + b">")
        self._close(name, place)

    def _close(self, name: bytes, place: Place) -> None:
        if self._names[name]:
            while self._open[-1].name != name:
                self._close_top(place.offset)
            self._pop()
            if not self._open:
                self._done_at = place.end
        elif self._open and is_leaf(self._open[-1].name):
            self._note(TroubleKind.MISMATCHED_TAG, place, b"</" + self._pop().name + b">")
        elif self._is_misspelled_by(name, place):
            top = self._pop()
            self._note(TroubleKind.MISSPELLED_TAG, between(top.tag_start, top.content_start), b"<" + name + b">")
        elif self._open and self._closes_the_row(name):
            while len(self._open) > 1:
                self._close_top(place.offset)
            self._note(TroubleKind.MISMATCHED_TAG, place, b"</" + self._pop().name + b">")
            self._done_at = place.end
        elif len(self._open) > 1 and self._text_in_top(place):
            self._note(TroubleKind.MISMATCHED_TAG, place, b"</" + self._pop().name + b">")
        else:
            self._note(TroubleKind.MISMATCHED_TAG, place, b"")

    def _closes_the_row(self, name: bytes) -> bool:
        row = self._open[0].name
        return name.lower() == row.lower() or (len(self._open) == 1 and is_misspelled(name, row))

    def _is_misspelled_by(self, name: bytes, place: Place) -> bool:
        """Whether the innermost open tag, with only text behind it, is meant to be of the field that is closed."""
        if len(self._open) < 2 or name not in FIELDS or not is_misspelled(self._open[-1].name, name):
            return False
        top = self._open[-1]
        tag = self._data[top.tag_start : top.content_start]
        return tag == b"<" + top.name + b">" and self._text_in_top(place)

    def _text_in_top(self, place: Place) -> bool:
        """Whether the innermost open element has nothing but text up to there."""
        start = self._open[-1].content_start
        return self._data.find(b"<", start, place.offset) == -1 and not self._data[start : place.offset].isspace()

    def _push(self, element: Open) -> None:
        self._open.append(element)
        self._names[element.name] += 1

    def _pop(self) -> Open:
        element = self._open.pop()
        self._names[element.name] -= 1
        return element

    def _close_top(self, before: int) -> None:
        """The close tag of the innermost open element is missing: put it behind its content."""
        top = self._pop()
        content = self._data[top.content_start : before]
        at = top.content_start + len(content.rstrip())
        self._note(
            TroubleKind.UNCLOSED_TAG, Place(at), b"</" + top.name + b">", f"</{top.name.decode('utf-8', 'replace')}>"
        )

    def _take_stray(self, place: Place) -> None:
        rest = self._data[place.end : place.end + 2]
        if self._breaks_off(place.end):
            self._note(TroubleKind.TRUNCATED, between(place.offset, self._end), b"")
            self._end = place.offset
            self._done_at = None
            return
        follows_close = rest == b"</"
        self._note(TroubleKind.STRAY_LT, place, b"" if follows_close else b"&lt;")

    def _breaks_off(self, at: int) -> bool:
        """Whether the file was cut in the tag that begins before `at`."""
        return self._cut and self._seeker.find(ANGLE, at) in (-1, self._end)

    def _is_declared(self, at: int) -> bool:
        """Whether a reference to an entity that is declared begins there."""
        found = REFERENCE.match(self._data, at, self._end) if self._entities else None
        return found is not None and found[1] in self._entities

    def _take_reference(self, reference: bytes, place: Place) -> None:
        if reference[1:2] != b"#":
            return
        digits = reference[2:-1]
        number = int(digits[1:], 16) if digits[:1] in b"xX" else int(digits[:20])
        if not is_xml_character(number):
            self._note(TroubleKind.BAD_CHARACTER_REFERENCE, place, b"")

    def _take_section(self, kind: str, place: Place) -> None:
        """A comment, instruction or CDATA section: its text stays, without the characters that XML does not allow."""
        found = list(control_characters(self._data, place))
        for trouble in found:
            self._note(trouble.kind, trouble.place, b"", trouble.detail)
        if kind == "comment" and has_double_hyphen(place.cut(self._data)):
            self._note(TroubleKind.BAD_COMMENT, place, b"")
        elif kind == "instruction" and not found and not is_legal(self._data, place):
            self._note(TroubleKind.BAD_INSTRUCTION, place, b"")

    def _repair_attributes(self, token: re.Match[bytes]) -> None:
        seen: set[bytes] = set()
        for attribute in ATTRIBUTE.finditer(self._data, *token.span("attributes")):
            value, place = attribute["value"], between(*attribute.span())
            name = self._without_controls(between(*attribute.span("name")), alone=value is None)
            if not name:
                continue
            if name in seen:
                self._note(TroubleKind.DUPLICATE_ATTRIBUTE, place, b"", name.decode("utf-8", "replace"))
                continue
            seen.add(name)
            if not _is_attribute_name(name):
                self._note(TroubleKind.BAD_ATTRIBUTE, place, b"")
            elif value is None or value[:1] not in (b'"', b"'"):
                written = name + b'="' + BARE.sub(b"&amp;", value or b"") + b'"'
                self._note(TroubleKind.BAD_ATTRIBUTE, place, b" " + written)
            else:
                self._repair_attribute_value(*attribute.span("value"))

    def _without_controls(self, place: Place, *, alone: bool) -> bytes:
        """The name of an attribute; characters that XML does not allow are taken out if a name, or nothing, is left."""
        written = place.cut(self._data)
        name = _CONTROL.sub(b"", written)
        if name == written or not (_is_attribute_name(name) or (alone and not name)):
            return written
        for trouble in control_characters(self._data, place):
            self._note(trouble.kind, trouble.place, b"", trouble.detail)
        return name

    def _repair_attribute_value(self, start: int, end: int) -> None:
        for trouble in control_characters(self._data, between(start, end)):
            self._note(trouble.kind, trouble.place, b"", trouble.detail)
        for bare in BARE.finditer(self._data, start, end):
            if self._is_declared(bare.start()):
                continue
            entity = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)").match(self._data, bare.start(), end)
            if entity is not None:
                self._note(TroubleKind.UNDEFINED_ENTITY, between(*entity.span()), around.escaped(entity.group()))
            else:
                self._note(TroubleKind.BARE_AMPERSAND, between(*bare.span()), b"&amp;")

    def _finish(self) -> None:
        if self._done_at is not None:
            return
        if self._cut and self._open and is_leaf(self._open[-1].name):
            # half an address is a wrong address, half a date a wrong date: the cut field goes
            top = self._pop()
            self._note(TroubleKind.TRUNCATED, between(top.tag_start, self._end), b"")
            self.repairs = self.repairs.up_to(top.tag_start)
        while self._open:
            self._close_top(self._end)

    def _repair_utf8(self, place: Place) -> None:
        for trouble in undecodable(self._data, place):
            self._note(trouble.kind, trouble.place, "�".encode(), trouble.detail)


def _is_attribute_name(written: bytes) -> bool:
    return re.fullmatch(NAME, written) is not None and is_name(written)


def apply_edits(data: bytes, start: int, end: int, edits: Iterable[Edit]) -> bytes:
    """The bytes from `start` to `end` as they read after the edits; later edits inside earlier ones are dropped."""
    parts: list[bytes] = []
    at = start
    columns = edits if isinstance(edits, Edits) else Edits(edits)
    for offset, length, text in columns.triples():
        if offset < at:
            continue
        parts += (data[at:offset], text)
        at = offset + length
    parts.append(data[at:end])
    return b"".join(parts)


# Patterns that cut markup that may be broken into tags, attributes, references and text.

_WORD_OF_NAME = rb"[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+"
NAME = _WORD_OF_NAME + rb"(?::" + _WORD_OF_NAME + rb")?+"
"""in any script; `is_name` decides whether every character is allowed"""
_ASCII_NAME = rb"[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+"
LEAVES = frozenset(name.encode() for name in FIELD_NAMES)
FIELDS = LEAVES | {b"link", b"guid", b"pubDate", b"updated", b"published"}
"""also those of feeds"""
_QUOTED_OR_BARE = rb"(?:\"[^\"<]*+\"|'[^'<]*+'|(?:[^ \t\r\n<>\"'/]|/(?!>))*+)"
_EQUALS = rb"[ \t\r\n]*+=[ \t\r\n]*+"
"""only with the whitespace of XML: a vertical tab or a form feed is a character that must go"""
_WORD = rb"[^<> \t\r\n=/]++"
TOKEN = lazy_pattern(
    rb"(?P<cdata><!\[CDATA\[)"
    rb"|(?P<comment><!--)"
    rb"|(?P<instruction><\?)"
    rb"|(?P<close></\s*+(?P<close_name>" + NAME + rb")[^<>]*+>)"
    rb"|(?P<unended></(?P<unended_name>" + NAME + rb")(?=\s*+(?:<|\Z)))"
    rb"|(?P<open><(?P<open_name>" + NAME + rb")"
    rb"(?P<attributes>(?:[ \t\r\n]++" + _WORD + rb"(?:" + _EQUALS + _QUOTED_OR_BARE + rb")?+)*+)"
    rb"[ \t\r\n]*+(?P<empty>/?)>)"
    rb"|(?P<glued><(?:loc|lastmod|changefreq|priority)(?=[^\s<>/]|\s++(?:https?://|[0-9])[^<>]*+</))"
    rb"|(?P<lt><)"
    rb"|(?P<reference>&(?:amp|lt|gt|quot|apos|\#[0-9]+|\#x[0-9a-fA-F]+);)"
    rb"|(?P<entity>&[A-Za-z][A-Za-z0-9]*+;)"
    rb"|(?P<amp>&)"
    rb"|(?P<cdata_end>\]\]>)"
    rb"|(?P<control>" + CONTROL + rb")",
)
SECTION_ENDS = {"cdata": b"]]>", "comment": b"-->", "instruction": b"?>"}
ATTRIBUTE = lazy_pattern(
    rb"[ \t\r\n]++(?P<name>" + _WORD + rb")(?:" + _EQUALS + rb"(?P<value>" + _QUOTED_OR_BARE + rb"))?+"
)
RUN = lazy_pattern(rb"<{8,}(?=<<)|&{8,}(?=&)")
SOUND = lazy_pattern(rb"(?:[ \t\r\n]*+<(" + _ASCII_NAME + rb")>[^<&\]\x00-\x08\x0b\x0c\x0e-\x1f\xef]*+</\1>)++")
"""open tag, plain text, close tag; again and again"""
ANGLE = lazy_pattern(rb"[<>]")
BARE = lazy_pattern(rb"&(?!(?:amp|lt|gt|quot|apos|\#[0-9]+|\#x[0-9a-fA-F]+);)")
PREDEFINED = frozenset({b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;"})


@lru_cache(256)
def is_leaf(name: bytes) -> bool:
    return name.rpartition(b":")[2].lower() in LEAVES


# Repairs of one stretch → columns: what was wrong, where, and the edit that removes it.


class Repair(msgspec.Struct, frozen=True):
    """One edit and the trouble that called for it."""

    kind: TroubleKind
    edit: Edit
    detail: str


class Repairs:
    """Repairs in columns: a stretch of bytes may have millions."""

    def __init__(self) -> None:
        self._kinds: list[TroubleKind] = []
        self._details: list[str] = []
        self.edits = Edits()

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[Repair]:
        return map(Repair, self._kinds, self.edits, self._details)

    def add(self, kind: TroubleKind, place: Place, text: bytes, detail: str) -> None:
        self._kinds.append(kind)
        self._details.append(detail)
        self.edits.add(place.offset, place.length, text)

    def add_run(self, kind: TroubleKind, places: range, text: bytes, detail: str) -> None:
        """The same repair of single bytes beside each other."""
        self._kinds += [kind] * len(places)
        self._details += [detail] * len(places)
        self.edits.offsets.extend(places)
        self.edits.lengths.extend(repeat(1, len(places)))
        self.edits.texts += [self.edits.shared(text)] * len(places)

    def in_order(self) -> Repairs:
        return self if self.edits.in_order() is self.edits else self.up_to(None)

    def up_to(self, offset: int | None) -> Repairs:
        """Those that begin there or before, by place."""
        offsets, lengths = self.edits.offsets, self.edits.lengths
        chosen = [at for at in range(len(self)) if offset is None or offsets[at] <= offset]
        chosen.sort(key=lambda at: (offsets[at], lengths[at]))
        found = Repairs()
        found._kinds = [self._kinds[at] for at in chosen]
        found._details = [self._details[at] for at in chosen]
        found.edits = self.edits.picked(chosen)
        return found

    def report(self, troubles: Troubles, row: int | None = None, but: Collection[TroubleKind] = ()) -> None:
        """Each of them as a trouble, but for some kinds."""
        for kind, detail, offset, length in zip(
            self._kinds, self._details, self.edits.offsets, self.edits.lengths, strict=True
        ):
            if kind not in but:
                troubles.add(kind, offset, length, detail, row)
