"""The images, videos, news and links of entries → signals; entries of one shape are taken apart once.

The tags of an entry without its texts are its shape, and most entries of a file have the same. Of a shape it is
worked out once which texts belong to which fields; then each entry costs one split and a test of each text.
What is not of an ordinary shape raises all signals of media: right, only slower.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from urlset.model.address_key import key_of
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.trouble import TroubleKind
from urlset.spec import namespaces, ordinary_media
from urlset.spec.extensions import IMAGE, VIDEO
from urlset.spec.fields import ElementSpec, FieldKind, FieldSpec
from urlset.spec.languages import COUNTRY_TRAPS, LANGUAGES, WITHDRAWN, X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import VIDEO_FILE_TYPES
from urlset.spec.regions import REGIONS
from urlset.spec.scripts import SCRIPTS
from urlset.spec.signals import ORDINARY_DATE, Signal

ALL = Signal.IMAGES | Signal.CAPTIONED | Signal.VIDEOS | Signal.NEWS | Signal.LINKS
_ODD = Mark.ODD | Mark.SALVAGED | Mark.COMMENTED
_TEXT = lazy_pattern(r">(\s*+[^<\s][^<]*+)<")
_TOKEN = lazy_pattern(r"<(/?)(?:([\w.-]+):)?([\w.-]+)([^<>]*?)(/?)>|(\0)")
_CDATA = lazy_pattern(r"<!\[CDATA\[([^<>&\]]*)\]\]>")
_MOST_SHAPES = 2048

Test = Callable[[str], bool]


class _Shape(NamedTuple):
    """What the tags of an entry tell."""

    signals: int
    tests: tuple[tuple[int, Test, int], ...] = ()
    """the number of a text, its test, and what it raises when it fails"""
    images: tuple[int, ...] = ()
    """the texts that are addresses of images"""
    files: tuple[int, ...] = ()
    """the texts that are addresses of video files or players"""


_STRANGE = _Shape(ALL)


def media_signals(document: Document, now: datetime) -> Iterator[int]:
    """For each row, in order."""
    judge = _Judge(document, now)
    columns = document.columns
    for row, mark in enumerate(columns.marks):
        if not mark & Mark.EXTENDED:
            yield 0
        elif mark & _ODD or judge.is_strange:
            yield ALL
        else:
            yield judge.signals(row)


class _Judge:
    """Of one document."""

    def __init__(self, document: Document, now: datetime) -> None:
        self._document = document
        root = document.root
        declared = dict(root.declared) if root is not None else {}
        self._declared = {prefix: uri for prefix, uri in declared.items() if prefix}
        self._core = root.written.rpartition(":")[0] if root is not None else ""
        several = any(each.kind is TroubleKind.TWO_ROOTS for each in document.troubles)
        self.is_strange = root is None or document.kind is not Kind.URLSET or several
        links = [prefix for prefix, uri in self._declared.items() if uri == namespaces.XHTML]
        self._links = [re.compile(form.format(prefix=re.escape(links[0]))) for form in ordinary_media.LINKS if links]
        self._shapes: dict[tuple[str, ...], _Shape] = {}
        self._tags: dict[str, bool] = {}
        self._latest = f"{now - timedelta(days=1):%Y-%m-%d}"
        self._later = f"{now + timedelta(days=2):%Y-%m-%d}"

    def signals(self, row: int) -> int:
        columns = self._document.columns
        text = self._document.data[columns.starts[row] : columns.ends[row]].decode("utf-8", "replace")
        if "<!" in text:
            text = _CDATA.sub(r"\1", text)
            if "<!" in text:
                return ALL
        found = 0
        if ":link" in text:
            pieces = self._without_links(text)
            if len(pieces) > 1:
                found = 0 if self._are_ordinary(pieces, columns.loc(row)) else Signal.LINKS
                text = "".join(pieces[::3])
        parts = _TEXT.split(text)
        tags = tuple(parts[::2])
        shape = self._shapes.get(tags)
        if shape is None:
            shape = self._shape(tags)
            if len(self._shapes) < _MOST_SHAPES:
                self._shapes[tags] = shape
        found |= shape.signals
        for number, test, raised in shape.tests:
            if not test(parts[number]):
                found |= raised
        if len(shape.images) > 1 and len({parts[number] for number in shape.images}) < len(shape.images):
            found |= Signal.IMAGES
        for number in shape.files:
            if _may_be(parts[number], columns.loc(row) or ""):
                found |= Signal.VIDEOS
        return found

    # links

    def _without_links(self, text: str) -> list[str]:
        """The text around the links, each with its language and its address behind it."""
        for position, form in enumerate(self._links):
            pieces = form.split(text)
            if len(pieces) > 1:
                if position:
                    self._links.insert(0, self._links.pop(position))
                return pieces
        return [text]

    def _are_ordinary(self, pieces: list[str], loc: str | None) -> bool:
        languages, addresses = pieces[1::3], pieces[2::3]
        if len(set(languages)) != len(languages):
            return False
        for language in languages:
            known = self._tags.get(language)
            if known is None:
                known = self._tags[language] = _is_ordinary_tag(language)
            if not known:
                return False
        if not all(map(ordinary_media.ADDRESS.fullmatch, addresses)):
            return False
        page = (loc or "").strip()
        return page in addresses or page.replace("&", "&amp;") in addresses

    # shapes

    def _shape(self, tags: tuple[str, ...]) -> _Shape:
        """Takes the tags apart; anything but leaves in images and videos is strange."""
        shape = _Parts(self._latest, self._later)
        depth, number = 0, -1
        inside: ElementSpec | None = None
        leaf, text = "", 0
        for slash, prefix, local, attributes, empty, value in _TOKEN.findall(">\0<".join(tags)):
            if value:
                number += 2
                text = number
                if inside is not None and depth != 3:
                    return _STRANGE  # a text between elements
            elif slash:
                depth -= 1
                if depth == 2 and inside is not None:
                    shape.add(inside, leaf, text)
                elif depth == 1 and inside is not None:
                    shape.close(inside)
                    inside = None
            else:
                text = 0
                if depth == 1 and prefix == self._core:
                    if attributes:
                        return _STRANGE  # perhaps another namespace
                elif depth == 1:
                    inside = self._medium(prefix, local)
                    if inside is None or attributes or empty:
                        return _STRANGE
                elif depth > 2 or (inside and not self._is_member(inside, prefix, local, attributes, empty)):
                    return _STRANGE
                leaf = local
                depth += 0 if empty else 1
        return shape.done()

    def _medium(self, prefix: str, local: str) -> ElementSpec | None:
        uri = self._declared.get(prefix)
        if uri == namespaces.IMAGE and local == IMAGE.name:
            return IMAGE
        return VIDEO if uri == namespaces.VIDEO and local == VIDEO.name else None

    def _is_member(self, inside: ElementSpec, prefix: str, local: str, attributes: str, empty: str) -> bool:
        """An element of the same namespace with nothing to say in its tag, or with the one attribute it must have."""
        if empty or self._declared.get(prefix) != namespaces.BY_NAME[inside.namespace].uri:
            return False
        related = inside is VIDEO and local in _RELATED
        return attributes in ordinary_media.RELATIONSHIP if related else not attributes


_RELATED = frozenset({"restriction", "platform"})


class _Parts:
    """Collects what a shape consists of."""

    def __init__(self, latest: str, later: str) -> None:
        self._latest, self._later = latest, later
        self._signals = 0
        self._fields: Counter[str] = Counter()
        self._tests: list[tuple[int, Test, int]] = []
        self._images: list[int] = []
        self._files: list[int] = []

    def done(self) -> _Shape:
        return _Shape(self._signals, tuple(self._tests), tuple(self._images), tuple(self._files))

    def add(self, inside: ElementSpec, local: str, text: int) -> None:
        """A field whose text has this number; 0 where it has none."""
        self._fields[local] += 1
        spec = inside.field(local)
        raised = Signal.IMAGES if inside is IMAGE else Signal.VIDEOS
        if spec is None or (inside is VIDEO and (spec.withdrawn or not spec.documented)):
            self._signals |= raised
        elif inside is IMAGE and spec.withdrawn:
            self._signals |= Signal.CAPTIONED
        elif not text:
            self._signals |= raised
        else:
            self._tests.append((text, self._test(spec), raised))
            if inside is IMAGE:
                self._images.append(text)
            elif local in VIDEO.one_of:
                self._files.append(text)

    def close(self, inside: ElementSpec) -> None:
        """Whether all that has to be there is, and nothing too often."""
        missing = [spec for spec in inside.fields if spec.required and not self._fields[spec.name]]
        missing_all = inside.one_of and not any(self._fields[name] for name in inside.one_of)
        many = [name for name, count in self._fields.items() if count > _most(inside, name)]
        if missing or missing_all or many:
            self._signals |= Signal.IMAGES if inside is IMAGE else Signal.VIDEOS
        if inside.max_per_parent and len(self._images) > inside.max_per_parent:
            self._signals |= Signal.IMAGES
        self._fields = Counter()

    def _test(self, spec: FieldSpec) -> Test:
        """Whether a text is ordinary for this field."""
        if spec.kind is FieldKind.URL:
            return _is_file if spec.name == "content_loc" else _is_address
        if spec.kind is FieldKind.TEXT:
            return partial(_is_text, min(spec.max_length or _ENDLESS, spec.xsd_max_length or _ENDLESS))
        if spec.kind in (FieldKind.INTEGER, FieldKind.DECIMAL):
            return partial(_is_number, spec.kind, spec.minimum or 0, _ENDLESS if spec.maximum is None else spec.maximum)
        if spec.kind is FieldKind.DATETIME:
            return self._has_passed if spec.name == "publication_date" else self._is_to_come
        if spec.kind is FieldKind.COUNTRIES:
            return partial(_are_known, frozenset(REGIONS))
        if spec.kind in (FieldKind.CHOICE, FieldKind.CHOICES):
            return partial(_are_known, frozenset(spec.values))
        return _never

    def _has_passed(self, text: str) -> bool:
        return _is_day_or_second(text) and text[:10] <= self._latest

    def _is_to_come(self, text: str) -> bool:
        return _is_day_or_second(text) and text[:10] >= self._later


_ENDLESS = 1 << 30
_ENDING = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{1,4})\Z")


_OF_VIDEOS = tuple(f".{ending}" for ending in VIDEO_FILE_TYPES)


def _most(inside: ElementSpec, name: str) -> int:
    spec = inside.field(name)
    return (spec.max_count or _ENDLESS) if spec is not None and spec.repeatable else 1


def _never(_text: str) -> bool:
    return False


def _is_address(text: str) -> bool:
    return ordinary_media.ADDRESS.fullmatch(text) is not None


def _is_file(text: str) -> bool:
    """An address that ends like a video, or like nothing."""
    if ordinary_media.ADDRESS.fullmatch(text) is None:
        return False
    if text.endswith(_OF_VIDEOS):
        return True
    ending = _ENDING.search(text.partition("?")[0])
    return ending is None or ending[1].lower() in VIDEO_FILE_TYPES


def _may_be(text: str, page: str) -> bool:
    """Whether the address of a video file or player may be that of the page."""
    if text.endswith(_OF_VIDEOS) and "%" not in page and text[text.rindex(".") :] not in page.lower():
        return False
    return key_of(text.replace("&amp;", "&")) == key_of(page.strip())


def _is_text(most: int, text: str) -> bool:
    if len(text) > most:
        return False
    return ("&" not in text and ">" not in text) or ordinary_media.TEXT.fullmatch(text) is not None


def _is_number(kind: FieldKind, minimum: float, maximum: float, text: str) -> bool:
    form = ordinary_media.NUMBER if kind is FieldKind.INTEGER else ordinary_media.DECIMAL
    return form.fullmatch(text) is not None and minimum <= float(text) <= maximum


def _is_day_or_second(text: str) -> bool:
    return "." not in text and ORDINARY_DATE.fullmatch(text) is not None


def _are_known(values: frozenset[str], text: str) -> bool:
    """One or more of the values, each once, with one space between them."""
    words = text.split(" ")
    return len(set(words)) == len(words) and values.issuperset(words)


def _is_ordinary_tag(tag: str) -> bool:
    """A language of two letters, alone or with a script or a country, in the letter case that is customary."""
    language, _, rest = tag.partition("-")
    if tag == X_DEFAULT:
        return True
    known = language in LANGUAGES and language not in WITHDRAWN and language not in COUNTRY_TRAPS
    return known and (not rest or rest in REGIONS or rest in SCRIPTS) and not tag.endswith("-")
