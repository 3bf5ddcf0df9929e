"""Is the document well-formed XML with one root and all prefixes declared? What did the reader have to repair?"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from pyexpat import ExpatError

import msgspec

from urlset.checking.declare import bad, error_rule, good
from urlset.findings.finding import quoted, quoted_bytes
from urlset.fixing.markup import says_an_address, with_its_line
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.reading.prolog import parse_root_tag
from urlset.rules import Fix, Kind, Problem, Safety, Sitemap
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.misspelling import is_misspelled

_SITEMAP = namespaces.SITEMAP
_WORDS: dict[TroubleKind, str] = {
    TroubleKind.MISMATCHED_TAG: "mismatched close tag {}",
    TroubleKind.UNCLOSED_TAG: "missing close tag {}",
    TroubleKind.BROKEN_TAG: "malformed tag {}",
    TroubleKind.MISSPELLED_TAG: "misspelled open tag {}",
    TroubleKind.BROKEN_ROOT: "malformed root tag {}",
    TroubleKind.DUPLICATE_ATTRIBUTE: "duplicate attribute {} in one tag",
    TroubleKind.BAD_ATTRIBUTE: "attribute {} has no quoted value or an illegal name",
    TroubleKind.BAD_COMMENT: "'--' inside the comment {}",
    TroubleKind.CDATA_END_IN_TEXT: "{} outside a CDATA section",
    TroubleKind.BAD_DECLARATION: "malformed XML declaration {}",
    TroubleKind.BAD_INSTRUCTION: "malformed processing instruction {}",
    TroubleKind.BAD_PROLOG: "{} before the root element",
    TroubleKind.TRUNCATED: "the file is truncated at {}",
    TroubleKind.OTHER_MALFORMED: "{} is not well-formed",
    TroubleKind.UNREADABLE: "the file could not be read to the end: {}",
    TroubleKind.ENTRY_LOST: "the entry {} is unreadable",
}
_FIXABLE = {
    TroubleKind.MISMATCHED_TAG: "correct the close tag",
    TroubleKind.UNCLOSED_TAG: "add the close tag",
    TroubleKind.BROKEN_TAG: "complete the tag",
    TroubleKind.MISSPELLED_TAG: "correct the open tag",
    TroubleKind.DUPLICATE_ATTRIBUTE: "keep the first attribute",
    TroubleKind.BAD_ATTRIBUTE: "correct the attribute",
    TroubleKind.CDATA_END_IN_TEXT: "escape it",
    TroubleKind.OTHER_MALFORMED: "remove it",
}
_EXPLAINS_NOTHING = frozenset(
    {TroubleKind.ENTRY_LOST, TroubleKind.MISSING_ROOT, TroubleKind.MISPLACED_ELEMENT, TroubleKind.STRAY_TEXT}
)
"""these do not explain a lost entry"""
_NOT_ONE_EACH = frozenset({TroubleKind.ENTRY_LOST, TroubleKind.TRUNCATED})
_KNOWN_CLOSE = rb"</(?:[\w.-]+:)?(?:url|sitemap|loc|lastmod|changefreq|priority)"
_FIELD_OR_ROW = lazy_pattern(_KNOWN_CLOSE + rb">", re.IGNORECASE)
_CLOSE_BEGUN = lazy_pattern(_KNOWN_CLOSE + rb"\Z", re.IGNORECASE)
_DECLARATION = lazy_pattern(rb"<\?xml\s[^<>]*\?>")
_ENCODING = lazy_pattern(rb"encoding\s*=\s*[\"']?([\w.-]+)")


@error_rule(
    "X001",
    cites=("xml10", "sitemaps-protocol", "gsc-report"),
    reports=tuple(kind for kind in _WORDS if kind not in _NOT_ONE_EACH),
)
@bad("<url><loc>https://example.com/a«»</url>", fixed="<url><loc>https://example.com/a</loc></url>")
@bad("<url><loc>https://example.com/b«</lok>»</url>", fixed="<url><loc>https://example.com/b</loc></url>")
@bad("<url>«<lco>»https://example.com/b</loc></url>", fixed="<url><loc>https://example.com/b</loc></url>")
@bad(
    f'<urlset xmlns="{_SITEMAP}">«<ulr>»<loc>https://example.com/b</loc></url></urlset>\n',
    fixed=f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/b</loc></url></urlset>\n',
)
@bad(
    f'<urlset xmlns="{_SITEMAP}">\n<url><loc>https://example.com/</loc></url>\n<url>«<loc>https://example.com/half»',
    fixed=f'<urlset xmlns="{_SITEMAP}">\n<url><loc>https://example.com/</loc></url>\n</urlset>\n',
)
@bad(
    f'<urlset xmlns="{_SITEMAP}">\n<url><loc>https://example.com/</loc></url>\n«»',
    fixed=f'<urlset xmlns="{_SITEMAP}">\n<url><loc>https://example.com/</loc></url>\n</urlset>\n',
)
@bad(
    "<url><loc>https://example.com/</loc>«<!-- a -- b -->»</url>",
    fixed="<url><loc>https://example.com/</loc><!-- a - - b --></url>",
)
@bad(
    f'<urlset xmlns="{_SITEMAP}"« version=1»><url><loc>https://example.com/</loc></url></urlset>\n',
    fixed=f'<urlset xmlns="{_SITEMAP}" version="1"><url><loc>https://example.com/</loc></url></urlset>\n',
)
@bad(
    "<url><loc>https://example.com/a</loc></url>«</url>»<url><loc>https://example.com/b</loc></url>",
    fixed="<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>",
)
@bad(
    f'«<urlset xmlns="{_SITEMAP}"\n»<url><loc>https://example.com/</loc></url></urlset>\n',
    fixed=f'<urlset xmlns="{_SITEMAP}">\n<url><loc>https://example.com/</loc></url></urlset>\n',
)
@bad("<url><loc>https://example.com/c</loc«»\n</url>", fixed="<url><loc>https://example.com/c</loc>\n</url>")
@good("<url><loc>https://example.com/</loc><!-- all closed --></url>", "<url ><loc >https://example.com/</loc ></url >")
def malformed_xml(sitemap: Sitemap) -> Iterator[Problem]:
    """The XML is malformed: a tag is unclosed, mismatched, truncated, or garbled.

    XML parsers stop at the first error, so engines may lose this entry and everything after it. Errors with a more
    specific cause, such as an unescaped `&`, have their own codes.
    """
    cost = cost_of(sitemap)
    explained = sitemap.document.troubles.offsets(but=_EXPLAINS_NOTHING)
    stopped = any(sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB))
    cut_inside = any(trouble.place.length for trouble in sitemap.troubles(TroubleKind.TRUNCATED))
    for trouble, edit in with_edits(sitemap, *_WORDS):
        place = trouble.place
        if trouble.kind is TroubleKind.ENTRY_LOST:
            cause = bisect_left(explained, place.offset)
            if cause == len(explained) or explained[cause] > place.end:
                yield Problem(place, _WORDS[trouble.kind].format(quoted(trouble.detail)))
            continue
        if trouble.kind is TroubleKind.TRUNCATED and stopped:
            continue  # truncated by the reader's limit, which has its own rule
        if trouble.kind is TroubleKind.TRUNCATED and not place.length:
            if not cut_inside:
                from urlset.fixing.roots import closed_root

                words = "the file ends before the root element is closed, so XML parsers report an error"
                yield Problem(place, words, closed_root(sitemap.document))
            continue
        if trouble.kind is TroubleKind.BROKEN_TAG and not place.length and trouble.detail.endswith(">"):
            yield unopened_entry(sitemap.data, place.offset, None if edit is None else edit.text, trouble.detail)
            continue
        lost = cost(place)
        words = _WORDS[trouble.kind].format(quoted(trouble.detail)) + (lost or ", so XML parsers stop here")
        yield Problem(place, words, _fix_lines(sitemap, trouble, edit, lost=bool(lost)))


def _fix_lines(sitemap: Sitemap, trouble: Trouble, edit: Edit | None, *, lost: bool) -> Fix | None:
    if sitemap.kind is Kind.OTHER_XML:
        return None
    title = _FIXABLE.get(trouble.kind)
    if title is None:
        return _fix_around(sitemap, trouble)
    data = sitemap.data
    edit = edit or (outside_edit(data, trouble) if trouble.row is None and not lost else None)
    if edit is None:
        return None
    return Fix(title, (edit,), Safety.SAFE if _is_certain(trouble, edit, data) else Safety.REVIEW)


def _fix_around(sitemap: Sitemap, trouble: Trouble) -> Fix | None:
    """For what is wrong with a comment, or outside the entries."""
    from urlset.fixing.roots import closed_root, own_root  # rarely needed

    place, data = trouble.place, sitemap.data
    match trouble.kind:
        case TroubleKind.TRUNCATED:
            return closed_root(sitemap.document)
        case TroubleKind.BROKEN_ROOT:
            return own_root(sitemap.document)
        case TroubleKind.BAD_COMMENT:
            whole = nested_comment(data, place)
            if whole is not None:
                return Fix("convert it to a single comment", (fixed_comment(data, whole),), Safety.REVIEW)
            return Fix("separate the --", (fixed_comment(data, place),))
        case TroubleKind.BAD_PROLOG:
            safety = Safety.REVIEW if says_an_address(place.cut(data)) else Safety.SAFE
            return Fix("remove it", (Edit(place, b""),), safety)
        case TroubleKind.BAD_DECLARATION:
            declaration = sitemap.document.prolog.declaration
            if declaration is None or declaration.place != place:
                return Fix("remove the second declaration", (Edit(place, b""),))
            encoding = _ENCODING.search(place.cut(sitemap.data))
            if encoding is not None and encoding[1].upper().replace(b"_", b"-") not in (b"UTF-8", b"UTF8"):
                return None
            return Fix("rewrite the declaration", (Edit(place, b'<?xml version="1.0" encoding="UTF-8"?>'),))
    return None


def _is_certain(trouble: Trouble, edit: Edit, data: bytes) -> bool:
    """There is no other possible meaning."""
    match trouble.kind:
        case TroubleKind.UNCLOSED_TAG:
            return _FIELD_OR_ROW.fullmatch(edit.text) is not None
        case TroubleKind.BROKEN_TAG:
            # whether only a `>` is missing here: in the tag of a URL, or in a close tag
            at = edit.place.end
            begun = _CLOSE_BEGUN.search(data, max(0, at - 64), at) is not None
            return edit.text == b">" and (begun or data[at : at + 64].lstrip()[:4].lower() == b"http")
        case TroubleKind.BAD_ATTRIBUTE:
            return b'=""' not in edit.text and edit.text != b""
        case TroubleKind.OTHER_MALFORMED:
            return _DECLARATION.fullmatch(edit.place.cut(data)) is not None
    return trouble.kind is TroubleKind.CDATA_END_IN_TEXT


@error_rule("X025", cites=("xml-names", "gsc-report"), reports=(TroubleKind.UNBOUND_PREFIX,))
@bad(
    f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc>'
    "<«image»:image><image:loc>https://example.com/i.png</image:loc></image:image></url></urlset>",
    fixed=f'<urlset xmlns:image="{namespaces.IMAGE}" xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc>'
    "<image:image><image:loc>https://example.com/i.png</image:loc></image:image></url></urlset>",
)
@bad(f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc><«shop»:price>3</shop:price></url></urlset>')
@good(
    f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc>'
    f'<i:image xmlns:i="{namespaces.IMAGE}"><i:loc>https://example.com/i.png</i:loc></i:image></url></urlset>'
)
def unbound_prefix(sitemap: Sitemap) -> Iterator[Problem]:
    """A namespace prefix is not declared.

    Without an xmlns declaration, the meaning of the elements is unknown. Namespace-aware parsers reject the file.
    """
    if not any(sitemap.troubles(TroubleKind.UNBOUND_PREFIX)):
        return
    root = sitemap.document.root
    hopeless = any(sitemap.troubles(TroubleKind.TWO_ROOTS))
    try:
        parse_root_tag(sitemap.root_tag.cut(sitemap.data), Place(0))
    except ExpatError as error:  # with another problem, a declaration added to the root tag has no effect
        hopeless = hopeless or error.code != _UNBOUND_PREFIX
    except IndexError:  # there is no tag
        hopeless = True
    tag, used = Place(0), dict[bytes, int]()
    for trouble in sitemap.troubles(TroubleKind.UNBOUND_PREFIX):
        prefix = trouble.detail
        if tag != trouble.place:  # the root may have thousands of them
            tag = trouble.place
            found = list(_USED_PREFIX.finditer(sitemap.data, tag.offset, tag.end))
            used = {each[1]: each.start() for each in reversed(found)}
        at = used.get(prefix.encode())
        place = tag if at is None else Place(at, len(prefix.encode()))
        known = namespaces.BY_PREFIX.get(prefix)
        fix = None
        if known is not None and root is not None and not root.synthetic and not hopeless:
            behind = root_head(sitemap.document).end
            edit = Edit(Place(behind), f' xmlns:{prefix}="{known.uri}"'.encode())
            fix = Fix(f"declare xmlns:{prefix} in the root", (edit,))
        message = f"undeclared namespace prefix {quoted(prefix)}, so XML parsers reject the file; declare it"
        yield Problem(place, message, fix)


_USED_PREFIX = lazy_pattern(rb"(?<![\w.-])([\w.-]++):")
_UNBOUND_PREFIX = 27
"""the error code of expat"""


@error_rule("X029", cites=("xml10",), reports=(TroubleKind.TWO_ROOTS, TroubleKind.CONTENT_AFTER_ROOT))
@bad(
    f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/a</loc></url></urlset>\n'
    f'«<urlset» xmlns="{_SITEMAP}"><url><loc>https://example.com/b</loc></url></urlset>',
    fixed=f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/a</loc></url>\n'
    "<url><loc>https://example.com/b</loc></url></urlset>",
)
@bad(
    f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/a</loc></url></urlset>\n«Warning: done»\n',
    fixed=f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/a</loc></url></urlset>\n',
)
@bad(
    f'<urlset xmlns="{_SITEMAP}"></urlset>\n«<»url><loc>https://example.com/a</loc></url>\n',
    fixed=f'<urlset xmlns="{_SITEMAP}">\n<url><loc>https://example.com/a</loc></url>\n</urlset>\n',
)
@bad(
    f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n«<»url>\n<url>\n',
    fixed=f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n',
)
@good(f'<urlset xmlns="{_SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n<!-- 1 page -->\n\n')
def content_after_root(sitemap: Sitemap) -> Iterator[Problem]:
    """There is content after the root element.

    A document has one root. Two concatenated sitemaps, or output added by a script at the end, make the file malformed,
    and the second part is lost.
    """
    columns = sitemap.columns
    if not any(sitemap.troubles(TroubleKind.TWO_ROOTS, TroubleKind.CONTENT_AFTER_ROOT)):
        return
    from urlset.fixing.roots import single_root

    fix = single_root(sitemap.document)
    for trouble in sitemap.troubles(TroubleKind.TWO_ROOTS):
        tag = re.compile(rb"<[^\s/<>]*").match(sitemap.data, trouble.place.offset)
        place = between(*tag.span()) if tag else trouble.place
        words = (
            f"second root {quoted_bytes(place.cut(sitemap.data))}, so XML parsers stop here; use one file per sitemap"
        )
        yield Problem(place, words, fix)
        fix = None  # one fix covers all of them
    for trouble in sitemap.troubles(TroubleKind.CONTENT_AFTER_ROOT):
        place = trouble.place
        own = fix if len(columns) and columns.ends[-1] > place.offset else _removed_junk(sitemap, place)
        behind = "another entry" if _is_entry(sitemap.data, place) else quoted(trouble.detail)
        yield Problem(place, f"{behind} after the end of the root element, so XML parsers report an error", own)
        fix = None if own is fix else fix


def _removed_junk(sitemap: Sitemap, place: Place) -> Fix | None:
    data, root = sitemap.data, sitemap.document.root
    if sitemap.kind is Kind.OTHER_XML or root is None or root.synthetic:
        return None  # it may be the rest of the document
    last = len(data.rstrip(b" \t\r\n"))
    is_rest = place.end >= last or _is_entry(data, place)  # an entry is only junk if none behind the root was read
    end = last if is_rest else place.end
    safety = Safety.REVIEW if says_an_address(data[place.offset : end]) else Safety.SAFE
    return Fix("remove it", (Edit(with_its_line(data, between(place.offset, end)), b""),), safety)


def _is_entry(data: bytes, place: Place) -> bool:
    """Whether this is the first byte of an entry, as opposed to text or a stray `<`."""
    return place.length == 1 and re.compile(rb"<[^\s<>!?/]").match(data, place.offset) is not None


# The root's open tag → its name, attributes, and namespace declarations, with their places.

# What the reader had to repair: the edits, the entries that are lost, the root tag, and misspelled tags.

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
