"""Entries with images, videos, news and links → their form, all that is markup, and where the values are in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from urlset.checking.media_fields import LISTED, Medium, Member
from urlset.checking.media_values import AttributesTest, is_language_tag
from urlset.reading.forms import HOLE, template
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

LINK, STRANGE = 4, 255
"""kinds of prefixes beside those of media, which are counted from 1; 0 for none of them"""
MOST_FORMS, LONGEST_FORM = 1 << 10, 1 << 14
"""how many forms are kept, and of how many characters"""
_ASIDE = lazy_pattern(rb"(?s)<(?:!\[CDATA\[(.*?)\]\]>|!--.*?-->|\?.*?\?>)")
_TOKEN = lazy_pattern(r"(?s)<(/?)(?:([\w.-]+):)?([\w.-]+)((?:[^<>/]|/(?!>))*+)(/?)>([^<]*+)|(.)")
_ATTRIBUTE = lazy_pattern(r"\s+([a-z_]+)=(?:\"([^\"]*)\"|'([^']*)')")


def without_asides(written: bytes) -> bytes:
    """Comments left out, sections as text."""
    return _ASIDE.sub(lambda aside: (aside[1] or b"").replace(b"&", b"&amp;").replace(b"<", b"&lt;"), written)


def resolved(text: str) -> str:
    """References read as characters; text is well-formed."""
    if "&" not in text:
        return text
    from html import unescape  # knows all entities of HTML

    return unescape(text)


class _StrangeError(Exception):
    """Only a closer look can tell."""


class FormReader:
    """Of one document."""

    def __init__(self, core: str, kinds: dict[str, int], media: tuple[Medium, ...]) -> None:
        self.core = core
        self.kinds = kinds
        self.media = {kind: _Table(medium, kind) for kind, medium in enumerate(media, 1)}
        self._known: dict[bytes, Form | None] = {}

    def read(self, key: bytes, parts: Sequence[bytes]) -> Form | None:
        """What `form_of` identifies; None where only a closer look can tell."""
        if key in self._known:
            return self._known[key]
        try:
            form = self._read(parts)
        except _StrangeError:
            form = None
        if len(self._known) < MOST_FORMS and len(key) < LONGEST_FORM:
            self._known[key] = form
        return form

    def _read(self, parts: Sequence[bytes]) -> Form:
        form = Form()
        opened: list[_Open] = [_Outside(self)]
        for slash, prefix, local, attributes, empty, behind, other in _TOKEN.findall(template(parts).decode()):
            if other or "xmlns" in attributes:
                raise _StrangeError
            if slash:
                opened.pop().close(form)
            else:
                child = opened[-1].child(form, prefix, local, attributes, empty)
                if not empty:
                    opened.append(child)
            opened[-1].text += behind.strip()
        if len(opened) > 1 or not parts[0]:
            raise _StrangeError
        return form


class Form:
    """What is known of all entries of one form, and which parts of them are which values."""

    def __init__(self) -> None:
        self.raised = 0
        self.values: dict[Member, list[int]] = {}
        self.noted: list[int] = []
        """in the element that is open"""
        self.differing: list[int] = []
        self.together: list[tuple[int, Callable[[Sequence[str], str], bool], Sequence[int]]] = []
        """signals that are raised unless values suit each other and the page"""
        self.languages: dict[str, None] = {}
        self.hrefs: list[int] = []

    def link(self, attributes: str) -> None:
        written = _attributes_in(attributes)
        language, href = written.get("hreflang"), written.get("href")
        if len(written) != 3 or written.get("rel") != "alternate" or language is None or href is None:
            self.raised |= Signal.LINKS
            return
        if not is_language_tag(language):
            self.raised |= Signal.LINK_CODE
        language = language.strip().lower()
        if not language:
            raise _StrangeError
        if language in self.languages:
            self.raised |= Signal.LINKS
        self.languages[language] = None
        self.hrefs.append(_place(href))


class _Table:
    """A kind of element with its members by name."""

    def __init__(self, medium: Medium, kind: int) -> None:
        self.medium, self.kind = medium, kind
        self.members = {member.name: member for member in medium.members}
        self.inner = {member.name: _Table(member.inner, kind) for member in medium.members if member.inner}


class _Open:
    """An open element without conditions."""

    text = ""

    def child(self, _form: Form, _prefix: str, _local: str, _attributes: str, _empty: str) -> _Open:
        return _Open()

    def close(self, form: Form) -> None:
        pass


class _Outside(_Open):
    """What the entry is in."""

    def __init__(self, reader: FormReader) -> None:
        self.reader = reader

    def child(self, _form: Form, _prefix: str, _local: str, _attributes: str, _empty: str) -> _Open:
        return _Entry(self.reader)


class _Entry(_Open):
    def __init__(self, reader: FormReader) -> None:
        self.reader = reader
        self.kinds: Counter[int] = Counter()
        self.loc = False

    def child(self, form: Form, prefix: str, local: str, attributes: str, empty: str) -> _Open:
        if prefix == self.reader.core:
            if local != "loc":
                return _Open()
            if self.loc or empty:
                raise _StrangeError
            self.loc = True
            return _Leaf()
        kind = self.reader.kinds.get(prefix, STRANGE)
        if kind == 0:
            return _Open()
        if kind == LINK and local == "link":
            form.link(attributes)
            return _Link()
        table = self.reader.media.get(kind)
        if table is None or local != table.medium.name:
            raise _StrangeError
        self.kinds[kind] += 1
        if attributes or self.kinds[kind] > table.medium.most:
            form.raised |= Signal.MEDIA_SHAPE
        if empty:
            form.raised |= Signal.MEDIA_MISSING
        form.noted = []
        return _Element(table, self.reader.kinds)


class _Leaf(_Open):
    """An element with nothing but text in it."""

    def child(self, _form: Form, _prefix: str, _local: str, _attributes: str, _empty: str) -> _Open:
        raise _StrangeError


class _Link(_Leaf):
    def close(self, form: Form) -> None:
        if self.text:
            form.raised |= Signal.LINKS


class _Element(_Open):
    """An image, a video, an article or a part of one."""

    def __init__(self, table: _Table, kinds: Mapping[str, int]) -> None:
        self.table, self.kinds = table, kinds
        self.met: Counter[str] = Counter()

    def child(self, form: Form, prefix: str, local: str, attributes: str, empty: str) -> _Open:
        if self.kinds.get(prefix) != self.table.kind:
            raise _StrangeError
        member = self.table.members.get(local)
        if member is None or empty:
            form.raised |= Signal.MEDIA_SHAPE | Signal.MEDIA_MISSING | (member.raised if member else 0)
            return _Open()
        self.met[local] += 1
        if self.met[local] > member.most or (attributes and member.attributes is None):
            form.raised |= Signal.MEDIA_SHAPE
        if member.attributes is not None:
            places = {name: _place(value) for name, value in _attributes_in(attributes).items()}
            test = partial(_suit, member.attributes, tuple(places))
            form.together.append((Signal.MEDIA_SHAPE, test, tuple(places.values())))
        return _Element(self.table.inner[local], self.kinds) if member.inner else _Value(member)

    def close(self, form: Form) -> None:
        medium = self.table.medium
        if self.text:
            form.raised |= Signal.MEDIA_SHAPE
        if any(self.met.keys().isdisjoint(group) for group in medium.required):
            form.raised |= Signal.MEDIA_MISSING
        if medium.differ:
            form.differing += form.noted
        if medium.together:
            form.together.append((medium.raised_together, medium.together, form.noted))


class _Value(_Leaf):
    def __init__(self, member: Member) -> None:
        self.member = member

    def close(self, form: Form) -> None:
        member = self.member
        if not self.text:
            form.raised |= Signal.MEDIA_MISSING | member.raised
        elif member.form == LISTED:
            form.raised |= member.raised
        else:
            place = _place(self.text)
            form.values.setdefault(member, []).append(place)
            if member.noted:
                form.noted.append(place)


def _suit(test: AttributesTest, names: Sequence[str], values: Sequence[str], page: str) -> bool:
    return test(dict(zip(names, values, strict=True)), page)


def _place(value: str) -> int:
    """Of the value that a template has here."""
    hole = HOLE.fullmatch(value)
    if hole is None:
        raise _StrangeError
    return int(hole[1])


def _attributes_in(text: str) -> dict[str, str]:
    found = {name: resolved(one or other) for name, one, other in _ATTRIBUTE.findall(text)}
    if _ATTRIBUTE.sub("", text).strip():
        raise _StrangeError
    return found
