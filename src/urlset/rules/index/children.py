"""Is each `<sitemap>` in an index complete, and does it contain only allowed fields?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.elements import is_core
from urlset.findings.fix import delete, replace
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.element import Element
from urlset.rules import Bad, Child, Engine, Fix, Problem, Safety, Severity, Signal, rule
from urlset.rules.index.resolving import resolved
from urlset.rules.lastmod.faults import READERS
from urlset.rules.loc.presence import missing_part
from urlset.rules.quoting import quoted
from urlset.rules.structure.row_faults import lacking_fields, meant_by, renamed
from urlset.spec.protocol import SITEMAP_CHILDREN

_LOC = "<loc>https://example.com/a.xml</loc>"
_OTHER = "<loc>https://example.com/b.xml</loc>"
_LASTMOD = "<lastmod>2026-11-15</lastmod>"


@rule(
    "I004",
    "child-needs-one-loc",
    when=Signal.MISSING | Signal.EMPTY | Signal.IRREGULAR,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-siteindex"),
    bad=(
        f"«<sitemap>»{_LASTMOD}</sitemap>",
        f"<sitemap>«<loc></loc>»{_LASTMOD}</sitemap>",
        f"<sitemap>{_LOC}«<loc>https://example.com/b.xml</loc>»</sitemap>",
    ),
    good=(f"<sitemap>{_LOC}</sitemap>", f"<sitemap>{_LASTMOD}{_LOC}</sitemap>"),
)
def child_needs_one_loc(child: Child) -> Iterator[Problem]:
    """A child sitemap has no URL, or more than one.

    Without a URL there is nothing to fetch. With two URLs, crawlers use one of them or drop the entry.
    """
    if not child.loc:
        if _is_child(child):
            locs = child.fields("loc")
            message = "loc is empty" if locs else "this child sitemap has no loc"
            place = locs[0].place if locs else child.element.open_tag
            yield Problem(place, f"{message}, so it cannot be fetched; add the URL")
    elif child.mark & Mark.IRREGULAR and _is_child(child):
        for loc in child.fields("loc")[1:]:
            yield Problem(loc.place, f"second loc {quoted(loc.text)} in one <sitemap>; use one <sitemap> per URL")


@rule(
    "I013",
    "foreign-field-in-child",
    when=Signal.IRREGULAR,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-siteindex"),
    bad=(
        Bad(f"<sitemap>{_LOC}«<priority>0.5</priority>»</sitemap>", fixed=f"<sitemap>{_LOC}</sitemap>"),
        Bad(
            f"<sitemap>\n  {_LOC}\n  «<changefreq>daily</changefreq>»\n</sitemap>",
            fixed=f"<sitemap>\n  {_LOC}\n</sitemap>",
        ),
        Bad(f"<sitemap>{_LOC}«<title>News</title>»</sitemap>", fixed=f"<sitemap>{_LOC}</sitemap>"),
    ),
    good=(f"<sitemap>{_LOC}{_LASTMOD}</sitemap>", f'<sitemap>{_LOC}<x:note xmlns:x="urn:example">n</x:note></sitemap>'),
)
def foreign_field_in_child(child: Child) -> Iterator[Problem]:
    """A child sitemap has fields other than loc and lastmod.

    changefreq and priority describe pages. They have no meaning in an index, and validators reject the file.
    Elements of other namespaces are rejected by the 2009 schema only.
    """
    columns = child.document.columns
    hints = columns.changefreqs[child.row], columns.priorities[child.row]
    schema_alone = child.context.engines == (Engine.XSD_STRICT,)
    odd = Mark.IRREGULAR | Mark.EXTENDED if schema_alone else Mark.IRREGULAR
    if not child.mark & odd and hints == (None, None):
        return
    if not _is_child(child):
        return
    lacking = lacking_fields(child.element, SITEMAP_CHILDREN)
    for element in child.element.children:
        foreign = schema_alone and not is_core(element.namespace)
        if foreign or (is_core(element.namespace) and element.local.lower() not in SITEMAP_CHILDREN):
            meant = None if foreign else meant_by(element, lacking)
            if meant is not None:
                words = f"unknown element <{element.written}>, which engines ignore; write <{meant}>"
                yield Problem(element.open_tag, words, renamed(element, meant))
                continue
            yield Problem(
                element.place,
                f"<{element.written}> has no meaning in an index, and strict parsers reject the file; remove it",
                delete(with_its_line(child.document.data, element.place), f"remove <{element.written}>"),
            )


@rule(
    "I016",
    "relative-child-loc",
    when=Signal.NOT_WEB,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("gsc-report", "sitemaps-protocol"),
    bad=(
        "<sitemap><loc>«sitemap1.xml»</loc></sitemap>",
        Bad(
            "<sitemap><loc>«sitemap1.xml»</loc></sitemap>",
            fixed="<sitemap><loc>https://example.com/maps/sitemap1.xml</loc></sitemap>",
            at="https://example.com/maps/index.xml",
        ),
        Bad(
            "<sitemap><loc>«/a.xml?x=1&amp;y=2»</loc></sitemap>",
            fixed="<sitemap><loc>https://example.com/a.xml?x=1&amp;y=2</loc></sitemap>",
            at="https://example.com/maps/index.xml",
        ),
        Bad(
            "<sitemap><loc>«example.com/a.xml»</loc></sitemap>",
            fixed="<sitemap><loc>https://example.com/a.xml</loc></sitemap>",
            at="https://example.com/maps/index.xml",
        ),
        Bad("<sitemap><loc>«other.com/a.xml»</loc></sitemap>", at="https://example.com/maps/index.xml"),
    ),
    good=(
        f"<sitemap>{_LOC}</sitemap>",
        "<sitemap><loc> https://example.com/a.xml </loc></sitemap>",
    ),
)
def relative_child_loc(child: Child) -> Iterator[Problem]:
    """The URL of a child sitemap is not absolute.

    URLs in an index are not resolved against the index's own URL, so without scheme and host the child cannot be
    fetched. Search Console reports it as an invalid URL.
    """
    loc, missing = child.loc, missing_part(child)
    if missing is None:
        return
    place = child.whole()
    base = child.document.url or child.context.base_url
    whole = resolved(loc, base) if base else None
    reported = child.context.base_url is not None and loc.startswith("/")
    safety = Safety.SAFE if reported else Safety.REVIEW
    fix = replace(place, whole.replace("&", "&amp;"), f"write {whole}", safety) if whole else None
    yield Problem(place, f"{quoted(loc)} has no {missing}, so it cannot be fetched; write an absolute URL", fix)


@rule(
    "I022",
    "child-field-order",
    when=Signal.IRREGULAR | Signal.DISORDERED | Signal.EXTENDED,
    severity=Severity.INFO,
    engines=(Engine.XSD_STRICT,),
    cites=("xsd-siteindex",),
    bad=(
        Bad(f"<sitemap>«{_LASTMOD}»{_LOC}</sitemap>", fixed=f"<sitemap>{_LOC}{_LASTMOD}</sitemap>"),
        Bad(
            f'<sitemap>\n  {_LOC}\n  «<x:n xmlns:x="urn:example"/>»\n  {_LASTMOD}\n</sitemap>',
            fixed=f'<sitemap>\n  {_LOC}\n  {_LASTMOD}\n  <x:n xmlns:x="urn:example"/>\n</sitemap>',
        ),
    ),
    good=(f"<sitemap>{_LOC}{_LASTMOD}</sitemap><sitemap>{_OTHER}</sitemap>",),
)
def child_field_order(child: Child) -> Iterator[Problem]:
    """The fields of a child sitemap are not in schema order.

    The current schema requires loc, then lastmod, then elements of other namespaces. Older versions allow loc and
    lastmod in any order. Crawlers accept any order.
    """
    if not child.mark & (Mark.ODD | Mark.EXTENDED) or not _is_child(child):
        return
    written = child.element.children
    ordered = sorted(written, key=_rank)
    moved = [(here, wanted) for here, wanted in zip(written, ordered, strict=True) if here is not wanted]
    if not moved:
        return
    fix = None
    if not child.salvaged:
        data = child.document.data
        edits = tuple(Edit(here.place, wanted.place.cut(data)) for here, wanted in moved)
        fix = Fix("put loc first and lastmod second", edits)
    yield Problem(
        moved[0][0].place,
        f"<{moved[0][0].written}> comes before <{moved[0][1].written}>; use the order loc, lastmod, other elements",
        fix,
    )


def _rank(element: Element) -> int:
    name = element.local.lower()
    return SITEMAP_CHILDREN.index(name) if is_core(element.namespace) and name in SITEMAP_CHILDREN else 2


def _is_child(child: Child) -> bool:
    """A page listed in an index by mistake is a different problem with its own rule."""
    return child.element.local.lower() == "sitemap"
