"""Does each entry have the right elements, in lowercase, in order, and without attributes or stray text?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from urlset.checking.declare import bad, error_rule, good, warning_rule
from urlset.checking.subjects import AnyRow
from urlset.findings.finding import delete, quoted, quoted_bytes
from urlset.fixing.markup import with_its_line
from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.moment import Moment
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import EVERYONE, Engine, Fix, Has, Kind, ListedPage, Problem, Safety, Severity, Signal, Sitemap
from urlset.rules.structure.entry_faults import (
    BETWEEN,
    CAPITAL,
    KNOWN,
    WITH_ATTRIBUTE,
    attributes,
    capitals,
    described,
    lower_case,
    marked_rows,
    miscased_extensions,
    outside_elements,
    reordered,
    row_problems,
    separated,
    stray_text_at,
    stray_texts,
    unknown_elements,
)
from urlset.rules.xml.wellformed import misspelled_entry, root_attributes
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import is_core, means
from urlset.spec.protocol import URL_CHILDREN

# Does each entry have exactly one URL, and each field at most once?

_NS = namespaces.SITEMAP
_ROW = lazy_pattern(rb"<(?:[\w.\x80-\xff-]+:)?(url|sitemap)(?=[\s/>])", re.IGNORECASE)
_NAME = lazy_pattern(rb"<([^\s/<>]++)")
_LOC = "<loc>https://example.com/</loc>"
_ONCE = ("lastmod", "changefreq", "priority")
_A, _B = "<loc>https://example.com/a.xml</loc>", "<loc>https://example.com/b.xml</loc>"


@error_rule(
    "S006", on=Sitemap, cites=("sitemaps-protocol", "xsd-urlset", "xsd-siteindex", "google-large"), kinds=Has.PROTOCOL
)
@bad(
    f'<urlset xmlns="{_NS}"><url>{_LOC}</url>«<sitemap»>{_A}</sitemap><sitemap>{_B}</sitemap></urlset>\n',
    f'<sitemapindex xmlns="{_NS}">«<url»>{_LOC}</url></sitemapindex>\n',
)
@good(
    f'<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
    f'<sitemapindex xmlns="{_NS}"><sitemap>{_LOC}</sitemap></sitemapindex>\n',
)
def url_and_sitemap_mixed(sitemap: Sitemap) -> Iterator[Problem]:
    """A urlset lists sitemaps, or an index lists pages.

    A <urlset> contains <url>, and a <sitemapindex> contains <sitemap>, never both in one file. Engines ignore the wrong
    entries or reject the file.
    """
    wanted = b"url" if sitemap.kind is Kind.URLSET else b"sitemap"
    wrong: list[Place] = []
    for row in marked_rows(sitemap, Mark.IRREGULAR):
        tag = _ROW.match(sitemap.data, sitemap.columns.starts[row])
        if tag is not None and tag[1].lower() != wanted:
            wrong.append(between(*tag.span()))
    if wrong:
        name = wrong[0].cut(sitemap.data).decode("utf-8", "replace")
        them = "it" if len(wrong) == 1 else "them"
        yield Problem(
            wrong[0],
            f"{len(wrong):,} {name}> in a {sitemap.kind}, so engines ignore {them}; move {them} to a separate file",
            count=len(wrong),
            places=wrong,
        )


@error_rule(
    "S010",
    on=ListedPage,
    when=Signal.MISSING,
    cites=("sitemaps-protocol", "xsd-urlset", "yandex-errors"),
    kinds=Has.URL_ELEMENTS,
)
@bad(
    f'<urlset xmlns="{_NS}">«<url>»<lastmod>2026-11-15</lastmod></url></urlset>\n',
    f'<urlset xmlns="{_NS}">«<url/>»</urlset>\n',
)
@good(f"<url>{_LOC}</url>", f"<url><lastmod>2026-11-15</lastmod>{_LOC}</url>")
def loc_missing(listed: ListedPage) -> Iterator[Problem]:
    """An entry has no <loc>.

    Without a URL there is nothing to crawl. Engines report the missing tag and skip the entry.
    """
    if listed.raw_loc is None:
        tag = _NAME.match(listed.document.data, listed.place.offset)  # parsing millions of rows again is slow
        name = tag[1].decode("utf-8", "replace") if tag is not None else listed.element.written
        message = f"<{name}> has no <loc>, so engines skip the entry; add the URL"
        yield Problem(lambda: listed.element.open_tag, message)


@error_rule(
    "S011",
    on=ListedPage,
    when=Signal.IRREGULAR,
    cites=("xsd-urlset", "xsd-tested", "yandex-errors"),
    kinds=Has.URL_ELEMENTS,
)
@bad(
    "<url><loc>https://example.com/a</loc>«<loc>https://example.com/b</loc>»</url>",
    fixed="<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>",
)
@bad(
    "<url><loc>https://example.com/a</loc>«<loc>https://example.com/a</loc>»</url>",
    fixed="<url><loc>https://example.com/a</loc></url>",
)
@bad(
    "<url><loc>https://example.com/a</loc>«<loc>https://example.com/b</loc>»<lastmod>2026-11-15</lastmod></url>",
    fixed="<url><loc>https://example.com/a</loc><lastmod>2026-11-15</lastmod></url>\n"
    "<url><loc>https://example.com/b</loc></url>",
)
@good(f"<url>{_LOC}<image:image><image:loc>https://example.com/i.png</image:loc></image:image></url>")
def loc_repeated(listed: ListedPage) -> Iterator[Problem]:
    """An entry has more than one <loc>.

    One entry is one page. Engines use the first URL, or the last, or report a duplicate tag.
    """
    if listed.mark & Mark.IRREGULAR:
        locs = listed.fields("loc")
        for loc in locs[1:]:
            words = f"second URL {quoted(loc.text)} in one entry, so engines use only one of them"
            fix = separated(listed, locs, loc)
            yield described(listed, loc.place, f"{words}; use one entry per URL", fix)


@error_rule("S012", on=AnyRow, when=Signal.IRREGULAR, cites=("xsd-urlset", "yandex-errors"), kinds=Has.PROTOCOL)
@bad(
    f"<url>{_LOC}<lastmod>2026-11-15</lastmod>«<lastmod>2026-11-15</lastmod>»</url>",
    fixed=f"<url>{_LOC}<lastmod>2026-11-15</lastmod></url>",
)
@bad(
    f"<url>{_LOC}<lastmod>2026-11-01</lastmod>«<lastmod>2026-11-15</lastmod>»</url>",
    fixed=f"<url>{_LOC}<lastmod>2026-11-15</lastmod></url>",
)
@bad(
    f"<url>{_LOC}<priority>0.5</priority>«<priority>0.8</priority>»</url>",
    fixed=f"<url>{_LOC}<priority>0.5</priority></url>",
)
@good(f"<url>{_LOC}<lastmod>2026-11-15</lastmod><priority>0.5</priority></url>")
def field_repeated(listed: AnyRow) -> Iterator[Problem]:
    """An entry has lastmod, changefreq, or priority more than once.

    Each field may appear once. Engines use one of the values or report a duplicate tag.
    """
    for name in _ONCE if listed.mark & Mark.IRREGULAR else ():
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
        yield described(listed, fields[1].place, words, fix)


_PHP_LOOP = b"<?php foreach ($pages as $page): ?>"
_WITH_PHP = f'<urlset xmlns="{_NS}">'.encode() + _PHP_LOOP
_OTHER = "<loc>https://example.com/2</loc>"
_IMAGE = "<image:loc>https://example.com/i.png</image:loc>"
_DATE = "<lastmod>2026-11-15</lastmod>"
_SCHEMA_HINTS = frozenset({"schemaLocation", "noNamespaceSchemaLocation"})
_ROOTS = frozenset({"urlset", "sitemapindex"})
_FIELDS = frozenset(URL_CHILDREN)
_MARKUP = lazy_pattern(rb"<[A-Za-z/]")
_PHP = lazy_pattern(rb"<\?php\b[^?]*(?:\?>)?")


@warning_rule(
    "S013",
    on=ListedPage,
    when=Signal.DISORDERED | Signal.IRREGULAR,
    fails_schema=True,
    engines={engine: Severity.WARNING if engine is Engine.XSD_STRICT else Severity.INFO for engine in EVERYONE},
    cites=("xsd-urlset", "xsd-tested", "google-2023", "google-combine"),
    kinds=Has.URL_ELEMENTS,
)
@bad(f"<url>{_DATE}\n  «<loc>»https://example.com/</loc></url>", fixed=f"<url>{_LOC}\n  {_DATE}</url>")
@bad(
    f'<url>{_LOC}<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'
    "«<lastmod>»2026-11-15</lastmod></url>",
    fixed=f'<url>{_LOC}{_DATE}<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/></url>',
)
@good(f"<url>{_LOC}<lastmod>2026-11-15T10:00:00Z</lastmod><image:image>{_IMAGE}</image:image></url>")
def field_order(listed: ListedPage) -> Iterator[Problem]:
    """The fields of an entry are not in schema order.

    The schema requires the order loc, lastmod, changefreq, priority, extensions. Engines accept any order, and one of
    Google's own examples uses a different one. Validators reject it.
    """
    if listed.mark & (Mark.DISORDERED | Mark.IRREGULAR):
        order = FieldOrder(listed)
        if order.is_certain or order.wrong is not None:
            fix = Fix("use the schema order", order.edits)
            yield described(listed, order.place, order.words, fix)


@lru_cache(256)
def _rank(namespace: str, own: str, local: str) -> int | None:
    """Where the schema wants an element of an entry; None for one that it does not know."""
    if namespace != own and not is_core(namespace):
        return len(URL_CHILDREN)
    return URL_CHILDREN.index(local.lower()) if local.lower() in URL_CHILDREN else None


class FieldOrder:
    """The fields of an entry as written, read only when one of them has to be shown."""

    def __init__(self, listed: ListedPage) -> None:
        self._listed = listed

    @property
    def is_certain(self) -> bool:
        """Whether the mark alone says that the order is wrong: no field is repeated or strange, and all are core."""
        listed = self._listed
        if listed.mark & Mark.IRREGULAR or not listed.sitemap.is_core:
            return False
        return listed.document.data.find(b"xmlns", listed.place.offset, listed.place.end) < 0

    @cached_property_unlocked
    def _ranked(self) -> list[tuple[int, Element]]:
        entry = self._listed.element
        ranked = ((_rank(child.namespace, entry.namespace, child.local), child) for child in entry.children)
        return [(rank, child) for rank, child in ranked if rank is not None]

    @cached_property_unlocked
    def wrong(self) -> tuple[Element, Element] | None:
        """The first field that is too late, and the one before it."""
        pairs = pairwise(self._ranked)
        return next(((child, before) for (above, before), (rank, child) in pairs if rank < above), None)

    def place(self) -> Place:
        assert self.wrong is not None
        return self.wrong[0].open_tag

    def words(self) -> str:
        assert self.wrong is not None
        late, before = self.wrong
        return f"<{late.written}> comes after <{before.written}>, so validators reject the file; use the schema order"

    def edits(self) -> Sequence[Edit]:
        return reordered(self._listed.document.data, self._ranked)


@error_rule(
    "S014",
    on=Sitemap,
    cites=("xsd-urlset", "xsd-tested", "yandex-errors"),
    kinds=Has.PROTOCOL | Has.FEED,
    reports=(TroubleKind.MISPLACED_ELEMENT,),
)
@bad(f"<url>{_LOC}«<title>Home</title>»</url>", fixed=f"<url>{_LOC}</url>")
@bad(f"<url>{_LOC}«<last-mod>»2026-11-15</last-mod></url>", fixed=f"<url>{_LOC}<lastmod>2026-11-15</lastmod></url>")
@bad(
    f'<urlset xmlns="{_NS}">«<ulr>»{_LOC}</ulr></urlset>\n', fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n'
)
@bad(
    "<url><loc>https://example.com/«<b>x</b>»</loc></url>",
    f"<url>{_LOC}</url>«<lastmod>»2026-11-15</lastmod>",
    f"<url>{_LOC}«<url>»{_OTHER}</url></url>",
    "<url><loc>https://example.com/«<lastmod>»2026-11-15</lastmod></loc></url>",
    f'<urlset xmlns="{_NS}" xmlns:x="{namespaces.XHTML}"><url><loc>https://example.com/«<x:link/>»</loc></url></urlset>',
    f'<urlset xmlns="{_NS}">«<urlset>»<url>{_LOC}</url></urlset></urlset>\n',
)
@bad(
    f'<urlset xmlns="{_NS}">«<generator>x</generator>»<url>{_LOC}</url></urlset>\n',
    fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
)
@good("<video:title>Home</video:title>", f"<url>{_LOC}<priority>0.5</priority><changefreq>daily</changefreq></url>")
def unknown_element(sitemap: Sitemap) -> Iterator[Problem]:
    """An element is not part of the protocol, or is misplaced.

    An entry may contain loc, lastmod, changefreq, and priority, with only text inside them. Other elements need their
    own namespace. Yandex reports unknown tags, and validators reject the file.
    """
    yield from _misplaced(sitemap)
    if not sitemap.kind.is_protocol:
        return
    for outside in outside_elements(sitemap):
        if is_core(outside.namespace) and outside.written.rpartition(":")[2].lower() not in KNOWN | _ROOTS:
            whole = outside.place != outside.open_tag or outside.place.cut(sitemap.data).endswith(b"/>")
            removal = with_its_line(sitemap.data, outside.place)
            fix = delete(removal, "remove the element", Safety.REVIEW) if whole else None
            message = f"unknown element <{outside.written}>, which engines ignore; remove it"
            yield Problem(outside.place, message, fix)
    if sitemap.kind is Kind.URLSET:  # I013 reports those of an index
        yield from row_problems(sitemap, unknown_elements)


def _misplaced(sitemap: Sitemap) -> Iterator[Problem]:
    """Protocol elements in the wrong place: a lastmod outside an entry, an entry inside another."""
    for trouble in sitemap.troubles(TroubleKind.MISPLACED_ELEMENT):
        tag = trouble.place.cut(sitemap.data)
        name = tag[1:].split(None, 1)[0].rstrip(b"/>").decode("utf-8", "replace")
        local = name.rpartition(":")[2].lower()
        if local in _ROOTS:
            yield Problem(trouble.place, f"misplaced <{name}>; it must be the root element")
            continue
        if local in _FIELDS:
            row = "sitemap" if sitemap.kind.lists_sitemaps else "url"
            entry = misspelled_entry(sitemap.data, trouble.place.offset, row)
            if entry is not None:
                yield entry
                continue
        parent = _PARENTS.get(local, "<channel> or the root")
        yield Problem(trouble.place, f"misplaced <{name}>; move it directly inside {parent}")
    for outside in outside_elements(sitemap):
        if is_core(outside.namespace) and outside.written.rpartition(":")[2].lower() in _ROOTS:
            words = f"misplaced <{outside.written}>; it may appear only once, as the root element"
            yield Problem(outside.open_tag, words)


_PARENTS = {
    "url": "<urlset>",
    "sitemap": "<sitemapindex>",
    **dict.fromkeys(("loc", "lastmod"), "<url> or <sitemap>"),
    **dict.fromkeys(("changefreq", "priority"), "<url>"),
}


@error_rule("S015", on=Sitemap, cites=("xml10", "xsd-urlset"), kinds=Has.PROTOCOL)
@bad("<url><«Loc»>https://example.com/</Loc></url>", fixed=f"<url>{_LOC}</url>")
@bad(f"<«URL»>{_LOC}</URL>", fixed=f"<url>{_LOC}</url>")
@bad(
    f'<«UrlSet» xmlns="{_NS}"><url>{_LOC}</url></UrlSet>\n', fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n'
)
@bad(
    f"<url>{_LOC}<image:«Image»><image:«Loc»>https://example.com/i.png</image:Loc></image:Image></url>",
    fixed=f"<url>{_LOC}<image:image>{_IMAGE}</image:image></url>",
)
@bad(
    f'<url>{_LOC}<xhtml:«Link» rel="alternate" «hrefLang»="en" href="https://example.com/"/></url>',
    fixed=f'<url>{_LOC}<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/></url>',
)
@good(
    f"<url>{_LOC}</url>",
    f'<url>{_LOC}<PageMap xmlns="{namespaces.PAGEMAP}"/></url>',
    "<image:loc>https://example.com/A?B=C</image:loc>",
    "<video:title><![CDATA[<B>Bowline</B>]]></video:title>",
)
def element_name_case(sitemap: Sitemap) -> Iterator[Problem]:
    """The name of an element or attribute has the wrong case.

    XML is case-sensitive: <Loc> is not <loc>, and <image:Image> is not <image:image>. Strict engines find no URL in
    such an entry, and ignore such an image, video, article, or link.
    """
    root = sitemap.document.root
    if root is not None and not root.synthetic and root.local != root.local.lower() and root.local.lower() in _ROOTS:
        size = len(root.local.encode())
        shift = len(root.written.encode()) - size
        places = [Place(root.place.offset + 1 + shift, size)]
        close = sitemap.data.rfind(b"</" + root.written.encode())
        if close > root.place.offset:
            places.append(Place(close + 2 + shift, size))
        yield lower_case(root.written, root.local, places)
    yield from row_problems(sitemap, capitals, sign=CAPITAL)
    yield from miscased_extensions(sitemap)


@warning_rule(
    "S016",
    on=Sitemap,
    fails_schema=True,
    engines=(Engine.XSD_STRICT,),
    cites=("xsd-urlset", "xsd-tested"),
    kinds=Has.PROTOCOL,
)
@bad(f'<url «id="1"»>{_LOC}</url>', fixed=f"<url>{_LOC}</url>")
@bad('<url><loc «type="page"»>https://example.com/</loc></url>', fixed=f"<url>{_LOC}</url>")
@bad(
    f'<urlset «version="1"» xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
    fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
)
@good(
    f'<url>{_LOC}<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/></url>',
    f'<urlset xmlns="{_NS}" xmlns:xsi="{namespaces.XSI}" xsi:schemaLocation="{_NS} {_NS}/sitemap.xsd">'
    f"<url>{_LOC}</url></urlset>\n",
)
def unexpected_attribute(sitemap: Sitemap) -> Iterator[Problem]:
    """A protocol element has an attribute.

    The schema defines no attributes, so validators reject the file. Engines ignore attributes.
    """
    root = sitemap.document.root
    declared = root.declared if root is not None else {}
    for attribute in root_attributes(sitemap.document):
        prefix = attribute.name.rpartition(":")[0]
        local = attribute.name.rpartition(":")[2]
        hint = means(declared.get(prefix, "")) == namespaces.XSI and local in _SCHEMA_HINTS  # S037 checks the namespace
        if attribute.declares is None and not hint:
            words = f"unknown attribute {quoted(attribute.name)}, so validators reject the file; remove it"
            yield Problem(attribute.place, words, delete(attribute.removal, "remove the attribute"))
    yield from row_problems(sitemap, attributes, sign=WITH_ATTRIBUTE, marks=Mark.IRREGULAR | Mark.ATTRIBUTED)


@warning_rule(
    "S017",
    on=Sitemap,
    fails_schema=True,
    engines=(Engine.PROTOCOL, Engine.XSD_STRICT),
    cites=("xsd-urlset", "xsd-tested"),
    reports=(TroubleKind.STRAY_TEXT,),
)
@bad(f"<url>«foo»{_LOC}</url>", fixed=f"<url>{_LOC}</url>")
@bad(
    f'<urlset xmlns="{_NS}"><url>{_LOC}</url>\n«bar»\n<url>{_OTHER}</url></urlset>\n',
    fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}</url>\n\n<url>{_OTHER}</url></urlset>\n',
)
@bad(f'<urlset xmlns="{_NS}">\n«{{{{ more_pages }}}}»\n<url>{_LOC}</url></urlset>\n')
@bad(
    data=lambda: _WITH_PHP + f"<url>{_LOC}</url>".encode() * 10_000 + b"</urlset>\n",
    marks=((_WITH_PHP.index(b"<?php"), len(_PHP_LOOP)),),
    title="PHP code in a file that is too large for a template",
)
@good(f"<url> <!-- foo --> {_LOC}\n</url>", f"<url>{_LOC}<lastmod>2026-11-15</lastmod>\n\t</url>")
def stray_text(sitemap: Sitemap) -> Iterator[Problem]:
    """There is text between elements.

    Engines ignore it, and validators reject it. Often it is the rest of a malformed tag, or template code that was
    published without being executed.
    """
    if sitemap.context.engines != (Engine.XSD_STRICT,):  # to the schema it is a normal processing instruction
        yield from _php_code(sitemap)
    for trouble in sitemap.troubles(TroubleKind.STRAY_TEXT):
        # text inside an unknown element is reported with that element
        if not _MARKUP.search(trouble.place.cut(sitemap.data)):
            yield stray_text_at(trouble.place, trouble.detail)
    if sitemap.kind.is_protocol:
        yield from row_problems(sitemap, stray_texts, sign=BETWEEN)


def _php_code(sitemap: Sitemap) -> Iterator[Problem]:
    """Legal XML, but the output of the program is missing."""
    root, data = sitemap.document.root, sitemap.data
    if root is None or root.synthetic or not sitemap.kind.is_protocol:
        return
    places = [
        between(*match.span())
        for span in sitemap.columns.beside_usual(root.place.end, len(data))
        for match in _PHP.finditer(data, *span)
        if not sitemap.is_in_comment(match.start())
    ]
    if places:
        words = (
            f"unexecuted template code {quoted_bytes(places[0].cut(data)[:120])}, so its entries are missing; "
            "render the template"
        )
        yield Problem(places[0], words, count=len(places), places=places)
