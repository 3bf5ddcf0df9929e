"""Is the root a sitemap root, in the sitemap namespace? Is the file within the size limits, with URLs in it?"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator

from urlset.checking.declare import bad, error_rule, good, google_warning, reader_error, warning_rule
from urlset.findings.finding import delete, quoted, quoted_bytes, replace
from urlset.model.columns import Edit
from urlset.model.document import Root
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.reading.prolog import first_child
from urlset.rules import EVERYONE, Engine, Fix, Has, Kind, Problem, Safety, Severity, Sitemap
from urlset.rules.declarations import declared_namespaces, is_used, only_https, rewrite
from urlset.rules.xml.prolog import names_of
from urlset.rules.xml.wellformed import root_declarations, root_head
from urlset.spec import namespaces
from urlset.spec.engines import ENGINES
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import Spelling, format_of, recognise
from urlset.spec.protocol import MAX_TEXT_LINES, MAX_URLS, TEXT_SUFFIX, XML_ENTITIES

_NS = namespaces.SITEMAP
_ENTRY = "<url><loc>https://example.com/</loc></url></urlset>\n"
_SOUND = f'<urlset xmlns="{_NS}">' + _ENTRY
_CORE_TAG = lazy_pattern(rb"<(url|sitemap|loc|lastmod|changefreq|priority)(?=\s)([^<>]*)>")
_NO_NAMESPACE = lazy_pattern(rb"(?<!\s)\s++(xmlns\s*=\s*(?:\"\"|''))")
_UNPACKABLE = (TroubleKind.OTHER_COMPRESSION, TroubleKind.CORRUPT_GZIP, TroubleKind.TRUNCATED_GZIP)


@error_rule("S001", names_other=True, cites=("sitemaps-protocol", "google-large", "google-build"))
@bad(
    '<?xml version="1.0"?>\n«<sitemap»><loc>https://example.com/a.xml</loc></sitemap>\n',
    fixed=f'<?xml version="1.0"?>\n<sitemapindex xmlns="{_NS}">\n'
    "<sitemap><loc>https://example.com/a.xml</loc></sitemap>\n</sitemapindex>\n",
)
@bad('<?xml version="1.0"?>\n«<catalogue»><page>https://example.com/</page></catalogue>\n')
@bad(
    '<?xml version="1.0"?>\n«<siteMap» xmlns="http://schemas.microsoft.com/AspNet/SiteMap-File-1.0">'
    '<siteMapNode url="~/" title="Home"/></siteMap>\n',
    title="navigation of ASP.NET",
)
@bad('«{"sitemap": true}»\n')
@bad("«User-agent: *»\nDisallow:\n", at="https://example.com/sitemap.xml")
@good(
    _SOUND,
    f'<sitemapindex xmlns="{_NS}"><sitemap><loc>https://example.com/s.xml</loc></sitemap></sitemapindex>\n',
    '<rss version="2.0"><channel><item><link>https://example.com/</link></item></channel></rss>\n',
    "https://example.com/\n",
)
def not_a_sitemap_root(sitemap: Sitemap) -> Iterator[Problem]:
    """The document is not in a sitemap format.

    A sitemap is a <urlset>, a <sitemapindex>, an RSS 2.0 or Atom feed, or a plain text list of URLs. For any other
    root, engines report an unsupported format. An element that is only named like an entry, such as the <siteMap> of
    ASP.NET or Dynamics 365, is another format unless it contains a loc. Other formats are reported once and not fixed.
    """
    document = sitemap.document
    if document.troubles.has(TroubleKind.UNRENDERED):
        return
    for trouble in sitemap.troubles(TroubleKind.MISSING_ROOT):
        from urlset.fixing.roots import own_root

        tag = re.compile(rb"<[^\s/<>]*").match(sitemap.data, trouble.place.offset)
        place = between(*tag.span()) if tag else trouble.place
        words = (
            f"{quoted_bytes(place.cut(sitemap.data))} is outside a {trouble.detail}, so engines reject the file; "
            "add the root element"
        )
        yield Problem(place, words, own_root(document))
    if not document.kind.has & Has.WEB_PAGE and not any(sitemap.troubles(*_UNPACKABLE)):
        for trouble in sitemap.troubles(TroubleKind.NOT_A_SITEMAP):
            root, known = document.root, None
            if root is not None:
                known = format_of(root.namespace, root.local, first_child(document.data, root))
            place = trouble.place if root is None else root_head(document)
            message = (
                f"{quoted_bytes(place.cut(document.data))} does not start a urlset, sitemapindex, feed, or text list"
            )
            if known is not None:
                message = f"not a sitemap: {known}; publish a sitemap at this URL"
            yield Problem(place, message)
    named = [name for name in names_of(document) if not (name.startswith("robots") and name.endswith(".txt"))]
    expected = [name for name in named if name.removesuffix(".gz").endswith(".xml") or "sitemap" in name]
    if document.kind is Kind.ROBOTS and expected:
        first = re.compile(rb"[^\r\n]*").match(sitemap.data)
        place = between(*first.span()) if first else Place(0)
        message = f"{quoted(expected[0])} contains robots.txt lines, so engines find no URLs; publish the sitemap there"
        yield Problem(place, message)
    if document.kind is Kind.RSS and document.root is not None and document.root.local.lower() == "rdf":
        words = "RSS 1.0 is not a sitemap format; use RSS 2.0 or Atom"
        yield Problem(root_head(document), words, severity=Severity.WARNING)


def _own_root(sitemap: Sitemap) -> Root | None:
    root = sitemap.document.root
    return None if root is None or root.synthetic or root.namespace.startswith("urn:unbound:") else root


def _core_place(sitemap: Sitemap, root: Root) -> Place:
    """The place of the root's namespace URI."""
    declared = root_declarations(sitemap.document).get(root.written.rpartition(":")[0])
    return root_head(sitemap.document) if declared is None else declared.value_place


@error_rule("S002", cites=("sitemaps-protocol", "xsd-urlset"), kinds=Has.PROTOCOL)
@bad("«<urlset»>" + _ENTRY, fixed=_SOUND)
@bad(
    f'«<urlset» xmlns:image="{namespaces.IMAGE}">' + _ENTRY,
    fixed=f'<urlset xmlns="{_NS}" xmlns:image="{namespaces.IMAGE}">' + _ENTRY,
)
@bad(
    f'<urlset xmlns="{_NS}"><url «xmlns=""»><loc>https://example.com/a</loc></url>'
    '<url id="b" xmlns=""><loc>https://example.com/b</loc></url></urlset>\n',
    fixed=f'<urlset xmlns="{_NS}"><url><loc>https://example.com/a</loc></url>'
    '<url id="b"><loc>https://example.com/b</loc></url></urlset>\n',
)
@bad(f"<urlset xmlns=\"{_NS}\"><url><loc «xmlns=''»>https://example.com/</loc></url></urlset>\n", fixed=_SOUND)
@good(
    _SOUND,
    f'<s:urlset xmlns:s="{_NS}"><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset>\n',
    f'<urlset xmlns="{_NS}"><!-- <url xmlns=""> --><url><loc>https://example.com/</loc></url></urlset>\n',
)
def namespace_missing(sitemap: Sitemap) -> Iterator[Problem]:
    """The root has no namespace, or entries override it.

    The namespace makes a <urlset> a sitemap. Without it, strict parsers see unknown elements and report an incorrect
    namespace. Some programs add elements with xmlns="", which removes them from the namespace.
    """
    root = _own_root(sitemap)
    if root is not None and root.namespace and ":" not in root.written:
        yield from _undone(sitemap)
    if root is None or root.namespace:
        return
    place = root_head(sitemap.document)
    fix = replace(Place(place.end), f' xmlns="{_NS}"', "declare the sitemap namespace")
    message = f"<{root.written}> has no namespace, so strict parsers reject it; declare the sitemap namespace"
    yield Problem(place, message, fix)


def _undone(sitemap: Sitemap) -> Iterator[Problem]:
    """Core elements that namespace-aware parsers ignore because of an xmlns="", reported once for all."""
    columns, data = sitemap.columns, sitemap.data
    if not len(columns) or sitemap.last_of(b"xmlns") < columns.starts[0]:
        return
    places: list[Place] = []
    removals: list[Edit] = []
    element = b""
    for tag in _CORE_TAG.finditer(data, columns.starts[0]):
        undone = _NO_NAMESPACE.search(tag[2])
        if undone is not None and not sitemap.is_in_comment(tag.start()):
            element = element or tag[1]
            start, end = tag.start(2) + undone.start(1), tag.start(2) + undone.end()
            places.append(between(start, end))
            removals.append(Edit(between(tag.start(2) + undone.start(), end), b""))
    if places:
        others = f", and {len(places) - 1:,} more" if len(places) > 1 else ""
        yield Problem(
            places[0],
            f"{quoted_bytes(places[0].cut(data))} removes <{element.decode()}> from the sitemap namespace{others}, "
            "so strict parsers ignore it; remove the attribute",
            Fix('remove xmlns=""', tuple(removals)),
            count=len(places),
            places=places,
        )


@error_rule("S003", cites=("xsd-urlset", "sitemaps-protocol"), kinds=Has.PROTOCOL)
@bad(f'<urlset xmlns="«{_NS}/»">' + _ENTRY, fixed=_SOUND)
@bad('<urlset xmlns="«http://www.google.com/schemas/sitemap/0.9»">' + _ENTRY, fixed=_SOUND)
@bad('<urlset xmlns="«urn:my-sitemap»">' + _ENTRY, fixed=_SOUND)
@good(_SOUND, f"<urlset xmlns='{_NS}'>" + _ENTRY)
def namespace_wrong(sitemap: Sitemap) -> Iterator[Problem]:
    """The root namespace is not the sitemap namespace.

    Namespaces are compared character by character. A different version, a trailing slash, or a wrong host makes it a
    different namespace.
    """
    root = _own_root(sitemap)
    if root is None or root.namespace in ("", _NS):
        return
    meant = recognise(root.namespace)
    if meant is not None and (Spelling.LEGACY in meant.faults or (meant.uri == _NS and only_https(meant))):
        return
    place = _core_place(sitemap, root)
    safety = Safety.SAFE if meant is not None and meant.uri == _NS else Safety.REVIEW
    fix = replace(place, _NS, "write the sitemap namespace", safety) if b"<" not in place.cut(sitemap.data) else None
    message = f"{quoted(root.namespace)} is not the sitemap namespace, so strict parsers ignore the file; write {_NS}"
    yield Problem(place, message, fix)


@warning_rule("S004", fails_schema=True, cites=("seen-in-the-wild",), kinds=Has.PROTOCOL)
@bad('<urlset xmlns="«http://www.google.com/schemas/sitemap/0.84»">' + _ENTRY, fixed=_SOUND)
@good(_SOUND)
def namespace_legacy(sitemap: Sitemap) -> Iterator[Problem]:
    """The root namespace is from Google's 2005 sitemap format.

    Version 0.84 was replaced by the joint protocol 0.9 in 2006. Some parsers still accept it, but support is not
    guaranteed.
    """
    root = _own_root(sitemap)
    if root is None:
        return
    meant = recognise(root.namespace)
    if meant is not None and Spelling.LEGACY in meant.faults:
        place = _core_place(sitemap, root)
        fix = replace(place, _NS, "write the namespace of protocol 0.9")
        yield Problem(place, f"namespace {quoted(root.namespace)} was replaced in 2006; write {_NS}", fix)


@error_rule(
    "S005",
    engines={
        engine: Severity.ERROR if engine in (Engine.PROTOCOL, Engine.XSD_STRICT) else Severity.WARNING
        for engine in EVERYONE
    },
    cites=("google-2023", "xsd-urlset"),
    kinds=Has.PROTOCOL,
)
@bad(f'<urlset xmlns="«{_NS.replace("http:", "https:")}»">' + _ENTRY, fixed=_SOUND)
@bad(
    f'<urlset xmlns="{_NS}" xmlns:v="«{namespaces.VIDEO.replace("http:", "https:")}»">'
    "<url><loc>https://example.com/</loc><v:video/></url></urlset>",
    fixed=f'<urlset xmlns="{_NS}" xmlns:v="{namespaces.VIDEO}">'
    "<url><loc>https://example.com/</loc><v:video/></url></urlset>",
)
@good(_SOUND)
def namespace_https(sitemap: Sitemap) -> Iterator[Problem]:
    """A namespace starts with https:// instead of http://.

    A namespace is a name, not a link, so it does not change when the site moves to HTTPS. With https:// it is a
    different name, which only lenient parsers accept.
    """
    for declared in declared_namespaces(sitemap):
        meant = declared.recognised
        if meant is None or not only_https(meant):
            continue
        if (meant.uri == _NS or meant.namespace.extension) and is_used(sitemap, declared):
            yield Problem(
                declared.places[0],
                f"namespace {quoted(declared.uri)} is only accepted by lenient parsers; write {quoted(meant.uri)}",
                rewrite(declared, meant.uri),
                count=len(declared.places),
                places=declared.places,
            )


# Is a text sitemap a list of URLs, one per line, with the right file name?

# Is the file within the size limits, does it list any URL, and is a text sitemap a list of URLs?

_LINE = b"https://example.com/\n"
_LINE_END = lazy_pattern(rb"[ \t]*(?:\r\n|\r|\n|$)")
_ESCAPED = lazy_pattern(rb"&(amp|lt|gt|quot|apos);")


@error_rule("S030", cites=("sitemaps-protocol", "google-build"), kinds=Has.LINES, reports=(TroubleKind.NOT_AN_ADDRESS,))
@bad(
    "https://example.com/a\n«# products»\nhttps://example.com/b\n",
    fixed="https://example.com/a\nhttps://example.com/b\n",
)
@bad("https://example.com/a\n«2 pages»", fixed="https://example.com/a\n")
@good("https://example.com/a\n\n\nhttps://example.com/b", "https://example.com/a\r\nhttps://example.com/%23b\r\n")
def line_without_address(sitemap: Sitemap) -> Iterator[Problem]:
    """A line in a text sitemap is not a URL.

    A text sitemap contains one URL per line and nothing else: no header, no comments, no totals. Engines treat other
    lines as invalid URLs.
    """
    for trouble in sitemap.troubles(TroubleKind.NOT_AN_ADDRESS):
        place = trouble.place
        rest = _LINE_END.match(sitemap.data, place.end)
        line = between(place.offset, rest.end() if rest else place.end)
        comment = place.cut(sitemap.data).startswith(b"#")
        yield Problem(
            place,
            f"{quoted(trouble.detail)} is not a URL, so engines report the line as an error; remove it",
            delete(line, "remove the line", Safety.SAFE if comment else Safety.REVIEW),
        )


@error_rule("S031", cites=("sitemaps-protocol", "general-knowledge"), kinds=Has.LINES)
@bad("https://example.com/?a=1«&amp;»b=2\n", fixed="https://example.com/?a=1&b=2\n")
@bad(
    data=lambda: _LINE * (MAX_TEXT_LINES + 1),
    marks=((len(_LINE) * MAX_TEXT_LINES, len(_LINE) - 1),),
    title="a list of 50,001 URLs",
)
@good("https://example.com/?a=1&b=2\n")
@good(data=lambda: _LINE * MAX_TEXT_LINES, title="a list of 50,000 URLs")
@good(data=_LINE * 10 + b"\n" * 60_000, title="ten URLs and many blank lines")
def text_list_out_of_bounds(sitemap: Sitemap) -> Iterator[Problem]:
    """A text sitemap is too long, too large, or XML-escaped.

    A text sitemap may have up to 50,000 lines and 50 MiB. Plain text has no escaping: `&amp;` in a URL means those five
    characters, which is a different URL.
    """
    count = len(sitemap.columns)
    if count > MAX_TEXT_LINES:
        place = sitemap.document.place(MAX_TEXT_LINES)
        yield Problem(place, f"{count:,} URLs exceed the limit of {MAX_TEXT_LINES:,}; split the file")
    yield from bytes_over_limit(sitemap)
    for match in _ESCAPED.finditer(sitemap.data):
        character = XML_ENTITIES[match[1].decode()]
        place = between(*match.span())
        yield Problem(
            place,
            f"{quoted_bytes(match.group())} is not unescaped in a text sitemap; write {quoted(character)}",
            replace(place, character, f"write {character}", Safety.REVIEW),
        )


@google_warning("S032", cites=("google-build", "sitemaps-protocol"), kinds=Has.LINES | Has.XML)
@bad("«»https://example.com/\n", at="https://example.com/urls.list")
@bad(
    f'«<urlset» xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n',
    at="https://example.com/sitemap.txt",
)
@good("<url><loc>https://example.com/</loc></url>", at="https://example.com/sitemap.xml")
@good("https://example.com/\n", at="https://example.com/sitemap.txt")
@good("https://example.com/\n", at="https://example.com/sitemap.TXT?v=2")
@good("https://example.com/\n")
def text_list_name(sitemap: Sitemap) -> Iterator[Problem]:
    """A text sitemap does not end in .txt, or an XML sitemap does.

    Google requires .txt for text sitemaps and reads each line of such a file as a URL. The protocol allows any name.
    """
    names = [name.removesuffix(".gz") for name in names_of(sitemap.document)]
    if sitemap.kind is not Kind.TEXT:
        if names and names[0].endswith(TEXT_SUFFIX) and sitemap.document.root is not None:
            words = (
                f"{quoted(names[0])} contains XML, but each line of a {TEXT_SUFFIX} file is read as a URL; rename it"
            )
            yield Problem(root_head(sitemap.document), words)
        return
    reported = [name for name in names if "." in name[1:]]
    if sitemap.document.url is not None:
        reported = names[:1]
    if reported and not reported[0].endswith(TEXT_SUFFIX):
        yield Problem(
            Place(0), f"{quoted(reported[0])} does not end in {TEXT_SUFFIX}, which Google requires; rename it"
        )


_HEAD = f'<urlset xmlns="{namespaces.SITEMAP}">'.encode()
_ENTRY_BYTES = b"<url><loc>https://example.com/</loc></url>"
_SMALLEST = ENGINES[Engine.BAIDU].max_bytes
_MEMBER = 1 << 18
_SPOILT = (
    TroubleKind.ENTRY_LOST,
    TroubleKind.TRUNCATED,
    TroubleKind.TRUNCATED_GZIP,
    TroubleKind.CORRUPT_GZIP,
    TroubleKind.TOO_DEEP,
    TroubleKind.TOKEN_TOO_LONG,
    TroubleKind.TOO_DAMAGED,
    TroubleKind.TOO_MANY_ENTRIES,
    TroubleKind.BROKEN_ROOT,
)


def _listing(entries: int) -> bytes:
    return _HEAD + _ENTRY_BYTES * entries + b"</urlset>"


def _packed(blanks: int) -> bytes:
    """Gzip members are concatenated when decompressed, so a few kilobytes represent a large file."""
    return gzip.compress(_listing(1), mtime=0) + gzip.compress(b"\n" * _MEMBER, mtime=0) * (blanks // _MEMBER)


def bytes_over_limit(sitemap: Sitemap) -> Iterator[Problem]:
    """The file size against the smallest limit of the selected engines."""
    size = sitemap.document.envelope.size
    strict = [engine for engine in sitemap.context.engines if size > ENGINES[engine].max_bytes]
    if not strict:
        return
    limit = min(ENGINES[engine].max_bytes for engine in strict)
    readers = ", ".join(ENGINES[engine].title for engine in strict if ENGINES[engine].max_bytes == limit)
    at_least = "" if sitemap.document.envelope.complete else "at least "
    yield Problem(
        Place(min(limit, len(sitemap.data))),
        f"the file has {at_least}{size:,} bytes uncompressed; the limit is {limit:,} ({readers}); split the file",
    )


@reader_error(
    "S007",
    cites=("sitemaps-protocol", "google-build", "yandex-sitemap", "bing-2025"),
    kinds=Has.URL_ELEMENTS | Has.FEED,
)
@bad(
    data=lambda: _listing(MAX_URLS + 1),
    marks=((len(_HEAD) + len(_ENTRY_BYTES) * MAX_URLS, 5),),
    title="a urlset with 50,001 entries",
)
@good(data=lambda: _listing(MAX_URLS), title="a urlset with 50,000 entries")
def too_many_urls(sitemap: Sitemap) -> Iterator[Problem]:
    """The sitemap lists more than 50,000 URLs.

    Engines report an error and may ignore the rest. Split the list into several files and list them in an index, as
    `urlset fix --at URL` does. Images and alternates inside an entry do not count.
    """
    count = len(sitemap.columns)
    if count > MAX_URLS:
        start = sitemap.columns.starts[MAX_URLS]
        tag_end = sitemap.data.find(b">", start) + 1 or start
        yield Problem(
            Place(start, tag_end - start),
            f"{count:,} entries exceed the limit of {MAX_URLS:,} by {count - MAX_URLS:,}; split the file",
        )


@reader_error(
    "S008",
    cites=("sitemaps-protocol", "google-build", "yandex-errors", "baidu-sitemap"),
    kinds=Has.URL_ELEMENTS | Has.FEED,
)
@bad(
    data=lambda: _packed(_SMALLEST),
    marks=((_SMALLEST, 0),),
    title="a urlset of 10 MiB and 100 bytes uncompressed, with Baidu selected",
)
@good(data=lambda: _packed(1 << 21), title="a urlset of 2 MiB")
def too_many_bytes(sitemap: Sitemap) -> Iterator[Problem]:
    """The sitemap is larger than 50 MiB uncompressed.

    The limit of 52,428,800 bytes applies before compression; Baidu's limit is 10 MiB. Split the file and list the parts
    in an index, as `urlset fix --at URL` does.
    """
    yield from bytes_over_limit(sitemap)


@warning_rule(
    "S009",
    fails_schema=True,
    cites=("xsd-urlset", "xsd-tested", "google-news", "gsc-report"),
    kinds=Has.URL_ELEMENTS | Has.FEED,
)
@bad(
    f'«<urlset» xmlns="{namespaces.SITEMAP}"></urlset>\n',
    f'«<urlset» xmlns="{namespaces.SITEMAP}"/>\n',
    '«<rss» version="2.0"><channel><title>News</title></channel></rss>\n',
)
@good(f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n')
def entries_missing(sitemap: Sitemap) -> Iterator[Problem]:
    """The sitemap lists no URLs.

    The schema requires at least one entry, and Google warns about an empty sitemap. For a news sitemap without articles
    from the last two days this is harmless.
    """
    if len(sitemap.columns) or any(sitemap.troubles(*_SPOILT)):
        return
    root = sitemap.document.root
    news = root is not None and namespaces.NEWS in root.declared.values()
    yield Problem(
        root_head(sitemap.document),
        "the sitemap lists no URLs; " + ("harmless if no news is recent" if news else "add at least one"),
        severity=Severity.INFO if news and Engine.XSD_STRICT not in sitemap.context.engines else None,
    )
