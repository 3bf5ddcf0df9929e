"""XML namespace name → which vocabulary is meant, and how (wrongly) it was written; other formats by their root."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Annotated

import msgspec

from urlset.spec.lazy_pattern import lazy_pattern

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
MOBILE = "http://www.google.com/schemas/sitemap-mobile/1.0"
PAGEMAP = "http://www.google.com/schemas/sitemap-pagemap/1.0"
XHTML = "http://www.w3.org/1999/xhtml"
BAIDU_MOBILE = "http://www.baidu.com/schemas/sitemap-mobile/1/"
CODESEARCH = "http://www.google.com/codesearch/schemas/sitemap/1.0"
GEO = "http://www.google.com/geo/schemas/sitemap/1.0"
ATOM = "http://www.w3.org/2005/Atom"
ATOM03 = "http://purl.org/atom/ns#"
MEDIA = "http://search.yahoo.com/mrss/"
DCTERMS = "http://purl.org/dc/terms/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RSS10 = "http://purl.org/rss/1.0/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"


class Standing(StrEnum):
    """What a namespace is worth today."""

    CURRENT = "current"
    WITHDRAWN = "withdrawn"  # no engine reads it any more


class Namespace(msgspec.Struct, frozen=True):
    """A vocabulary that may occur in a sitemap or feed."""

    name: str
    uri: str
    prefix: str  # the prefix everyone uses; "" where it is the default namespace
    cites: tuple[str, ...]
    standing: Standing = Standing.CURRENT
    extension: bool = False  # allowed inside <url>


NAMESPACES: tuple[Namespace, ...] = (
    Namespace("sitemap", SITEMAP, "", ("sitemaps-protocol", "xsd-urlset")),
    Namespace("image", IMAGE, "image", ("google-image", "xsd-image"), extension=True),
    Namespace("video", VIDEO, "video", ("google-video", "xsd-video"), extension=True),
    Namespace("news", NEWS, "news", ("google-news", "xsd-news"), extension=True),
    Namespace("xhtml", XHTML, "xhtml", ("google-hreflang", "google-combine"), extension=True),
    Namespace("pagemap", PAGEMAP, "pagemap", ("google-pse", "xsd-pagemap"), extension=True),
    Namespace("mobile", MOBILE, "mobile", ("xsd-mobile", "google-combine"), Standing.WITHDRAWN, extension=True),
    Namespace("baidu-mobile", BAIDU_MOBILE, "mobile", ("baidu-sitemap", "seen-in-the-wild"), extension=True),
    Namespace("codesearch", CODESEARCH, "codesearch", ("seen-in-the-wild",), Standing.WITHDRAWN, extension=True),
    Namespace("geo", GEO, "geo", ("seen-in-the-wild",), Standing.WITHDRAWN, extension=True),
    Namespace("atom", ATOM, "atom", ("rfc4287", "google-build")),
    Namespace("atom03", ATOM03, "", ("atom03", "sitemaps-protocol")),
    Namespace("media", MEDIA, "media", ("media-rss", "google-video")),
    Namespace("dcterms", DCTERMS, "dcterms", ("google-video",)),
    Namespace("rdf", RDF, "rdf", ("general-knowledge",)),
    Namespace("rss10", RSS10, "", ("general-knowledge",)),
    Namespace("xsi", XSI, "xsi", ("xml-schema-datatypes", "sitemaps-protocol")),
    Namespace("xml", XML, "xml", ("xml-names",)),
)
BY_URI: dict[str, Namespace] = {namespace.uri: namespace for namespace in NAMESPACES}
BY_NAME: dict[str, Namespace] = {namespace.name: namespace for namespace in NAMESPACES}
# What an undeclared prefix means. Baidu shares Google's prefix, and Google's reading is the older one.
BY_PREFIX: dict[str, Namespace] = {
    namespace.prefix: namespace for namespace in reversed(NAMESPACES) if namespace.prefix
} | {"mobile": BY_NAME["mobile"]}

# Once right, replaced since (cites: seen-in-the-wild).
LEGACY: dict[str, str] = {
    "http://www.google.com/schemas/sitemap/0.84": SITEMAP,
    "http://www.google.com/schemas/sitemap-news/0.84": NEWS,
    "http://video.search.yahoo.com/mrss": MEDIA,
}

# Not derivable from a right one: documents about the vocabulary, or inventions (cites: seen-in-the-wild).
KNOWN_WRONG: dict[str, str] = {
    "http://www.w3.org/TR/xhtml11/xhtml11_schema.html": XHTML,
    "http://www.w3.org/2002/08/xhtml/xhtml1-strict.xsd": XHTML,
    "http://www.w3.org/2002/08/xhtml/xhtml1-transitional.xsd": XHTML,
    "http://www.w3.org/TR/xhtml/strict": XHTML,
    "http://www.w3.org/TR/xhtml1/strict": XHTML,
    "http://www.w3.org/2002/06/xhtml2": XHTML,
    "http://www.rssboard.org/media-rss": MEDIA,
    "http://www.google.com/schemas/sitemap-geo/1.0": GEO,
    "http://www.sitemaps.org/protocol.html": SITEMAP,
    "http://www.sitemaps.org": SITEMAP,
}


class Spelling(StrEnum):
    """One way in which a namespace name differs from the right one."""

    EXACT = "exact"
    LEGACY = "legacy"
    HTTPS = "https"
    HOST = "host"
    VERSION = "version"
    CASE = "case"
    TRAILING_SLASH = "trailing-slash"
    WHITESPACE = "whitespace"
    OTHER = "other-known-wrong"


class Recognised(msgspec.Struct, frozen=True):
    """The namespace that was meant, and every way in which it was misspelled."""

    namespace: Namespace
    faults: tuple[Spelling, ...] = ()

    @property
    def uri(self) -> str:
        """The right name."""
        return self.namespace.uri

    @property
    def written(self) -> Spelling:
        """The gravest fault, or EXACT."""
        return self.faults[0] if self.faults else Spelling.EXACT

    @property
    def exact(self) -> bool:
        """Whether it is the right name, character by character."""
        return not self.faults


# A name is scheme, "www.", the rest, and closing slashes; the rest in lowercase distinguishes names.
_PARTS = lazy_pattern(r"(?:(https?):)?(?://)?(www\.)?(.*?)([/#]*)", re.IGNORECASE | re.DOTALL)
_VERSIONED = lazy_pattern(r"(.*?)(?:([/.-])v?(\d+(?:\.\d+)*))?(/[\w-]+\.xsd)?")
# No known name comes near this; longer ones are not worth a place in the cache.
_LONGEST = 200


def _rest(uri: str) -> str:
    found = _PARTS.fullmatch(uri)
    return found[3].lower() if found else ""


_SPELLINGS: dict[str, tuple[str, str, tuple[Spelling, ...]]] = {
    **{_rest(wrong): (right, wrong, (Spelling.OTHER,)) for wrong, right in KNOWN_WRONG.items()},
    **{_rest(old): (right, old, (Spelling.LEGACY,)) for old, right in LEGACY.items()},
    **{_rest(uri): (uri, uri, ()) for uri in BY_URI},
}
_FAMILIES: dict[str, str] = {
    f"{host}/{path}": uri
    for host in ("sitemaps.org", "sitemap.org", "google.com")  # where people believe the schemas live
    for path, uri in (
        ("schemas/sitemap", SITEMAP),
        ("schemas/sitemap-image", IMAGE),
        ("schemas/sitemap-video", VIDEO),
        ("schemas/sitemap-news", NEWS),
        ("schemas/sitemap-mobile", MOBILE),
        ("schemas/sitemap-pagemap", PAGEMAP),
        ("codesearch/schemas/sitemap", CODESEARCH),
        ("geo/schemas/sitemap", GEO),
    )
} | {"baidu.com/schemas/sitemap-mobile": BAIDU_MOBILE}


def _by_family(rest: str) -> tuple[str, str, tuple[Spelling, ...]] | None:
    """A sitemap schema under the wrong host, with the wrong version, or named after its .xsd file."""
    found = _VERSIONED.fullmatch(rest)
    right = _FAMILIES.get(found[1]) if found else None
    if found is None or right is None:
        return None
    _, join, version, schema_file = found.groups()
    right_host, _, right_path = _rest(right).partition("/")
    faults = []
    if not rest.startswith(right_host + "/"):
        faults.append(Spelling.HOST)
    if version != right_path.rpartition("/")[2]:
        faults.append(Spelling.VERSION)
    if schema_file or join not in (None, "/"):
        faults.append(Spelling.OTHER)
    return right, f"http://www.{rest}", tuple(faults)


def _differences(text: str, reference: str) -> Iterator[Spelling]:
    """What separates a name from the spelling it was matched with, the rest being equal but for case."""
    written, model = _PARTS.fullmatch(text), _PARTS.fullmatch(reference)
    if written is None or model is None:
        return
    if written[1] is None:
        yield Spelling.OTHER
    elif written[1].lower() == "https":
        yield Spelling.HTTPS
    if (written[2] or "").lower() != (model[2] or ""):
        yield Spelling.HOST
    opening = (written[1] or "") + (written[2] or "")
    if opening != opening.lower() or written[3] != model[3]:
        yield Spelling.CASE
    if written[4] != model[4]:
        yield Spelling.TRAILING_SLASH


@lru_cache(maxsize=1024)
def _recognise(uri: str) -> Recognised | None:
    text = uri.strip()
    rest = _rest(text)
    match = _SPELLINGS.get(rest) or _by_family(rest)
    if match is None:
        return None
    right, reference, faults = match
    spaces = (Spelling.WHITESPACE,) if text != uri else ()
    every = tuple(dict.fromkeys((*faults, *_differences(text, reference), *spaces)))
    # Names are compared character by character, so whatever is not the right one has some fault.
    return Recognised(BY_URI[right], every if every or uri == right else (Spelling.OTHER,))


def recognise(uri: str) -> Recognised | None:
    """Say which known namespace a name means, or None when it resembles none of them."""
    return _recognise(uri) if len(uri) <= _LONGEST else None


def means(namespace: str) -> str:
    """The intended namespace."""
    recognised = recognise(namespace)
    return namespace if recognised is None else recognised.uri


def is_core(namespace: str) -> bool:
    return namespace == "" or means(namespace) == SITEMAP


# Root elements and namespaces of XML formats that are met where a sitemap is expected → what they are called.
# The strings after the type in every `Annotated` are keys of `urlset.spec.citations`.

XSLT = "http://www.w3.org/1999/XSL/Transform"

# Formats that are identified by the namespace of their root.
FORMATS_BY_NAMESPACE: Annotated[dict[str, str], "general-knowledge", "seen-in-the-wild"] = {
    "http://schemas.microsoft.com/AspNet/SiteMap-File-1.0": "ASP.NET site map",
    XSLT: "XSLT stylesheet",
    "http://www.w3.org/2000/svg": "SVG image",
    "http://www.w3.org/1999/xhtml": "XHTML page",
    "http://www.w3.org/2001/XMLSchema": "XML schema",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "RDF document",
    "http://maven.apache.org/POM/4.0.0": "Maven project",
    "http://www.opengis.net/kml/2.2": "KML map",
    "http://www.topografix.com/GPX/1/1": "GPX track",
    "http://docbook.org/ns/docbook": "DocBook document",
    "http://a9.com/-/spec/opensearch/1.1/": "OpenSearch description",
    "http://s3.amazonaws.com/doc/2006-03-01/": "S3 bucket listing",
    "http://schemas.xmlsoap.org/soap/envelope/": "SOAP message",
    "http://www.w3.org/2003/05/soap-envelope": "SOAP message",
}
# Formats without a namespace, by the name of their root in lowercase and, where several formats share it, of its
# first child.
FORMATS_BY_ROOT: Annotated[dict[tuple[str, str], str], "general-knowledge", "seen-in-the-wild"] = {
    ("sitemap", "sitemapnode"): "ASP.NET site map",
    ("sitemap", "area"): "Dynamics 365 site map",
    ("configuration", "sitecore"): "Sitecore configuration",
    ("configuration", ""): ".NET configuration",
    ("item", "version"): "Sitecore item",
    ("sitecore", ""): "Sitecore configuration",
    ("svg", ""): "SVG image",
    ("plist", ""): "property list",
    ("opml", ""): "OPML outline",
    ("kml", ""): "KML map",
    ("gpx", ""): "GPX track",
    ("project", ""): "project file",
    ("resources", ""): "Android resources",
    ("manifest", ""): "Android manifest",
    ("error", ""): "error message",
    ("listbucketresult", ""): "bucket listing",
    ("opensearchdescription", ""): "OpenSearch description",
    ("browserconfig", ""): "Windows tile configuration",
    ("cross-domain-policy", ""): "cross-domain policy",
    ("article", ""): "DocBook document",
    ("book", ""): "DocBook document",
}


def format_of(namespace: str, root: str, child: str) -> str | None:
    """The name of a format; None if it is not a known one."""
    root = root.lower()
    return (
        FORMATS_BY_NAMESPACE.get(namespace)
        or FORMATS_BY_ROOT.get((root, child.lower()))
        or FORMATS_BY_ROOT.get((root, ""))
    )
