"""Is the date of an article valid and recent, and is the file a news sitemap of allowed size?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, islice, repeat
from posixpath import basename

from urlset.checking.declare import bad, error_rule, good, google_error, google_info, google_warning
from urlset.checking.subjects import value_place
from urlset.findings.finding import quoted
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit
from urlset.model.moment import DateForm, Moment
from urlset.model.place import Place
from urlset.rules import Fix, Has, NewsItem, Problem, Safety, Signal, Sitemap, media
from urlset.rules.declarations import wrong_uris
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import LASTMOD_FORMS_NEWS, MAX_NEWS_PER_SITEMAP, NEWS_MAX_AGE_DAYS
from urlset.spec.signals import ORDINARY_DATE

# Is the file as a whole a valid news sitemap for Google?

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


@google_error("N001", kinds=Has.URL_ELEMENTS, cites=("google-news", "xsd-news", "xml-names"))
@bad(
    f'{_HEAD} xmlns:news="«http://www.google.com/schemas/sitemap-news/0.84»">{_ARTICLE}</urlset>',
    fixed=f'{_HEAD} xmlns:news="{namespaces.NEWS}">{_ARTICLE}</urlset>',
)
@good(f'{_HEAD} xmlns:n="{namespaces.NEWS}">{_ARTICLE.replace("news:", "n:")}</urlset>')
def wrong_news_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of the news extension is wrong.

    Namespaces are compared character by character. Elements in any other namespace are ignored, so no article in the
    file reaches Google News.
    """
    yield from wrong_uris(sitemap, namespaces.NEWS, "news", "news namespace, so its articles")


@google_error("N014", kinds=Has.URL_ELEMENTS, cites=("google-news", "gsc-report"))
@bad(
    data=lambda: _many(MAX_NEWS_PER_SITEMAP + 1),
    marks=((_BEHIND_THE_LAST_ALLOWED + _numbered(0).index("<news:news>"), len("<news:news>")),),
    title="a file with 1,001 articles",
)
@good(data=lambda: _many(MAX_NEWS_PER_SITEMAP), title="a file with 1,000 articles")
def too_many_news(sitemap: Sitemap) -> Iterator[Problem]:
    """A news sitemap lists more than 1,000 articles.

    Google allows 1,000 news:news elements per file. Use several files for more articles.
    """
    articles = media.tags(sitemap, namespaces.NEWS, "news") if sitemap.extended else iter(())
    for first_beyond in islice(articles, MAX_NEWS_PER_SITEMAP, MAX_NEWS_PER_SITEMAP + 1):
        number = len(media.texts(sitemap, namespaces.NEWS, "news"))
        yield Problem(
            media.open_tag(sitemap, first_beyond),
            f"{number:,} articles exceed Google's limit of {MAX_NEWS_PER_SITEMAP:,} per file; split the file",
        )


@google_info("N019", kinds=Has.URL_ELEMENTS, cites=("google-news",))
@bad(f'«{_HEAD} xmlns:news="{namespaces.NEWS}">»{_ARTICLE}</urlset>', at="https://example.com/news-20261115.xml")
@good(_ARTICLE, at="https://example.com/news.xml")
@good(_ARTICLE, at="https://example.com/news-2.xml?made=20261115")
@good("<url><loc>https://example.com/storm</loc></url>", at="https://example.com/archive-20261115.xml")
def dated_news_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The name of a news sitemap contains a date.

    Google recommends one news sitemap at a fixed URL, updated in place. Crawlers must discover a new file for each day
    or build.
    """
    document = sitemap.document
    name = basename((document.url or document.name).partition("?")[0].replace("\\", "/"))
    dated = _DATED.search(name)
    if dated is not None and sitemap.extended and media.texts(sitemap, namespaces.NEWS, "news"):
        yield Problem(
            sitemap.root_tag, f"{quoted(name)} is a news sitemap for one day; use a fixed URL and update the file"
        )


_FORMS = (DateForm.DAY, DateForm.MINUTE, DateForm.SECOND, DateForm.FRACTION)
_TIMED = frozenset({DateForm.MINUTE, DateForm.SECOND, DateForm.FRACTION})
_OPEN = (
    "<news:news><news:publication><news:name>The Example Times</news:name><news:language>en</news:language>"
    "</news:publication>"
)
_TITLE = "<news:title>Storm reaches the coast</news:title></news:news>"


@error_rule("N009", when=Signal.MEDIA_DATE, engines=media.GOOGLE_AND_SCHEMA, cites=("google-news", "w3c-datetime"))
@bad(
    "<news:publication_date>«2026-11»</news:publication_date>",
    "<news:publication_date>2026-11-15T«10:00:00»</news:publication_date>",
)
@bad(
    "<news:publication_date>2026-11-15T10:00:00«+0100»</news:publication_date>",
    fixed="<news:publication_date>2026-11-15T10:00:00+01:00</news:publication_date>",
)
@bad(
    "<news:publication_date>«Sun, 15 Nov 2026 10:00:00 GMT»</news:publication_date>",
    fixed="<news:publication_date>2026-11-15T10:00:00Z</news:publication_date>",
)
@bad("<news:publication_date>«11/15/2026»</news:publication_date>")
@good(
    "<news:publication_date>2026-11-15</news:publication_date>",
    "<news:publication_date>2026-11-15T10:00+01:00</news:publication_date>",
    "<news:publication_date>2026-11-15T10:00:00.25Z</news:publication_date>",
)
def bad_news_date(news: NewsItem) -> Iterator[Problem]:
    """news:publication_date is not in a supported format.

    Supported are a full date, or date and time with a UTC offset, with or without seconds. A year or a month is too
    coarse for news, and a time without an offset is ambiguous.
    """
    for element in media.fields(news.element, "publication_date"):
        yield from media.date_faults(news.listed, element, _FORMS, LASTMOD_FORMS_NEWS)


@google_warning("N010", when=Signal.MEDIA_DATE, cites=("google-news",))
@bad("<news:publication_date>«2026-11-10T09:00:00Z»</news:publication_date>")
@bad(
    f"<url><loc>https://example.com/1</loc>{_OPEN}<news:publication_date>2026-11-15</news:publication_date>{_TITLE}"
    f"</url>\n<url><loc>https://example.com/2</loc>\n{_OPEN}"
    f"<news:publication_date>«2026-11-01»</news:publication_date>{_TITLE}\n</url>",
    fixed=f"<url><loc>https://example.com/1</loc>{_OPEN}<news:publication_date>2026-11-15</news:publication_date>"
    f"{_TITLE}</url>\n<url><loc>https://example.com/2</loc>\n<lastmod>2026-11-01</lastmod>\n</url>",
)
@good(
    "<news:publication_date>2026-11-13T12:30:00Z</news:publication_date>",
    "<news:publication_date>2026-11-13</news:publication_date>",
)
def news_too_old(news: NewsItem) -> Iterator[Problem]:
    """An article in the news sitemap is more than two days old.

    Google News accepts articles from the last two days. Remove older articles from the file, or remove their news:news
    element. The page itself may stay; if it has no lastmod, the date of publication becomes its lastmod.
    """
    element = media.first_field(news.element, "publication_date")
    moment = media.legal_moment(element)
    covered = None if moment is None else moment.certain_interval()
    oldest = news.context.now - timedelta(days=NEWS_MAX_AGE_DAYS)
    if element is not None and covered is not None and covered[1] <= oldest:
        begin = (moment.interval() if moment is not None else None) or covered
        days = (news.context.now - begin[0]).days
        yield Problem(
            value_place(element),
            f"published on {quoted(element.text)}, {days:,} days ago, but Google News only accepts articles from the "
            f"last {NEWS_MAX_AGE_DAYS} days; remove news:news",
            _retired(news, element.text),
        )


def _retired(news: NewsItem, date: str) -> Fix:
    """Without news:news, and with its date as lastmod: a page that had a date must not be left without one."""
    title = "remove news:news and keep the page"
    document, entry = news.listed.document, news.listed.element
    loc = entry.first("loc", entry.namespace)
    if loc is None or loc.children or entry.first("lastmod", entry.namespace) is not None:
        return media.drop(document, [news.element], title, Safety.REVIEW)
    name = loc.written.removesuffix("loc") + "lastmod"
    lastmod = f"<{name}>{date}</{name}>".encode()
    if document.data[loc.place.end : news.element.place.offset].isspace() or loc.place.end == news.element.place.offset:
        return Fix(title, (Edit(news.element.place, lastmod),), Safety.REVIEW)
    removed = with_its_line(document.data, news.element.place)
    return Fix(title, (Edit(Place(loc.place.end), lastmod), Edit(removed, b"")), Safety.REVIEW)


@google_warning("N011", when=Signal.MEDIA_DATE, cites=("general-knowledge",))
@bad("<news:publication_date>«2026-11-18»</news:publication_date>")
@good(
    "<news:publication_date>2026-11-15T23:00:00Z</news:publication_date>",
    "<news:publication_date>2026-11-16</news:publication_date>",
)
def news_from_the_future(news: NewsItem) -> Iterator[Problem]:
    """news:publication_date is in the future.

    An article cannot be listed before it is published. Usually the offset is wrong, or day and month are swapped. One
    day of tolerance is allowed for clocks.
    """
    element = media.first_field(news.element, "publication_date")
    moment = media.legal_moment(element)
    forgiven = news.context.now + timedelta(hours=news.context.thresholds.future_hours)
    if element is not None and moment is not None and moment.is_after(forgiven):
        message = f"{quoted(element.text)} is in the future; use the date of publication"
        yield Problem(value_place(element), message)


def _file(first: str, others: list[str]) -> str:
    dates = [first, *others]
    return "\n".join(
        f"<url><loc>https://example.com/{n}</loc>{_OPEN}<news:publication_date>{date}</news:publication_date>{_TITLE}</url>"
        for n, date in enumerate(dates)
    )


@google_warning("N018", kinds=Has.URL_ELEMENTS, cites=("google-news", "xsd-news"))
@bad(
    _file("«2026-11-15T11:58:00Z»", [f"2026-11-15T11:58:{second:02}Z" for second in range(29)]),
    title="30 articles, all published within the same half minute",
)
@good(
    _file("2026-11-15T00:10:00Z", [f"2026-11-15T{hour // 4:02}:{hour % 4}5:00Z" for hour in range(40)]),
    title="41 articles over the course of a day",
)
@good(_file("2026-11-15", ["2026-11-15"] * 29), title="30 articles from one day, without a time")
@good(_file("2026-11-15T11:58:00Z", ["2026-11-15T11:58:00Z"] * 5), title="six articles from one minute")
def news_dated_by_the_build(sitemap: Sitemap) -> Iterator[Problem]:
    """Nearly all articles are dated within minutes of each other.

    The date must be the first publication. Many articles within minutes indicate the build time of the sitemap, so all
    articles look new after each build.
    """
    limits = sitemap.context.thresholds
    if not sitemap.extended:
        return
    counts = media.counted_values(sitemap, namespaces.NEWS, "publication_date")
    known = {value: instant for value in counts if (instant := _instant(value)) is not None}
    instants = sorted(chain.from_iterable(repeat(instant, counts[value]) for value, instant in known.items()))
    if len(instants) < limits.build_stamp_entries:
        return
    window = timedelta(seconds=limits.build_stamp_window_seconds)
    wanted = max(2, int(len(instants) * limits.build_stamp_share))
    begins = instants[: len(instants) - wanted + 1]
    span, begin = min((instants[at + wanted - 1] - start, start) for at, start in enumerate(begins))
    if span <= window:
        found = [each for each in media.values(sitemap, namespaces.NEWS, "publication_date") if each[0] in known]
        close = [place for value, place in found if begin <= known[value] <= begin + span]
        yield Problem(
            found[0][1],
            f"{wanted:,} of {len(found):,} articles are dated within {window.seconds // 60} minutes, probably the "
            "build time; use the date of publication",
            count=wanted,
            places=close[:wanted],
        )


def _instant(value: bytes) -> datetime | None:
    """The instant of a date with a time; many articles may share a day."""
    text = value.decode("utf-8", "replace")
    if "T" in text and "." not in text and ORDINARY_DATE.fullmatch(text):
        return datetime.fromisoformat(text)
    moment = Moment.parse(text)
    covered = moment.interval() if moment.form in _TIMED else None
    return None if covered is None else covered[0]
