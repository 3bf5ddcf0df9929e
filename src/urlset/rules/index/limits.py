"""Is the index within the limits for children and bytes?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.examples import wrap
from urlset.model.trouble import TroubleKind
from urlset.rules import Bad, Good, Kind, Problem, Severity, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.spec.protocol import MAX_BYTES, MAX_INDEX_ENTRIES

_ENTRY = b"<sitemap><loc>https://example.com/a.xml</loc></sitemap>\n"
_HEAD, _TAIL = (part.encode() for part in wrap("|", "sitemapindex").split("|"))


@rule(
    "I001",
    "empty-index",
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("xsd-siteindex",),
    bad=(
        '«<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">»</sitemapindex>',
        '«<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>»',
    ),
    good=("<sitemap><loc>https://example.com/a.xml</loc></sitemap>",),
)
def empty_index(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists no sitemap.

    The schema requires at least one child. An index without children is usually the result of a generator that
    found no data.
    """
    if not len(sitemap.columns) and not any(sitemap.troubles(TroubleKind.ENTRY_LOST)):
        yield Problem(sitemap.root_tag, "the index lists no sitemap; add at least one")


@rule(
    "I002",
    "too-many-children",
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol", "google-large", "bing-2025"),
    bad=(
        Bad(
            data=lambda: _HEAD + _ENTRY * (MAX_INDEX_ENTRIES + 1) + _TAIL,
            marks=((len(_HEAD) + len(_ENTRY) * MAX_INDEX_ENTRIES, len(_ENTRY) - 1),),
            title="an index with 50,001 children",
        ),
    ),
    good=(Good(data=lambda: _HEAD + _ENTRY * MAX_INDEX_ENTRIES + _TAIL, title="an index with 50,000 children"),),
)
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


@rule(
    "I003",
    "index-too-large",
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol",),
    bad=(),
    good=(Good(data=_HEAD + _ENTRY + _TAIL, title="an index of a few bytes"),),
)
def index_too_large(sitemap: Sitemap) -> Iterator[Problem]:
    """An index is larger than 52,428,800 bytes.

    The protocol's limit of 50 MiB applies to the uncompressed XML, for an index as for a sitemap.
    """
    size = sitemap.document.envelope.size
    if size > MAX_BYTES:
        yield Problem(
            sitemap.root_tag,
            f"{size:,} bytes uncompressed exceed the limit of {MAX_BYTES:,}; split the index",
        )


@rule(
    "I026",
    "index-without-lastmod",
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol", "google-large"),
    bad=("«<sitemap><loc>https://example.com/a.xml</loc></sitemap>»",),
    good=(f"{_ENTRY.decode()}<sitemap><loc>https://example.com/b.xml</loc><lastmod>2026-11-15</lastmod></sitemap>",),
)
def index_without_lastmod(sitemap: Sitemap) -> Iterator[Problem]:
    """No child in the index has a lastmod.

    With the date of its last change for each child, crawlers can fetch only the sitemaps that changed.
    """
    count = len(sitemap.columns)
    if count and sitemap.lastmods[None] == count:
        none = "the only child has no lastmod" if count == 1 else f"none of {count:,} children has a lastmod"
        words = f"{none}, so crawlers cannot tell which files changed; add lastmod"
        yield Problem(sitemap.document.place(0), words, count=count, rows=range(count))


@rule(
    "I020",
    "index-of-one",
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-faq",),
    bad=("«<sitemap><loc>https://example.com/a.xml</loc></sitemap>»",),
    good=(
        "<sitemap><loc>https://example.com/a.xml</loc></sitemap><sitemap><loc>https://example.com/b.xml</loc></sitemap>",
    ),
)
def index_of_one(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists a single sitemap.

    The sitemap could be submitted directly. An index is still a good choice for a growing site: the submitted
    URL stays the same.
    """
    if len(sitemap.columns) == 1:
        yield Problem(sitemap.document.place(0), "the index has only one child, which could be submitted directly")
