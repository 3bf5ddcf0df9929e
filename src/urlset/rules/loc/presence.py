"""Is there a URL, is it absolute, does it use http or https, and is its length allowed?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.subjects import AnyRow
from urlset.findings.finding import replace
from urlset.model.address import Address
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Fix, Good, Has, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.loc.origins import READERS
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import LOC_LENGTH_BELOW, LOC_MAX_BYTES_BAIDU, LOC_MAX_LENGTH_XSD, LOC_MIN_LENGTH_XSD

# `example.com:8080/a` and `example.com/a` start with a host; the first even parses, with "example.com" as scheme.
_HOST_FIRST = lazy_pattern(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::[0-9]+)?(?=[/?#]|$)|localhost(?::[0-9]+)(?=[/?#]|$)")
_SCHEME_LATER = lazy_pattern(r"[^A-Za-z/?#][^/?#]*?(?=https?://)")
_QUOTATION_MARKS = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "<": ">"}
_PATH = lazy_pattern(r"[\w~%-][\w~%.-]*(?=[/?#]|$)")
_FILE_LIKE = frozenset({"html", "htm", "php", "asp", "aspx", "jsp", "xml", "txt", "pdf", "md"})


@rule(
    "L001",
    "empty-loc",
    when=Signal.EMPTY,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"),
    kinds=Has.URL_ELEMENTS,
    bad=("<url>«<loc></loc>»</url>", "<url>«<loc> </loc>»<lastmod>2026-11-15</lastmod></url>", "<url>«<loc/>»</url>"),
    good=(
        "<url><loc>https://example.com/</loc></url>",
        "<url><loc><![CDATA[https://example.com/]]></loc></url>",
    ),
)
def empty_loc(listed: ListedPage) -> Iterator[Problem]:
    """loc is empty.

    Without a URL, crawlers drop the entry with its dates, images, and alternates.
    """
    if listed.raw_loc is not None and not listed.loc:
        tags = listed.fields("loc")
        yield Problem(tags[0].place if tags else listed.place, "loc is empty; add the URL or remove the entry")


@rule(
    "L002",
    "relative-loc",
    when=Signal.NOT_WEB,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol", "sitemaps-faq", "google-build"),
    bad=(
        "<loc>«/page»</loc>",
        "<loc>«page.html»</loc>",
        "<loc>«www.example.com/page»</loc>",
        "<loc>«example.com:8080/page»</loc>",
        "<loc>«http:/example.com/page»</loc>",
        "<loc>«'»https://example.com/</loc>",
        Bad('<loc>«"»https://example.com/a"</loc>', fixed="<loc>https://example.com/a</loc>"),
        Bad("<loc>«&quot;»https://example.com/a&quot;</loc>", fixed="<loc>https://example.com/a</loc>"),
        Bad("<loc>«\u201c»https://example.com/a\u201d</loc>", fixed="<loc>https://example.com/a</loc>"),
        Bad(
            "<loc>«/page?a=1&amp;b=2»</loc>",
            at="https://example.com/maps/sitemap.xml",
            fixed="<loc>https://example.com/page?a=1&amp;b=2</loc>",
        ),
        Bad(
            "<loc>«//example.com/page»</loc>",
            at="https://example.com/sitemap.xml",
            fixed="<loc>https://example.com/page</loc>",
        ),
        Bad(
            "<loc>«example.com/page»</loc>",
            at="https://example.com/sitemap.xml",
            fixed="<loc>https://example.com/page</loc>",
        ),
    ),
    good=("<loc>HTTPS://example.com/page</loc>", "<loc>https://example.com/?next=/page</loc>"),
)
def relative_loc(listed: ListedPage) -> Iterator[Problem]:
    """A URL has no scheme or no host.

    URLs in a sitemap are not resolved against a base URL, so crawlers drop entries such as `/page`.
    """
    missing = missing_part(listed)
    if missing is None:
        return
    junk = before_scheme(listed.loc)
    if junk:
        message = f"{quoted(junk)} before the scheme makes the URL invalid; remove it"
        yield Problem(listed.part(0, len(junk)), message, _unquoted(listed))
        return
    yield Problem(
        listed.whole(),
        f"{quoted(listed.loc)} has no {missing}; write an absolute URL",
        _completed(listed),
    )


def before_scheme(loc: str) -> str:
    """The text before the scheme, such as a quotation mark."""
    junk = _SCHEME_LATER.match(loc)
    return "" if junk is None else junk[0]


def closing_mark(loc: str) -> str:
    """The quotation mark at the end that matches the one before the scheme."""
    mark = _QUOTATION_MARKS.get(before_scheme(loc), "")
    return mark if mark and loc.endswith(mark) else ""


def _unquoted(listed: ListedPage) -> Fix | None:
    closing, end = closing_mark(listed.loc), len(listed.loc)
    if not closing:
        return None
    return Fix("remove the quotation marks", listed.edits([(0, 1, ""), (end - 1, end, "")]), Safety.REVIEW)


def missing_part(listed: AnyRow) -> str | None:
    """What an absolute URL has and this one lacks; None for other problems, such as another scheme."""
    loc, address = listed.loc, listed.address
    if not loc or address.is_absolute:
        return None
    if address.scheme is None:
        return "scheme" if address.host or _names_host(loc) else "scheme and no host"
    if _names_host(loc):
        return "scheme"
    return "host" if address.parts.authority is None and address.scheme.lower() in ("http", "https") else None


def _names_host(loc: str) -> bool:
    match = _HOST_FIRST.match(loc)
    return match is not None and match[0].rpartition(".")[2].lower() not in _FILE_LIKE


def _completed(listed: ListedPage) -> Fix | None:
    """Completed only as far as the sitemap's own URL decides it; the base folder of `page.html` is unknown."""
    own = Address.parse(listed.context.base_url or listed.document.url or "")
    if not own.is_web or own.origin is None:
        return None
    loc = listed.loc
    authority = own.raw[slice(*own.parts.authority or (0, 0))]
    before = ""
    if loc.startswith("//"):
        before = f"{own.scheme}:"
    elif loc.startswith("/"):
        before = f"{own.scheme}://{authority}"
    elif _names_host(loc) and loc.lower().startswith(authority.lower()):
        before = f"{own.scheme}://"
    elif listed.context.base_url is not None and not _names_host(loc) and _PATH.match(loc):
        before = own.raw[: own.parts.path[1]].rstrip("/") + "/"
    if not before:
        return None
    reported = listed.context.base_url is not None and loc.startswith("/")
    safety = Safety.SAFE if reported else Safety.REVIEW
    return Fix(f"prepend {before!r}", lambda: (Edit(Place(listed.locate_whole().offset), before.encode()),), safety)


@rule(
    "L003",
    "scheme-not-http",
    when=Signal.NOT_WEB,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol", "xsd-tested"),
    bad=(
        "<loc>«ftp»://example.com/a</loc>",
        "<loc>«mailto»:me@example.com</loc>",
        "<loc>«javascript»:void(0)</loc>",
        "<loc>«htps»://example.com/a</loc>",
        "<sitemap><loc>«ftp»://example.com/a.xml</loc></sitemap>",
        r"<sitemap><loc>«C»:\sitemaps\a.xml</loc></sitemap>",
    ),
    good=("<loc>HTTP://example.com/a</loc>", "<loc>https://example.com/ftp://a</loc>"),
)
def scheme_not_http(listed: AnyRow) -> Iterator[Problem]:
    """The URL scheme is not http or https.

    Search engines only fetch URLs over http and https. The official schema accepts any scheme.
    """
    scheme, span = listed.address.scheme, listed.address.parts.scheme
    if scheme is None or span is None or scheme.lower() in ("http", "https"):
        return
    if listed.address.parts.authority is None and _names_host(listed.loc):
        return
    yield Problem(listed.part(*span), f"scheme {quoted(scheme)} is not supported; use http or https")


_BLANKS = lazy_pattern(r"[ \t\r\n]+")
_LONG = "https://example.com/" + "a" * (LOC_LENGTH_BELOW - 21)
"""one character below the limit"""


def collapsed(row: AnyRow) -> str:
    """As the schema counts it: trimmed, with runs of whitespace collapsed to one space."""
    return " ".join(part for part in _BLANKS.split(row.raw_loc or "") if part)


@rule(
    "L004",
    "loc-too-long",
    when=Signal.LONG,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"),
    bad=(
        Bad(f"<loc>{_LONG}«ab»</loc>", title="a URL of 2,049 characters"),
        Bad(f"<loc>{_LONG}«a»</loc>", title="a URL of 2,048 characters"),
    ),
    good=(
        Good(f"<loc>{_LONG}</loc>", title="a URL of 2,047 characters"),
        Good(f"<loc>{_LONG[:-2]}&amp;&amp;</loc>", title="2,047 characters, two of them written as &amp;"),
    ),
)
def loc_too_long(listed: AnyRow) -> Iterator[Problem]:
    """A URL is too long.

    The protocol allows fewer than 2,048 characters, the schema up to 2,048. A URL of exactly 2,048 characters
    is a risk; both reject a longer one.
    """
    length = len(collapsed(listed) if listed.context.engines == (Engine.XSD_STRICT,) else listed.loc)
    if length < LOC_LENGTH_BELOW or (length == LOC_MAX_LENGTH_XSD and listed.context.engines == (Engine.XSD_STRICT,)):
        return
    exactly = length == LOC_LENGTH_BELOW
    what = "the schema allows that, the protocol only 2,047" if exactly else "the limit is 2,047"
    yield Problem(
        listed.part(LOC_LENGTH_BELOW - 1, len(listed.loc)),
        f"the URL has {length:,} characters; {what}",
        severity=Severity.WARNING if exactly else None,
    )


@rule(
    "L005",
    "loc-below-schema-length",
    when=Signal.SHORT,
    severity=Severity.INFO,
    fails_schema=True,
    engines=(Engine.XSD_STRICT,),
    cites=("xsd-urlset", "xsd-tested"),
    kinds=Has.PROTOCOL,
    bad=(
        Bad("<loc>«http://a.io»</loc>", fixed="<loc>http://a.io/</loc>"),
        "<loc>«http://a.b/»</loc>",
        "<loc>«/»</loc>",
        "<loc>«short»</loc>",
        "<sitemap><loc>«/a.xml»</loc></sitemap>",
    ),
    good=("<loc>http://a.io/</loc>", "<loc>https://a.b/</loc>"),
)
def loc_below_schema_length(listed: AnyRow) -> Iterator[Problem]:
    """A URL is shorter than the official schema allows.

    The schema requires 12 characters. Shorter URLs exist, and all engines accept them; only strict validators
    reject them.
    """
    if not listed.loc or len(collapsed(listed)) >= LOC_MIN_LENGTH_XSD:
        return
    place, bare = listed.whole(), listed.address.parts.authority == (listed.loc.find("/") + 2, len(listed.loc))
    yield Problem(
        place,
        f"{quoted(listed.loc)} is shorter than {LOC_MIN_LENGTH_XSD} characters, the minimum of the schema",
        replace(place, f"{listed.loc}/", "add a trailing slash") if bare and listed.loc.isascii() else None,
    )


@rule(
    "L036",
    "loc-too-long-for-baidu",
    when=Signal.LONG_FOR_BAIDU,
    severity=Severity.INFO,
    engines=(Engine.BAIDU,),
    cites=("baidu-sitemap",),
    bad=(Bad(f"<loc>{_LONG[:256]}«aaa»</loc>", title="a URL of 259 bytes"),),
    good=(Good(f"<loc>{_LONG[:256]}</loc>", title="a URL of 256 bytes"),),
)
def loc_too_long_for_baidu(listed: AnyRow) -> Iterator[Problem]:
    """A URL is too long for Baidu.

    Baidu's help limits URLs to 256 bytes (copy from 2018).
    """
    loc = listed.loc
    if len(loc) * 4 <= LOC_MAX_BYTES_BAIDU:
        return
    written = loc.encode("utf-8", "surrogatepass")
    if len(written) > LOC_MAX_BYTES_BAIDU and len(loc) < LOC_LENGTH_BELOW:
        fits = len(written[:LOC_MAX_BYTES_BAIDU].decode("utf-8", "ignore"))
        yield Problem(
            listed.part(fits, len(loc)),
            f"the URL has {len(written):,} bytes; the limit for Baidu is {LOC_MAX_BYTES_BAIDU}",
        )
