"""The images, videos, news and links of entries → signals, in pure Python: the twin of the compiled `MediaJudge`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urlset.checking.media_fields import ADDRESS, LISTED, TEXT, Medium, Member
from urlset.checking.media_values import Test, is_address, is_language_tag, is_text
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document
from urlset.reading.salvage import apply_edits
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

UNUSUAL_LINKS = Signal.LINKS | Signal.LINK_CODE | Signal.LINK_HREF
ALL = (
    UNUSUAL_LINKS
    | Signal.LINK_SELF
    | Signal.CAPTIONED
    | Signal.MEDIA_MISSING
    | Signal.MEDIA_SHAPE
    | (Signal.MEDIA_ADDRESS | Signal.MEDIA_TEXT | Signal.MEDIA_DATE | Signal.MEDIA_VALUE)
)
LINK, STRANGE = 4, 255
"""kinds of prefixes beside those of media, which are counted from 1; 0 for none of them"""
MOST_KNOWN = 1 << 16
"""values whose judgment is kept"""
# the comment, instruction or section that holds a `<` matches only the last group
_TOKEN = lazy_pattern(
    r"(?s)<(?:(/?)(?:([\w.-]+):)?([\w.-]+)((?:[^<>/]|/(?!>))*+)(/?)>|!\[CDATA\[([^<]*?)\]\]>|!--[^<]*?-->|\?[^<]*?\?>)([^<]*+)|(.)"
)
_USUAL_LINK = lazy_pattern(r"\s+rel=\"alternate\"\s+hreflang=\"([^\"&]*)\"\s+href=\"([^\"&]*)\"\s*")
_ATTRIBUTE = lazy_pattern(r"\s+([a-z_]+)=(?:\"([^\"]*)\"|'([^']*)')")


class RowLinks(NamedTuple):
    """What the links of an entry say, where all of them are ordinary."""

    languages: tuple[str, ...]
    """in lowercase"""
    hrefs: tuple[str, ...]


class _StrangeError(Exception):
    """Only a closer look can tell."""


class PythonJudge:
    """Of one document."""

    def __init__(self, core: str, kinds: dict[str, int], media: tuple[Medium, ...]) -> None:
        self.core = core
        self.kinds = kinds
        self.media = {kind: _Table(medium, kind) for kind, medium in enumerate(media, 1)}
        self._tags: dict[str, str] = {}
        self._known: dict[tuple[Test, str], bool] = {}
        self.found = 0
        self.page = ""
        self.languages: list[str] = []
        self.hrefs: list[str] = []
        self.noted: list[str] = []
        self.differing: list[str] = []

    def signals(self, document: Document, links: dict[int, RowLinks]) -> Iterator[int]:
        columns, data = document.columns, document.data
        for row, mark in enumerate(columns.marks):
            if not mark & Mark.EXTENDED:
                yield 0
            elif mark & Mark.SALVAGED and not _are_references(data, columns.edits.get(row, ())):
                yield ALL
            else:
                written = data[columns.starts[row] : columns.ends[row]]
                if mark & Mark.SALVAGED:
                    written = apply_edits(data, columns.starts[row], columns.ends[row], columns.edits.get(row, ()))
                text = written.decode("utf-8", "replace")
                self.page = (columns.loc(row) or "").strip()
                try:
                    self._judge(text)
                except _StrangeError:
                    yield ALL
                    continue
                if self.languages:
                    if not self.found & UNUSUAL_LINKS:
                        links[row] = RowLinks(tuple(self.languages), tuple(self.hrefs))
                    if self.page not in self.hrefs:
                        self.found |= Signal.LINK_SELF
                yield self.found

    def _judge(self, text: str) -> None:
        """Sets what was found in one entry."""
        self.found = 0
        self.languages, self.hrefs, self.differing = [], [], []
        opened: list[_Open] = [_Open()]
        top: _Open = opened[0]
        for slash, prefix, local, attributes, empty, section, behind, other in _TOKEN.findall(text):
            if local:
                if slash:
                    opened.pop().close(self)
                    top = opened[-1]
                else:
                    if "xmlns" in attributes:
                        raise _StrangeError
                    child = _Entry() if len(opened) == 1 else top.child(self, prefix, local, attributes, empty)
                    if not empty:
                        opened.append(child)
                        top = child
            elif other:
                raise _StrangeError
            if section or behind:
                top.text += section.replace("&", "&amp;") + behind if section else behind
        if len(set(self.differing)) < len(self.differing):
            self.found |= Signal.MEDIA_SHAPE

    def passes(self, test: Test, text: str) -> bool:
        """Most values of a field are met again and again."""
        known = self._known.get((test, text))
        if known is None:
            known = test(text)
            if len(self._known) < MOST_KNOWN:
                self._known[test, text] = known
        return known

    def link(self, attributes: str) -> int:
        """Takes a link; what it raises."""
        language: str | None
        href: str | None
        usual = _USUAL_LINK.fullmatch(attributes)
        if usual is not None:
            language, href = usual.groups()
        else:
            found = attributes_in(attributes)
            language, href = found.get("hreflang"), found.get("href")
            if len(found) != 3 or found.get("rel") != "alternate":
                return Signal.LINKS
        if language is None or href is None:
            return Signal.LINKS
        raised = 0
        known = self._tags.get(language)
        if known is None:
            known = self._tags[language] = language.lower() if is_language_tag(language) else ""
        if not known:
            raised, known = Signal.LINK_CODE, language.strip().lower()
        if known in self.languages:
            raised |= Signal.LINKS
        self.languages.append(known)
        if not is_address(href):
            raised |= Signal.LINK_HREF
        elif known:
            self.hrefs.append(href)
        return raised


class _Table:
    """A kind of element with its members by name."""

    def __init__(self, medium: Medium, kind: int) -> None:
        self.medium, self.kind = medium, kind
        self.members = {member.name: member for member in medium.members}
        self.inner = {member.name: _Table(member.inner, kind) for member in medium.members if member.inner}


class _Open:
    """An open element without conditions."""

    __slots__ = ("text",)

    def __init__(self) -> None:
        self.text = ""

    def child(self, _judge: PythonJudge, _prefix: str, _local: str, _attributes: str, _empty: str) -> _Open:
        return _Open()

    def close(self, judge: PythonJudge) -> None:
        pass


class _Entry(_Open):
    """The entry itself."""

    __slots__ = ("kinds", "loc")

    def __init__(self) -> None:
        super().__init__()
        self.kinds: Counter[int] = Counter()
        self.loc = False

    def child(self, judge: PythonJudge, prefix: str, local: str, attributes: str, empty: str) -> _Open:
        if prefix == judge.core:
            if local != "loc":
                return _Open()
            if self.loc or empty:
                raise _StrangeError
            self.loc = True
            return _Leaf()
        kind = judge.kinds.get(prefix, STRANGE)
        if kind == 0:
            return _Open()
        if kind == LINK and local == "link":
            judge.found |= judge.link(attributes)
            return _Link()
        table = judge.media.get(kind)
        if table is None or local != table.medium.name:
            raise _StrangeError
        self.kinds[kind] += 1
        if attributes or self.kinds[kind] > table.medium.most:
            judge.found |= Signal.MEDIA_SHAPE
        if empty:
            judge.found |= Signal.MEDIA_MISSING
        judge.noted = []
        return _Element(table)


class _Leaf(_Open):
    """An element with nothing but text in it."""

    __slots__ = ()

    def child(self, _judge: PythonJudge, _prefix: str, _local: str, _attributes: str, _empty: str) -> _Open:
        raise _StrangeError


class _Link(_Leaf):
    __slots__ = ()

    def close(self, judge: PythonJudge) -> None:
        if self.text and not self.text.isspace():
            judge.found |= Signal.LINKS


class _Element(_Open):
    """An image, a video, an article or a part of one."""

    __slots__ = ("met", "table")

    def __init__(self, table: _Table) -> None:
        super().__init__()
        self.table = table
        self.met: dict[str, int] = {}

    def child(self, judge: PythonJudge, prefix: str, local: str, attributes: str, empty: str) -> _Open:
        if judge.kinds.get(prefix) != self.table.kind:
            raise _StrangeError
        member = self.table.members.get(local)
        if member is None or empty:
            judge.found |= Signal.MEDIA_SHAPE | Signal.MEDIA_MISSING | (member.raised if member else 0)
            return _Open()
        count = self.met[local] = self.met.get(local, 0) + 1
        if count > member.most:
            judge.found |= Signal.MEDIA_SHAPE
        if attributes or member.attributes:
            written = attributes_in(attributes)
            if member.attributes is None or not member.attributes(written, judge.page):
                judge.found |= Signal.MEDIA_SHAPE
        return _Element(self.table.inner[local]) if member.inner else _Value(member)

    def close(self, judge: PythonJudge) -> None:
        medium = self.table.medium
        if self.text and not self.text.isspace():
            judge.found |= Signal.MEDIA_SHAPE
        if any(self.met.keys().isdisjoint(group) for group in medium.required):
            judge.found |= Signal.MEDIA_MISSING
        if medium.differ:
            judge.differing += judge.noted
        if medium.together and not medium.together(judge.noted, judge.page):
            judge.found |= medium.raised_together


class _Value(_Leaf):
    __slots__ = ("member",)

    def __init__(self, member: Member) -> None:
        super().__init__()
        self.member = member

    def close(self, judge: PythonJudge) -> None:
        member, text = self.member, self.text
        if not text or text.isspace():
            judge.found |= Signal.MEDIA_MISSING | member.raised
            return
        if member.form == LISTED:
            judge.found |= member.raised
            return
        text = resolved(text)
        if member.noted:
            judge.noted.append(text)
        if member.form == ADDRESS:
            ordinary = is_address(text)
        elif member.form == TEXT:
            ordinary = is_text(member.most_characters, text)
        else:
            ordinary = member.test is not None
        if not ordinary or (member.test and not judge.passes(member.test, text)):
            judge.found |= member.raised


def _are_references(data: bytes, edits: Iterable[Edit]) -> bool:
    """Whether only ampersands and what they begin were repaired, so all tags are where they are written."""
    return all(data.startswith(b"&", edit.place.offset) and edit.place.length for edit in edits)


def attributes_in(text: str) -> dict[str, str]:
    found = {name: resolved(one or other) for name, one, other in _ATTRIBUTE.findall(text)}
    if _ATTRIBUTE.sub("", text).strip():
        raise _StrangeError
    return found


def resolved(text: str) -> str:
    """References read as characters; text is well-formed."""
    if "&" not in text:
        return text
    from html import unescape  # knows all entities of HTML

    return unescape(text)
