"""A document with two roots, an early close tag, no root, or an open root → edits that leave exactly one root."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pyexpat import ExpatError

from urlset.findings.finding import Fix, Safety
from urlset.fixing.markup import Token, says_an_address, tokens, with_its_line
from urlset.model.columns import Edit
from urlset.model.document import Document, Root
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.reading.prolog import declarations, parse_root_tag
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

_ROOT_NAMES = ("urlset", "sitemapindex")
_ROOT_TAG = lazy_pattern(rb"</?\s*(?:[\w.\x80-\xff-]+:)?(?:urlset|sitemapindex)(?=[\s/>])", re.IGNORECASE)
_WHOLE_ROOT_TAG = lazy_pattern(rb"<(?:[\w.\x80-\xff-]+:)?(?:urlset|sitemapindex)(?:\s[^<>]*+)?>", re.IGNORECASE)
_XMLNS = lazy_pattern(rb"\sxmlns(?::([\w.\x80-\xff-]+))?\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
_PREFIX = lazy_pattern(rb"<([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):[A-Za-z_\x80-\xff]")


def single_root(document: Document) -> Fix | None:
    """One root around all entries: removes further roots, early close tags, and the text between them.

    None if the roots have different declarations, or if the text to remove contains a URL.
    """
    if document.root is None or document.root.synthetic or not document.kind.is_protocol:
        return None
    edits = _Joint(document).edits()
    return Fix("merge into one sitemap", edits, Safety.REVIEW) if edits else None


class _Joint:
    """Visits the bytes between entries wherever a root starts or ends."""

    def __init__(self, document: Document) -> None:
        assert document.root is not None
        self._document = document
        self._root = document.root
        self._data = document.data
        self._close_tag = f"</{document.root.written}>".encode()
        self._behind = document.columns.ends[-1] if len(document) else document.root.place.end
        """the end of the last entry"""
        self._edits: list[Edit] = []
        self._added: dict[str, str] = {}
        self._possible = True

    def edits(self) -> tuple[Edit, ...] | None:
        root = self._root
        empty = self._data.startswith(b"/>", root.place.end - 2)
        close = self._final_close()
        for start, end in self._gaps():
            self._walk(start, end, close, outside=empty and start == root.place.end)
        if not self._possible:
            return None
        if close is None:
            self._insert(self._behind, b"\n" + self._close_tag)
        elif close.cut(self._data) != self._close_tag:
            self._edits.append(Edit(close, self._close_tag))
        if empty:
            self._edits.append(Edit(Place(root.place.end - 2, 2), declarations(self._added) + b">"))
        elif self._added:
            self._edits.append(Edit(Place(root.place.end - 1), declarations(self._added)))
        return tuple(self._edits)

    def _insert(self, at: int, text: bytes) -> None:
        """Instead of what is dropped at that place, if anything is."""
        for number, edit in enumerate(self._edits):
            if edit.place.offset == at:
                self._edits[number] = Edit(edit.place, text + edit.text)
                return
        self._edits.append(Edit(Place(at), text))

    def _final_close(self) -> Place | None:
        """The close tag to keep: the first one after the last entry and after the last root with content."""
        found: Place | None = None
        for token in tokens(self._data, self._behind, len(self._data)):
            if token.local in _ROOT_NAMES and token.kind == "open" and not token.empty:
                found = None
            elif token.local in _ROOT_NAMES and token.kind == "close" and found is None:
                found = token.place
        return found

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """The ranges between entries in which a root starts or ends, and always the last one."""
        columns, root = self._document.columns, self._root
        starts, ends = [*columns.starts, len(self._data)], [root.place.end, *columns.ends]
        gaps = {len(ends) - 1}
        for tag in _ROOT_TAG.finditer(self._data, root.place.end):
            gap = bisect_right(ends, tag.start()) - 1
            if tag.start() < starts[gap]:
                gaps.add(gap)
        if self._data.startswith(b"/>", root.place.end - 2):
            gaps.add(0)
        return ((ends[gap], starts[gap]) for gap in sorted(gaps) if ends[gap] <= starts[gap])

    def _walk(self, start: int, end: int, close: Place | None, *, outside: bool) -> None:
        for token in tokens(self._data, start, end):
            if token.kind == "close" and token.local in _ROOT_NAMES:
                outside = True
                if token.place != close:
                    self._drop(token.place)
            elif token.kind == "open" and token.local in _ROOT_NAMES:
                outside = token.empty
                self._drop(token.place)
                self._declare(token.place)
            elif token.kind == "open" and token.local in ("rss", "feed", "rdf"):
                self._possible = False
            elif token.kind in ("declaration", "doctype"):
                self._drop(token.place)
            elif outside and token.kind not in ("comment", "instruction", "space"):
                self._possible = self._possible and not says_an_address(token.place.cut(self._data))
                self._drop(token.place)

    def _declare(self, tag: Place) -> None:
        """Copy the declarations of a further root; impossible if they contradict the first."""
        again = _parsed(tag.cut(self._data).removesuffix(b">").removesuffix(b"/"), tag)
        if again is None:
            self._possible = False
            return
        declared = self._root.declared | self._added
        for prefix, uri in again.declared.items():
            if prefix and prefix not in declared:
                self._added[prefix] = uri
            elif declared.get(prefix, "") != uri and (prefix or not _same(declared.get(""), uri)):
                self._possible = False

    def _drop(self, place: Place) -> None:
        self._edits.append(Edit(with_its_line(self._data, place), b""))


def _parsed(tag: bytes, place: Place) -> Root | None:
    """A root tag without its end, if it is well-formed."""
    try:
        return parse_root_tag(tag + b">", place)
    except (ExpatError, IndexError):  # IndexError: no tag is complete yet
        return None


def _same(one: str | None, other: str) -> bool:
    """Whether both default namespaces are the sitemap namespace."""
    found = [namespaces.recognise(uri) for uri in (one, other) if uri]
    return all(each is not None and each.uri == namespaces.SITEMAP for each in found)


def own_root(document: Document) -> Fix | None:
    """A root for a document without one, or with a malformed root tag."""
    root = document.root
    if root is None or not root.synthetic or not document.kind.is_protocol:
        return None
    if not len(document):
        return None  # nothing to recover
    name = root.local.encode()
    for trouble in document.troubles:
        if trouble.kind is TroubleKind.BROKEN_ROOT:
            return _fixed_tag(document, trouble.place)
        if trouble.kind is TroubleKind.MISSING_ROOT:
            at = Place(trouble.place.offset - len(_indent(document.data, trouble.place.offset)))
            later = list(_WHOLE_ROOT_TAG.finditer(document.data, trouble.place.offset))
            if later:
                return _moved_to(at, document, later)
            # Whether elements that contain the last entry are closed behind it.
            data, last = document.data, document.columns.ends[-1]
            if any(token.kind == "close" and token.local not in _ROOT_NAMES for token in tokens(data, last, len(data))):
                return None
            opened = b"<" + name + declarations(_wanted(document, {})) + b">\n"
            edits = (Edit(at, opened), *_close_at_end(document, name))
            return Fix(f"wrap the entries in <{root.local}>", edits, Safety.REVIEW)
    return None


def _moved_to(at: Place, document: Document, tags: list[re.Match[bytes]]) -> Fix | None:
    """The tag of the root, moved in front of the entries before it; None if it is inside one of them, or not alone."""
    tag, columns = between(*tags[0].span()), document.columns
    row = bisect_right(columns.starts, tag.offset) - 1
    if len(tags) > 1 or tags[0].group().endswith(b"/>") or (row >= 0 and tag.offset < columns.ends[row]):
        return None
    edits = (Edit(at, tags[0].group() + b"\n"), Edit(with_its_line(document.data, tag), b""))
    return Fix("move the root element to the front", edits, Safety.REVIEW)


def _fixed_tag(document: Document, place: Place) -> Fix:
    """With the namespaces that can still be read; only a `>` if nothing else is missing."""
    text = place.cut(document.data).rstrip()
    place = Place(place.offset, len(text))
    if _parsed(text, place) is not None:
        return Fix("close the tag", (Edit(Place(place.end), b">"),))
    name = re.match(rb"<([\w.:-]+)", text)
    declared = {
        (found[1] or b"").decode(): (found[2] if found[2] is not None else found[3]).decode("utf-8", "replace")
        for found in _XMLNS.finditer(text)
    }
    written = name[1] if name and b":" not in name[1] else (document.root.local if document.root else "urlset").encode()
    fixed = b"<" + written + declarations(_wanted(document, declared)) + b">"
    return Fix("rewrite the tag", (Edit(place, fixed),), Safety.REVIEW)


def _wanted(document: Document, declared: dict[str, str]) -> dict[str, str]:
    """The declared namespaces, the sitemap namespace, and the known prefixes in use."""
    used = {prefix.decode("utf-8", "replace") for prefix in _PREFIX.findall(document.data)}
    known = {prefix: namespaces.BY_PREFIX[prefix].uri for prefix in sorted(used) if prefix in namespaces.BY_PREFIX}
    return {"": namespaces.SITEMAP, **known, **declared}


def _close_at_end(document: Document, name: bytes) -> Iterator[Edit]:
    last = document.columns.ends[-1] if len(document.columns) else len(document.data)
    for token in tokens(document.data, last, len(document.data)):
        if token.kind == "close" and token.local in _ROOT_NAMES:
            if token.place.cut(document.data) != b"</" + name + b">":
                yield Edit(token.place, b"</" + name + b">")
            return
    yield Edit(Place(last), b"\n</" + name + b">")


def closed_root(document: Document) -> Fix | None:
    """Close the root of a truncated file; a truncated entry is removed, because half a URL is a wrong one."""
    root = document.root
    if root is None or root.synthetic or not document.kind.is_protocol:
        return None
    if not len(document) or document.troubles.has(TroubleKind.TWO_ROOTS):
        return None  # nothing to recover, or a matter for `single_root`
    columns, data = document.columns, document.data
    palette = kept = len(data.rstrip())
    edits = list(columns.edits.get(len(columns) - 1, ()))
    if not any(edit.place.end >= palette for edit in edits):
        rest = _unsound(data, columns.ends[-1] if len(columns) else root.place.end)
        edits = [] if rest is None else [Edit(between(rest, len(data)), b"")]
        kept = len(data) if rest is None else rest
    else:
        edits = _laid_out(data, columns.place(len(columns) - 1), edits)
    dropped = any(edit.place.length and not edit.text for edit in edits)
    before = b"" if data[kept - 1 : kept] == b"\n" else b"\n"
    edits.append(Edit(Place(len(data)), before + b"</" + root.written.encode() + b">\n"))
    title = "remove the truncated entry and close the root" if dropped else "close the root"
    return Fix(title, joined_at_one_point(edits), Safety.REVIEW if dropped else Safety.SAFE)


def _indent(data: bytes, at: int) -> bytes:
    """The indentation before something on its line; empty if there is other text."""
    lead = data[data.rfind(b"\n", 0, at) + 1 : at]
    return lead if not lead.strip() else b""


def _laid_out(data: bytes, row: Place, edits: list[Edit]) -> list[Edit]:
    """The fixes of a truncated entry, with its close tag on its own line if its fields are."""
    if b"\n" not in row.cut(data):
        return edits
    close = b"\n" + _indent(data, row.offset) + b"</"
    tidy = [Edit(with_its_line(data, edit.place), b"") if not edit.text else edit for edit in edits]
    last = tidy[-1]
    if not last.place.length and last.text.startswith(b"</") and (len(tidy) == 1 or not tidy[-2].text):
        tidy[-1] = Edit(last.place, close + last.text[2:])
    return tidy


def _unsound(data: bytes, start: int) -> int | None:
    """The start of unterminated markup after the last entry."""
    opened: list[Token] = []
    for token in tokens(data, start, len(data)):
        if token.kind == "stray":
            return opened[0].place.offset if opened else token.place.offset
        if token.kind == "open" and not token.empty:
            opened.append(token)
        elif token.kind == "close" and opened:
            opened.pop()
    return opened[0].place.offset if opened else None


def joined_at_one_point(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits with the same start combined into one, with their texts in the given order."""
    result: list[Edit] = []
    for edit in sorted(edits, key=lambda each: each.place.offset):
        if result and result[-1].place.offset == edit.place.offset:
            result[-1] = Edit(max(edit.place, result[-1].place), result[-1].text + edit.text)
        else:
            result.append(edit)
    return tuple(result)
