"""Is the file as a whole a valid news sitemap for Google?"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.rules.media.fields import GOOGLE
from urlset.rules.media.tags import extended, misspellings, open_tag, tags
from urlset.rules.quoting import quoted
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_NEWS_PER_SITEMAP

_HEAD = f'<urlset xmlns="{namespaces.SITEMAP}"'
_NEWS = (
    "<news:news><news:publication><news:name>The Example Times</news:name><news:language>en</news:language>"
    "</news:publication><news:publication_date>2026-11-15</news:publication_date>"
    "<news:title>Storm reaches the coast</news:title></news:news>"
)
_ARTICLE = f"<url><loc>https://example.com/storm</loc>{_NEWS}</url>"
_DATED = lazy_pattern(r"20[0-9]{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12][0-9]|3[01])(?![0-9]{3})")


_LONG_HEAD = f'{_HEAD} xmlns:news="{namespaces.NEWS}">'


def _numbered(number: int) -> str:
    """All of the same length, so the position of the last one is known."""
    return _ARTICLE.replace("storm<", f"{number:04}<", 1)


def _many(count: int) -> bytes:
    return f"{_LONG_HEAD}{''.join(map(_numbered, range(count)))}</urlset>".encode()


_BEHIND_THE_LAST_ALLOWED = len(_LONG_HEAD) + len(_numbered(0)) * MAX_NEWS_PER_SITEMAP


@rule(
    "N001",
    "wrong-news-namespace",
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-news", "xsd-news", "xml-names"),
    bad=(
        Bad(
            f'{_HEAD} xmlns:news="«http://www.google.com/schemas/sitemap-news/0.84»">{_ARTICLE}</urlset>',
            fixed=f'{_HEAD} xmlns:news="{namespaces.NEWS}">{_ARTICLE}</urlset>',
        ),
    ),
    good=(f'{_HEAD} xmlns:n="{namespaces.NEWS}">{_ARTICLE.replace("news:", "n:")}</urlset>',),
)
def wrong_news_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of the news extension is wrong.

    Namespaces are compared character by character. Elements in any other namespace are ignored, so no article in the
    file reaches Google News.
    """
    for wrong in misspellings(sitemap, namespaces.NEWS):
        yield Problem(
            wrong.places[0],
            f"{quoted(wrong.written)} is not the news namespace, so its articles are ignored; write {wrong.right}",
            wrong.fix(),
            count=len(wrong.places),
        )


@rule(
    "N014",
    "too-many-news",
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-news", "gsc-report"),
    bad=(
        Bad(
            data=lambda: _many(MAX_NEWS_PER_SITEMAP + 1),
            marks=((_BEHIND_THE_LAST_ALLOWED + _numbered(0).index("<news:news>"), len("<news:news>")),),
            title="a file with 1,001 articles",
        ),
    ),
    good=(Good(data=lambda: _many(MAX_NEWS_PER_SITEMAP), title="a file with 1,000 articles"),),
)
def too_many_news(sitemap: Sitemap) -> Iterator[Problem]:
    """A news sitemap lists more than 1,000 articles.

    Google allows 1,000 news:news elements per file. Use several files for more articles.
    """
    found = tags(sitemap, namespaces.NEWS, "news") if extended(sitemap) else []
    if len(found) > MAX_NEWS_PER_SITEMAP:
        yield Problem(
            open_tag(sitemap, found[MAX_NEWS_PER_SITEMAP]),
            f"{len(found):,} articles exceed Google's limit of {MAX_NEWS_PER_SITEMAP:,} per file; split the file",
        )


@rule(
    "N019",
    "dated-news-sitemap",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("google-news",),
    bad=(
        Bad(
            f'«{_HEAD} xmlns:news="{namespaces.NEWS}">»{_ARTICLE}</urlset>',
            at="https://example.com/news-20261115.xml",
        ),
    ),
    good=(
        Good(_ARTICLE, at="https://example.com/news.xml"),
        Good(_ARTICLE, at="https://example.com/news-2.xml?made=20261115"),
        Good("<url><loc>https://example.com/storm</loc></url>", at="https://example.com/archive-20261115.xml"),
    ),
)
def dated_news_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The name of a news sitemap contains a date.

    Google recommends one news sitemap at a fixed URL, updated in place. Crawlers must discover a new file for each day
    or build.
    """
    document = sitemap.document
    name = basename((document.url or document.name).partition("?")[0].replace("\\", "/"))
    dated = _DATED.search(name)
    if dated is not None and extended(sitemap) and tags(sitemap, namespaces.NEWS, "news"):
        yield Problem(
            sitemap.root_tag,
            f"{quoted(name)} is a news sitemap for one day; use a fixed URL and update the file",
        )
