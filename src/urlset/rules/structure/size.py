"""Is the file within the size limits, and does it list any URL?"""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.rules import Bad, Engine, Good, Kind, Problem, Severity, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.xml.root_tag import root_head
from urlset.spec import namespaces
from urlset.spec.engines import ENGINES
from urlset.spec.protocol import MAX_URLS

_HEAD = f'<urlset xmlns="{namespaces.SITEMAP}">'.encode()
_ENTRY = b"<url><loc>https://example.com/</loc></url>"
_SMALLEST = ENGINES[Engine.BAIDU].max_bytes
_MEMBER = 1 << 18
_FEEDS = (Kind.RSS, Kind.ATOM)
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
    kinds=(Kind.URLSET, *_FEEDS),
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
    kinds=(Kind.URLSET, *_FEEDS),
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
    kinds=(Kind.URLSET, *_FEEDS),
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
