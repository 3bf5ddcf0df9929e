"""Elements and attributes of sitemaps → what they mean, who reads them, their form and limits, with sources.

The core elements are stated here; the fields of extensions come from `extensions`, with a line on what each means.
Examples are candidates: the reference shows those that the rules accept or refuse.
"""

from __future__ import annotations

from functools import cache

import msgspec

from urlset.spec.extensions import (
    IMAGE,
    NEWS,
    PUBLICATION,
    TVSHOW,
    VIDEO,
    AttributeSpec,
    ElementSpec,
    FieldKind,
    FieldSpec,
)
from urlset.spec.protocol import (
    CHANGEFREQ,
    LASTMOD_FORMS,
    LOC_LENGTH_BELOW,
    MAX_BYTES,
    MAX_INDEX_ENTRIES,
    MAX_URLS,
    NEWS_MAX_AGE_DAYS,
    ROBOTS_MIN_PARSED_BYTES,
)

_GOOGLE = "Google. Other engines document nothing about it."
_NOBODY = "No search engine."


class Topic(msgspec.Struct, frozen=True):
    """One page of the reference."""

    name: str
    """as people write it: `lastmod`, `video:duration`, `xhtml:link hreflang`"""
    means: str
    readers: str
    """who reads it today"""
    form: str
    limits: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    """snippets that a rule's example could be"""
    wrong: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    group: str = "Sitemap"
    retired: bool = False
    """no engine reads it: the right way is to leave it out"""

    @property
    def slug(self) -> str:
        """The name of its page, and another way to write it."""
        return self.name.lower().replace(":", "-").replace(" ", "-").rstrip("-")


_CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
_LOC = "<loc>https://www.example.com/</loc>"
_URL = f"<url>{_LOC}</url>"
_CHILD = "<sitemap><loc>https://www.example.com/products.xml</loc></sitemap>"


def _dated(*values: str) -> tuple[str, ...]:
    return tuple(f"<lastmod>{value}</lastmod>" for value in values)


CORE_TOPICS = (
    Topic(
        "urlset",
        "The root element of a sitemap. It holds one `url` for each page.",
        "All engines.",
        "Exactly this namespace, with `http:`. Extensions declare their own prefix in the same tag.",
        (f"{MAX_URLS:,} URLs", f"{MAX_BYTES:,} bytes uncompressed (50 MiB)", "UTF-8"),
        (f"<urlset {_CORE}>{_URL}</urlset>", f"{_DECLARATION}\n<urlset {_CORE}>\n{_URL}\n</urlset>"),
        (
            f"<urlset>{_URL}</urlset>",
            f'<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">{_URL}</urlset>',
            f"<Urlset {_CORE}>{_URL}</Urlset>",
        ),
        ("sitemaps-protocol", "xsd-urlset", "google-build"),
    ),
    Topic(
        "url",
        "One page. It holds `loc`, and optionally `lastmod`, `changefreq`, `priority` and extensions.",
        "All engines.",
        "An element inside `urlset`. The order of its children matters to the XML schema only.",
        ("exactly one `loc`", "each other field at most once"),
        (_URL, f"<url>{_LOC}<lastmod>2026-11-15</lastmod></url>"),
        (
            "<url><lastmod>2026-11-15</lastmod></url>",
            f"<url>{_LOC}<loc>https://www.example.com/b</loc></url>",
            f"<url>{_LOC}<date>2026-11-15</date></url>",
        ),
        ("sitemaps-protocol", "xsd-urlset"),
    ),
    Topic(
        "loc",
        "The URL of the page, as it should appear in search results: canonical, indexable, status 200.",
        "All engines.",
        "An absolute http or https URL, percent-encoded (RFC 3986), with `&` written as `&amp;`.",
        (
            f"fewer than {LOC_LENGTH_BELOW:,} characters",
            "the host and scheme of the sitemap, at or below its folder, unless robots.txt of the listed host names it",
        ),
        (_LOC, "<loc>https://www.example.com/lamps?color=red&amp;size=2</loc>"),
        (
            "<loc>https://www.example.com/desk lamp</loc>",
            "<loc>/lamps</loc>",
            "<loc>https://www.example.com/lamps?color=red&size=2</loc>",
        ),
        ("sitemaps-protocol", "google-build", "rfc3986"),
    ),
    Topic(
        "lastmod",
        "The time of the last significant change of the page. Not the time of the build, and not of the sitemap.",
        "Google, if the dates prove accurate; Bing, which calls it the field that matters most; Yandex documents it.",
        f"A W3C date: {', '.join(f'`{form}`' for form in LASTMOD_FORMS)}. A time needs an offset: `Z` or `+02:00`.",
        ("not in the future", "100 bytes (Yandex)"),
        _dated("2026-11-15", "2026-11-15T10:30:00+01:00"),
        _dated("15/11/2026", "2026-11-15 10:30", "2026-11-15T10:30:00"),
        ("sitemaps-protocol", "w3c-datetime", "google-build", "bing-2023", "yandex-sitemap"),
    ),
    Topic(
        "changefreq",
        "How often the page is likely to change.",
        "Google and Bing ignore it. Yandex documents it.",
        f"One of {', '.join(f'`{value}`' for value in CHANGEFREQ)}, in lowercase.",
        ("100 bytes (Yandex)",),
        ("<changefreq>daily</changefreq>", "<changefreq>monthly</changefreq>"),
        ("<changefreq>sometimes</changefreq>", "<changefreq>Daily</changefreq>"),
        ("sitemaps-protocol", "google-2023", "bing-2025", "yandex-sitemap"),
    ),
    Topic(
        "priority",
        "The importance of the page compared with other pages of the same site.",
        "Google and Bing ignore it. Yandex documents it.",
        "A number from 0.0 to 1.0 with a point. The default is 0.5.",
        ("100 bytes (Yandex)",),
        ("<priority>0.8</priority>", "<priority>1.0</priority>"),
        ("<priority>1.5</priority>", "<priority>0,8</priority>"),
        ("sitemaps-protocol", "google-2023", "bing-2025", "yandex-sitemap"),
    ),
    Topic(
        "sitemapindex",
        "The root element of an index, which lists sitemaps instead of pages.",
        "All engines.",
        "The namespace of a sitemap. It holds `sitemap` elements only.",
        (f"{MAX_INDEX_ENTRIES:,} sitemaps", f"{MAX_BYTES:,} bytes uncompressed", "no index inside an index"),
        (f"<sitemapindex {_CORE}>{_CHILD}</sitemapindex>",
         f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {_CORE}>{_CHILD}</sitemapindex>'),
        (f"<sitemapindex>{_CHILD}</sitemapindex>", f"<sitemapindex {_CORE}>{_CHILD}{_URL}</sitemapindex>"),
        ("sitemaps-protocol", "google-large", "xsd-siteindex"),
        "Index",
    ),
    Topic(
        "sitemap",
        "One sitemap of an index, with its `loc` and optionally the `lastmod` of the file.",
        "All engines. Google and Bing use its `lastmod` to decide which files to read again.",
        "An absolute URL on the host of the index, at or below its folder.",
        ("exactly one `loc`", "at most one `lastmod`", "nothing else"),
        (_CHILD, _CHILD.replace("</sitemap>", "<lastmod>2026-11-15</lastmod></sitemap>")),
        ("<sitemap><loc>/products.xml</loc></sitemap>", _CHILD.replace("</loc>", "</loc><priority>1.0</priority>")),
        ("sitemaps-protocol", "google-large", "xsd-siteindex"),
        "Index",
    ),
    Topic(
        "robots-sitemap",
        "A `Sitemap:` line of robots.txt: how engines find the sitemap without an account. It belongs to no group.",
        "All engines.",
        "`Sitemap: ` and one absolute URL, alone on its line, any number of lines.",
        (f"in the first {ROBOTS_MIN_PARSED_BYTES // 1024} KiB of robots.txt",),
        ("User-agent: *\nDisallow:\n\nSitemap: https://www.example.com/sitemap.xml\n",
         "Sitemap: https://www.example.com/pages.xml\nSitemap: https://www.example.com/news.xml\n"),
        ("User-agent: *\nSitemap: /sitemap.xml\n", "User-agent: *\nSitmap: https://www.example.com/sitemap.xml\n"),
        ("sitemaps-protocol", "rfc9309", "google-robots"),
        "robots.txt",
    ),
)  # fmt: skip

_LINK = '<xhtml:link rel="alternate" hreflang="{}" href="https://www.example.com/{}/"/>'
_PAIR = (
    "<url><loc>https://www.example.com/{own}/</loc>"
    + _LINK.format("en", "en") + _LINK.format("de", "de") + "</url>"
)  # fmt: skip
_BOTH = _PAIR.format(own="en") + "\n" + _PAIR.format(own="de")
_WITH_DEFAULT = _BOTH.replace("</url>", _LINK.format("x-default", "en") + "</url>")


def _alternate(name: str, means: str, form: str, *wrong: tuple[str, str]) -> Topic:
    """A part of `xhtml:link`; `wrong` are replacements in an example that is right."""
    return Topic(
        name,
        means,
        "Google and Yandex. Bing treats it as a weak signal at most.",
        form,
        ("every version lists all versions, itself included",),
        (_BOTH, _WITH_DEFAULT),
        tuple(_BOTH.replace(old, new) for old, new in wrong),
        ("google-hreflang", "bing-hreflang", "yandex-sitemap"),
        "Languages",
    )


LANGUAGE_TOPICS = (
    _alternate(
        "xhtml:link",
        "A version of the page in another language or for another region.",
        "`rel`, `hreflang` and `href`, in the namespace `http://www.w3.org/1999/xhtml`.",
        ('hreflang="de" ', ""),
        (_LINK.format("de", "de"), ""),
    ),
    _alternate(
        "xhtml:link rel",
        "The relation of the link: another version of the page.",
        "Always `alternate`.",
        ('rel="alternate"', 'rel="alternative"'),
        ('rel="alternate" ', ""),
    ),
    _alternate(
        "xhtml:link hreflang",
        "The language, and optionally the script and region, of the version; `x-default` for everyone else.",
        "ISO 639-1, optionally ISO 15924 and ISO 3166-1, with hyphens: `de`, `de-AT`, `zh-Hans-TW`.",
        ('hreflang="de"', 'hreflang="ger"'),
        ('hreflang="de"', 'hreflang="de_AT"'),
        ('hreflang="en"', 'hreflang="en-UK"'),
    ),
    _alternate(
        "xhtml:link href",
        "The URL of the version.",
        "An absolute http or https URL.",
        ('href="https://www.example.com/de/"', 'href="/de/"'),
        ('href="https://www.example.com/de/"', ""),
    ),
)

_PAGEMAP = (
    '<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">'
    '<DataObject type="product"><Attribute name="price">12</Attribute></DataObject></PageMap>'
)


def _pagemap(name: str, means: str, form: str, *wrong: tuple[str, str]) -> Topic:
    return Topic(
        name,
        means,
        "Google's Programmable Search Engine only; web search ignores it.",
        form,
        right=(_PAGEMAP, _PAGEMAP.replace("product", "document")),
        wrong=tuple(_PAGEMAP.replace(old, new) for old, new in wrong),
        cites=("google-pse", "xsd-pagemap"),
        group="PageMap",
    )


PAGEMAP_TOPICS = (
    _pagemap(
        "PageMap",
        "Structured data about the page for a custom search.",
        "`DataObject` elements in the namespace `http://www.google.com/schemas/sitemap-pagemap/1.0`.",
        (' type="product"', ""),
        (' name="price"', ""),
    ),
    _pagemap(
        "DataObject",
        "One object of a PageMap, with its type.",
        "The attribute `type`, and `Attribute` elements.",
        (' type="product"', ""),
        (' type="product"', ' type=""'),
    ),
    _pagemap(
        "Attribute",
        "One value of a DataObject, with its name.",
        "The attribute `name`, and the value as text or as the attribute `value`.",
        (' name="price"', ""),
        (">12<", "><"),
    ),
)

_MEANINGS = {
    "image:image": "An image of the page, for image search.",
    "image:loc": "The URL of the image file. It may be on another host.",
    "image:caption": "A caption of the image.",
    "image:geo_location": "The place shown in the image.",
    "image:title": "A title of the image.",
    "image:license": "The URL of the license of the image.",
    "video:video": "A video of the page, for video search.",
    "video:thumbnail_loc": "The URL of the preview image.",
    "video:title": "The title of the video.",
    "video:description": "A description of the video.",
    "video:content_loc": "The URL of the video file itself, not of the page.",
    "video:player_loc": "The URL of a player for the video, not of the page.",
    "video:duration": "The length of the video in seconds.",
    "video:expiration_date": "The time after which the video is no longer available.",
    "video:rating": "The rating of the video.",
    "video:content_segment_loc": "A part of the video.",
    "video:view_count": "How often the video was viewed.",
    "video:publication_date": "The time of the first publication.",
    "video:tag": "A keyword for the video.",
    "video:category": "A category of the video.",
    "video:family_friendly": "Whether the video is suitable for children.",
    "video:restriction": "Countries in which the video may or may not be shown.",
    "video:gallery_loc": "The URL of the gallery with the video.",
    "video:price": "The price of the video.",
    "video:requires_subscription": "Whether a subscription is needed.",
    "video:uploader": "Who uploaded the video.",
    "video:tvshow": "The TV show that the video is a part of.",
    "video:show_title": "The title of the TV show.",
    "video:video_type": "Which part of the TV show the video is.",
    "video:episode_title": "The title of the episode.",
    "video:season_number": "The number of the season.",
    "video:episode_number": "The number of the episode.",
    "video:premier_date": "The date of the first broadcast.",
    "video:platform": "Platforms on which the video may or may not be shown.",
    "video:live": "Whether the video is a live stream.",
    "video:id": "An identifier of the video.",
    "news:news": f"An article for Google News, published in the last {NEWS_MAX_AGE_DAYS} days.",
    "news:publication": "The publication in which the article appeared.",
    "news:name": "The name of the publication, as on its articles.",
    "news:language": "The language of the publication.",
    "news:access": "How readers get access to the article.",
    "news:genres": "The genres of the article.",
    "news:publication_date": "The time of the first publication of the article.",
    "news:title": "The headline of the article.",
    "news:geo_locations": "The place of the article.",
    "news:keywords": "Keywords of the article.",
    "news:stock_tickers": "Companies that the article is about.",
    "video:restriction relationship": "Whether the countries are those allowed or those denied.",
    "video:platform relationship": "Whether the platforms are those allowed or those denied.",
    "video:uploader info": "The URL of a page about the uploader, on the domain of the video's page.",
    "video:player_loc allow_embed": "Whether the player may be embedded.",
    "video:player_loc autoplay": "Parameters that start the video by themselves.",
    "video:content_segment_loc duration": "The length of the part in seconds.",
    "video:gallery_loc title": "The title of the gallery.",
    "video:price currency": "The currency of the price.",
    "video:price type": "Whether the price is for buying or renting.",
    "video:price resolution": "The resolution that the price is for.",
    "video:id type": "What kind of identifier it is.",
}
_FORMS = {
    FieldKind.TEXT: "Text without tags.",
    FieldKind.URL: "An absolute URL.",
    FieldKind.INTEGER: "A whole number.",
    FieldKind.DECIMAL: "A decimal number with a point.",
    FieldKind.DATETIME: "A W3C date, as for `lastmod`.",
    FieldKind.CHOICE: "Exactly one of: ",
    FieldKind.CHOICES: "Any of: ",
    FieldKind.COUNTRIES: "ISO 3166-1 country codes, separated by spaces.",
    FieldKind.CURRENCY: "An ISO 4217 currency code.",
    FieldKind.LANGUAGE: "An ISO 639 language code, or `zh-cn`, `zh-tw`.",
    FieldKind.TICKERS: "EXCHANGE:SYMBOL, separated by commas.",
    FieldKind.GROUP: "An element with its own fields.",
}
_GOOD_VALUES: dict[FieldKind, tuple[str, ...]] = {
    FieldKind.TEXT: ("Desk lamps in ten minutes", "How to wire a lamp"),
    FieldKind.URL: ("https://www.example.com/media/lamp.png", "https://cdn.example.com/lamp.png"),
    FieldKind.INTEGER: ("600", "42"),
    FieldKind.DECIMAL: ("4.2", "3"),
    FieldKind.DATETIME: ("2026-11-15", "2026-11-15T10:30:00+01:00", "2030-01-01", "2030-01-01T00:00:00Z"),
    FieldKind.COUNTRIES: ("DE AT CH", "US"),
    FieldKind.CURRENCY: ("EUR", "USD"),
    FieldKind.LANGUAGE: ("en", "de"),
    FieldKind.TICKERS: ("NASDAQ:AMAT", "BOM:500325"),
}
_GOOD_BY_NAME = {
    "content_loc": ("https://www.example.com/media/lamp.mp4", "https://cdn.example.com/lamp.mp4"),
    "player_loc": ("https://www.example.com/player?video=7", "https://player.example.com/7"),
    "thumbnail_loc": ("https://www.example.com/media/lamp.jpg", "https://cdn.example.com/lamp.png"),
    "info": ("https://www.example.com/people/ada", "https://www.example.com/people/grace"),
    "name": ("The Example Times", "Nordliving Journal"),
    "expiration_date": ("2030-01-01", "2030-01-01T00:00:00Z"),
    "geo_location": ("Oslo, Norway", "Vienna, Austria"),
}
_BAD_VALUES: dict[FieldKind, tuple[str, ...]] = {
    FieldKind.TEXT: ("", "&lt;b&gt;Lamps&lt;/b&gt;", "undefined", "{{ title }}"),
    FieldKind.URL: ("", "/media/lamp.png", "lamp.png", "https://www.example.com/desk lamp.png"),
    FieldKind.INTEGER: ("", "ten", "-1", "10:00", "999999"),
    FieldKind.DECIMAL: ("", "five", "9.9"),
    FieldKind.DATETIME: ("", "15/11/2026", "2026-11-15 10:30", "soon"),
    FieldKind.CHOICE: ("", "maybe", "true"),
    FieldKind.CHOICES: ("", "fridge", "web,tv"),
    FieldKind.COUNTRIES: ("", "Germany", "DE,AT"),
    FieldKind.CURRENCY: ("", "euro"),
    FieldKind.LANGUAGE: ("", "english", "en-US"),
    FieldKind.TICKERS: ("", "Amat"),
}


def _standing(withdrawn: str | None, *, documented: bool = True) -> str:
    if withdrawn is not None:
        return f"{_NOBODY} Google ignores it since {withdrawn}."
    return _GOOGLE if documented else f"{_NOBODY} It is in the XML schema, and no longer in the documentation."


def _form(spec: FieldSpec | AttributeSpec) -> str:
    values = ", ".join(f"`{value}`" for value in spec.values)
    return f"{_FORMS[spec.kind]}{values + '.' if values else ''}"


def _values(spec: FieldSpec | AttributeSpec) -> tuple[str, ...]:
    return spec.values or _GOOD_BY_NAME.get(spec.name) or _GOOD_VALUES.get(spec.kind, ())


def _field_topics(parent: ElementSpec, spec: FieldSpec, group: str) -> list[Topic]:
    name = f"{parent.namespace}:{spec.name}"
    required = "".join(f' {each.name}="{_values(each)[0]}"' for each in spec.attributes if each.required)
    good, bad = _values(spec), _BAD_VALUES.get(spec.kind, ())
    element = f"<{name}{required}>{{}}</{name}>"
    if parent is TVSHOW:
        element = f"<video:tvshow>{element}</video:tvshow>"
    often = (spec.max_count,) if spec.max_count else ()
    found = ["required" if spec.required else "optional"]
    if spec.repeatable:
        found.append(f"at most {spec.max_count} times" if spec.max_count else "any number of times")
    else:
        found.append("at most once")
    if spec.minimum is not None:
        found.append(f"at least {spec.minimum:g}" + (f", at most {spec.maximum:g}" if spec.maximum is not None else ""))
    if spec.max_length is not None:
        found.append(f"at most {spec.max_length:,} characters")
    field = Topic(
        name,
        _MEANINGS[name],
        _standing(spec.withdrawn, documented=spec.documented),
        _form(spec),
        tuple(found),
        tuple(element.format(value) for value in good),
        (
            *(element.format(value) for value in bad),
            *(element.format(value) * 2 for value in good[:2]),
            *(element.format(value) * (most + 1) for most in often for value in good[:2]),
        ),
        spec.cites,
        group,
        retired=not _is_read(spec) and spec.kind is not FieldKind.GROUP,
    )
    return [field, *(_attribute_topic(name, each, good, spec, group) for each in spec.attributes)]


def _attribute_topic(element: str, spec: AttributeSpec, values: tuple[str, ...], field: FieldSpec, group: str) -> Topic:
    def example(attribute: str, value: str) -> str:
        return f"<{element}{attribute}>{value}</{element}>"

    right = tuple(example(f' {spec.name}="{each}"', values[0]) for each in _values(spec))
    # the uploader's page has to be on the domain of the video's page
    others = ("https://www.example.org/ada", "https://people.example.net/ada") if spec.name == "info" else ()
    bad = (*others, *_BAD_VALUES[spec.kind])
    wrong = (example("", values[0]), *(example(f' {spec.name}="{each}"', values[0]) for each in bad))
    return Topic(
        f"{element} {spec.name}",
        _MEANINGS[f"{element} {spec.name}"],
        _standing(spec.withdrawn or field.withdrawn, documented=field.documented),
        _form(spec),
        ("required" if spec.required else "optional",),
        right,
        wrong,
        field.cites,
        group,
        retired=spec.withdrawn is not None or not _is_read(field),
    )


def _element_topic(element: ElementSpec, group: str) -> Topic:
    """An element with its required fields; wrong without one of them."""
    fields = {field.name: _field_topics(element, field, group)[0] for field in element.fields}
    needed = [field.name for field in element.fields if field.required]
    name, alternatives = f"{element.namespace}:{element.name}", list(element.one_of)

    def example(*names: str, number: int = 0) -> str:
        inner = (fields[each].right or _element_topic(PUBLICATION, "News").right for each in names)
        return f"<{name}>{''.join(right[number] for right in inner)}</{name}>"

    listed = ", ".join(f"`{element.namespace}:{each}`" for each in needed)
    choice = (
        f" and one of {', '.join(f'`{element.namespace}:{each}`' for each in alternatives)}" if alternatives else ""
    )
    whole = (*needed, *alternatives[:1])
    return Topic(
        name,
        _MEANINGS[name],
        _standing(element.withdrawn),
        f"An element with {listed}{choice}.",
        (f"at most {element.max_per_parent:,} for each page",) if element.max_per_parent else (),
        (example(*whole), example(*needed, *alternatives[1:2], number=1)),
        (*(example(*(each for each in whole if each != gone)) for gone in whole), example(*whole, *whole[:1])),
        element.cites,
        group,
        retired=element.withdrawn is not None,
    )


def _is_read(field: FieldSpec) -> bool:
    return field.withdrawn is None and field.documented and field.kind is not FieldKind.GROUP


@cache
def topics() -> tuple[Topic, ...]:
    """All of them, in the order of the reference."""
    groups = (("Images", IMAGE), ("Videos", VIDEO), ("Videos", TVSHOW), ("News", NEWS), ("News", PUBLICATION))
    found = {topic.name: topic for topic in (*CORE_TOPICS, *LANGUAGE_TOPICS)}
    for group, element in groups:
        whole = _element_topic(element, group)
        found[whole.name] = whole
        for field in element.fields:
            for topic in _field_topics(element, field, group):
                found.setdefault(topic.name, topic)
    return (*found.values(), *PAGEMAP_TOPICS)


@cache
def _by_name() -> dict[str, Topic]:
    known: dict[str, Topic] = {}
    for topic in topics():
        for name in filter(None, (topic.name, topic.slug, topic.name.partition(":")[2])):
            known.setdefault(_plain(name), topic)
    known |= {_plain(name): known["xhtml:link hreflang"] for name in ("hreflang", "x-default")}
    return known | {
        _plain(name): known["robots-sitemap"] for name in ("Sitemap:", "robots.txt", "robots", "sitemap line")
    }


def find_topic(text: str) -> Topic | None:
    """By the name of an element or attribute, with or without brackets and prefix."""
    return _by_name().get(_plain(text))


def _plain(text: str) -> str:
    return " ".join(text.strip().strip("<>/").casefold().split())
