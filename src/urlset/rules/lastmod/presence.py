"""How many URLs in a file have a lastmod, and how precise is it?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.examples import wrap
from urlset.rules import Bad, Engine, Good, Kind, Problem, Severity, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.media.tags import tags
from urlset.spec import namespaces

# Crawlers visit all pages of a very small site anyway.
_FEW = 20
_DAY = len("2026-11-15")
_DATED = "<url><loc>https://example.com/a</loc><lastmod>2026-11-15T10:00:00Z</lastmod></url>"


_NEWS_DECLARED = f'xmlns:news="{namespaces.NEWS}"'
_NEWS = (
    "<news:news><news:publication><news:name>The Example Times</news:name><news:language>en</news:language>"
    "</news:publication><news:publication_date>2026-11-15</news:publication_date>"
    "<news:title>Storm reaches the coast</news:title></news:news>"
)


def _undated(count: int, *, marked: bool = False) -> str:
    entries = [f"<url><loc>https://example.com/page-{number}</loc></url>" for number in range(count)]
    if marked:
        entries[0] = f"«{entries[0]}»"
    return "\n".join(entries)


@rule(
    "D018",
    "lastmod-missing-everywhere",
    kinds=(Kind.URLSET,),
    severity=Severity.WARNING,
    engines={Engine.GOOGLE: Severity.INFO, Engine.BING: Severity.WARNING},
    cites=("bing-2023", "google-2023"),
    bad=(
        Bad(wrap(_undated(20, marked=True)), title="20 entries without any <lastmod>"),
        Bad(
            wrap(_undated(20, marked=True)).replace("<urlset", f"<urlset {_NEWS_DECLARED}"),
            title="20 entries without any <lastmod>, and a news namespace that is not used",
        ),
    ),
    good=(
        Good(wrap(_undated(19)), title="19 entries: few enough to be crawled without lastmod"),
        Good(
            wrap(_undated(20) + "<url><loc>https://example.com/</loc><lastmod>2026-11-15</lastmod></url>"),
            title="one entry of 21 has a <lastmod>",
        ),
        Good(
            wrap(_undated(20)).replace("</url>", f"{_NEWS}</url>").replace("<urlset", f"<urlset {_NEWS_DECLARED}"),
            title="20 news articles, which have their own dates",
        ),
        Good(
            "".join(f"https://example.com/page-{number}\n" for number in range(20)),
            title="a text sitemap, which cannot contain dates",
        ),
    ),
)
def lastmod_missing_everywhere(sitemap: Sitemap) -> Iterator[Problem]:
    """No URL in the file has a lastmod.

    lastmod is the field that engines use most: Bing calls it the most important tag, and Google schedules
    crawls by it if it is accurate. Files with fewer than 20 URLs and news sitemaps, which have their own
    dates, are not reported.
    """
    count = len(sitemap.columns)
    if count >= _FEW and sitemap.lastmods[None] == count and not lists_news(sitemap):
        yield Problem(
            sitemap.document.place(0),
            f"none of {count:,} entries has a lastmod, so crawlers must guess which pages changed; add lastmod",
            count=count,
            rows=range(count),
        )


@rule(
    "D019",
    "lastmod-on-some-pages",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=READERS,
    cites=("google-2023",),
    bad=(f"{_DATED}«<url><loc>https://example.com/b</loc></url>»",),
    good=(
        "<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>",
        _DATED,
    ),
)
def lastmod_on_some_pages(sitemap: Sitemap) -> Iterator[Problem]:
    """Some URLs in the file have a lastmod and others do not.

    This is legitimate: Google recommends lastmod only for pages with a known date. It is reported because a
    template or a content type may have been forgotten.
    """
    count, missing = len(sitemap.columns), sitemap.lastmods[None]
    if 0 < missing < count:
        yield Problem(
            sitemap.document.place(sitemap.columns.lastmods.index(None)),
            f"{missing:,} of {count:,} entries {'has' if missing == 1 else 'have'} no lastmod",
            count=missing,
            rows=lambda: (row for row, text in enumerate(sitemap.columns.lastmods) if text is None),
        )


@rule(
    "D024",
    "lastmod-without-time",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.BING,),
    cites=("bing-2025",),
    bad=("<lastmod>«2026-11-15»</lastmod>",),
    good=(
        "<lastmod>2026-11-15T10:00:00+00:00</lastmod>",
        "<lastmod>2026-11-15T10:00Z</lastmod>",
    ),
)
def lastmod_without_time(sitemap: Sitemap) -> Iterator[Problem]:
    """lastmod dates have no time of day.

    A date alone is valid. Bing recommends date and time, which shows a second change on the same day.
    """
    if _DAY not in set(map(len, sitemap.dates)):
        return
    days = {text for text in sitemap.lastmods if text and _is_day(text.strip())}
    rows = [row for row, text in enumerate(sitemap.columns.lastmods) if text in days] if days else []
    if rows:
        have = "has" if len(rows) == 1 else "have"
        some = "the only entry" if len(sitemap.columns) == 1 else f"{len(rows):,} of {len(sitemap.columns):,} entries"
        yield Problem(
            sitemap.listed(rows[0]).whole("lastmod"),
            f"{some} {have} a date without a time; Bing recommends a time",
            count=len(rows),
            rows=rows,
        )


def _is_day(text: str) -> bool:
    return len(text) == _DAY and text[4] == text[7] == "-" and text[:4].isdigit()


def lists_news(sitemap: Sitemap) -> bool:
    """Whether most entries are news, which have their own dates, all from the last two days.

    A namespace that is declared but not used does not count: many generators declare all namespaces.
    """
    root = sitemap.document.root
    declared = root is not None and namespaces.NEWS in root.declared.values()
    return declared and 2 * len(tags(sitemap, namespaces.NEWS, "news")) >= len(sitemap.columns)
