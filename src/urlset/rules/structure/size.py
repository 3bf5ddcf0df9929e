"""Is the file within the size limits, does it list any URL, and is a text sitemap a list of URLs?"""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from urlset.findings.finding import delete, replace
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import Bad, Engine, Good, Has, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.quoting import quoted, quoted_bytes
from urlset.rules.xml.compression import names_of
from urlset.rules.xml.repairs import root_head
from urlset.spec import namespaces
from urlset.spec.engines import ENGINES
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_TEXT_LINES, MAX_URLS, TEXT_SUFFIX, XML_ENTITIES

# Is a text sitemap a list of URLs, one per line, with the right file name?

_LINE = b"https://example.com/\n"
_LINE_END = lazy_pattern(rb"[ \t]*(?:\r\n|\r|\n|$)")
_ESCAPED = lazy_pattern(rb"&(amp|lt|gt|quot|apos);")


@rule(
    "S030",
    "line-without-address",
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "google-build"),
    kinds=Has.LINES,
    bad=(
        Bad(
            "https://example.com/a\n«# products»\nhttps://example.com/b\n",
            fixed="https://example.com/a\nhttps://example.com/b\n",
        ),
        Bad("https://example.com/a\n«2 pages»", fixed="https://example.com/a\n"),
    ),
    good=("https://example.com/a\n\n\nhttps://example.com/b", "https://example.com/a\r\nhttps://example.com/%23b\r\n"),
    reports=(TroubleKind.NOT_AN_ADDRESS,),
)
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


@rule(
    "S031",
    "text-list-out-of-bounds",
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "general-knowledge"),
    kinds=Has.LINES,
    bad=(
        Bad("https://example.com/?a=1«&amp;»b=2\n", fixed="https://example.com/?a=1&b=2\n"),
        Bad(
            data=lambda: _LINE * (MAX_TEXT_LINES + 1),
            marks=((len(_LINE) * MAX_TEXT_LINES, len(_LINE) - 1),),
            title="a list of 50,001 URLs",
        ),
    ),
    good=(
        "https://example.com/?a=1&b=2\n",
        Good(data=lambda: _LINE * MAX_TEXT_LINES, title="a list of 50,000 URLs"),
        Good(data=_LINE * 10 + b"\n" * 60_000, title="ten URLs and many blank lines"),
    ),
)
def text_list_out_of_bounds(sitemap: Sitemap) -> Iterator[Problem]:
    """A text sitemap is too long, too large, or XML-escaped.

    A text sitemap may have up to 50,000 lines and 50 MiB. Plain text has no escaping: `&amp;` in a URL means those five
    characters, which is a different URL.
    """
    count = len(sitemap.columns)
    if count > MAX_TEXT_LINES:
        place = sitemap.document.place(MAX_TEXT_LINES)
        yield Problem(place, f"{count:,} URLs exceed the limit of {MAX_TEXT_LINES:,}; split the file")
    yield from too_many_bytes(sitemap)
    for match in _ESCAPED.finditer(sitemap.data):
        character = XML_ENTITIES[match[1].decode()]
        place = between(*match.span())
        yield Problem(
            place,
            f"{quoted_bytes(match.group())} is not unescaped in a text sitemap; write {quoted(character)}",
            replace(place, character, f"write {character}", Safety.REVIEW),
        )


@rule(
    "S032",
    "text-list-name",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-build", "sitemaps-protocol"),
    kinds=Has.LINES | Has.XML,
    bad=(
        Bad("«»https://example.com/\n", at="https://example.com/urls.list"),
        Bad(
            f'«<urlset» xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n',
            at="https://example.com/sitemap.txt",
        ),
    ),
    good=(
        Good("<url><loc>https://example.com/</loc></url>", at="https://example.com/sitemap.xml"),
        Good("https://example.com/\n", at="https://example.com/sitemap.txt"),
        Good("https://example.com/\n", at="https://example.com/sitemap.TXT?v=2"),
        Good("https://example.com/\n"),
    ),
)
def text_list_name(sitemap: Sitemap) -> Iterator[Problem]:
    """A text sitemap does not end in .txt, or an XML sitemap does.

    Google requires .txt for text sitemaps and reads each line of such a file as a URL. The protocol allows any name.
    """
    if sitemap.kind is not Kind.TEXT:
        yield from _xml_named_as_text(sitemap)
        return
    names = [name.removesuffix(".gz") for name in names_of(sitemap.document)]
    reported = [name for name in names if "." in name[1:]]
    if sitemap.document.url is not None:
        reported = names[:1]
    if reported and not reported[0].endswith(TEXT_SUFFIX):
        yield Problem(
            Place(0), f"{quoted(reported[0])} does not end in {TEXT_SUFFIX}, which Google requires; rename it"
        )


def _xml_named_as_text(sitemap: Sitemap) -> Iterator[Problem]:
    names = [name.removesuffix(".gz") for name in names_of(sitemap.document)]
    if names and names[0].endswith(TEXT_SUFFIX) and sitemap.document.root is not None:
        words = f"{quoted(names[0])} contains XML, but each line of a {TEXT_SUFFIX} file is read as a URL; rename it"
        yield Problem(root_head(sitemap.document), words)


_HEAD = f'<urlset xmlns="{namespaces.SITEMAP}">'.encode()
_ENTRY = b"<url><loc>https://example.com/</loc></url>"
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
    return _HEAD + _ENTRY * entries + b"</urlset>"


def _packed(blanks: int) -> bytes:
    """Gzip members are concatenated when decompressed, so a few kilobytes represent a large file."""
    return gzip.compress(_listing(1), mtime=0) + gzip.compress(b"\n" * _MEMBER, mtime=0) * (blanks // _MEMBER)


def too_many_bytes(sitemap: Sitemap) -> Iterator[Problem]:
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


@rule(
    "S007",
    "too-many-urls",
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol", "google-build", "yandex-sitemap", "bing-2025"),
    kinds=Has.URL_ELEMENTS | Has.FEED,
    bad=(
        Bad(
            data=lambda: _listing(MAX_URLS + 1),
            marks=((len(_HEAD) + len(_ENTRY) * MAX_URLS, 5),),
            title="a urlset with 50,001 entries",
        ),
    ),
    good=(Good(data=lambda: _listing(MAX_URLS), title="a urlset with 50,000 entries"),),
)
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


@rule(
    "S008",
    "too-many-bytes",
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol", "google-build", "yandex-errors", "baidu-sitemap"),
    kinds=Has.URL_ELEMENTS | Has.FEED,
    bad=(
        Bad(
            data=lambda: _packed(_SMALLEST),
            marks=((_SMALLEST, 0),),
            title="a urlset of 10 MiB and 100 bytes uncompressed, with Baidu selected",
        ),
    ),
    good=(Good(data=lambda: _packed(1 << 21), title="a urlset of 2 MiB"),),
)
def size_over_limit(sitemap: Sitemap) -> Iterator[Problem]:
    """The sitemap is larger than 50 MiB uncompressed.

    The limit of 52,428,800 bytes applies before compression; Baidu's limit is 10 MiB. Split the file and list the parts
    in an index, as `urlset fix --at URL` does.
    """
    yield from too_many_bytes(sitemap)


@rule(
    "S009",
    "entries-missing",
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("xsd-urlset", "xsd-tested", "google-news", "gsc-report"),
    kinds=Has.URL_ELEMENTS | Has.FEED,
    bad=(
        f'«<urlset» xmlns="{namespaces.SITEMAP}"></urlset>\n',
        f'«<urlset» xmlns="{namespaces.SITEMAP}"/>\n',
        '«<rss» version="2.0"><channel><title>News</title></channel></rss>\n',
    ),
    good=(f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n',),
)
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
