"""Is each `<sitemap>` in an index complete, valid, listed once, and correctly dated?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.declare import bad, error_rule, good, info_rule, reader_error, reader_info, reader_warning
from urlset.findings.card import worst
from urlset.findings.finding import Fix, Problem, Safety, delete, quoted, replace
from urlset.fixing.markup import remove_entries, with_its_line
from urlset.model.address import Address
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.moment import DateForm, Moment
from urlset.model.whatwg import parse_url
from urlset.rules import ROBOTS, Child, Engine, Has, Severity, Signal, Sitemap
from urlset.rules.lastmod_dates import ahead_of_the_clock, older_than_the_web
from urlset.rules.lastmod_form import (
    CODE_OF,
    XML_SPACE,
    judged,
    lacks_seconds,
    minded,
    padding_of,
    rewriting,
    schema_is_content,
    severity_of,
    words,
)
from urlset.rules.loc import only_origin
from urlset.rules.loc.form import missing_part
from urlset.rules.structure.entry_faults import lacking_fields, meant_by, renamed, reordered
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import is_core
from urlset.spec.protocol import SITEMAP_CHILDREN
from urlset.spec.signals import RESPELLABLE

# A relative URL and its index → the intended absolute URL, if it is unambiguous.

_FILE_NAME = lazy_pattern(r"[\w~.-]+\.(?:xml|txt|gz|rss|atom)(?:[?].*)?", re.IGNORECASE)
_FOLDERS = lazy_pattern(r"\.{0,2}/(?!/)\S*|[\w~-]+/\S*")


def resolved(loc: str, base: str) -> str | None:
    """None if the text could start with a host name other than the index's own."""
    try:
        own = parse_url(base)
        if loc.lower().startswith((f"{own.host}/", f"www.{own.host}/")):
            return parse_url(f"{own.protocol}//{loc}").href
        if loc.startswith("//") or _FILE_NAME.fullmatch(loc) or _FOLDERS.fullmatch(loc):
            return parse_url(loc, base=base).href
    except ValueError:
        return None
    return None


# Is the lastmod of each child sitemap a valid and plausible date?

_LOC = "<loc>https://example.com/a.xml</loc>"


def _child(lastmod: str) -> str:
    return f"<sitemap>{_LOC}{lastmod}</sitemap>"


@error_rule(
    "I014",
    when=Signal.ODD_DATE | Signal.NO_SECONDS | Signal.FUTURE_DATE,
    cites=("sitemaps-protocol", "w3c-datetime", "google-large"),
)
@bad(_child("<lastmod>«2026/11/15»</lastmod>"), fixed=_child("<lastmod>2026-11-15</lastmod>"))
@bad(
    _child("<lastmod>2026-11-15« »10:00:00+0000</lastmod>"),
    fixed=_child("<lastmod>2026-11-15T10:00:00+00:00</lastmod>"),
)
@bad(_child("<lastmod>2026-11-15T«10:00:00»</lastmod>"), fixed=_child("<lastmod>2026-11-15T10:00:00Z</lastmod>"))
@bad(_child("«<lastmod/>»"), fixed=_child(""))
@bad(_child("<lastmod>« »2026-11-15 </lastmod>"), fixed=_child("<lastmod>2026-11-15</lastmod>"))
@bad(_child("<lastmod>2026-11-15T«10:00»Z</lastmod>"), fixed=_child("<lastmod>2026-11-15T10:00:00Z</lastmod>"))
@bad(
    _child("<lastmod>«2026-11»</lastmod>"),
    _child("<lastmod>«2027-01-01»</lastmod>"),
    _child("<lastmod>«1970-01-01»</lastmod>"),
    _child("<lastmod>«03/04/2026»</lastmod>"),
)
@good(
    _child(""),
    _child("<lastmod>2026-11-15</lastmod>"),
    _child("<lastmod>2026-11-15T10:00:00.5+01:00</lastmod>"),
    _child("<lastmod>2026-11-16</lastmod>"),
)
def child_lastmod_unusable(child: Child) -> Iterator[Problem]:
    """The lastmod of a child sitemap is invalid or implausible.

    In an index, lastmod is the time when the child file changed. Crawlers use it to fetch only changed children.
    The same date formats apply as for pages. With a malformed, future, or implausibly old date, crawlers fetch all
    children or none.
    """
    moment = child.moment
    if moment is None:
        return
    if schema_is_content(child.context, moment):
        problem = _untidy(child, moment)
    else:
        problem = _misspelt(child, moment) or _unhelpful(child, moment) or _untidy(child, moment)
    if problem is not None:
        yield problem


def _misspelt(child: Child, moment: Moment) -> Problem | None:
    if not moment.text:
        for element in child.fields("lastmod")[:1]:
            line = with_its_line(child.document.data, element.place)
            message = "lastmod is empty; set a date or remove it"
            return Problem(element.place, message, delete(line, "remove the empty element"))
    engines = child.context.engines
    faults = [each for each in judged(moment) if minded(CODE_OF[each.fault], engines)]
    if not faults:
        return None
    return Problem(
        child.part(faults[0].start, faults[0].end, "lastmod"),
        words(faults[0], moment),
        rewriting(child, moment),
        severity=worst([severity_of(CODE_OF[each.fault], engines, moment) for each in faults]),
    )


def _unhelpful(child: Child, moment: Moment) -> Problem | None:
    message = older_than_the_web(moment) or ahead_of_the_clock(moment, child.context)
    strict = Engine.XSD_STRICT in child.context.engines and not moment.xsd_valid
    severity = Severity.ERROR if strict else Severity.WARNING
    if moment.form in (DateForm.YEAR, DateForm.MONTH):
        message = f"{quoted(moment.text)} has no day, so crawlers cannot tell what changed; write YYYY-MM-DD"
    return None if message is None else Problem(child.whole("lastmod"), message, severity=severity)


def _untidy(child: Child, moment: Moment) -> Problem | None:
    if Engine.XSD_STRICT in child.context.engines and lacks_seconds(moment):
        return Problem(
            child.part(11, 16, "lastmod"),
            f"{quoted(moment.text)} has no seconds, which the schema requires; add them",
            Fix("add the seconds :00", child.edits([(16, 16, ":00")], "lastmod")),
        )
    padding = padding_of(child.value("lastmod"))
    raw = child.raw_lastmod or ""
    is_trimmed = raw.strip(XML_SPACE) == raw.strip()
    if not padding or (is_trimmed and child.context.engines == (Engine.XSD_STRICT,)):
        return None
    return Problem(
        padding[0],
        f"whitespace around {quoted(moment.text)}; remove it",
        Fix("remove the whitespace", tuple(Edit(place, b"") for place in padding)),
        severity=Severity.INFO if is_trimmed else Severity.ERROR,
    )


# Is a sitemap listed more than once?

_A = "<sitemap><loc>https://example.com/a.xml</loc></sitemap>"
_B = "<sitemap><loc>https://example.com/b.xml</loc></sitemap>"
_AT = "https://example.com/index.xml"


@reader_warning("I008", kinds=Has.SITEMAPS, cites=("general-knowledge",))
@bad(f"{_A}{_B}{_A.replace('https://example.com/a.xml', '«https://example.com/a.xml»')}", fixed=f"{_A}{_B}")
@bad(f"{_A}\n<sitemap><loc>«https://EXAMPLE.com:443/a.xml»</loc></sitemap>\n{_A}\n{_B}", fixed=f"{_A}\n{_B}")
@bad(f"{_A}\n<sitemap>\n<loc>«https://example.com/a.xml»</loc>\n<lastmod>2026-11-15</lastmod>\n</sitemap>", fixed=_A)
@good(
    f"{_A}{_B}",
    f"{_A}<sitemap><loc>https://example.com/a.xml?page=2</loc></sitemap>",
    f"{_A}<sitemap><loc>https://example.com/A.xml</loc></sitemap>",
)
def duplicate_child(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists the same sitemap twice.

    The second entry adds nothing, some crawlers fetch the file twice, and it is unclear which lastmod applies.
    """
    if sitemap.columns.listed_once() and only_origin(sitemap) and not sitemap.rows_with(RESPELLABLE | Signal.FRAGMENT):
        return
    first: dict[str, int] = {}
    copies: dict[str, list[int]] = {}
    for row, loc in enumerate(sitemap.columns.locs):
        if loc and (text := loc.strip()):
            key = Address.parse(text).key
            if first.setdefault(key, row) != row:
                copies.setdefault(key, []).append(row)
    lastmods, document = sitemap.columns.lastmods, sitemap.document
    for key, rows in copies.items():
        agree = all(lastmods[row] == lastmods[first[key]] for row in rows)
        line = document.lines.number(Child(sitemap, first[key]).locate_whole().offset)
        child = Child(sitemap, rows[0])
        yield Problem(
            child.whole(),
            f"{quoted(child.loc)} is listed {len(rows) + 1:,} times, first on line {line}; list it once",
            remove_entries(document, rows, "keep the first entry", Safety.SAFE if agree else Safety.REVIEW),
            subject=child.loc,
            count=len(rows),
            rows=rows,
        )


@reader_info("I024", kinds=Has.SITEMAPS, needs=ROBOTS, cites=("sitemaps-protocol",))
@bad(
    f"<sitemap><loc>«https://example.com/a.xml»</loc></sitemap>{_B}",
    robots=f"Sitemap: {_AT}\nSitemap: https://example.com/a.xml\n",
    at=_AT,
)
@bad(f"{_A}<sitemap><loc>«https://example.com/b.xml»</loc></sitemap>", robots="Sitemap: https://example.com/b.xml\n")
@good(f"{_A}{_B}", robots=f"Sitemap: {_AT}\n", at=_AT)
@good(f"{_A}{_B}", robots="Sitemap: https://example.com/a.xml\n", at=_AT)
def child_also_in_robots_txt(sitemap: Sitemap) -> Iterator[Problem]:
    """Child sitemaps are also listed in robots.txt.

    A Sitemap line for the index is sufficient: crawlers find its children through it. Listing both does no harm,
    but both lists have to be kept in sync.
    """
    robots = sitemap.context.robots
    if robots is None:
        return
    announced = {Address.parse(line.value.strip()).key for line in robots.sitemaps if line.value.strip()}
    if sitemap.address is not None and sitemap.address.key not in announced:
        return
    rows = [row for row, loc in enumerate(sitemap.columns.locs) if loc and Address.parse(loc.strip()).key in announced]
    if rows:
        is_or_are = "child is" if len(rows) == 1 else "children are"
        yield Problem(
            Child(sitemap, rows[0]).whole(),
            f"{len(rows):,} {is_or_are} also listed in robots.txt; the line for the index is sufficient",
            count=len(rows),
            rows=rows,
        )


_OTHER = "<loc>https://example.com/b.xml</loc>"
_LASTMOD = "<lastmod>2026-11-15</lastmod>"


@error_rule("I004", when=Signal.MISSING | Signal.EMPTY | Signal.IRREGULAR, cites=("sitemaps-protocol", "xsd-siteindex"))
@bad(
    f"«<sitemap>»{_LASTMOD}</sitemap>",
    f"<sitemap>«<loc></loc>»{_LASTMOD}</sitemap>",
    f"<sitemap>{_LOC}«<loc>https://example.com/b.xml</loc>»</sitemap>",
)
@good(f"<sitemap>{_LOC}</sitemap>", f"<sitemap>{_LASTMOD}{_LOC}</sitemap>")
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


@error_rule("I013", when=Signal.IRREGULAR, cites=("sitemaps-protocol", "xsd-siteindex"))
@bad(f"<sitemap>{_LOC}«<priority>0.5</priority>»</sitemap>", fixed=f"<sitemap>{_LOC}</sitemap>")
@bad(f"<sitemap>\n  {_LOC}\n  «<changefreq>daily</changefreq>»\n</sitemap>", fixed=f"<sitemap>\n  {_LOC}\n</sitemap>")
@bad(f"<sitemap>{_LOC}«<title>News</title>»</sitemap>", fixed=f"<sitemap>{_LOC}</sitemap>")
@good(f"<sitemap>{_LOC}{_LASTMOD}</sitemap>", f'<sitemap>{_LOC}<x:note xmlns:x="urn:example">n</x:note></sitemap>')
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


@reader_error("I016", when=Signal.NOT_WEB, cites=("gsc-report", "sitemaps-protocol"))
@bad("<sitemap><loc>«sitemap1.xml»</loc></sitemap>")
@bad(
    "<sitemap><loc>«sitemap1.xml»</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/maps/sitemap1.xml</loc></sitemap>",
    at="https://example.com/maps/index.xml",
)
@bad(
    "<sitemap><loc>«/a.xml?x=1&amp;y=2»</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/a.xml?x=1&amp;y=2</loc></sitemap>",
    at="https://example.com/maps/index.xml",
)
@bad(
    "<sitemap><loc>«example.com/a.xml»</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/a.xml</loc></sitemap>",
    at="https://example.com/maps/index.xml",
)
@bad("<sitemap><loc>«other.com/a.xml»</loc></sitemap>", at="https://example.com/maps/index.xml")
@good(f"<sitemap>{_LOC}</sitemap>", "<sitemap><loc> https://example.com/a.xml </loc></sitemap>")
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


@info_rule(
    "I022",
    when=Signal.IRREGULAR | Signal.DISORDERED | Signal.EXTENDED,
    engines=(Engine.XSD_STRICT,),
    cites=("xsd-siteindex",),
)
@bad(f"<sitemap>«{_LASTMOD}»{_LOC}</sitemap>", fixed=f"<sitemap>{_LOC}{_LASTMOD}</sitemap>")
@bad(
    f'<sitemap>\n  {_LOC}\n  «<x:n xmlns:x="urn:example"/>»\n  {_LASTMOD}\n</sitemap>',
    fixed=f'<sitemap>\n  {_LOC}\n  {_LASTMOD}\n  <x:n xmlns:x="urn:example"/>\n</sitemap>',
)
@good(f"<sitemap>{_LOC}{_LASTMOD}</sitemap><sitemap>{_OTHER}</sitemap>")
def child_field_order(child: Child) -> Iterator[Problem]:
    """The fields of a child sitemap are not in schema order.

    The current schema requires loc, then lastmod, then elements of other namespaces. Older versions allow loc and
    lastmod in any order. Crawlers accept any order.
    """
    if not child.mark & (Mark.ODD | Mark.EXTENDED) or not _is_child(child):
        return
    written = child.element.children
    ordered = sorted(written, key=_rank)
    moved = next((pair for pair in zip(written, ordered, strict=True) if pair[0] is not pair[1]), None)
    if moved is not None:
        edits = reordered(child.document.data, [(_rank(each), each) for each in written])
        names = f"<{moved[0].written}> comes before <{moved[1].written}>"
        fix = None if child.salvaged else Fix("put loc first and lastmod second", edits)
        yield Problem(moved[0].place, f"{names}; use the order loc, lastmod, other elements", fix)


def _rank(element: Element) -> int:
    name = element.local.lower()
    return SITEMAP_CHILDREN.index(name) if is_core(element.namespace) and name in SITEMAP_CHILDREN else 2


def _is_child(child: Child) -> bool:
    """A page listed in an index by mistake is a different problem with its own rule."""
    return child.element.local.lower() == "sitemap"
