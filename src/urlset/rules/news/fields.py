"""Are the optional fields of an article correct?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from urlset.rules import Bad, NewsItem, Problem, Safety, Severity, Signal, rule
from urlset.rules.media.byte_edits import drop
from urlset.rules.media.dates import legal_moment
from urlset.rules.media.fields import GOOGLE, SCHEMA, fields, known_fields, part, table, text_of
from urlset.rules.quoting import quoted
from urlset.spec.extensions import NEWS
from urlset.spec.fields import FieldKind, FieldSpec
from urlset.spec.generator_artifacts import PLACEHOLDER_TEXT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import NEWS_MAX_TICKERS

_UNDOCUMENTED = table(NEWS, lambda spec: not spec.documented)
# A dash between spaces, or another sign that separates a headline from other text.
_DIVIDER = r"(?:\s{1,3}[-\u2013\u2014]|\s{0,3}[|\u00bb:\u00b7\u2022])\s{1,3}"
_BYLINE = lazy_pattern(rf"{_DIVIDER}(?:by|By|BY)((?:\s{{1,3}}[^\W\d_][\w.'\u2019-]*){{2,4}})\Z")
_LONGEST_HEADLINE = 500
_MOST_WORDS = 20


@rule(
    "N013",
    "title-with-more-than-headline",
    when=Signal.MEDIA_TEXT,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("google-news",),
    bad=(
        "<news:title>Storm reaches the coast« - The Example Times»</news:title>",
        "<news:title>«The Example Times | »Storm reaches the coast</news:title>",
        "<news:title>Storm reaches the coast« | By Jane Doe»</news:title>",
        "<news:title>Storm reaches the coast «2026-11-15»</news:title>",
    ),
    good=(
        "<news:title>The Example Times wins a prize</news:title>",
        "<news:title>Coast road shut until 2026-12-01</news:title>",
        "<news:title>Stopped by snow - by bus to school</news:title>",
    ),
)
def title_with_more_than_headline(news: NewsItem) -> Iterator[Problem]:
    """news:title contains the publication, an author, or the date.

    The title is only the headline as shown on the page. Google requires it without author, location, and date, which
    have their own fields.
    """
    publication = next(iter(fields(news.element, "publication")), None)
    name = "" if publication is None else text_of(publication, "name")
    date = next(iter(fields(news.element, "publication_date")), None)
    day = date.text[:10] if date is not None and legal_moment(date) is not None else ""
    for element in fields(news.element, "title"):
        text = element.text
        for what, span in _extras(text, name, day):
            message = f"{quoted(text[slice(*span)].strip())} is {what}, not part of the headline; remove it"
            yield Problem(part(element, *span), message)


@rule(
    "N022",
    "placeholder-in-news",
    severity=Severity.WARNING,
    engines=GOOGLE,
    cites=("google-news", "seen-in-the-wild"),
    bad=(
        "<news:title>«{{ post.title }}»</news:title>",
        "<news:title>Storm: «${article.headline}»</news:title>",
        "<news:title>«undefined»</news:title>",
        "<news:title>«Lorem ipsum» dolor sit amet</news:title>",
        "<news:name>«Your Publication Name»</news:name>",
    ),
    good=(
        "<news:title>Null and void: court rejects the appeal</news:title>",
        "<news:title>[Update] Storm reaches the coast</news:title>",
        "<news:title>What is in a name</news:title>",
        "<news:name>The Placeholder Gazette</news:name>",
    ),
)
def placeholder_in_news(news: NewsItem) -> Iterator[Problem]:
    """The title or the publication name of an article is a placeholder.

    The template was not filled in. Google News shows the headline and the name as they are written here.
    """
    publications = fields(news.element, "publication")
    names = [name for publication in publications for name in fields(publication, "name")]
    for element in (*fields(news.element, "title"), *names):
        text = element.text
        found = PLACEHOLDER_TEXT.search(text) if len(text) <= _LONGEST_HEADLINE else None
        if found is not None:
            message = f"{quoted(found[0])} in <{element.written}> looks like a placeholder; fix the template"
            yield Problem(part(element, *found.span()), message)


def _extras(text: str, name: str, day: str) -> Iterator[tuple[str, tuple[int, int]]]:
    if len(text) > _LONGEST_HEADLINE:
        return
    if name:
        written = re.escape(name)
        for pattern in (rf"{_DIVIDER}{written}\Z", rf"\A{written}{_DIVIDER}"):
            found = re.search(pattern, text, re.IGNORECASE)
            if found is not None:
                yield "the publication name", found.span()
    byline = _BYLINE.search(text)
    if byline is not None and all(word[0].isupper() for word in byline[1].split()):
        yield "the author", byline.span()
    if len(day) == 10 and day in text:
        at = text.index(day)
        yield "the date", (at, at + len(day))


@rule(
    "N015",
    "undocumented-news-field",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("xsd-news", "google-news"),
    bad=(
        Bad(
            "<news:title>Storm</news:title>\n«<news:keywords>storm, coast</news:keywords>»\n",
            fixed="<news:title>Storm</news:title>\n",
        ),
        "«<news:access>Subscription</news:access>»",
        "«<news:geo_locations>Hamburg, Germany</news:geo_locations>»",
    ),
    good=("<news:title>Keywords, genres and stock tickers</news:title>",),
)
def undocumented_news_field(news: NewsItem) -> Iterator[Problem]:
    """An article has access, genres, keywords, stock_tickers, or geo_locations.

    The schema still defines most of them, but they are no longer documented, so engines may ignore them.
    """
    for spec, element in known_fields(news.element, _UNDOCUMENTED):
        yield Problem(
            element.place,
            f"<news:{spec.name}> is no longer documented and may be ignored; remove it",
            drop(news.listed.document, [element], f"remove {spec.name}", Safety.REVIEW),
        )


@rule(
    "N016",
    "undocumented-news-field-against-schema",
    severity=Severity.INFO,
    fails_schema=True,
    engines=SCHEMA,
    cites=("xsd-news",),
    bad=(
        "<news:access>«Free»</news:access>",
        "<news:genres>Blog, «News»</news:genres>",
        "<news:stock_tickers>«AAPL»</news:stock_tickers>",
        "<news:stock_tickers>«A:B, A:C, A:D, A:E, A:F, A:G»</news:stock_tickers>",
    ),
    good=(
        "<news:access>Registration</news:access>",
        "<news:genres>PressRelease, Blog</news:genres>",
        "<news:stock_tickers>NASDAQ:AMAT, BOM:500325</news:stock_tickers>",
        "<news:keywords>anything, goes</news:keywords>",
    ),
)
def undocumented_news_field_against_schema(news: NewsItem) -> Iterator[Problem]:
    """A field that is no longer documented does not match the schema.

    If you keep access, genres, or stock_tickers for other consumers, use values that the schema allows: two kinds of
    access, six genres, and up to five tickers of the form EXCHANGE:SYMBOL.
    """
    for spec, element in known_fields(news.element, _UNDOCUMENTED):
        for span, fault in _misfits(spec, element.text):
            yield Problem(
                part(element, *span),
                f"{quoted(element.text[slice(*span)])} is {fault}, so the schema rejects this <news:{spec.name}>",
            )


def _misfits(spec: FieldSpec, text: str) -> Iterator[tuple[tuple[int, int], str]]:
    if not text:
        return
    if spec.kind is FieldKind.CHOICE and text not in spec.values:
        yield (0, len(text)), f"not one of {', '.join(spec.values)}"
    if spec.kind is FieldKind.CHOICES:
        for word in islice(re.finditer(r"[^\s,]+", text), _MOST_WORDS):
            if word.group() not in spec.values:
                yield word.span(), f"not one of {', '.join(spec.values)}"
    if spec.xsd_pattern is not None and re.fullmatch(spec.xsd_pattern, text) is None:
        yield (0, len(text)), f"not a list of up to {NEWS_MAX_TICKERS} tickers such as NASDAQ:AMAT"
