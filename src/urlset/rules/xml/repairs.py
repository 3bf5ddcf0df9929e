"""What the reader had to repair: the edits, the entries that are lost, the root tag, and misspelled tags."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import msgspec

from urlset.fixing.markup import says_an_address
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.rules import Fix, Problem, Safety, Sitemap
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.misspelling import is_misspelled

# The root's open tag → its name, attributes, and namespace declarations, with their places.

_ATTRIBUTE = lazy_pattern(
    rb"(?<!\s)\s++(?P<name>[^\s=/<>\"']++)\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')"
)
_NAME = lazy_pattern(rb"<[^\s/<>]*")


class TagAttribute(msgspec.Struct, frozen=True):
    """One attribute as written in the root tag."""

    name: str
    value: str
    place: Place
    """from the name to the closing quote"""
    value_place: Place
    removal: Place
    """the attribute and the whitespace before it"""

    @property
    def declares(self) -> str | None:
        """The prefix if this is a namespace declaration; empty for the default namespace."""
        if self.name == "xmlns":
            return ""
        return self.name.removeprefix("xmlns:") if self.name.startswith("xmlns:") else None


def root_attributes(document: Document) -> list[TagAttribute]:
    """In source order; empty if the document has no explicit root."""
    root = document.root
    if root is None or root.synthetic:
        return []
    found: list[TagAttribute] = []
    for match in _ATTRIBUTE.finditer(document.data, root.place.offset, root.place.end):
        group = "double" if match["double"] is not None else "single"
        found.append(
            TagAttribute(
                match["name"].decode("utf-8", "replace"),
                match[group].decode("utf-8", "replace").replace("&amp;", "&"),
                between(match.start("name"), match.end()),
                between(*match.span(group)),
                between(*match.span()),
            )
        )
    return found


def root_declarations(document: Document) -> dict[str, TagAttribute]:
    """Prefix → its declaration in the root tag."""
    return {attribute.declares: attribute for attribute in root_attributes(document) if attribute.declares is not None}


def root_head(document: Document) -> Place:
    """`<urlset` without the rest of the tag; the first byte if the document has no explicit root."""
    root = document.root
    if root is None or root.synthetic:
        return Place(0)
    match = _NAME.match(document.data, root.place.offset)
    return between(*match.span()) if match else Place(root.place.offset)


# A field without its entry around it → the tag in front of it that was meant to open the entry.

_TAG = lazy_pattern(rb"<([A-Za-z_][\w.-]*+)>[ \t\r\n]*+\Z")
_BEFORE = 80
"""bytes in which the tag must be, with the whitespace behind it"""
_WITHIN = 16_384
"""bytes in which it must be closed"""


def misspelled_open_tag(data: bytes, at: int, meant: bytes) -> Place | None:
    start = max(0, at - _BEFORE)
    tag = _TAG.search(data[start:at])
    if tag is None or not is_misspelled(tag[1], meant):
        return None
    return between(start + tag.start(1), start + tag.end(1))


def misspelled_entry(data: bytes, at: int, meant: str) -> Problem | None:
    """For the first field of an entry with a wrong name, in well-formed XML."""
    opened = misspelled_open_tag(data, at, meant.encode())
    if opened is None:
        return None
    name = opened.cut(data)
    close = data.find(b"</" + name + b">", at, at + _WITHIN)
    if close == -1 or data.find(b"<" + name, at, close) != -1:
        return None
    written = name.decode("ascii")
    places = (opened, Place(close + 2, len(name)))
    fix = Fix(f"write {meant}", tuple(Edit(place, meant.encode()) for place in places), Safety.REVIEW)
    words = f"unknown element <{written}>, so engines do not find the entry; write <{meant}>"
    return Problem(Place(opened.offset - 1, len(name) + 2), words, fix)


def unopened_entry(data: bytes, at: int, opening: bytes | None, shown: str) -> Problem:
    """For the first field of an entry whose open tag is missing; `opening` is the tag that a fix adds."""
    wrong = None if opening is None else misspelled_open_tag(data, at, opening[1:-1])
    if wrong is None or opening is None:
        fix = None if opening is None else Fix("add the open tag", (Edit(Place(at), opening),), Safety.REVIEW)
        return Problem(Place(at), f"missing open tag {quoted(shown)}, so XML parsers stop here", fix)
    name = opening[1:-1]
    words = f"misspelled open tag {quoted(f'<{wrong.cut(data).decode()}>')}, so XML parsers stop here"
    fix = Fix("correct the open tag", (Edit(wrong, name),), Safety.REVIEW)
    return Problem(Place(wrong.offset - 1, wrong.length + 2), words, fix)


def with_edits(sitemap: Sitemap, *kinds: TroubleKind) -> Iterator[tuple[Trouble, Edit | None]]:
    """The troubles of these kinds, each with the edit that fixes it if an entry was recovered."""
    troubles = sitemap.document.troubles
    if not troubles.has(*kinds):
        return
    edits = sitemap.columns.edits.matched(troubles.places())
    for at, (kind, edit) in enumerate(zip(troubles.kinds(), edits, strict=True)):
        if kind in kinds:
            yield troubles[at], edit


def outside_edit(data: bytes, trouble: Trouble) -> Edit | None:
    """The edit for a problem outside all entries: between them, or in the root tag."""
    place = trouble.place
    text = place.cut(data)
    match trouble.kind:
        case TroubleKind.MISMATCHED_TAG:
            return None if _ROOT_CLOSE.match(text) or not text.startswith(b"</") else Edit(place, b"")
        case TroubleKind.DUPLICATE_ATTRIBUTE:
            return Edit(place, b"")
        case TroubleKind.OTHER_MALFORMED:
            return None if not text or says_an_address(text) else Edit(place, b"")
        case TroubleKind.CDATA_END_IN_TEXT:
            return Edit(place, b"]]&gt;")
        case TroubleKind.STRAY_LT:
            doubled = data[place.offset + 1 : place.offset + 2] == b"<"
            return Edit(Place(place.offset, 1), b"" if doubled else b"&lt;")
        case TroubleKind.BAD_ATTRIBUTE if unquoted := _UNQUOTED.fullmatch(text):
            return Edit(place, b' %s="%s"' % (unquoted[1], unquoted[2]))
        case TroubleKind.BAD_ATTRIBUTE:
            return Edit(place, b"")
    return None


_ROOT_CLOSE = lazy_pattern(rb"</\s*(?:[\w.\x80-\xff-]+:)?(?:urlset|sitemapindex|rss|feed|rdf)\b", re.IGNORECASE)
_UNQUOTED = lazy_pattern(
    rb"\s+([A-Za-z_\x80-\xff][\w.\x80-\xff-]*(?::[A-Za-z_\x80-\xff][\w.\x80-\xff-]*)?)\s*=\s*([^\s<>\"'&]+)"
)


def fixed_comment(data: bytes, place: Place) -> Edit:
    """The comment with its text, but without `--` inside and without `-` at the end."""
    inner = place.cut(data)[4:-3]
    while b"--" in inner:
        inner = inner.replace(b"--", b"- -")
    return Edit(place, b"<!--" + inner + (b" -->" if inner.endswith(b"-") else b"-->"))


def nested_comment(data: bytes, place: Place) -> Place | None:
    """The content of a comment with nested comments, if all of them are closed; None otherwise."""
    if b"<!--" not in place.cut(data)[4:]:
        return None
    depth = 0
    for mark in _COMMENT_MARKS.finditer(data, place.offset):
        depth += 1 if mark.group() == b"<!--" else -1
        if depth == 0:
            return between(place.offset, mark.end())
    return None


_COMMENT_MARKS = lazy_pattern(rb"<!--|-->")


def cost_of(sitemap: Sitemap) -> Callable[[Place], str]:
    """A function place → the end of a message: that the entry is unreadable, if so."""
    lost = [trouble.place for trouble in sitemap.troubles(TroubleKind.ENTRY_LOST)]
    starts = [place.offset for place in lost]
    if not lost:
        return lambda _place: ""

    def cost(place: Place) -> str:
        at = bisect_right(starts, place.offset) - 1
        return ", so the entry is unreadable" if at >= 0 and place.offset <= lost[at].end else ""

    return cost
