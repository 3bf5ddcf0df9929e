"""Has an index as many children, and as many bytes, as it may have?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.examples import wrap
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.model.trouble import TroubleKind
from urlset.rules.lastmod.faults import READERS
from urlset.spec.protocol import MAX_BYTES, MAX_INDEX_ENTRIES

_ENTRY = b"<sitemap><loc>https://example.com/a.xml</loc></sitemap>\n"
_HEAD, _TAIL = (part.encode() for part in wrap("|", "sitemapindex").split("|"))


@rule(
    "I001",
    "empty-index",
    on=Sitemap,
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

    The schema wants at least one. An index without children is valid XML that says nothing: usually the
    generator found no data.
    """
    if not len(sitemap.columns) and not any(sitemap.troubles(TroubleKind.ENTRY_LOST)):
        yield Problem(sitemap.root_tag, "the index lists no sitemap, so crawlers find nothing through it")


@rule(
    "I002",
    "too-many-children",
    on=Sitemap,
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

    That is the limit of the protocol, shared by Google and Bing; what an engine does with the rest is not
    said. A second index, submitted beside the first, takes them.
    """
    count = len(sitemap.columns)
    if count > MAX_INDEX_ENTRIES:
        yield Problem(
            sitemap.document.place(MAX_INDEX_ENTRIES),
            f"{count:,} child sitemaps, and {MAX_INDEX_ENTRIES:,} are allowed: from here on they may not be read",
            count=count - MAX_INDEX_ENTRIES,
        )


@rule(
    "I003",
    "index-too-large",
    on=Sitemap,
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol",),
    bad=(),
    good=(Good(data=_HEAD + _ENTRY + _TAIL, title="an index of a few bytes"),),
)
def index_too_large(sitemap: Sitemap) -> Iterator[Problem]:
    """An index has more than 52,428,800 bytes.

    The protocol counts 50 MiB of unpacked XML for an index as it does for a sitemap, whatever the size of
    the compressed file.
    """
    size = sitemap.document.envelope.size
    if size > MAX_BYTES:
        yield Problem(
            sitemap.root_tag,
            f"{size:,} bytes unpacked, and {MAX_BYTES:,} are allowed: the index may be cut off or refused",
        )


@rule(
    "I020",
    "index-of-one",
    on=Sitemap,
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

    The sitemap could be submitted by itself. An index is still a good choice for a site that will grow:
    the submitted address then stays the same.
    """
    if len(sitemap.columns) == 1:
        yield Problem(sitemap.document.place(0), "the only child of this index: it could be submitted by itself")
