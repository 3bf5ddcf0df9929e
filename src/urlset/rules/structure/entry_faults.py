"""Elements of an entry that are repeated, unknown, or misplaced; each odd entry is parsed once for all rules."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

import msgspec

from urlset.checking.subjects import AnyRow
from urlset.findings.finding import delete, quoted
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import Engine, Fix, Kind, ListedPage, Problem, Safety, Sitemap
from urlset.spec import namespaces
from urlset.spec.extensions import ATTRIBUTE_NAMES, ELEMENT_NAMES
from urlset.spec.generator_artifacts import TEMPLATE_CODE
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.misspelling import is_misspelled
from urlset.spec.namespaces import is_core, means
from urlset.spec.protocol import URL_CHILDREN
from urlset.spec.signals import Signal

# Entries that are not in canonical form, and elements outside all entries.

_MARKUP = lazy_pattern(
    rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>"
    rb"|<(?P<close>/?)(?P<name>[A-Za-z_\x80-\xff][^\s/<>\"'=]*)(?P<rest>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)>",
    re.DOTALL,
)
_DECLARED = lazy_pattern(rb"\sxmlns(?::([\w.\x80-\xff-]+))?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_HARMLESS = (TroubleKind.STRAY_TEXT, TroubleKind.UNBOUND_PREFIX)


def marked_rows(sitemap: Sitemap, marks: int) -> list[int]:
    """Entries that have one of the marks of the reader."""
    with_it = bytes(mark for mark in range(256) if mark & marks)
    written = sitemap.columns.marks
    if len(written.translate(None, with_it)) == len(written):
        return []
    return [row for row, mark in enumerate(written) if mark & marks]


class Outside(msgspec.Struct, frozen=True):
    """An element directly below the root that is not an entry."""

    written: str
    namespace: str
    open_tag: Place
    place: Place
    """the whole element, up to the next entry"""
    before_first: bool


def outside_elements(sitemap: Sitemap) -> list[Outside]:
    """Other elements between the entries of a urlset or index, where the bytes are well-formed."""
    return sitemap.cached("outside_elements", lambda: list(_find_outside(sitemap)))


def _find_outside(sitemap: Sitemap) -> Iterator[Outside]:
    root = sitemap.document.root
    if root is None or root.synthetic or not sitemap.columns.outside:
        return
    columns, data = sitemap.columns, sitemap.data
    ends = [root.place.end, *columns.ends]
    starts = [*columns.starts, len(data)]
    troubled = sitemap.document.troubles.offsets(but=_HARMLESS)
    for number, (end, start) in enumerate(zip(ends, starts, strict=True)):
        if start - end > 2 and data.find(b"<", end, start) != -1:
            at = bisect_left(troubled, end)
            if at == len(troubled) or troubled[at] > start:
                yield from _elements(sitemap, end, start, before_first=number == 0)


def _elements(sitemap: Sitemap, start: int, end: int, *, before_first: bool) -> Iterator[Outside]:
    data = sitemap.data
    depth = 0
    opened: re.Match[bytes] | None = None
    for tag in _MARKUP.finditer(data, start, end):
        if tag["name"] is None:
            continue
        if tag["close"]:
            depth -= 1
            if depth == 0 and opened is not None:
                yield _outside(sitemap, opened, tag.end(), before_first=before_first)
                opened = None
            depth = max(0, depth)
            continue
        if depth == 0:
            opened = tag
        if not tag["rest"].endswith(b"/"):
            depth += 1
        elif depth == 0:
            yield _outside(sitemap, tag, tag.end(), before_first=before_first)
            opened = None
    if opened is not None:
        yield _outside(sitemap, opened, opened.end(), before_first=before_first)


def _outside(sitemap: Sitemap, tag: re.Match[bytes], end: int, *, before_first: bool) -> Outside:
    written = tag["name"].decode("utf-8", "replace")
    prefix = written.rpartition(":")[0]
    declared = {
        (own[1] or b"").decode(): (own[2] if own[2] is not None else own[3]).decode("utf-8", "replace")
        for own in _DECLARED.finditer(tag["rest"])
    }
    root = sitemap.document.root
    namespace = declared.get(prefix, root.declared.get(prefix, "") if root is not None else "")
    return Outside(written, namespace, between(*tag.span()), between(tag.start(), end), before_first)


KNOWN = frozenset((*URL_CHILDREN, "url", "sitemap"))


CAPITAL = lazy_pattern(rb"<(?:[\w.\x80-\xff-]+:)?[a-z]*[A-Z]")
WITH_ATTRIBUTE = lazy_pattern(
    rb"<(?:[\w.\x80-\xff-]+:)?(?:url|sitemap|loc|lastmod|changefreq|priority)\s+[^\s/>]", re.IGNORECASE
)
BETWEEN = lazy_pattern(rb"<!|</[^<>]*+>\s*+[^<\s]|/>\s*+[^<\s]|>\s*+[^<\s][^<]*+<[^/]")
"""text after a close tag or before an open tag, or markup that may hide it"""
Judge = Callable[[ListedPage], Iterator[Problem]]


def row_problems(
    sitemap: Sitemap, judge: Judge, *, sign: re.Pattern[bytes] | None = None, marks: int = Mark.IRREGULAR
) -> Iterator[Problem]:
    """The problems of single entries; with a sign, only entries in which it is found are parsed again."""
    columns = sitemap.columns
    for row in marked_rows(sitemap, marks):
        if sign is None or sign.search(sitemap.data, columns.starts[row], columns.ends[row]):
            yield from judge(sitemap.listed(row))


def is_own(listed: AnyRow, child: Element) -> bool:
    return child.namespace == listed.element.namespace or is_core(child.namespace)


def described(
    listed: AnyRow, place: Place | Callable[[], Place], words: str | Callable[[], str], fix: Fix | None
) -> Problem:
    """No fix for a row that the reader repaired: its bytes change already."""
    return Problem(place, words, None if listed.salvaged else fix, subject=listed.loc or None)


def separated(listed: AnyRow, locs: list[Element], loc: Element) -> Fix:
    """The entry without a repeated URL, which gets an entry of its own if it is another one."""
    data = listed.document.data
    if loc.text == locs[0].text:
        return delete(with_its_line(data, loc.place), "remove the duplicate")
    name, row = listed.element.written.encode(), listed.place
    if len(locs) == len(listed.element.children):
        edits = [Edit(Place(loc.place.offset), b"</" + name + b"><" + name + b">")]
    else:
        line = data.rfind(b"\n", max(0, row.offset - 200), row.offset)
        lead = data[line : row.offset] if line != -1 else b""
        entry = (b"" if lead.strip() else lead) + b"<" + name + b">" + loc.place.cut(data) + b"</" + name + b">"
        edits = [Edit(with_its_line(data, loc.place), b""), Edit(Place(row.end), entry)]
    return Fix("move it to a separate entry", edits, Safety.REVIEW)


def reordered(data: bytes, ranked: Sequence[tuple[int, Element]]) -> list[Edit]:
    """The elements by rank, with the same whitespace between them; a URL and the media behind it stay, or all media.

    So fixes of most texts are applied in the same pass.
    """
    ranks = [rank for rank, _ in ranked]
    order = sorted(range(len(ranks)), key=ranks.__getitem__)
    displaced = [slot for slot, at in enumerate(order) if slot != at]
    if not displaced:
        return []
    media = [at for at, rank in enumerate(ranks) if rank == len(URL_CHILDREN)]
    address = ranks.index(0) if ranks.count(0) == 1 else -1
    address = -1 if 2 * bisect_left(media, address) > len(media) else address
    places = [element.place for _, element in ranked]
    first, last = displaced[0], displaced[-1]
    edits, start, parts = list[Edit](), places[first].offset, list[bytes]()
    for slot in range(first, last + 1):
        at = order[slot]
        place = places[at]
        if at == address or (at > address and ranks[at] == len(URL_CHILDREN)):
            edits += _rewritten(data, start, place.offset, b"".join(parts), places[first:at])
            start, parts, first = place.end, [], at + 1
        else:
            parts.append(place.cut(data))
        if slot < last:
            parts.append(data[places[slot].end : places[slot + 1].offset])
    return edits + _rewritten(data, start, places[last].end, b"".join(parts), places[first : last + 1])


def _rewritten(data: bytes, start: int, end: int, text: bytes, moved: Sequence[Place]) -> list[Edit]:
    """The edits that make these bytes the text, without what both begin with; one for each element if all is moved."""
    old, edits = data[start:end], list[Edit]()
    if old == text:
        return edits
    same, differs = 0, min(len(old), len(text)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        same, differs = (middle, differs) if text.startswith(old[same:middle], same) else (same, middle)
    same -= old.endswith(b"<", 0, same)  # a tag is easier to read in one piece
    start += same
    for place in moved[:-1] if same == len(text) else ():
        edits.append(Edit(Place(start, place.end - start), b""))
        start = place.end
    edits.append(Edit(Place(start, end - start), text[same:]))
    return edits


# S014


def unknown_elements(listed: ListedPage) -> Iterator[Problem]:
    lacking = lacking_fields(listed.element, URL_CHILDREN)
    schema_alone = listed.context.engines == (Engine.XSD_STRICT,)
    for child in listed.element.children:
        if not is_own(listed, child):
            continue
        if child.local.lower() in KNOWN:
            wrong = [inner for inner in child.children if inner.local.lower() not in KNOWN and is_own(listed, inner)]
            for inner in child.children:
                if not is_own(listed, inner):
                    words = f"misplaced <{inner.written}>; move it directly inside <{listed.element.written}>"
                    yield described(listed, inner.open_tag, words, None)
        else:  # a link without its prefix has its own code, which is not one of the schema
            linked = child.attribute("hreflang") is not None or child.attribute("href") is not None
            wrong = [] if linked and child.local.lower() == "link" and not schema_alone else [child]
        for element in wrong:
            meant = meant_by(element, lacking) if element is child else None
            words = f"unknown element <{element.written}>, which engines ignore and Yandex reports; "
            if meant is not None:
                yield described(listed, element.open_tag, f"{words}write <{meant}>", renamed(element, meant))
                continue
            line = with_its_line(listed.document.data, element.place)
            fix = delete(line, "remove the element", Safety.REVIEW) if element is child else None
            yield described(listed, element.place, f"{words}remove it", fix)


# S015


def capitals(listed: ListedPage) -> Iterator[Problem]:
    for element in (listed.element, *listed.element.children):
        if element.local == element.local.lower() or element.local.lower() not in KNOWN or not is_own(listed, element):
            continue
        lowered = lower_case(element.written, element.local, _names(element))
        yield described(listed, lowered.place, lowered.message, lowered.fix)


_MAY_BE_MISCASED = lazy_pattern(
    rb"<(?:[\w.\x80-\xff-]+:)?(?!(?:PageMap|DataObject|Attribute|Template)[\s/>])[a-z_]*+[A-Z]"
    rb"|\s[a-z_]*+[A-Z][A-Za-z_]*+\s*+="
)
_UNUSUAL_NAMES = Signal.MEDIA_SHAPE | Signal.LINKS | Signal.IRREGULAR
_WITH_SIGNALS = frozenset(
    {namespaces.SITEMAP, namespaces.IMAGE, namespaces.VIDEO, namespaces.NEWS, namespaces.XHTML, namespaces.XSI}
)
_READ_IN_ANY_CASE = frozenset({"image", "video", "news", "link"})
"""elements that mean the same to the reader in any case, so their fix changes no meaning"""


def miscased_extensions(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements and attributes of extensions that differ from a known name in their case only."""
    columns, data = sitemap.columns, sitemap.data
    if sitemap.kind is not Kind.URLSET or not columns.extended:
        return
    for row in sitemap.rows_with(_UNUSUAL_NAMES) if _only_media(sitemap) else range(len(columns)):
        if _MAY_BE_MISCASED.search(data, columns.starts[row], columns.ends[row]):
            listed = sitemap.listed(row)
            for element in listed.element.walk():
                yield from _miscased(listed, element)


def _only_media(sitemap: Sitemap) -> bool:
    """Whether the names of all foreign elements are known to the signals of media: no other namespace is declared."""
    root = sitemap.document.root
    if root is None or sitemap.last_of(b"xmlns") >= root.place.end:
        return False
    return all(means(uri) in _WITH_SIGNALS for uri in root.declared.values())


def _miscased(listed: ListedPage, element: Element) -> Iterator[Problem]:
    namespace = means(element.namespace)
    name = _respelled(element.local, ELEMENT_NAMES.get(namespace, frozenset()))
    if name is not None:
        places = _names(element)
        safety = Safety.SAFE if name in _READ_IN_ANY_CASE else Safety.REVIEW
        fix = Fix(f"write {name}", tuple(Edit(place, name.encode()) for place in places), safety)
        prefix = element.written.removesuffix(element.local)
        words = f"<{element.written}> has the wrong case, so engines ignore it; write <{prefix}{name}>"
        yield described(listed, places[0], words, fix)
    for attribute in element.attributes:
        name = None if attribute.namespace else _respelled(attribute.local, ATTRIBUTE_NAMES.get(namespace, frozenset()))
        if name is not None:
            place = Place(attribute.place.offset, len(attribute.written.encode()))
            fix = Fix(f"write {name}", (Edit(place, name.encode()),), Safety.REVIEW)
            words = f"attribute {quoted(attribute.written)} has the wrong case, so engines ignore it; write {name}"
            yield described(listed, place, words, fix)


def _respelled(written: str, known: frozenset[str]) -> str | None:
    """The known name that differs in its case only; None for a known name and for any other."""
    if written in known:
        return None
    return next((name for name in known if name.lower() == written.lower()), None)


def _names(element: Element) -> list[Place]:
    """The local name in the open tag and in the close tag."""
    size = len(element.local.encode())
    shift = len(element.written.encode()) - size
    places = [Place(element.open_tag.offset + 1 + shift, size)]
    if element.close_tag.length:
        places.append(Place(element.close_tag.offset + 2 + shift, size))
    return places


def lacking_fields(entry: Element, fields: Sequence[str]) -> list[str]:
    there = {child.local.lower() for child in entry.children}
    return [field for field in fields if field not in there]


def meant_by(element: Element, lacking: Sequence[str]) -> str | None:
    """The field of which the name of the element is a misspelling, if the entry lacks it."""
    name = element.local.encode()
    return next((field for field in lacking if is_misspelled(name, field.encode())), None)


def renamed(element: Element, name: str) -> Fix:
    return Fix(f"write {name}", tuple(Edit(place, name.encode()) for place in _names(element)), Safety.REVIEW)


def lower_case(written: str, local: str, places: list[Place]) -> Problem:
    """An element name with uppercase letters, and its correct form in open and close tag."""
    lower = local.lower()
    fix = Fix(f"write {lower}", tuple(Edit(place, lower.encode()) for place in places))
    message = f"<{written}> contains uppercase letters, so engines ignore it; write <{lower}>"
    return Problem(places[0], message, fix)


# S016


def attributes(listed: ListedPage) -> Iterator[Problem]:
    if listed.salvaged:
        return  # a malformed row cannot be valid, and its problem is reported
    for element in (listed.element, *listed.element.children):
        if is_own(listed, element) and element.local.lower() in KNOWN:
            for attribute in element.attributes:
                if attribute.namespace == namespaces.XSI:
                    continue
                start = attribute.place.offset
                while listed.document.data[start - 1 : start].isspace():
                    start -= 1
                words = f"unknown attribute {quoted(attribute.written)}, so validators reject the file; remove it"
                fix = delete(between(start, attribute.place.end), "remove the attribute")
                yield described(listed, attribute.place, words, fix)


# S017


def stray_texts(listed: ListedPage) -> Iterator[Problem]:
    if listed.salvaged:
        return
    for place, text in _texts(listed.element):
        stray = stray_text_at(place, text)
        yield described(listed, stray.place, stray.message, stray.fix)


def _texts(element: Element) -> Iterator[tuple[Place, str]]:
    """The pieces of text directly inside an element, one for each gap between its children."""
    stretch: list[tuple[Place, str]] = []
    starts = [child.place.offset for child in element.children]
    following = 0
    for run in element.value.runs:
        passed = following
        while following < len(starts) and starts[following] < run.place.offset:
            following += 1
        if following > passed:
            yield from _joined(stretch)
            stretch = []
        stretch.append((run.place, run.text))
    yield from _joined(stretch)


def _joined(stretch: list[tuple[Place, str]]) -> Iterator[tuple[Place, str]]:
    inked = [(place, text) for place, text in stretch if text.strip()]
    if inked:
        first, last = inked[0], inked[-1]
        lead = len(first[1]) - len(first[1].lstrip())
        start = first[0].offset + len(first[1][:lead].encode("utf-8", "surrogatepass"))
        end = last[0].end - len(last[1][len(last[1].rstrip()) :].encode("utf-8", "surrogatepass"))
        yield between(start, end), "".join(text for _, text in inked).strip()


def stray_text_at(place: Place, text: str) -> Problem:
    """Text where only elements are allowed."""
    if TEMPLATE_CODE.match(text.strip()):
        return Problem(place, f"unexecuted template code {quoted(text)}; render the template")
    words = f"{quoted(text)} between elements, so validators reject the file; remove it"
    return Problem(place, words, delete(place, "remove the text", Safety.REVIEW))
