"""Do the publication name and language match the Google News requirements?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from urlset.checking.elements import value_place
from urlset.model.element import Element
from urlset.rules import Bad, Fix, Kind, NewsItem, Problem, Safety, Severity, Signal, Sitemap, rule
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import GOOGLE, GOOGLE_AND_SCHEMA, field, fields, missing, part
from urlset.rules.media.tags import extended, values
from urlset.rules.quoting import quoted
from urlset.spec import namespaces
from urlset.spec.extensions import PUBLICATION
from urlset.spec.languages import LANGUAGES, NEWS_REGIONAL, REGION_FOR_LANGUAGE, WITHDRAWN
from urlset.spec.lazy_pattern import lazy_pattern

# East Asian names use the full-width ones.
_PARENTHESES = lazy_pattern(r"\s{0,3}[(\uff08][^()\uff08\uff09]{0,200}[)\uff09]")
_LANGUAGE = lazy_pattern(field(PUBLICATION, "language").xsd_pattern or "")
_TAG = lazy_pattern(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|[0-9]{3}))?")
_CHINESE = frozenset({"zh", "chi", "zho"})


@rule(
    "N004",
    "wrong-publication-name",
    when=Signal.MEDIA_MISSING | Signal.MEDIA_TEXT,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-news", "xsd-news"),
    bad=(
        "<news:publication>«<news:name/>»<news:language>en</news:language></news:publication>",
        "«<news:publication>»<news:language>en</news:language></news:publication>",
        Bad(
            "<news:name>The Example Times« (subscription)»</news:name>",
            fixed="<news:name>The Example Times</news:name>",
        ),
    ),
    good=("<news:name>The Example Times</news:name>", "<news:name>The Times: North &amp; South</news:name>"),
)
def wrong_publication_name(news: NewsItem) -> Iterator[Problem]:
    """news:name is missing, or contains parentheses.

    The name must exactly match the name in Google News, without any text in parentheses. Google News rejects articles
    without a name, and may not recognize a different name.
    """
    for publication in fields(news.element, "publication"):
        yield from missing(publication, PUBLICATION, "name", "Google News rejects the article")
        for name in fields(publication, "name"):
            found = _PARENTHESES.search(name.text)
            if found is not None and found.start() > 0:
                short = _PARENTHESES.sub("", name.text).strip()
                yield Problem(
                    part(name, *found.span()),
                    f"{quoted(found.group().strip())} is not part of the publication name in Google News; remove it",
                    rewrite(news.listed.document, name, short, f"write {short}", Safety.REVIEW),
                    severity=Severity.WARNING,
                )


def _languages(news: NewsItem) -> Iterator[Element]:
    for publication in fields(news.element, "publication"):
        yield from (element for element in fields(publication, "language") if element.text)


@rule(
    "N006",
    "bad-news-language",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-news", "xsd-news", "xsd-tested", "iso-639"),
    bad=(
        Bad("<news:language>«pt-BR»</news:language>", fixed="<news:language>pt</news:language>"),
        Bad("<news:language>«EN»</news:language>", fixed="<news:language>en</news:language>"),
        Bad("<news:language>«zh_CN»</news:language>", fixed="<news:language>zh-cn</news:language>"),
        "<news:language>«zh-HK»</news:language>",
        "<news:language>«english»</news:language>",
        "<news:language>«jp»</news:language>",
    ),
    good=(
        "<news:language> en </news:language>",
        "<news:language>zh-tw</news:language>",
        "<news:language>fil</news:language>",
        "<news:language>iw</news:language>",
    ),
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
    return rewrite(news.listed.document, element, plain, f"write {plain}", safety)


@rule(
    "N007",
    "chinese-without-script",
    when=Signal.MEDIA_VALUE,
    severity=Severity.WARNING,
    engines=GOOGLE,
    cites=("google-news", "xsd-tested"),
    bad=("<news:language>«zh»</news:language>", "<news:language>«zho»</news:language>"),
    good=("<news:language>zh-cn</news:language>", "<news:language>ja</news:language>"),
)
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


@rule(
    "N020",
    "differing-publications",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("general-knowledge",),
    bad=(
        _article("1", "The Example Times", "en")
        + _article("2", "The Example Times", "en")
        + _article("3", "«Example Times»", "en"),
        _article("1", "The Example Times", "en")
        + _article("2", "The Example Times", "en")
        + _article("3", "The Example Times", "«fr»"),
    ),
    good=(_article("1", "The Example Times", "en") + _article("2", "\nThe Example Times ", "en"),),
)
def differing_publications(sitemap: Sitemap) -> Iterator[Problem]:
    """The articles in a file have different publications or languages.

    Several publications in one sitemap are allowed. More often there are two spellings of one name, and only one
    matches Google News.
    """
    if not extended(sitemap):
        return
    for local, word in (("name", "publication"), ("language", "language")):
        found = values(sitemap, namespaces.NEWS, local)
        counts = Counter(value for value, _ in found)
        if len(counts) > 1:
            (usual, most), *_ = counts.most_common(1)
            value, place = next((value, place) for value, place in found if value != usual)
            others = len(found) - most
            yield Problem(
                place,
                f"{others:,} of {len(found):,} articles {'has' if others == 1 else 'have'} another {word} than "
                f"{_shown(usual)}, "
                f"the first one {_shown(value)}; use the same {word} if they belong together",
                count=others,
            )


def _shown(value: bytes) -> str:
    return quoted(value.decode("utf-8", "replace"))
