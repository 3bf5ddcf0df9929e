"""One entry with plain media → a pattern for all entries of the same layout, so each costs one match.

If a pattern matches, `media_signals` would give the same result: between the literal tags of the first entry is text
without tags, and each field has the form that its test requires. Entries that do not match are parsed.
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from urlset.checking.media_values import ENDLESS, OF_VIDEOS, Test, is_address, is_file, is_text, may_be
from urlset.model.document import Document
from urlset.spec import ordinary_media
from urlset.spec.signals import Signal

TEXT = re.compile(r">(\s*+[^<\s][^<]*+)<")
"""text between tags that is not only whitespace"""
_LINK = "<\1/>"
# ASCII whitespace, then a byte that does not start Unicode whitespace
_VISIBLE = r"[ \t\r\n]*+(?:[!-;=-~\xc3-\xe0\xe4-\xf4]|\xe3[\x81-\xbf])"
_ANY_TEXT = _VISIBLE + "[^<]*+"


class Shape(NamedTuple):
    """The information in the tags of an entry."""

    signals: int
    tests: tuple[tuple[int, Test, int], ...] = ()
    """the number of a text, its test, and the signal if it fails"""
    images: tuple[int, ...] = ()
    """the texts that are image URLs"""
    files: tuple[int, ...] = ()
    """the texts that are URLs of video files or players"""

    def raised(self, parts: list[str], page: str | None) -> int:
        """The signals of an entry with alternating texts and tags."""
        found = self.signals
        for number, test, raised in self.tests:
            if not test(parts[number]):
                found |= raised
        if len(self.images) > 1 and len({parts[number] for number in self.images}) < len(self.images):
            found |= Signal.IMAGES
        for number in self.files:
            if may_be(parts[number], page or ""):
                found |= Signal.VIDEOS
        return found


class Links(NamedTuple):
    """The links of an entry, all plain, and the text around them."""

    form: re.Pattern[str]
    languages: list[str]
    around: list[str]


class RowLinks(NamedTuple):
    """The data of the links of a plain entry."""

    languages: tuple[str, ...]
    """in lowercase"""
    hrefs: tuple[bytes, ...]
    """as written"""


class RowPattern:
    """For entries with the same tags and languages as the first one."""

    def __init__(self, written: _Written, shape: Shape) -> None:
        self._match = re.compile(written.pattern.encode()).fullmatch
        self._page, self._links = written.page, slice(*written.links)
        self._languages = written.languages
        groups = written.groups
        self._signals = shape.signals
        self._shape = Shape(
            0,
            tuple((groups[number], test, raised) for number, test, raised in shape.tests if number in written.tested),
            tuple(groups[number] for number in shape.images if number in groups),
            tuple(groups[number] for number in shape.files),
        )
        self._is_done = not any(self._shape)

    def signals(self, document: Document, row: int, links: dict[int, RowLinks]) -> int | None:
        """None if the entry has to be parsed; otherwise the links of the row are recorded."""
        columns = document.columns
        found = self._match(document.data, columns.starts[row], columns.ends[row])
        if found is None:
            return None
        if self._page:
            texts = found.groups()
            hrefs = texts[self._links]
            if texts[self._page - 1] not in hrefs:
                return None
            links[row] = RowLinks(self._languages, hrefs)
        if self._is_done:
            return self._signals
        parts = ["", *(text.decode("utf-8", "replace") for text in found.groups())]
        return self._signals | self._shape.raised(parts, columns.loc(row) if self._shape.files else None)


class _Written:
    """The text of a pattern under construction."""

    def __init__(self) -> None:
        self.pattern = ""
        self.count = 0
        self.tested: set[int] = set()
        """the texts whose tests have no pattern form"""
        self.groups: dict[int, int] = {}
        """number of a text → number of its group"""
        self.page = 0
        """the group of the page URL, if there are links"""
        self.languages: tuple[str, ...] = ()
        self.links = (0, 0)
        """the groups of the link URLs, counted from 0"""

    def add(self, form: str, number: int = 0, *, grouped: bool) -> None:
        if grouped:
            self.count += 1
            self.groups[number] = self.count
        self.pattern += f"({form})" if grouped else form


def row_pattern(parts: list[str], shape: Shape, links: Links | None, core: str) -> RowPattern | None:
    """For an entry with alternating tags and texts; None unless all links are in one run between other elements."""
    written = _Written()
    if links is None:
        laid_out, addresses = parts, []
    else:
        laid_out = TEXT.split(_LINK.join(links.around))
        addresses = [_link(links.form, language) for language in links.languages]
        written.languages = tuple(language.lower() for language in links.languages)
        tags = laid_out[::2]
        if laid_out[1::2] != parts[1::2] or sum(tag.count(_LINK) for tag in tags) != len(addresses):
            return None
        if any(":link" in tag for tag in tags):
            return None
    forms = {number: _form(test) for number, test, _ in shape.tests}
    written.tested = {number for number, form in forms.items() if form is None}
    grouped = {*written.tested, *shape.files}
    grouped.update(shape.images if len(shape.images) > 1 else ())
    for number, part in enumerate(laid_out):
        if number % 2:
            is_page = bool(addresses) and not written.page and laid_out[number - 1].endswith(f"<{core}loc")
            written.pattern += ">"
            written.add(forms.get(number) or _ANY_TEXT, number, grouped=is_page or number in grouped)
            written.pattern += "<"
            written.page = written.count if is_page else written.page
        else:
            before, *behind = part.split(_LINK)
            written.pattern += re.escape(before)
            if behind and written.links != (0, 0):
                return None  # in two places
            if behind:
                written.links = (written.count, written.count + len(behind))
            for each in behind:
                written.count += 1
                written.pattern += addresses.pop(0) + re.escape(each)
            if behind and not written.page:
                return None
    return RowPattern(written, shape)


def _link(form: re.Pattern[str], language: str) -> str:
    """With one group, the URL."""
    address = ordinary_media.ADDRESS.pattern
    if '"' not in form.pattern:
        address = address.replace("'", "")
    named = re.sub(r"\(\[\^[^]]*\]\+\)", lambda _: re.escape(language), form.pattern)
    return re.sub(r"\(\[\^[^]]*\]\*\)", lambda _: f"({address})", named)


def _form(test: Test) -> str | None:
    """The form of a text that passes the test; None if the test has to be run."""
    if test is is_address:
        return ordinary_media.ADDRESS.pattern
    if test is is_file:
        endings = "|".join(ending[1:] for ending in OF_VIDEOS)
        return rf"(?=[^<]*\.(?:{endings})<){ordinary_media.ADDRESS.pattern}"
    if not isinstance(test, partial) or test.func is not is_text:
        return None
    most = test.args[0]
    bounded = f"(?=[^<]{{1,{most}}}+<)" if most < ENDLESS else ""
    return f"(?={_VISIBLE}){bounded}{ordinary_media.TEXT.pattern}"
