"""Feeds as sitemaps, feeds that no engine reads, and the video fields of Media RSS."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import bad, error_rule, good, google_error, google_warning, info_rule, warning_rule
from urlset.checking.subjects import value_place
from urlset.findings.finding import quoted
from urlset.model.entry import Element
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.rules import Engine, Has, Kind, ListedPage, Problem, Severity, Signal, Sitemap
from urlset.rules.xml.wellformed import root_head
from urlset.spec import namespaces
from urlset.spec.namespaces import means
from urlset.spec.protocol import MEDIA_RSS_FIELDS

_RSS = '<rss version="2.0"><channel><title>News</title>%s</channel></rss>\n'
_ITEM = "<item><title>One</title><link>https://example.com/1</link></item>"
_MRSS = (
    f'<rss version="2.0" xmlns:media="{namespaces.MEDIA}"><channel>'
    "<item><link>https://example.com/1</link>%s</item></channel></rss>\n"
)
_CONTENT = '<media:content url="https://example.com/v.mp4" medium="video">'
_TITLE = "<media:title>One</media:title>"
_REST = '<media:description>Words</media:description><media:thumbnail url="https://example.com/t.jpg"/>'
_END = "</media:content>"
_ALLOW = 'relationship="allow"'
_ATOM = '<entry><link href="https://example.com/1"/><updated>2026-11-15T10:00:00Z</updated></entry></feed>\n'


@warning_rule(
    "S033",
    when=Signal.MISSING | Signal.IRREGULAR,
    engines=(Engine.PROTOCOL, Engine.GOOGLE, Engine.BING),
    cites=("sitemaps-protocol", "google-build", "bing-help"),
    kinds=Has.FEED,
)
@bad(
    _RSS % "«<item>»<title>One</title></item>",
    _RSS % '«<item>»<guid isPermaLink="false">https://example.com/1</guid></item>',
    _RSS % "<item>«<guid>»https://example.com/1</guid></item>",
    f'<feed xmlns="{namespaces.ATOM}">«<entry>»<link rel="edit" href="https://example.com/1"/></entry></feed>\n',
)
@good(_RSS % _ITEM, f'<feed xmlns="{namespaces.ATOM}">' + _ATOM)
def feed_item_without_link(listed: ListedPage) -> Iterator[Problem]:
    """A feed item has no link to its page.

    As a sitemap, a feed is a list of links. Without a link, engines ignore the item. The guid of an RSS item is also
    its URL unless it has isPermaLink="false", but engines only document <link>.
    """
    if listed.document.kind is Kind.RSS and listed.raw_loc is not None and not listed.fields("link"):
        tag = listed.fields("guid")[0].open_tag
        message = "the URL is only in <guid>, but engines only document <link>; add a <link>"
        yield Problem(tag, message, severity=Severity.INFO)
    if listed.raw_loc is None:
        yield Problem(listed.element.open_tag, f"<{listed.element.written}> has no link, so engines ignore it; add one")


@google_warning("S034", cites=("sitemaps-protocol", "bing-help", "google-build"), kinds=Has.ATOM_ENTRIES)
@bad(f'«<feed» version="0.3" xmlns="{namespaces.ATOM03}">' + _ATOM, "«<feed»>" + _ATOM)
@good(f'<feed xmlns="{namespaces.ATOM}">' + _ATOM)
def atom_version(sitemap: Sitemap) -> Iterator[Problem]:
    """The feed is not Atom 1.0.

    Google only supports Atom 1.0 and RSS 2.0. The protocol and Bing also support Atom 0.3. The namespace identifies
    Atom 1.0.
    """
    root = sitemap.document.root
    if root is None or root.synthetic or root.namespace == namespaces.ATOM:
        return
    if root.namespace == namespaces.ATOM03 or root.attributes.get("version") == "0.3":
        words = "the feed is Atom 0.3"
    else:
        words = f"the feed is in {quoted(root.namespace) if root.namespace else 'no namespace'}"
    yield Problem(root_head(sitemap.document), f"{words}, but Google only supports Atom 1.0; convert it")


@info_rule("S035", engines=(Engine.YANDEX,), cites=("yandex-sitemap",), kinds=Has.FEED)
@bad("«<rss»" + (_RSS % _ITEM)[4:])
@good("<url><loc>https://example.com/</loc></url>")
def feed_for_yandex(sitemap: Sitemap) -> Iterator[Problem]:
    """Yandex does not read feeds as sitemaps.

    Yandex reads XML and text sitemaps. List the pages in one of those for Yandex.
    """
    message = f"Yandex does not read {sitemap.kind.upper()} feeds as sitemaps; add an XML sitemap"
    yield Problem(root_head(sitemap.document), message)


@google_error("S036", when=Signal.MEDIA_SHAPE, cites=("google-video", "media-rss"), kinds=Has.RSS_ITEMS)
@bad(
    _MRSS % f'«<media:content medium="video">»{_TITLE}{_REST}{_END}',
    _MRSS % f"«{_CONTENT}»{_REST}{_END}",
    _MRSS % f"{_CONTENT}<media:title>«{'x' * 101}»</media:title>{_REST}{_END}",
    _MRSS % f"{_CONTENT}{_TITLE}{_REST}«<media:restriction {_ALLOW}>»DE</media:restriction>{_END}",
)
@good(
    _MRSS % f"{_CONTENT}{_TITLE}{_REST}{_END}",
    _MRSS % f'<media:content medium="video"><media:player url="https://example.com/p"/>{_TITLE}{_REST}{_END}',
    _MRSS % f"<media:group>{_CONTENT}{_END}{_TITLE}{_REST}</media:group>",
    _MRSS % '<media:content url="https://example.com/i.jpg" medium="image"/>',
    _MRSS % '<media:thumbnail url="https://example.com/i.jpg"/>',
    _MRSS % f'{_CONTENT}{_TITLE}{_REST}<media:restriction {_ALLOW} type="country">DE</media:restriction>{_END}',
)
def media_rss_incomplete(listed: ListedPage) -> Iterator[Problem]:
    """A video in a Media RSS feed is missing required fields.

    Google requires a URL in media:content or media:player, a title of at most 100 characters, a description of at most
    2,048 characters, and a thumbnail. A restriction must have type="country".
    """
    media = [element for element in listed.element.walk() if means(element.namespace) == namespaces.MEDIA]
    videos = [element for element in media if _is_video(element)]
    if not videos:
        return
    place = videos[0].open_tag
    urls = [element.attribute("url") for element in media if element.local in ("content", "player")]
    if not any(url is not None and url.value.text.strip() for url in urls):
        yield Problem(place, "no url in media:content or media:player, so Google cannot find the video; add one")
    for name, limit in MEDIA_RSS_FIELDS.items():
        found = [element for element in media if element.local == name]
        filled = [element for element in found if element.text or element.attribute("url") is not None]
        if not filled:
            yield Problem(place, f"the video has no media:{name}, which Google requires; add one")
        for element in filled:
            size = len(element.text)
            if limit is not None and size > limit:
                words = f"{quoted(element.text)} has {size:,} characters; the limit for media:{name} is {limit:,}"
                yield Problem(value_place(element), words)
    for element in media:
        kind = element.attribute("type")
        if element.local == "restriction" and kind is None:
            yield Problem(element.open_tag, 'media:restriction has no type="country", which Google requires; add it')
        elif element.local == "restriction" and kind is not None and kind.value.text.strip() != "country":
            words = f'type {quoted(kind.value.text)} in media:restriction is not supported; use type="country"'
            yield Problem(kind.value.place, words)


def _is_video(element: Element) -> bool:
    if element.local == "player":
        return True
    if element.local != "content":
        return False
    medium, kind = element.attribute("medium"), element.attribute("type")
    if medium is not None:
        return medium.value.text.strip() == "video"
    if kind is not None:
        return kind.value.text.strip().startswith("video/")
    return any(child.local == "player" for child in element.children) or element.attribute("url") is None


@error_rule(
    "S038",
    names_other=True,
    kinds=Has.OTHER_FORMAT,
    cites=("sitemaps-protocol", "google-build", "bing-help", "json-feed"),
    reports=(TroubleKind.MALFORMED,),
)
@bad(
    '«{»"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://example.com/1"}]}',
    '«{»"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://example.com/1"}«»',
)
@good(_RSS % _ITEM)
def feed_not_a_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The file lists pages in a format that no search engine reads as a sitemap.

    Engines accept XML sitemaps, text lists, and RSS and Atom feeds. `urlset build` makes a sitemap from the file.
    """
    kind = sitemap.kind
    if not kind.is_other_list:
        return
    start = len(sitemap.data) - len(sitemap.data.lstrip(b"\xef\xbb\xbf \t\r\n"))
    yield Problem(Place(start, 1), f"no search engine reads {kind.noun} as a sitemap; build an XML sitemap from it")
    for trouble in sitemap.troubles(TroubleKind.MALFORMED):
        yield Problem(trouble.place, f"malformed {trouble.detail}, so the rest is skipped; fix the file")
