"""Files in the manner of known programs and of people who know what they do: unusual here and there, never wrong."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.spec import namespaces

HOME = "https://www.example.com"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_IMAGE = f' xmlns:image="{namespaces.IMAGE}"'
_VIDEO = f' xmlns:video="{namespaces.VIDEO}"'
_NEWS = f' xmlns:news="{namespaces.NEWS}"'
_XHTML = f' xmlns:xhtml="{namespaces.XHTML}"'
_XSI = f' xmlns:xsi="{namespaces.XSI}"'


def urlset(entries: Iterable[str], declared: str = "", before: str = "") -> str:
    return f'{_XML}{before}<urlset xmlns="{namespaces.SITEMAP}"{declared}>\n{"".join(entries)}\n</urlset>\n'


def url(path: str, inside: str = "") -> str:
    return f"<url><loc>{HOME}{path}</loc>{inside}</url>\n"


def link(code: str, address: str) -> str:
    return f'<xhtml:link rel="alternate" hreflang="{code}" href="{address}"/>'


def image(address: str) -> str:
    return f"<image:image><image:loc>{address}</image:loc></image:image>"


def versions(*paths: str, codes: tuple[str, ...] = ("en", "de", "fr")) -> list[str]:
    return [
        url(f"/{own}{path}", "".join(link(code, f"{HOME}/{code}{path}") for code in codes))
        for path in paths
        for own in codes
    ]


_CLIP = (
    "<video:thumbnail_loc>https://i.example.net/vi/x1/hq.jpg</video:thumbnail_loc><video:title>A clip</video:title>"
    "<video:description>Of a boat</video:description>"
)
_STYLESHEET = '<?xml-stylesheet type="text/xsl" href="//www.example.com/sitemap.xsl"?>\n'
_SCHEMAS = (
    f"{namespaces.SITEMAP}\n    {namespaces.SITEMAP}/sitemap.xsd\n"
    f"    {namespaces.IMAGE} {namespaces.IMAGE}/sitemap-image.xsd"
)
_ARTICLE = (
    "<news:news><news:publication><news:name>The Post</news:name><news:language>en</news:language></news:publication>"
    "<news:publication_date>2026-11-15T08:00:00Z</news:publication_date><news:title>Fog</news:title></news:news>"
)

SITEMAPS: dict[str, str] = {
    "a blog": urlset(
        (
            url(
                f"/2026/0{month}/post-{day}/",
                f"<lastmod>2026-0{month}-1{day}T10:0{day}:00+00:00</lastmod>"
                + image(f"{HOME}/wp-content/uploads/2026/0{month}/photo-{day}-scaled.jpg"),
            )
            for month in (3, 5, 8)
            for day in range(10)
        ),
        _IMAGE,
        f"{_STYLESHEET}<!-- made by a plugin -->\n",
    ),
    "a manual with hints": urlset(
        (url(f"/docs/{n}", "<changefreq>weekly</changefreq><priority>0.5</priority>") for n in range(12)),
        _NEWS + _XHTML + _IMAGE + _VIDEO,
    ),
    "a static site in three languages": urlset(versions(*(f"/page-{n}/" for n in range(6))), _XHTML),
    "an editorial system": urlset(
        [
            url("/", "<lastmod>2026-10-01T10:00Z</lastmod><changefreq>daily</changefreq><priority>1.0</priority>"),
            url("/node/1", "<changefreq>never</changefreq>"),
        ],
        before=_STYLESHEET,
    ),
    "every frequency": urlset(
        url(f"/{word}", f"<lastmod>2026-11-1{n}</lastmod><changefreq>{word}</changefreq>")
        for n, word in enumerate(("always", "hourly", "daily", "weekly", "monthly"))
    ),
    "locations of the schemas": urlset(
        [url("/", image(f"{HOME}/i.jpg"))], f'{_XSI}{_IMAGE}\n  xsi:schemaLocation="{_SCHEMAS}"'
    ),
    "all in a prefix": (
        f'{_XML}<s:urlset xmlns:s="{namespaces.SITEMAP}"><s:url><s:loc>{HOME}/a</s:loc>'
        "<s:lastmod>2026-11-01</s:lastmod></s:url></s:urlset>"
    ),
    "a namespace where it is needed": urlset(
        [url("/a", image(f"{HOME}/i.jpg").replace("<image:image", f"<image:image{_IMAGE}"))]
    ),
    "another prefix": urlset(
        [url("/a", image(f"{HOME}/i.jpg").replace("image:", "i:"))], _IMAGE.replace(":image=", ":i=")
    ),
    "no prefix": urlset([url("/a", f'<image xmlns="{namespaces.IMAGE}"><loc>{HOME}/i.jpg</loc></image>')]),
    "withdrawn fields": urlset(
        [url("/a", image(f"{HOME}/i.jpg").replace("</image:image", "<image:title>A</image:title></image:image"))],
        _IMAGE,
    ),
    "comments and instructions": urlset(
        [f"<!-- a --><?x y?><url><!-- b --><loc>{HOME}/a</loc><!-- c --><?z?></url><!-- d -->"]
    ),
    "links written otherwise": urlset(
        (
            url(
                path,
                f'<xhtml:link\n  href="{HOME}/a"\n  hreflang="en" rel="alternate"></xhtml:link>'
                f"<xhtml:link rel='alternate' hreflang='de' href='{HOME}/b' />",
            )
            for path in ("/a", "/b")
        ),
        _XHTML,
    ),
    "versions on other hosts": urlset(
        (
            url(
                path,
                link("en", HOME + path) + link("de", f"https://www.example.de{path}") + link("x-default", HOME + path),
            )
            for path in ("/a", "/b")
        ),
        _XHTML,
    ),
    "versions in other files": urlset(
        (url(f"/en/{n}", link("en", f"{HOME}/en/{n}") + link("de", f"{HOME}/de/{n}")) for n in range(3)), _XHTML
    ),
    "a page to choose the language": urlset(
        (
            url(path, link("en", f"{HOME}/en/") + link("de", f"{HOME}/de/") + link("x-default", f"{HOME}/"))
            for path in ("/en/", "/de/", "/")
        ),
        _XHTML,
    ),
    "a version for phones": urlset(
        [
            url(
                "/a",
                '<xhtml:link rel="alternate" media="only screen and (max-width: 640px)" href="https://m.example.com/a"/>',
            )
        ],
        _XHTML,
    ),
    "no news today": urlset((), _NEWS),
    "news among older pages": urlset([url("/old", "<lastmod>2020-01-01</lastmod>"), url("/fog", _ARTICLE)], _NEWS),
    "a player elsewhere": urlset(
        [
            url(
                "/clip",
                f"<video:video>{_CLIP}<video:player_loc>https://video.example.net/embed/x1</video:player_loc></video:video>",
            )
        ],
        _VIDEO,
    ),
    "old attributes of a player": urlset(
        [
            url(
                "/clip",
                f'<video:video>{_CLIP}<video:player_loc allow_embed="yes" autoplay="ap=1">{HOME}/p</video:player_loc>'
                "<video:category>Boats</video:category></video:video>",
            )
        ],
        _VIDEO,
    ),
    "images from a service": urlset(
        [
            url(
                "/a",
                image("https://res.example.net/x/image/upload/f_auto,q_auto/v1/a")
                + image(f"{HOME}/a%20(1).jpg")
                + image(f"{HOME}/sprite.svg#logo")
                + image(f"{HOME}/a.jpg?v=1&amp;w=2"),
            )
        ],
        _IMAGE,
    ),
    "data for a search of one's own": urlset(
        [
            url(
                "/",
                f'<PageMap xmlns="{namespaces.PAGEMAP}"><DataObject type="doc" id="1"><Attribute name="a" value="b"/>'
                '<Attribute name="c">d</Attribute></DataObject></PageMap>',
            )
        ]
    ),
    "a namespace of one's own": urlset(
        [url("/", "<shop:sku>12</shop:sku>")], ' xmlns:shop="https://www.example.com/ns"'
    ),
    "variants of a product": urlset(url(f"/p/shoe?colour=red&amp;size={n}") for n in range(30, 40)),
    "capitals": urlset([url("/Products/ABC.aspx"), url("/products/abc.aspx"), url("/A"), url("/a")]),
    "pages about sitemaps": urlset(
        [url("/sitemap/"), url("/site-map"), url("/sitemap.html"), url("/rss"), url("/feeds/")]
    ),
    "a long address": urlset([url("/" + "%D0%B0" * 330)]),
    "a byte order mark": "\ufeff" + urlset([url("/")]),
    "today in the far east": urlset([url("/a", "<lastmod>2026-11-16T01:30:00+14:00</lastmod>")]),
    "pages changed in the same three days": urlset(
        url(f"/{n}", f"<lastmod>2026-11-{10 + n % 3}</lastmod>") for n in range(40)
    ),
    "pages mostly imported on one day": urlset(
        url(f"/{n}", f"<lastmod>{'2026-03-01' if n % 10 else f'2026-05-1{n // 10}'}</lastmod>") for n in range(60)
    ),
    "few pages without dates": urlset(url(f"/{n}") for n in range(15)),
}

LISTS = {
    "blank lines at the end": f"{HOME}/a\n{HOME}/b\n\n",
    "a byte order mark": f"\ufeff{HOME}/a\n{HOME}/b\n",
    "ampersands": f"{HOME}/?a=1&b=2\n{HOME}/?copy=1&lt=2\n",
}

_CHANNEL = f"<title>All</title><link>{HOME}</link><description>Everything</description>"
FEEDS = {
    "rss of a blog": (
        f'{_XML}<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">'
        f'<channel>{_CHANNEL}<atom:link href="{HOME}/feed.xml" rel="self" type="application/rss+xml"/>'
        f"<item><title>A</title><link>{HOME}/a/</link><dc:creator><![CDATA[ann]]></dc:creator>"
        f"<pubDate>Sat, 14 Nov 2026 10:00:00 +0000</pubDate><guid isPermaLink='false'>{HOME}/?p=1</guid>"
        "<description><![CDATA[<p>A &#038; B</p>]]></description>"
        "<content:encoded><![CDATA[<p>More</p>]]></content:encoded></item></channel></rss>"
    ),
    "rss without dates": f'<rss version="2.0"><channel>{_CHANNEL}<item><link>{HOME}/a</link></item></channel></rss>',
    "atom with many links": (
        f'{_XML}<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x</id><title>All</title>'
        "<updated>2026-11-01T00:00:00Z</updated><entry><id>urn:x:1</id><title>A</title>"
        f'<updated>2026-11-01T00:00:00Z</updated><link rel="replies" type="text/html" href="{HOME}/a#comments"/>'
        f'<link rel="edit" href="{HOME}/edit/1"/><link rel="alternate" type="text/html" href="{HOME}/a"/>'
        f'<link rel="enclosure" href="{HOME}/a.mp3"/></entry></feed>'
    ),
}

_LINE = f"Sitemap: {HOME}/sitemap.xml\n"
ROBOTS = {
    "fields of one engine": (
        "User-agent: Yandex\nDisallow: /cgi\nClean-param: ref /\nHost: www.example.com\nCrawl-delay: 2\n\n"
        f"User-agent: *\nDisallow:\n\n{_LINE}"
    ),
    "an exception": f"User-agent: *\nDisallow: /admin/\nAllow: /admin/ajax.php\n\n{_LINE}",
    "no sitemap": "User-agent: *\nDisallow: /a\n",
    "a byte order mark": f"\ufeffUser-agent: *\nDisallow: /a\n{_LINE}",
    "comments": f"# ours\r\nUser-agent: * # all\r\nDisallow: /a # b\r\n\r\n{_LINE.strip()} # main\r\n",
    "a field yet unknown": f"User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n{_LINE}",
}
