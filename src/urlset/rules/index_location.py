"""May the index at its URL list these child sitemaps, and how many of them?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from urlset.checking.declare import bad, error_rule, good, info_rule, warning_rule, wrap
from urlset.findings.finding import quoted
from urlset.fixing.markup import remove_entries
from urlset.model.address import Address, Origin
from urlset.model.columns import Edit
from urlset.model.trouble import TroubleKind
from urlset.rules import ADDRESS, READERS, Child, Engine, Fix, Has, Problem, Safety, Severity, Sitemap
from urlset.rules.loc import only_origin
from urlset.rules.loc.location import home_of, unplaced_robots, vouched
from urlset.spec.protocol import MAX_BYTES, MAX_INDEX_ENTRIES

# Is the index within the limits for children and bytes?

_ENTRY = b"<sitemap><loc>https://example.com/a.xml</loc></sitemap>\n"
_HEAD, _TAIL = (part.encode() for part in wrap("|", "sitemapindex").split("|"))


index_error = partial(error_rule, kinds=Has.SITEMAPS)
index_info = partial(info_rule, kinds=Has.SITEMAPS)
index_warning = partial(warning_rule, kinds=Has.SITEMAPS)


@index_warning("I001", fails_schema=True, cites=("xsd-siteindex",))
@bad(
    '«<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">»</sitemapindex>',
    '«<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>»',
)
@good("<sitemap><loc>https://example.com/a.xml</loc></sitemap>")
def empty_index(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists no sitemap.

    The schema requires at least one child. An index without children is usually the result of a generator that
    found no data.
    """
    if not len(sitemap.columns) and not any(sitemap.troubles(TroubleKind.ENTRY_LOST)):
        yield Problem(sitemap.root_tag, "the index lists no sitemap; add at least one")


@index_error("I002", engines=READERS, cites=("sitemaps-protocol", "google-large", "bing-2025"))
@bad(
    data=lambda: _HEAD + _ENTRY * (MAX_INDEX_ENTRIES + 1) + _TAIL,
    marks=((len(_HEAD) + len(_ENTRY) * MAX_INDEX_ENTRIES, len(_ENTRY) - 1),),
    title="an index with 50,001 children",
)
@good(data=lambda: _HEAD + _ENTRY * MAX_INDEX_ENTRIES + _TAIL, title="an index with 50,000 children")
def too_many_children(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists more than 50,000 sitemaps.

    This is the limit of the protocol, Google, and Bing. Engines do not document how they handle the rest. Use a
    second index for them.
    """
    count = len(sitemap.columns)
    if count > MAX_INDEX_ENTRIES:
        yield Problem(
            sitemap.document.place(MAX_INDEX_ENTRIES),
            f"{count:,} child sitemaps exceed the limit of {MAX_INDEX_ENTRIES:,}; split the index",
            count=count - MAX_INDEX_ENTRIES,
        )


@index_error("I003", engines=READERS, cites=("sitemaps-protocol",))
@good(data=_HEAD + _ENTRY + _TAIL, title="an index of a few bytes")
def index_too_large(sitemap: Sitemap) -> Iterator[Problem]:
    """An index is larger than 52,428,800 bytes.

    The protocol's limit of 50 MiB applies to the uncompressed XML, for an index as for a sitemap.
    """
    size = sitemap.document.envelope.size
    if size > MAX_BYTES:
        yield Problem(
            sitemap.root_tag, f"{size:,} bytes uncompressed exceed the limit of {MAX_BYTES:,}; split the index"
        )


@index_info("I026", engines=READERS, cites=("sitemaps-protocol", "google-large"))
@bad("«<sitemap><loc>https://example.com/a.xml</loc></sitemap>»")
@good(f"{_ENTRY.decode()}<sitemap><loc>https://example.com/b.xml</loc><lastmod>2026-11-15</lastmod></sitemap>")
def index_without_lastmod(sitemap: Sitemap) -> Iterator[Problem]:
    """No child in the index has a lastmod.

    With the date of its last change for each child, crawlers can fetch only the sitemaps that changed.
    """
    count = len(sitemap.columns)
    if count and sitemap.lastmods[None] == count:
        none = "the only child has no lastmod" if count == 1 else f"none of {count:,} children has a lastmod"
        words = f"{none}, so crawlers cannot tell which files changed; add lastmod"
        yield Problem(sitemap.document.place(0), words, count=count, rows=range(count))


@index_info("I020", engines=READERS, cites=("sitemaps-faq",))
@bad("«<sitemap><loc>https://example.com/a.xml</loc></sitemap>»")
@good("<sitemap><loc>https://example.com/a.xml</loc></sitemap><sitemap><loc>https://example.com/b.xml</loc></sitemap>")
def index_of_one(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists a single sitemap.

    The sitemap could be submitted directly. An index is still a good choice for a growing site: the submitted
    URL stays the same.
    """
    if len(sitemap.columns) == 1:
        yield Problem(sitemap.document.place(0), "the index has only one child, which could be submitted directly")


_AT = "https://example.com/maps/index.xml"
_SOUND = "<sitemap><loc>https://example.com/maps/z.xml</loc></sitemap>"
_WEB = frozenset({"http", "https"})
_USUAL_PORTS = frozenset({("http", 80), ("https", 443)})


@index_error(
    "I006",
    needs=ADDRESS,
    partly=True,
    engines=(Engine.PROTOCOL, Engine.GOOGLE),
    cites=("sitemaps-protocol", "google-large"),
)
@bad(
    "<sitemap><loc>https://«other.com»/a.xml</loc></sitemap>"
    "<sitemap><loc>https://other.com/b.xml</loc></sitemap>"
    "<sitemap><loc>https://«www.example.com»/c.xml</loc></sitemap>",
    at=_AT,
)
@bad("<sitemap><loc>https://«example.com:8443»/a.xml</loc></sitemap>", at=_AT)
@bad(
    f"{_SOUND}<sitemap><loc>https://example.com/maps/y.xml</loc></sitemap>"
    "<sitemap><loc>https://«cdn.example.net»/a.xml</loc></sitemap>"
)
@good("<sitemap><loc>https://EXAMPLE.com:443/maps/a.xml</loc></sitemap>", at=_AT)
@good(_SOUND, at=_AT)
@good(f"{_SOUND}<sitemap><loc>http://EXAMPLE.com:80/a.xml</loc></sitemap>")
def child_on_other_host(sitemap: Sitemap) -> Iterator[Problem]:
    """Child sitemaps are on a different host than the index.

    An index may only list sitemaps of its own site. Crawlers read children on another host only if that site
    proves ownership: with a Sitemap line in its robots.txt, or in Search Console. If the URL of the index is
    unknown, an index with children on several hosts is a warning, because it cannot match all of them.
    """
    own = _origin(sitemap)
    if own is None:
        yield from _several_hosts(sitemap)
        return
    lifted = vouched(sitemap)
    for origin, rows in _by_origin(sitemap).items():
        if origin.scheme not in _WEB or _same_site(origin, own) or _site(origin) in lifted:
            continue
        child = Child(sitemap, rows[0])
        parts = child.address.parts
        start, end = parts.host or (0, len(child.loc))
        end = parts.port[1] if parts.port else end
        yield Problem(
            child.part(start, end),
            f"{_children(len(rows))} on {quoted(_beside(origin, own))}, "
            f"but the index is on {quoted(_beside(own, origin))}; list the index in the robots.txt of "
            f"{quoted(_site(origin))}{unplaced_robots(sitemap, _site(origin))} or use one index per host",
            count=len(rows),
            rows=sorted(rows),
        )


@index_warning("I007", needs=ADDRESS, engines=(Engine.GOOGLE,), cites=("google-large",))
@bad(
    f"{_SOUND}<sitemap><loc>https://example.com«/other/a.xml»</loc></sitemap>"
    "<sitemap><loc>https://example.com/b.xml</loc></sitemap>",
    at=_AT,
)
@bad("<sitemap><loc>https://example.com«/maps/../a.xml»</loc></sitemap>", at=_AT)
@good(f"{_SOUND}<sitemap><loc>https://example.com/maps/deep/a.xml</loc></sitemap>", at=_AT)
@good("<sitemap><loc>https://example.com/maps/a.php?from=/other/</loc></sitemap>", at=_AT)
@good("<sitemap><loc>https://example.com/any/a.xml</loc></sitemap>", at="https://example.com/sitemap.xml")
def child_outside_index_folder(sitemap: Sitemap) -> Iterator[Problem]:
    """Child sitemaps are outside the folder of the index.

    Google requires children in the folder of the index or below. An index at the root of the site has no such
    limit.
    """
    own = _origin(sitemap)
    folder = _folder(sitemap.document.url or "")
    if own is None or folder == "/":
        return
    outside: list[int] = []
    inside: dict[str, bool] = {}
    for origin, rows in _by_origin(sitemap).items():
        if not _same_site(origin, own):
            continue
        for row in rows:
            stem = (sitemap.columns.locs[row] or "").strip().partition("#")[0].partition("?")[0].rpartition("/")[0]
            if stem not in inside:
                inside[stem] = _folder(f"{stem}/").startswith(folder)
            if not inside[stem]:
                outside.append(row)
    if outside:
        child = Child(sitemap, min(outside))
        yield Problem(
            child.part(*child.address.parts.path),
            f"{_children(len(outside))} outside {quoted(folder)}, the folder of the index; move the index to the root",
            count=len(outside),
            rows=sorted(outside),
        )


@index_error("I009", needs=ADDRESS, engines=READERS, cites=("general-knowledge", "google-2006"))
@bad(f"<sitemap><loc>«{_AT}»</loc></sitemap>{_SOUND}", fixed=_SOUND, at=_AT)
@bad("<sitemap><loc>«HTTPS://Example.com:443/maps/index.xml#top»</loc></sitemap>", at=_AT)
@good(_SOUND, at=_AT)
@good("<sitemap><loc>https://example.com/maps/index.xml?page=2</loc></sitemap>", at=_AT)
@good("<sitemap><loc>https://example.com/maps/Index.xml</loc></sitemap>", at=_AT)
def index_lists_itself(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists itself as a child.

    Crawlers that follow it loop. Engines reject an index inside an index in any case.
    """
    if sitemap.address is None:
        return
    own = sitemap.address.key
    name = own.partition("?")[0].rpartition("/")[2]
    for row, loc in enumerate(sitemap.columns.locs):
        if loc is None or name not in loc or Address.parse(loc.strip()).key != own:
            continue
        several = len(sitemap.columns) > 1
        fix = remove_entries(sitemap.document, [row], "remove the entry", Safety.SAFE) if several else None
        yield Problem(Child(sitemap, row).whole(), "the index lists itself; remove the entry", fix)


@index_error("I021", needs=ADDRESS, engines=(Engine.PROTOCOL,), cites=("sitemaps-protocol", "general-knowledge"))
@bad(
    f"{_SOUND}<sitemap><loc>«http»://example.com/maps/a.xml</loc></sitemap>"
    "<sitemap><loc>http://example.com/maps/b.xml</loc></sitemap>",
    fixed=f"{_SOUND}<sitemap><loc>https://example.com/maps/a.xml</loc></sitemap>"
    "<sitemap><loc>https://example.com/maps/b.xml</loc></sitemap>",
    at=_AT,
)
@good("<sitemap><loc>HTTPS://example.com/maps/a.xml</loc></sitemap>", at=_AT)
@good(_SOUND, at=_AT)
def child_scheme_differs(sitemap: Sitemap) -> Iterator[Problem]:
    """Child sitemaps use a different scheme than the index.

    By the protocol, http and https are two sites, and an index may only list sitemaps of one site. Often the index
    moved to https but its template did not.
    """
    own = _origin(sitemap)
    if own is None:
        return
    schemes: dict[str, list[int]] = {}
    for origin, rows in _by_origin(sitemap).items():
        if origin.scheme in _WEB - {own.scheme} and origin.host == own.host:
            schemes.setdefault(origin.scheme, []).extend(rows)
    for scheme, rows in schemes.items():
        listed, written = sorted(rows), own.scheme.encode()
        places = (Child(sitemap, row).locate(0, len(scheme)) for row in listed)
        edits = tuple(Edit(place, written) for place in places)
        yield Problem(
            edits[0].place,
            f"{_children(len(rows))} at {scheme}://, but the index is at {own.scheme}://; use the same scheme",
            Fix(f"write {own.scheme}", edits, Safety.REVIEW),
            count=len(rows),
            rows=listed,
        )


def _several_hosts(sitemap: Sitemap) -> Iterator[Problem]:
    by_host: dict[str, list[int]] = {}
    for origin, rows in _by_origin(sitemap).items():
        by_host.setdefault(origin.host, []).extend(rows)
    if len(by_host) < 2:
        return
    main = max(by_host, key=lambda host: len(by_host[host]))
    for host, rows in by_host.items():
        if host != main:
            child = Child(sitemap, min(rows))
            yield Problem(
                child.part(*(child.address.parts.host or (0, len(child.loc)))),
                f"{_children(len(rows))} on {quoted(host)} and {_children(len(by_host[main]))} on {quoted(main)}; "
                "use one index per host",
                count=len(rows),
                rows=sorted(rows),
                severity=Severity.WARNING,
            )


def _origin(sitemap: Sitemap) -> Origin | None:
    """None for the URL of a file or an object store: its children are on the web."""
    home = home_of(sitemap)
    return home.origin if home is not None else None


def _by_origin(sitemap: Sitemap) -> dict[Origin, list[int]]:
    """Rows with absolute URLs by scheme, host, and port; each distinct origin is parsed once."""
    spelt: dict[str, list[int]] = {}
    only = only_origin(sitemap)
    if only is not None:
        spelt[only.text] = list(only.rows)
    for row, loc in enumerate(sitemap.columns.locs if only is None else ()):
        if loc:
            spelt.setdefault("/".join(loc.strip().split("/", 3)[:3]), []).append(row)
    found: dict[Origin, list[int]] = {}
    for spelling, rows in spelt.items():
        origin = Address.parse(spelling).origin
        if origin is not None:
            found.setdefault(origin, []).extend(rows)
    return found


def _same_site(origin: Origin, own: Origin) -> bool:
    """Host and port match; if the schemes differ, the ports do too, which another rule reports."""
    return origin.host == own.host and (origin.scheme != own.scheme or origin.port == own.port)


def _site(origin: Origin) -> str:
    """As `Address.site`."""
    return origin.host if (origin.scheme, origin.port) in _USUAL_PORTS else f"{origin.host}:{origin.port}"


def _beside(origin: Origin, other: Origin) -> str:
    """The host, with the port if either one is unusual, for comparison by the reader."""
    usual = all((each.scheme, each.port) in _USUAL_PORTS for each in (origin, other))
    return origin.host if usual else f"{origin.host}:{origin.port}"


def _folder(address: str) -> str:
    """The path up to its last slash, normalized as crawlers do."""
    path = Address.parse(address).key.partition("?")[0].split("/", 3)[3:]
    return f"/{path[0]}".rpartition("/")[0] + "/" if path else "/"


def _children(count: int) -> str:
    return "1 child sitemap is" if count == 1 else f"{count:,} child sitemaps are"
