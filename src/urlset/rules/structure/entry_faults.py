"""Elements of an entry that are repeated, unknown, or misplaced; each odd entry is parsed once for all rules."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

import msgspec

from urlset.findings.finding import delete, quoted
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.moment import Moment
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
_ONCE = ("lastmod", "changefreq", "priority")
_KNOWN_BYTES = frozenset(name.encode() for name in KNOWN)
_NAMES = lazy_pattern(rb"<(?:[A-Za-z_\x80-\xff][^\s/<>:]*+:)?([A-Za-z_\x80-\xff][^\s/<>:]*+)(?=[\s/>])")
_CAPITAL = lazy_pattern(rb"<(?:[\w.\x80-\xff-]+:)?[a-z]*[A-Z]")
_WITH_ATTRIBUTE = lazy_pattern(
    rb"<(?:[\w.\x80-\xff-]+:)?(?:url|sitemap|loc|lastmod|changefreq|priority)\s+[^\s/>]", re.IGNORECASE
)
_BETWEEN = lazy_pattern(rb"<!|</[^<>]*+>\s*+[^<\s]|/>\s*+[^<\s]|>\s*+[^<\s][^<]*+<[^/]")
"""text after a close tag or before an open tag, or markup that may hide it"""
_FLAT = lazy_pattern(rb"<url>\s*+((?:<(loc|lastmod|changefreq|priority)>[^<]*+</\2>\s*+)++)</url>")
_FLAT_TAG = lazy_pattern(rb"<([a-z]++)>")
_ORDER_WORDS = "<{}> comes after <{}>, so validators reject the file; use the schema order"
_ORDER_FIX = "use the schema order"
Judge = Callable[[ListedPage], Iterator[Problem]]


def row_problems(sitemap: Sitemap, code: str) -> Iterator[Problem]:
    """The problems a rule reports for single entries; an entry is only parsed again if its tags give a reason."""
    judge = _JUDGES[code]
    marks = Mark.IRREGULAR | Mark.ATTRIBUTED if code == "S016" else Mark.IRREGULAR
    for row in sitemap.cached(f"rows with {marks}", lambda: marked_rows(sitemap, marks)):
        span = sitemap.columns.starts[row], sitemap.columns.ends[row]
        if code in _SIGNS:
            possible = _SIGNS[code].search(sitemap.data, *span) is not None
        else:
            possible = _CAUSES[code](sitemap, [name.lower() for name in _NAMES.findall(sitemap.data, *span)])
        if possible:
            yield from judge(sitemap.listed(row))


def _own(listed: ListedPage, child: Element) -> bool:
    return child.namespace == listed.element.namespace or is_core(child.namespace)


def _describe(listed: ListedPage, place: Place, words: str, fix: Fix | None) -> Problem:
    """No fix for a row that the reader repaired: its bytes change already."""
    return Problem(place, words, None if listed.salvaged else fix, subject=listed.loc or None)


def _removed(listed: ListedPage, place: Place, title: str, safety: Safety) -> Fix:
    return delete(with_its_line(listed.document.data, place), title, safety)


# S011


def _repeated_locs(listed: ListedPage) -> Iterator[Problem]:
    locs = listed.fields("loc")
    for loc in locs[1:]:
        words = f"second URL {quoted(loc.text)} in one entry, so engines use only one of them; use one entry per URL"
        yield _describe(listed, loc.place, words, _separate(listed, locs, loc))


def _separate(listed: ListedPage, locs: list[Element], loc: Element) -> Fix | None:
    if loc.text == locs[0].text:
        return _removed(listed, loc.place, "remove the duplicate", Safety.SAFE)
    if len(locs) != len(listed.element.children):
        data, name, row = listed.document.data, listed.element.written.encode(), listed.place
        lead = data[data.rfind(b"\n", 0, row.offset) + 1 : row.offset]
        line = (
            b"\n" + lead if not lead.strip() and data.find(b"\n", max(0, row.offset - 200), row.offset) != -1 else b""
        )
        entry = line + b"<" + name + b">" + loc.place.cut(data) + b"</" + name + b">"
        edits = (Edit(with_its_line(data, loc.place), b""), Edit(Place(row.end), entry))
        return Fix("move it to a separate entry", edits, Safety.REVIEW)
    between_entries = f"</{listed.element.written}><{listed.element.written}>".encode()
    return Fix("move it to a separate entry", (Edit(Place(loc.place.offset), between_entries),), Safety.REVIEW)


# S012


def _repeated_fields(listed: ListedPage) -> Iterator[Problem]:
    for name in _ONCE:
        fields = listed.fields(name)
        if len(fields) < 2:
            continue
        same = len({field.text for field in fields}) == 1
        best = 0  # the latest date; the first value if that is unclear
        for at, field in enumerate(fields if name == "lastmod" and not same else ()):
            if Moment.parse(field.text).newer_than(Moment.parse(fields[best].text)):
                best = at
        data = listed.document.data
        edits = tuple(Edit(with_its_line(data, field.place), b"") for at, field in enumerate(fields) if at != best)
        title = "remove the duplicate" if same else f"keep {quoted(fields[best].text)}"
        shown = ", ".join(quoted(field.text) for field in fields[:4])
        words = f"{len(fields)} <{name}> elements in one entry ({shown}), so engines use only one of them; keep one"
        fix = Fix(title, edits, Safety.SAFE if same else Safety.REVIEW)
        yield _describe(listed, fields[1].place, words, fix)


# S013


def misplaced_fields(listed: ListedPage) -> Iterator[Problem]:
    if not listed.mark & (Mark.DISORDERED | Mark.IRREGULAR):
        return
    data, place = listed.document.data, listed.place
    flat = _FLAT.fullmatch(data, place.offset, place.end)
    if flat is not None and not listed.salvaged:  # the tags are sufficient: the entry is parsed only when shown
        names = tuple(_FLAT_TAG.findall(data, *flat.span(1)))
        at = _first_misplaced(names)
        if at is not None:
            words = _ORDER_WORDS.format(names[at].decode(), names[at - 1].decode())
            fix = Fix(_ORDER_FIX, lambda: _sorted(data, _ranked(listed)))
            yield Problem(lambda: listed.element.children[at].open_tag, words, fix, subject=listed.loc or None)
        return
    ranked = _ranked(listed)
    for (before, earlier), (rank, child) in pairwise(ranked):
        if rank < before:
            words = _ORDER_WORDS.format(child.written, earlier.written)
            yield _describe(listed, child.open_tag, words, Fix(_ORDER_FIX, lambda: _sorted(data, ranked)))
            return


@cache
def _first_misplaced(names: tuple[bytes, ...]) -> int | None:
    ranks = [URL_CHILDREN.index(name.decode()) for name in names]
    return next((at for at, (before, rank) in enumerate(pairwise(ranks), 1) if rank < before), None)


def _ranked(listed: ListedPage) -> list[tuple[int, Element]]:
    return [(rank, child) for child in listed.element.children if (rank := _rank(listed, child)) is not None]


def _rank(listed: ListedPage, child: Element) -> int | None:
    if not _own(listed, child):
        return len(URL_CHILDREN)
    return URL_CHILDREN.index(child.local.lower()) if child.local.lower() in URL_CHILDREN else None


def _sorted(data: bytes, ranked: list[tuple[int, Element]]) -> tuple[Edit, ...]:
    """The elements swap places; the whitespace between them stays."""
    wanted = [child for _, child in sorted(ranked, key=lambda pair: pair[0])]
    return tuple(
        Edit(there.place, child.place.cut(data))
        for (_, there), child in zip(ranked, wanted, strict=True)
        if there is not child
    )


# S014


def _unknown_elements(listed: ListedPage) -> Iterator[Problem]:
    lacking = lacking_fields(listed.element, URL_CHILDREN)
    for child in listed.element.children:
        if not _own(listed, child):
            continue
        wrong = [child] if child.local.lower() not in KNOWN and not _is_alternate(listed, child) else []
        if child.local.lower() in KNOWN:
            wrong = [inner for inner in child.children if inner.local.lower() not in KNOWN and _own(listed, inner)]
            for inner in child.children:
                if not _own(listed, inner):
                    words = f"misplaced <{inner.written}>; move it directly inside <{listed.element.written}>"
                    yield _describe(listed, inner.open_tag, words, None)
        for element in wrong:
            meant = meant_by(element, lacking) if element is child else None
            words = f"unknown element <{element.written}>, which engines ignore and Yandex reports; "
            if meant is not None:
                yield _describe(listed, element.open_tag, f"{words}write <{meant}>", renamed(element, meant))
                continue
            fix = _removed(listed, element.place, "remove the element", Safety.REVIEW)
            yield _describe(listed, element.place, f"{words}remove it", fix if element is child else None)


def _is_alternate(listed: ListedPage, child: Element) -> bool:
    """A link without its prefix has its own code, which is not one of the schema."""
    if listed.context.engines == (Engine.XSD_STRICT,):
        return False
    linked = child.attribute("hreflang") is not None or child.attribute("href") is not None
    return child.local.lower() == "link" and linked


# S015


def _capitals(listed: ListedPage) -> Iterator[Problem]:
    for element in (listed.element, *listed.element.children):
        if element.local == element.local.lower() or element.local.lower() not in KNOWN or not _own(listed, element):
            continue
        lowered = lower_case(element.written, element.local, _names(element))
        yield _describe(listed, lowered.place, lowered.message, lowered.fix)


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
        yield _describe(listed, places[0], words, fix)
    for attribute in element.attributes:
        name = None if attribute.namespace else _respelled(attribute.local, ATTRIBUTE_NAMES.get(namespace, frozenset()))
        if name is not None:
            place = Place(attribute.place.offset, len(attribute.written.encode()))
            fix = Fix(f"write {name}", (Edit(place, name.encode()),), Safety.REVIEW)
            words = f"attribute {quoted(attribute.written)} has the wrong case, so engines ignore it; write {name}"
            yield _describe(listed, place, words, fix)


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


def _attributes(listed: ListedPage) -> Iterator[Problem]:
    if listed.salvaged:
        return  # a malformed row cannot be valid, and its problem is reported
    for element in (listed.element, *listed.element.children):
        if _own(listed, element) and element.local.lower() in KNOWN:
            for attribute in element.attributes:
                if attribute.namespace == namespaces.XSI:
                    continue
                start = attribute.place.offset
                while listed.document.data[start - 1 : start].isspace():
                    start -= 1
                words = f"unknown attribute {quoted(attribute.written)}, so validators reject the file; remove it"
                fix = delete(between(start, attribute.place.end), "remove the attribute")
                yield _describe(listed, attribute.place, words, fix)


# S017


def _stray_texts(listed: ListedPage) -> Iterator[Problem]:
    if listed.salvaged:
        return
    for place, text in _texts(listed.element):
        stray = stray_text_at(place, text)
        yield _describe(listed, stray.place, stray.message, stray.fix)


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


_JUDGES: dict[str, Judge] = {
    "S011": _repeated_locs,
    "S012": _repeated_fields,
    "S014": _unknown_elements,
    "S015": _capitals,
    "S016": _attributes,
    "S017": _stray_texts,
}

_CAUSES: dict[str, Callable[[Sitemap, list[bytes]], bool]] = {
    "S011": lambda sitemap, names: sitemap.kind is Kind.URLSET and names.count(b"loc") > 1,
    "S012": lambda _, names: any(names.count(field.encode()) > 1 for field in _ONCE),
    "S014": lambda sitemap, names: sitemap.kind is Kind.URLSET and not _KNOWN_BYTES.issuperset(names),
}
"""by code: whether an entry with these tags can have the problem"""

_SIGNS: dict[str, re.Pattern[bytes]] = {"S015": _CAPITAL, "S016": _WITH_ATTRIBUTE, "S017": _BETWEEN}
"""by code: a pattern that an entry with the problem must match"""
