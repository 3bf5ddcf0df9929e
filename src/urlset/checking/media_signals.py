"""The images, videos, news, and links of entries → signals; entries of one shape are parsed once.

The shape of an entry is its tags without its texts, and most entries of a file have the same shape. For each shape the
mapping of texts to fields is computed once; then each entry costs one split and one test per text, or a single pattern
match for a frequent layout. An entry with an unusual shape raises all media signals: correct, only slower.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from urlset.checking.media_patterns import TEXT, Links, RowLinks, RowPattern, Shape, row_pattern
from urlset.checking.media_values import (
    ENDLESS,
    Test,
    are_known,
    is_address,
    is_day_or_second,
    is_file,
    is_number,
    is_text,
    never,
)
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.trouble import TroubleKind
from urlset.spec import namespaces, ordinary_media
from urlset.spec.extensions import IMAGE, VIDEO
from urlset.spec.fields import ElementSpec, FieldKind, FieldSpec
from urlset.spec.languages import COUNTRY_TRAPS, LANGUAGES, WITHDRAWN, X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.regions import REGIONS
from urlset.spec.scripts import SCRIPTS
from urlset.spec.signals import Signal

ALL = Signal.IMAGES | Signal.CAPTIONED | Signal.VIDEOS | Signal.NEWS | Signal.LINKS
_ODD = Mark.ODD | Mark.SALVAGED | Mark.COMMENTED
_TOKEN = lazy_pattern(r"<(/?)(?:([\w.-]+):)?([\w.-]+)([^<>]*?)(/?)>|(\0)")
_CDATA = lazy_pattern(r"<!\[CDATA\[([^<>&\]]*)\]\]>")
_MOST_SHAPES = 2048
_MOST_PATTERNS = 8
_OFTEN = 32
"""a power of two"""

_STRANGE = Shape(ALL)


def media_signals(document: Document, now: datetime, links: dict[int, RowLinks]) -> Iterator[int]:
    """For each row, in order; plain links are recorded if they were read for it."""
    judge = _Judge(document, now, links)
    columns = document.columns
    for row, mark in enumerate(columns.marks):
        if not mark & Mark.EXTENDED:
            yield 0
        elif mark & _ODD or judge.is_strange:
            yield ALL
        else:
            yield judge.signals(row)


class _Judge:
    """For one document."""

    def __init__(self, document: Document, now: datetime, links: dict[int, RowLinks]) -> None:
        self._document = document
        self._found = links
        root = document.root
        declared = dict(root.declared) if root is not None else {}
        self._declared = {prefix: uri for prefix, uri in declared.items() if prefix}
        self._core = root.written.rpartition(":")[0] if root is not None else ""
        several = document.troubles.has(TroubleKind.TWO_ROOTS)
        self.is_strange = root is None or document.kind is not Kind.URLSET or several
        prefixes = [prefix for prefix, uri in self._declared.items() if uri == namespaces.XHTML]
        self._links = [
            re.compile(form.format(prefix=re.escape(prefixes[0]))) for form in ordinary_media.LINKS if prefixes
        ]
        self._shapes: dict[tuple[str, ...], Shape] = {}
        self._layouts: dict[tuple[str, ...], int] = {}
        self._patterns: list[RowPattern] = []
        self._tags: dict[str, bool] = {}
        self._latest = f"{now - timedelta(days=1):%Y-%m-%d}"
        self._later = f"{now + timedelta(days=2):%Y-%m-%d}"

    def signals(self, row: int) -> int:
        for pattern in self._patterns:
            known = pattern.signals(self._document, row, self._found)
            if known is not None:
                return known
        return self._closer(row)

    def _closer(self, row: int) -> int:
        columns = self._document.columns
        text = self._document.data[columns.starts[row] : columns.ends[row]].decode("utf-8", "replace")
        as_written = "<!" not in text
        if not as_written:
            text = _CDATA.sub(r"\1", text)
            if "<!" in text:
                return ALL
        found, links = 0, None
        if ":link" in text:
            pieces = self._without_links(text)
            if len(pieces) > 1:
                found = 0 if self._are_ordinary(pieces, columns.loc(row)) else Signal.LINKS
                text = "".join(pieces[::3])
                links = Links(self._links[0], pieces[1::3], pieces[::3])
        parts = TEXT.split(text)
        tags = tuple(parts[::2])
        shape = self._shapes.get(tags)
        if shape is None:
            shape = self._shape(tags)
            if len(self._shapes) < _MOST_SHAPES:
                self._shapes[tags] = shape
        if as_written and not found and shape is not _STRANGE:
            self._learn(row, parts, shape, links)
        return found | shape.raised(parts, columns.loc(row) if shape.files else None)

    def _learn(self, row: int, parts: list[str], shape: Shape, links: Links | None) -> None:
        """A pattern for a frequent layout; building it takes longer than checking many entries."""
        layout = (*parts[::2], *(links.languages if links is not None else ()))
        if len(self._layouts) >= _MOST_SHAPES and layout not in self._layouts:
            return
        count = self._layouts[layout] = self._layouts.get(layout, 0) + 1
        if count < _OFTEN or count & count - 1 or len(self._patterns) >= _MOST_PATTERNS:
            return
        pattern = row_pattern(parts, shape, links, f"{self._core}:" if self._core else "")
        if pattern is not None and pattern.signals(self._document, row, self._found) is not None:
            self._patterns.append(pattern)

    # links

    def _without_links(self, text: str) -> list[str]:
        """The text around the links, each followed by its language and URL."""
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

    def _shape(self, tags: tuple[str, ...]) -> Shape:
        """Parses the tags; anything other than leaf elements in images and videos is unusual."""
        shape = _Parts(self._latest, self._later)
        depth, number = 0, -1
        inside: ElementSpec | None = None
        leaf, text = "", 0
        for slash, prefix, local, attributes, empty, value in _TOKEN.findall(">\0<".join(tags)):
            if value:
                number += 2
                text = number
                if inside is not None and depth != 3:
                    return _STRANGE  # text between elements
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
                        return _STRANGE  # possibly another namespace
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
        """An element of the same namespace without attributes, or with only its required attribute."""
        if empty or self._declared.get(prefix) != namespaces.BY_NAME[inside.namespace].uri:
            return False
        related = inside is VIDEO and local in _RELATED
        return attributes in ordinary_media.RELATIONSHIP if related else not attributes


_RELATED = frozenset({"restriction", "platform"})


class _Parts:
    """Collects the parts of a shape."""

    def __init__(self, latest: str, later: str) -> None:
        self._latest, self._later = latest, later
        self._signals = 0
        self._fields: Counter[str] = Counter()
        self._tests: list[tuple[int, Test, int]] = []
        self._images: list[int] = []
        self._files: list[int] = []

    def done(self) -> Shape:
        return Shape(self._signals, tuple(self._tests), tuple(self._images), tuple(self._files))

    def add(self, inside: ElementSpec, local: str, text: int) -> None:
        """A field whose text has this number; 0 if it has none."""
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
        """Whether all required fields are present, and none too often."""
        missing = [spec for spec in inside.fields if spec.required and not self._fields[spec.name]]
        missing_all = inside.one_of and not any(self._fields[name] for name in inside.one_of)
        many = [name for name, count in self._fields.items() if count > _most(inside, name)]
        if missing or missing_all or many:
            self._signals |= Signal.IMAGES if inside is IMAGE else Signal.VIDEOS
        if inside.max_per_parent and len(self._images) > inside.max_per_parent:
            self._signals |= Signal.IMAGES
        self._fields = Counter()

    def _test(self, spec: FieldSpec) -> Test:
        """Whether a text is plain for this field."""
        if spec.kind is FieldKind.URL:
            return is_file if spec.name == "content_loc" else is_address
        if spec.kind is FieldKind.TEXT:
            return partial(is_text, min(spec.max_length or ENDLESS, spec.xsd_max_length or ENDLESS))
        if spec.kind in (FieldKind.INTEGER, FieldKind.DECIMAL):
            return partial(is_number, spec.kind, spec.minimum or 0, ENDLESS if spec.maximum is None else spec.maximum)
        if spec.kind is FieldKind.DATETIME:
            return self._has_passed if spec.name == "publication_date" else self._is_to_come
        if spec.kind is FieldKind.COUNTRIES:
            return partial(are_known, frozenset(REGIONS))
        if spec.kind in (FieldKind.CHOICE, FieldKind.CHOICES):
            return partial(are_known, frozenset(spec.values))
        return never

    def _has_passed(self, text: str) -> bool:
        return is_day_or_second(text) and text[:10] <= self._latest

    def _is_to_come(self, text: str) -> bool:
        return is_day_or_second(text) and text[:10] >= self._later


def _most(inside: ElementSpec, name: str) -> int:
    spec = inside.field(name)
    return (spec.max_count or ENDLESS) if spec is not None and spec.repeatable else 1


def _is_ordinary_tag(tag: str) -> bool:
    """A two-letter language, alone or with a script or a country, in the usual case."""
    language, _, rest = tag.partition("-")
    if tag == X_DEFAULT:
        return True
    known = language in LANGUAGES and language not in WITHDRAWN and language not in COUNTRY_TRAPS
    return known and (not rest or rest in REGIONS or rest in SCRIPTS) and not tag.endswith("-")
