"""Does each article have the required fields, a known publication, and valid values?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from urlset.checking.declare import bad, error_rule, good, google_error, google_info, google_warning, info_rule
from urlset.checking.subjects import value_place
from urlset.findings.finding import quoted, quoted_bytes
from urlset.model.entry import Element
from urlset.rules import Fix, Has, NewsItem, Problem, Safety, Severity, Signal, Sitemap, media
from urlset.spec import namespaces
from urlset.spec.extensions import NEWS, PUBLICATION, FieldKind, FieldSpec
from urlset.spec.generator_artifacts import PLACEHOLDER_TEXT
from urlset.spec.languages import LANGUAGES, NEWS_REGIONAL, REGION_FOR_LANGUAGE, WITHDRAWN
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import NEWS_MAX_TICKERS

# Do the publication name and language match the Google News requirements?

# East Asian names use the full-width ones.
_PARENTHESES = lazy_pattern(r"\s{0,3}[(\uff08][^()\uff08\uff09]{0,200}[)\uff09]")
_LANGUAGE = lazy_pattern(media.field(PUBLICATION, "language").xsd_pattern or "")
_TAG = lazy_pattern(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|[0-9]{3}))?")
_CHINESE = frozenset({"zh", "chi", "zho"})


@google_error("N004", when=Signal.MEDIA_MISSING | Signal.MEDIA_TEXT, cites=("google-news", "xsd-news"))
@bad(
    "<news:publication>«<news:name/>»<news:language>en</news:language></news:publication>",
    "«<news:publication>»<news:language>en</news:language></news:publication>",
)
@bad("<news:name>The Example Times« (subscription)»</news:name>", fixed="<news:name>The Example Times</news:name>")
@good("<news:name>The Example Times</news:name>", "<news:name>The Times: North &amp; South</news:name>")
def wrong_publication_name(news: NewsItem) -> Iterator[Problem]:
    """news:name is missing, or contains parentheses.

    The name must exactly match the name in Google News, without any text in parentheses. Google News rejects articles
    without a name, and may not recognize a different name.
    """
    for publication in media.fields(news.element, "publication"):
        yield from media.missing(publication, PUBLICATION, "name", "Google News rejects the article")
        for name in media.fields(publication, "name"):
            found = _PARENTHESES.search(name.text)
            if found is not None and found.start() > 0:
                short = _PARENTHESES.sub("", name.text).strip()
                yield Problem(
                    name.value.part(*found.span()),
                    f"{quoted(found.group().strip())} is not part of the publication name in Google News; remove it",
                    media.rewrite(news.listed.document, name, short, f"write {short}", Safety.REVIEW),
                    severity=Severity.WARNING,
                )


def _languages(news: NewsItem) -> Iterator[Element]:
    for publication in media.fields(news.element, "publication"):
        yield from (element for element in media.fields(publication, "language") if element.text)


@error_rule(
    "N006",
    when=Signal.MEDIA_VALUE,
    engines=media.GOOGLE_AND_SCHEMA,
    cites=("google-news", "xsd-news", "xsd-tested", "iso-639"),
)
@bad("<news:language>«pt-BR»</news:language>", fixed="<news:language>pt</news:language>")
@bad("<news:language>«EN»</news:language>", fixed="<news:language>en</news:language>")
@bad("<news:language>«zh_CN»</news:language>", fixed="<news:language>zh-cn</news:language>")
@bad(
    "<news:language>«zh-HK»</news:language>",
    "<news:language>«english»</news:language>",
    "<news:language>«jp»</news:language>",
)
@good(
    "<news:language> en </news:language>",
    "<news:language>zh-tw</news:language>",
    "<news:language>fil</news:language>",
    "<news:language>iw</news:language>",
)
def bad_news_language(news: NewsItem) -> Iterator[Problem]:
    """news:language is not a two- or three-letter language code.

    Use lowercase ISO 639 codes without a region. Only Chinese has two regional codes, zh-cn and zh-tw. Codes from other
    extensions, such as pt-BR, are not supported.
    """
    for element in _languages(news):
        text = element.text
        if _LANGUAGE.fullmatch(text) is None:
            yield Problem(
                value_place(element),
                f"{quoted(text)} is not a valid language code; use two or three letters, zh-cn, or zh-tw",
                _respelled(news, element),
            )
        elif len(text) == 2 and text not in LANGUAGES and text not in WITHDRAWN:
            meant = REGION_FOR_LANGUAGE.get(text)
            hint = f"; write {meant!r} for {LANGUAGES[meant]}" if meant is not None else ""
            yield Problem(value_place(element), f"{quoted(text)} is not an ISO 639 language code{hint}")


def _respelled(news: NewsItem, element: Element) -> Fix | None:
    """Case and hyphen are formatting; removing the region loses information, too much for Chinese."""
    text = element.text
    plain = text.lower().replace("_", "-")
    tag = _TAG.fullmatch(text)
    safety = Safety.SAFE
    if _LANGUAGE.fullmatch(plain) is None:
        if tag is None or tag[1].lower() in _CHINESE:
            return None
        plain, safety = tag[1].lower(), Safety.REVIEW
    if len(plain) == 2 and plain not in LANGUAGES and plain not in WITHDRAWN:
        return None
    return media.rewrite(news.listed.document, element, plain, f"write {plain}", safety)


@google_warning("N007", when=Signal.MEDIA_VALUE, cites=("google-news", "xsd-tested"))
@bad("<news:language>«zh»</news:language>", "<news:language>«zho»</news:language>")
@good("<news:language>zh-cn</news:language>", "<news:language>ja</news:language>")
def chinese_without_script(news: NewsItem) -> Iterator[Problem]:
    """news:language is Chinese without a script.

    Google News supports zh-cn for simplified and zh-tw for traditional characters. The schema accepts zh, but it is not
    documented.
    """
    for element in _languages(news):
        if element.text in _CHINESE:
            message = f"{quoted(element.text)} is ambiguous; write {' or '.join(NEWS_REGIONAL)}"
            yield Problem(value_place(element), message)


def _article(page: str, name: str, language: str) -> str:
    return (
        f"<url><loc>https://example.com/{page}</loc><news:news><news:publication><news:name>{name}</news:name>"
        f"<news:language>{language}</news:language></news:publication>"
        "<news:publication_date>2026-11-15</news:publication_date>"
        f"<news:title>Storm {page}</news:title></news:news></url>"
    )


@google_info("N020", kinds=Has.URL_ELEMENTS, cites=("general-knowledge",))
@bad(
    _article("1", "The Example Times", "en")
    + _article("2", "The Example Times", "en")
    + _article("3", "«Example Times»", "en"),
    _article("1", "The Example Times", "en")
    + _article("2", "The Example Times", "en")
    + _article("3", "The Example Times", "«fr»"),
)
@good(_article("1", "The Example Times", "en") + _article("2", "\nThe Example Times ", "en"))
def differing_publications(sitemap: Sitemap) -> Iterator[Problem]:
    """The articles in a file have different publications or languages.

    Several publications in one sitemap are allowed. More often there are two spellings of one name, and only one
    matches Google News.
    """
    if not sitemap.extended:
        return
    for local, word in (("name", "publication"), ("language", "language")):
        counts = media.counted_values(sitemap, namespaces.NEWS, local)
        if len(counts) > 1:
            (usual, most), *_ = counts.most_common(1)
            value, place = next(each for each in media.values(sitemap, namespaces.NEWS, local) if each[0] != usual)
            others = counts.total() - most
            yield Problem(
                place,
                f"{others:,} of {counts.total():,} articles {'has' if others == 1 else 'have'} another {word} than "
                f"{quoted_bytes(usual)}, "
                f"the first one {quoted_bytes(value)}; use the same {word} if they belong together",
                count=others,
            )


# Are the optional fields of an article correct?

_UNDOCUMENTED = media.table(NEWS, lambda spec: not spec.documented)
# A dash between spaces, or another sign that separates a headline from other text.
_DIVIDER = r"(?:\s{1,3}[-\u2013\u2014]|\s{0,3}[|\u00bb:\u00b7\u2022])\s{1,3}"
_BYLINE = lazy_pattern(rf"{_DIVIDER}(?:by|By|BY)((?:\s{{1,3}}[^\W\d_][\w.'\u2019-]*){{2,4}})\Z")
_LONGEST_HEADLINE = 500
_MOST_WORDS = 20


@google_info("N013", when=Signal.MEDIA_TEXT, cites=("google-news",))
@bad(
    "<news:title>Storm reaches the coast« - The Example Times»</news:title>",
    "<news:title>«The Example Times | »Storm reaches the coast</news:title>",
    "<news:title>Storm reaches the coast« | By Jane Doe»</news:title>",
    "<news:title>Storm reaches the coast «2026-11-15»</news:title>",
)
@good(
    "<news:title>The Example Times wins a prize</news:title>",
    "<news:title>Coast road shut until 2026-12-01</news:title>",
    "<news:title>Stopped by snow - by bus to school</news:title>",
)
def title_with_more_than_headline(news: NewsItem) -> Iterator[Problem]:
    """news:title contains the publication, an author, or the date.

    The title is only the headline as shown on the page. Google requires it without author, location, and date, which
    have their own fields.
    """
    publication = media.first_field(news.element, "publication")
    name = "" if publication is None else media.text_of(publication, "name")
    date = media.first_field(news.element, "publication_date")
    day = date.text[:10] if date is not None and media.legal_moment(date) is not None else ""
    for element in media.fields(news.element, "title"):
        text = element.text
        for what, span in _extras(text, name, day):
            message = f"{quoted(text[slice(*span)].strip())} is {what}, not part of the headline; remove it"
            yield Problem(element.value.part(*span), message)


@google_warning("N022", when=Signal.MEDIA_TEXT, cites=("google-news", "seen-in-the-wild"))
@bad(
    "<news:title>«{{ post.title }}»</news:title>",
    "<news:title>Storm: «${article.headline}»</news:title>",
    "<news:title>«undefined»</news:title>",
    "<news:title>«Lorem ipsum» dolor sit amet</news:title>",
    "<news:name>«Your Publication Name»</news:name>",
)
@good(
    "<news:title>Null and void: court rejects the appeal</news:title>",
    "<news:title>[Update] Storm reaches the coast</news:title>",
    "<news:title>What is in a name</news:title>",
    "<news:name>The Placeholder Gazette</news:name>",
)
def placeholder_in_news(news: NewsItem) -> Iterator[Problem]:
    """The title or the publication name of an article is a placeholder.

    The template was not filled in. Google News shows the headline and the name as they are written here.
    """
    publications = media.fields(news.element, "publication")
    names = [name for publication in publications for name in media.fields(publication, "name")]
    for element in (*media.fields(news.element, "title"), *names):
        text = element.text
        found = PLACEHOLDER_TEXT.search(text) if len(text) <= _LONGEST_HEADLINE else None
        if found is not None:
            message = f"{quoted(found[0])} in <{element.written}> looks like a placeholder; fix the template"
            yield Problem(element.value.part(*found.span()), message)


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


@google_info("N015", when=Signal.MEDIA_SHAPE, cites=("xsd-news", "google-news"))
@bad(
    "<news:title>Storm</news:title>\n«<news:keywords>storm, coast</news:keywords>»\n",
    fixed="<news:title>Storm</news:title>\n",
)
@bad("«<news:access>Subscription</news:access>»", "«<news:geo_locations>Hamburg, Germany</news:geo_locations>»")
@good("<news:title>Keywords, genres and stock tickers</news:title>")
def undocumented_news_field(news: NewsItem) -> Iterator[Problem]:
    """An article has access, genres, keywords, stock_tickers, or geo_locations.

    The schema still defines most of them, but they are no longer documented, so engines may ignore them.
    """
    for spec, element in media.known_fields(news.element, _UNDOCUMENTED):
        yield Problem(
            element.place,
            f"<news:{spec.name}> is no longer documented and may be ignored; remove it",
            media.drop(news.listed.document, [element], f"remove {spec.name}", Safety.REVIEW),
        )


@info_rule("N016", fails_schema=True, engines=media.SCHEMA, cites=("xsd-news",))
@bad(
    "<news:access>«Free»</news:access>",
    "<news:genres>Blog, «News»</news:genres>",
    "<news:stock_tickers>«AAPL»</news:stock_tickers>",
    "<news:stock_tickers>«A:B, A:C, A:D, A:E, A:F, A:G»</news:stock_tickers>",
)
@good(
    "<news:access>Registration</news:access>",
    "<news:genres>PressRelease, Blog</news:genres>",
    "<news:stock_tickers>NASDAQ:AMAT, BOM:500325</news:stock_tickers>",
    "<news:keywords>anything, goes</news:keywords>",
)
def undocumented_news_field_against_schema(news: NewsItem) -> Iterator[Problem]:
    """A field that is no longer documented does not match the schema.

    If you keep access, genres, or stock_tickers for other consumers, use values that the schema allows: two kinds of
    access, six genres, and up to five tickers of the form EXCHANGE:SYMBOL.
    """
    for spec, element in media.known_fields(news.element, _UNDOCUMENTED):
        for span, fault in _misfits(spec, element.text):
            yield Problem(
                element.value.part(*span),
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


_CITES = ("google-news", "xsd-news")
_PAPER = (
    "<news:publication><news:name>The Example Times</news:name><news:language>en</news:language></news:publication>"
)
_DATE = "<news:publication_date>2026-11-15</news:publication_date>"
_TITLE = "<news:title>Storm reaches the coast</news:title>"
_ONCE = media.table(NEWS, lambda spec: spec.name == "publication")
_UNREAD = "Google News rejects the article"


@google_error("N002", when=Signal.MEDIA_SHAPE, cites=("google-news",))
@bad(
    f"<news:news>{_PAPER}{_DATE}{_TITLE}</news:news>"
    f"«<news:news>»{_PAPER}{_DATE}<news:title>Storm passes</news:title></news:news>"
)
@good(f"<news:news>{_PAPER}{_DATE}{_TITLE}</news:news>")
def several_news_on_page(news: NewsItem) -> Iterator[Problem]:
    """A page has more than one news:news.

    A page is one article, so only one news:news element is used.
    """
    if news is news.listed.news[0]:  # the first one reports for the whole page
        for again in news.listed.news[1:]:
            message = f"second <news:news> for {quoted(news.listed.loc)}; use one per page"
            yield Problem(again.place, message)


@error_rule(
    "N003",
    when=Signal.MEDIA_MISSING | Signal.MEDIA_SHAPE,
    engines=media.GOOGLE_AND_SCHEMA,
    cites=(*_CITES, "gsc-report"),
)
@bad(
    f"«<news:news>»{_DATE}{_TITLE}</news:news>",
    f"<news:news>{_PAPER}«<news:publication>»<news:name>The Other Times</news:name>"
    f"<news:language>en</news:language></news:publication>{_DATE}{_TITLE}</news:news>",
)
@good(f"<news:news>{_PAPER}{_DATE}{_TITLE}</news:news>")
def news_without_publication(news: NewsItem) -> Iterator[Problem]:
    """An article has no news:publication, or more than one.

    The element contains the name and language of the publication, which are both required.
    """
    if not media.fields(news.element, "publication"):
        yield from media.missing(news.element, NEWS, "publication", _UNREAD)
    yield from media.repeated(news.element, NEWS, _ONCE)


@error_rule("N005", when=Signal.MEDIA_MISSING, engines=media.GOOGLE_AND_SCHEMA, cites=_CITES)
@bad(
    f"<news:news>«<news:publication>»<news:name>The Example Times</news:name></news:publication>{_DATE}{_TITLE}"
    "</news:news>",
    "«<news:language></news:language>»",
)
@good("<news:language>en</news:language>")
def news_without_language(news: NewsItem) -> Iterator[Problem]:
    """news:publication has no news:language.

    The language of the publication is required.
    """
    for publication in media.fields(news.element, "publication"):
        yield from media.missing(publication, PUBLICATION, "language", _UNREAD)


@error_rule("N008", when=Signal.MEDIA_MISSING, engines=media.GOOGLE_AND_SCHEMA, cites=_CITES)
@bad(f"«<news:news>»{_PAPER}{_TITLE}</news:news>", "«<news:publication_date/>»")
@good("<news:publication_date>2026-11-15</news:publication_date>")
def news_without_date(news: NewsItem) -> Iterator[Problem]:
    """An article has no news:publication_date.

    Without a publication date, Google News cannot tell whether the article is recent.
    """
    yield from media.missing(news.element, NEWS, "publication_date", _UNREAD)


@error_rule("N012", when=Signal.MEDIA_MISSING, engines=media.GOOGLE_AND_SCHEMA, cites=_CITES)
@bad(f"«<news:news>»{_PAPER}{_DATE}</news:news>", "«<news:title> </news:title>»")
@good("<news:title><![CDATA[Storm & rain]]></news:title>")
def news_without_title(news: NewsItem) -> Iterator[Problem]:
    """An article has no news:title.

    The headline is required, as shown on the page.
    """
    yield from media.missing(news.element, NEWS, "title", _UNREAD)
