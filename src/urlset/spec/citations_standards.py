"""Sources other than search engines: the protocol, its schemas, W3C, IETF and ISO."""

from __future__ import annotations

from urlset.spec.citation import Citation, Reading


def _rfc(key: str, number: int, title: str, says: str, *, how: Reading = Reading.KNOWLEDGE) -> Citation:
    url = f"https://www.rfc-editor.org/rfc/rfc{number}"
    return Citation(key, f"RFC {number}, {title}", url, says, how=how)


def _schema(key: str, url: str, title: str, says: str) -> Citation:
    return Citation(key, title, url, says, how=Reading.MIRROR)


STANDARDS: tuple[Citation, ...] = (
    Citation(
        "sitemaps-protocol",
        "Sitemaps XML format, protocol 0.9",
        "https://www.sitemaps.org/protocol.html",
        "elements, escaping, limits, index files, other formats, location rule, robots.txt line",
        read_on="2026-09-06",
        how=Reading.MIRROR,
    ),
    Citation(
        "sitemaps-faq",
        "Sitemaps frequently asked questions",
        "https://www.sitemaps.org/faq.html",
        "gzip only, one version of each page, no session ids, order of entries does not matter",
        how=Reading.MIRROR,
    ),
    _schema(
        "xsd-urlset",
        "https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        "XML schema of sitemap files (2008-03-26)",
        "child order, loc of 12 to 2048 characters, lastmod as xsd:date or xsd:dateTime, priority 0.0 to 1.0",
    ),
    _schema(
        "xsd-siteindex",
        "https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd",
        "XML schema of sitemap index files (2009-04-08)",
        "each sitemap element holds loc, then at most one lastmod, then foreign elements",
    ),
    _schema(
        "xsd-image",
        "https://www.google.com/schemas/sitemap-image/1.1/sitemap-image.xsd",
        "XML schema of the image extension 1.1",
        "loc, then optional caption, geo_location, title, license",
    ),
    _schema(
        "xsd-video",
        "https://www.google.com/schemas/sitemap-video/1.1/sitemap-video.xsd",
        "XML schema of the video extension 1.1",
        "the order, lengths, ranges and vocabularies of all video elements, withdrawn ones included",
    ),
    _schema(
        "xsd-news",
        "https://www.google.com/schemas/sitemap-news/0.9/sitemap-news.xsd",
        "XML schema of the news extension 0.9",
        "publication with name and language, dates, and the old access, genres, keywords, stock_tickers",
    ),
    _schema(
        "xsd-mobile",
        "https://www.google.com/schemas/sitemap-mobile/1.0/sitemap-mobile.xsd",
        "XML schema of the mobile extension 1.0",
        "one empty element, mobile",
    ),
    _schema(
        "xsd-pagemap",
        "https://www.google.com/schemas/sitemap-pagemap/1.0/sitemap-pagemap.xsd",
        "XML schema of the PageMap extension 1.0",
        "PageMap holds an optional Template and DataObjects of named Attributes",
    ),
    Citation(
        "chrome-xslt",
        "Chrome for Developers, removing XSLT",
        "https://developer.chrome.com/docs/web-platform/deprecating-xslt",
        "Chrome removes XSLT in November 2026, Firefox and Safari plan to follow; CSS and scripts stay",
        how=Reading.SECONDARY,
    ),
    Citation(
        "xsd-tested",
        "The official schemas run through libxml2",
        "https://gitlab.gnome.org/GNOME/libxml2",
        "which values the schemas really accept and reject, whatever their comments say",
        how=Reading.TESTED,
    ),
    Citation(
        "w3c-datetime",
        "Date and Time Formats, W3C Note (1998-08-27)",
        "https://www.w3.org/TR/NOTE-datetime",
        "six forms from YYYY to fractional seconds; a time always carries Z or a +hh:mm or -hh:mm offset",
        section="Formats",
        how=Reading.MIRROR,
    ),
    Citation(
        "xml10",
        "Extensible Markup Language 1.0, fifth edition",
        "https://www.w3.org/TR/xml/",
        "well-formedness, legal characters, encodings, the five predefined entities, optional declaration",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "xml-names",
        "Namespaces in XML 1.0, third edition",
        "https://www.w3.org/TR/xml-names/",
        "namespace names are compared character by character; every prefix must be declared",
        section="2.3",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "xml-schema-datatypes",
        "XML Schema Part 2: Datatypes, second edition",
        "https://www.w3.org/TR/xmlschema-2/",
        "what xsd:date, xsd:dateTime, xsd:decimal and xsd:anyURI allow",
        section="3.2",
        how=Reading.KNOWLEDGE,
    ),
    _rfc("rfc1123", 1123, "Requirements for Internet Hosts", "host names: labels of letters, digits, hyphens"),
    _rfc("rfc1952", 1952, "GZIP file format 4.3", "magic bytes, members, CRC-32 and size trailer"),
    _rfc("rfc3986", 3986, "URI: Generic Syntax", "legal characters, percent-encoding, normalisation"),
    _rfc("rfc3987", 3987, "Internationalized Resource Identifiers", "non-ASCII characters map to UTF-8 escapes"),
    _rfc("rfc4287", 4287, "The Atom Syndication Format", "feed, entry, link, updated"),
    _rfc(
        "rfc5646",
        5646,
        "Tags for Identifying Languages",
        "language, script and region subtags; x- private use",
    ),
    _rfc("rfc5890", 5890, "IDNA: Definitions", "A-labels and U-labels of internationalised host names"),
    _rfc("rfc2606", 2606, "Reserved Top Level DNS Names", "example.com, .net and .org are reserved for documentation"),
    _rfc(
        "rfc6761",
        6761,
        "Special-Use Domain Names",
        "localhost, test, invalid and example are never public sites",
    ),
    _rfc("rfc9110", 9110, "HTTP Semantics", "status codes, Content-Encoding, Retry-After"),
    _rfc(
        "rfc9309",
        9309,
        "Robots Exclusion Protocol",
        "groups, longest match, unavailable against unreachable, at least 500 KiB parsed",
        how=Reading.MIRROR,
    ),
    Citation(
        "rss20",
        "RSS 2.0 specification",
        "https://www.rssboard.org/rss-specification",
        "channel, item, link, pubDate",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "media-rss",
        "Media RSS specification 1.5.1",
        "https://www.rssboard.org/media-rss",
        "media:content, player, title, description, thumbnail, restriction, price",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "atom03",
        "The Atom Syndication Format 0.3 (draft)",
        "https://www.mnot.net/drafts/draft-nottingham-atom-format-02.html",
        "the draft that Atom 1.0 replaced, with its own namespace",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "iso-639",
        "ISO 639 language codes, parts 1 and 2",
        "https://www.loc.gov/standards/iso639-2/",
        "two-letter and three-letter codes, the withdrawn ones, bibliographic and terminology forms",
        how=Reading.SECONDARY,
    ),
    Citation(
        "iso-3166",
        "ISO 3166-1 country codes",
        "https://www.iso.org/iso-3166-country-codes.html",
        "249 officially assigned two-letter codes; others are reserved or left to users",
        how=Reading.SECONDARY,
    ),
    Citation(
        "iso-15924",
        "ISO 15924 script codes",
        "https://www.unicode.org/iso15924/",
        "four-letter script codes; Qaaa to Qabx are private",
        how=Reading.SECONDARY,
    ),
    Citation(
        "iso-4217",
        "ISO 4217 currency codes",
        "https://www.iso.org/iso-4217-currency-codes.html",
        "three upper-case letters",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "un-m49",
        "UN M.49 area codes",
        "https://unstats.un.org/unsd/methodology/m49/",
        "three-digit areas such as 419; legal in language tags, not read by search engines in hreflang",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "seen-in-the-wild",
        "Spellings found in public generators and sitemaps",
        "https://github.com/crawler-commons/crawler-commons",
        "wrong namespaces, old versions and near-miss vocabularies that published files carry",
        section="sitemaps/Namespace",
        how=Reading.SECONDARY,
    ),
    Citation(
        "own-policy",
        "The settings of the site itself",
        "",
        "what the owner of the site forbids and requires; no engine has a say in it",
        section="[tool.urlset.policy]",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "general-knowledge",
        "Common engineering knowledge",
        "",
        "no document was found that says so; kept apart from what is written down",
        how=Reading.KNOWLEDGE,
    ),
)
