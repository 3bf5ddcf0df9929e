"""Does each article have the required fields?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.rules import NewsItem, Problem, Severity, Signal, rule
from urlset.rules.media.fields import GOOGLE, GOOGLE_AND_SCHEMA, fields, missing, repeated, table
from urlset.rules.quoting import quoted
from urlset.spec.extensions import NEWS, PUBLICATION

_CITES = ("google-news", "xsd-news")
_PAPER = (
    "<news:publication><news:name>The Example Times</news:name><news:language>en</news:language></news:publication>"
)
_DATE = "<news:publication_date>2026-11-15</news:publication_date>"
_TITLE = "<news:title>Storm reaches the coast</news:title>"
_ONCE = table(NEWS, lambda spec: spec.name == "publication")
_UNREAD = "Google News rejects the article"


@rule(
    "N002",
    "several-news-on-page",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-news",),
    bad=(
        (
            f"<news:news>{_PAPER}{_DATE}{_TITLE}</news:news>"
            f"«<news:news>»{_PAPER}{_DATE}<news:title>Storm passes</news:title></news:news>"
        ),
    ),
    good=(f"<news:news>{_PAPER}{_DATE}{_TITLE}</news:news>",),
)
def several_news_on_page(news: NewsItem) -> Iterator[Problem]:
    """A page has more than one news:news.

    A page is one article, so only one news:news element is used.
    """
    if news is news.listed.news[0]:  # the first one reports for the whole page
        for again in news.listed.news[1:]:
            message = f"second <news:news> for {quoted(news.listed.loc)}; use one per page"
            yield Problem(again.place, message)


@rule(
    "N003",
    "news-without-publication",
    when=Signal.MEDIA_MISSING | Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=(*_CITES, "gsc-report"),
    bad=(
        f"«<news:news>»{_DATE}{_TITLE}</news:news>",
        (
            f"<news:news>{_PAPER}«<news:publication>»<news:name>The Other Times</news:name>"
            f"<news:language>en</news:language></news:publication>{_DATE}{_TITLE}</news:news>"
        ),
    ),
    good=(f"<news:news>{_PAPER}{_DATE}{_TITLE}</news:news>",),
)
def news_without_publication(news: NewsItem) -> Iterator[Problem]:
    """An article has no news:publication, or more than one.

    The element contains the name and language of the publication, which are both required.
    """
    if not fields(news.element, "publication"):
        yield from missing(news.element, NEWS, "publication", _UNREAD)
    yield from repeated(news.element, NEWS, _ONCE)


@rule(
    "N005",
    "news-without-language",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=_CITES,
    bad=(
        (
            f"<news:news>«<news:publication>»<news:name>The Example Times</news:name></news:publication>{_DATE}{_TITLE}"
            "</news:news>"
        ),
        "«<news:language></news:language>»",
    ),
    good=("<news:language>en</news:language>",),
)
def news_without_language(news: NewsItem) -> Iterator[Problem]:
    """news:publication has no news:language.

    The language of the publication is required.
    """
    for publication in fields(news.element, "publication"):
        yield from missing(publication, PUBLICATION, "language", _UNREAD)


@rule(
    "N008",
    "news-without-date",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=_CITES,
    bad=(f"«<news:news>»{_PAPER}{_TITLE}</news:news>", "«<news:publication_date/>»"),
    good=("<news:publication_date>2026-11-15</news:publication_date>",),
)
def news_without_date(news: NewsItem) -> Iterator[Problem]:
    """An article has no news:publication_date.

    Without a publication date, Google News cannot tell whether the article is recent.
    """
    yield from missing(news.element, NEWS, "publication_date", _UNREAD)


@rule(
    "N012",
    "news-without-title",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=_CITES,
    bad=(f"«<news:news>»{_PAPER}{_DATE}</news:news>", "«<news:title> </news:title>»"),
    good=("<news:title><![CDATA[Storm & rain]]></news:title>",),
)
def news_without_title(news: NewsItem) -> Iterator[Problem]:
    """An article has no news:title.

    The headline is required, as shown on the page.
    """
    yield from missing(news.element, NEWS, "title", _UNREAD)
