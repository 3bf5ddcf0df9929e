"""Hypothesis strategies for sitemaps of every kind without any fault, as honest sites publish them."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from hypothesis import strategies as st

from tests.rules.clean_addresses import (
    NOW,
    dates,
    mail_dates,
    page_addresses,
    several_addresses,
    site_origins,
    titles,
    xml,
)
from urlset.spec import namespaces

EXTENSIONS = ("image", "video", "news", "xhtml")


class CleanFile(NamedTuple):
    """The bytes of a sitemap and the address it is published at."""

    data: bytes
    url: str


class Style(NamedTuple):
    """How the program that wrote the file lays it out."""

    declaration: str
    indent: str
    line: str
    remark: str
    cdata: bool

    def text(self, value: str) -> str:
        return f"<![CDATA[{value}]]>" if self.cdata and "]]>" not in value else xml(value)

    def leaf(self, name: str, value: str | None, attributes: str = "") -> str:
        return "" if value is None else f"{self.indent * 2}<{name}{attributes}>{self.text(value)}</{name}>{self.line}"

    def node(self, name: str, inside: str, depth: int = 1) -> str:
        lead = self.indent * depth
        return f"{lead}<{name}>{self.line}{inside}{lead}</{name}>{self.line}"


STYLES = st.builds(
    Style,
    st.sampled_from(
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n',
            "<?xml version='1.0' encoding='utf-8'?>",
            '<?xml version="1.0"?>\n',
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n',
            '<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>\n',
            "",
        )
    ),
    st.sampled_from(("", "  ", "\t")),
    st.sampled_from(("\n", "\n", "\r\n", "")),
    st.sampled_from(("", "", "<!-- products -->", "<!-- urlset: ignore L013 -->")),
    st.booleans(),
)


def root(style: Style, name: str, inside: str, prefixes: tuple[str, ...] = (), *, schema: bool = False) -> str:
    declared = "".join(f' xmlns:{prefix}="{namespaces.BY_PREFIX[prefix].uri}"' for prefix in prefixes)
    if schema:
        file = "siteindex" if name == "sitemapindex" else "sitemap"
        declared += f' xmlns:xsi="{namespaces.XSI}"'
        declared += f' xsi:schemaLocation="{namespaces.SITEMAP} {namespaces.SITEMAP}/{file}.xsd"'
    opening = f'<{name} xmlns="{namespaces.SITEMAP}"{declared}>{style.line}'
    return f"{style.declaration}{opening}{style.remark}{style.line}{inside}</{name}>{style.line}"


def images(draw: st.DrawFn, style: Style, origin: str) -> str:
    hosts = st.sampled_from((origin, "https://cdn.example.net", "https://images.example.org"))
    endings = st.sampled_from((".jpg", ".png", ".webp", ".svg", "", "?w=1600&q=80", "/full/0/default.jpg"))
    found = ""
    for _ in range(draw(st.integers(1, 3))):
        address = draw(page_addresses(draw(hosts))).partition("?")[0].rstrip("/") + "/i" + draw(endings)
        found += style.node("image:image", style.leaf("image:loc", address), 2)
    return found


def video(draw: st.DrawFn, style: Style, origin: str, number: int) -> str:
    def one(*values: str) -> str:
        return draw(st.sampled_from(values))

    place = draw(st.sampled_from(("content", "player", "both")))
    uploader = draw(st.sampled_from((f' info="{origin}/users/ann"', "")))
    fields = (
        style.leaf(
            "video:thumbnail_loc", f"{origin}/stills/{number}" + draw(st.sampled_from((".jpg", ".webp", "?v=1&w=2")))
        ),
        style.leaf("video:title", draw(titles())),
        style.leaf("video:description", draw(titles()) * 3),
        style.leaf("video:content_loc", f"https://cdn.example.net/{number}.mp4?a=1&b=2") if place != "player" else "",
        style.leaf("video:player_loc", f"{origin}/embed/{number}") if place != "content" else "",
        style.leaf("video:duration", one("1", "600", "28800")),
        style.leaf("video:expiration_date", one("2027-11-05T19:20:30+08:00", "2030-01-01")),
        style.leaf("video:rating", one("0.0", "4.2", "5", "5.0")),
        style.leaf("video:view_count", one("0", "12345")),
        style.leaf("video:publication_date", draw(dates("day", "second", "zulu"))),
        style.leaf("video:family_friendly", one("yes", "no")),
        style.leaf("video:restriction", one("DE", "IE GB US CA"), ' relationship="allow"'),
        style.leaf("video:platform", one("web", "web mobile", "tv"), ' relationship="deny"'),
        style.leaf("video:requires_subscription", one("yes", "no")),
        style.leaf("video:uploader", draw(titles()), uploader),
        style.leaf("video:live", one("yes", "no")),
        style.leaf("video:tag", "knots") + style.leaf("video:tag", draw(titles())),
    )
    required, optional = fields[:5], [field for field in fields[5:] if draw(st.booleans())]
    return style.node("video:video", "".join((*required, *optional)), 2)


def article(draw: st.DrawFn, style: Style, paper: str, language: str) -> str:
    publication = style.node(
        "news:publication", style.leaf("news:name", paper) + style.leaf("news:language", language), 2
    )
    recent = timedelta(hours=47)
    inside = (
        publication
        + style.leaf("news:publication_date", draw(dates("minute", "second", "zulu", "tenth", oldest=recent)))
        + style.leaf("news:title", draw(titles()))
    )
    return style.node("news:news", inside, 2)


LANGUAGES = (
    "en",
    "de",
    "de-AT",
    "en-GB",
    "fr-CA",
    "zh-Hans",
    "zh-Hant-TW",
    "pt-BR",
    "uk",
    "he",
    "sr-Latn-RS",
    "no",
    "nb",
)


def link(code: str, address: str) -> str:
    return f'<xhtml:link rel="alternate" hreflang="{code}" href="{xml(address)}"/>'


@st.composite
def urlsets(draw: st.DrawFn, *extensions: str, most: int = 8) -> CleanFile:
    """Plain entries, or entries with some or all of the extensions named."""
    style = draw(STYLES)
    origin = draw(site_origins())
    folder = draw(st.sampled_from(("", "", "", "/catalogue")))
    paper, language = draw(titles()), draw(st.sampled_from(("en", "de", "pt", "zh-cn", "zh-tw", "fil")))
    dated, hinted = draw(st.sampled_from(("all", "some", "none"))), draw(st.booleans())
    entries = ""
    for number, address in enumerate(draw(several_addresses(origin, folder, most=most))):
        inside = style.leaf("loc", address)
        if dated == "all" or (dated == "some" and number % 2):
            inside += style.leaf("lastmod", draw(dates()))
        if hinted:
            frequency = draw(st.sampled_from(("daily", "weekly", "monthly", "yearly")))
            inside += style.leaf("changefreq", frequency)
            inside += style.leaf("priority", draw(st.sampled_from(("0.0", "0.1", "0.64", "0.8", "1.0", "1", "0.5"))))
        wanted = [name for name in extensions if len(extensions) > 1 or draw(st.booleans())]
        if "image" in wanted:
            inside += images(draw, style, origin)
        if "video" in wanted:
            inside += video(draw, style, origin, number)
        if "news" in wanted:
            inside += article(draw, style, paper.partition("(")[0].strip(), language)
        if "xhtml" in wanted:
            inside += link("en", address) + link("x-default", address)
        entries += style.node("url", inside)
    schema = draw(st.booleans())
    data = root(style, "urlset", entries, extensions, schema=schema)
    return CleanFile(data.encode(), f"{origin}{folder}/sitemap.xml")


@st.composite
def translated(draw: st.DrawFn) -> CleanFile:
    """Pages in several languages, each naming all of its versions, on one host or on several folders of it."""
    style = draw(STYLES)
    origin = draw(site_origins())
    codes = draw(st.lists(st.sampled_from(LANGUAGES), min_size=2, max_size=4, unique=True))
    default = draw(st.sampled_from(("none", "first", "own")))
    entries = ""
    for number, page in enumerate(draw(several_addresses("", most=3))):
        versions = {code: f"{origin}/{code.lower()}/{number}{page}" for code in codes}
        home = f"{origin}/{number}{page}" if default == "own" else versions[codes[0]]
        links = "".join(link(code, address) for code, address in versions.items())
        links += link("x-default", home) if default != "none" else ""
        for address in dict.fromkeys([*versions.values(), *([home] if default == "own" else [])]):
            entries += style.node("url", style.leaf("loc", address) + links)
    return CleanFile(root(style, "urlset", entries, ("xhtml",)).encode(), f"{origin}/sitemap.xml")


@st.composite
def indexes(draw: st.DrawFn) -> CleanFile:
    style = draw(STYLES)
    origin = draw(site_origins())
    names = st.sampled_from(
        (
            *(
                "sitemap-pages.xml",
                "sitemap-products-1.xml",
                "sitemap-products-2.xml.gz",
                "sitemaps/blog.xml",
                "feed.rss",
            ),
            *("urls.txt", "sitemap.php?part=2&lang=de", "post-sitemap.xml", "wp-sitemap-posts-post-1.xml", "news.xml"),
            *(
                "sitemap/%C3%BCber.xml",
                "server-sitemap.xml",
                "sitemap_de-DE.xml",
                "media/sitemap/sitemap-1-3.xml",
                "image.xml",
            ),
        )
    )
    chosen = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    entries = ""
    for name in chosen:
        when = style.leaf("lastmod", draw(dates()) if draw(st.booleans()) else None)
        entries += style.node("sitemap", style.leaf("loc", f"{origin}/{name}") + when)
    schema = draw(st.booleans())
    file = draw(st.sampled_from(("sitemap.xml", "sitemap_index.xml", "sitemap-index.xml")))
    return CleanFile(root(style, "sitemapindex", entries, schema=schema).encode(), f"{origin}/{file}")


@st.composite
def texts(draw: st.DrawFn) -> CleanFile:
    origin = draw(site_origins())
    line = draw(st.sampled_from(("\n", "\r\n")))
    addresses = draw(several_addresses(origin))
    last = draw(st.sampled_from((line, "")))
    return CleanFile((line.join(addresses) + last).encode(), f"{origin}/sitemap.txt")


@st.composite
def rss(draw: st.DrawFn, *, media: bool = False) -> CleanFile:
    style = draw(STYLES)
    origin = draw(site_origins())
    items = ""
    for number, address in enumerate(draw(several_addresses(origin))):
        inside = style.leaf("title", draw(titles())) + style.leaf("link", address)
        inside += style.leaf("description", draw(titles())) + style.leaf("guid", f"{number}", ' isPermaLink="false"')
        inside += style.leaf("pubDate", draw(mail_dates()))
        if media:
            inside += (
                f'<media:content url="{origin}/v/{number}.mp4" medium="video" duration="120" type="video/mp4">'
                f"<media:title>{xml(draw(titles()))}</media:title>"
                f"<media:description>{xml(draw(titles()))}</media:description>"
                f'<media:thumbnail url="{origin}/v/{number}.jpg"/></media:content>'
            )
        items += style.node("item", inside)
    channel = style.leaf("title", "News & more") + style.leaf("link", f"{origin}/") + style.leaf("description", "All")
    prefixes = ' xmlns:media="http://search.yahoo.com/mrss/"' if media else ' xmlns:atom="http://www.w3.org/2005/Atom"'
    own = "" if media else f'<atom:link href="{origin}/feed.rss" rel="self" type="application/rss+xml"/>'
    text = f'{style.declaration}<rss version="2.0"{prefixes}><channel>{channel}{own}{items}</channel></rss>{style.line}'
    return CleanFile(text.encode(), f"{origin}/feed.rss")


@st.composite
def atom(draw: st.DrawFn) -> CleanFile:
    style = draw(STYLES)
    origin = draw(site_origins())
    entries = ""
    for address in draw(several_addresses(origin)):
        kind = draw(st.sampled_from(('rel="alternate" ', "", 'type="text/html" ')))
        inside = style.leaf("title", draw(titles())) + f'<link {kind}href="{xml(address)}"/>'
        inside += style.leaf("id", address) + style.leaf("updated", draw(dates("second", "zulu", "tenth")))
        inside += style.leaf("published", draw(dates("second", "zulu")))
        entries += style.node("entry", inside)
    head = f'<title>All</title><link rel="self" href="{origin}/atom.xml"/><link href="{origin}/"/><id>{origin}/</id>'
    head += f"<updated>{NOW:%Y-%m-%dT%H:%M:%SZ}</updated>"
    text = (
        f'{style.declaration}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">{head}{entries}</feed>{style.line}'
    )
    return CleanFile(text.encode(), f"{origin}/atom.xml")


@st.composite
def robots(draw: st.DrawFn) -> CleanFile:
    origin = draw(site_origins())
    line = draw(st.sampled_from(("\n", "\r\n")))
    parts = [
        *draw(st.sampled_from(([], ["# our rules", ""]))),
        "User-agent: *",
        *draw(
            st.lists(
                st.sampled_from(
                    (
                        *(
                            "Disallow: /cart/",
                            "Disallow: /*?sort=",
                            "Disallow: /private$",
                            "Allow: /private/open",
                            "Disallow:",
                        ),
                        *("Disallow: /%D0%BA/", "Disallow: /search # results", "disallow: /tmp/", "Allow: /"),
                    )
                ),
                min_size=1,
                max_size=5,
                unique=True,
            )
        ),
        "",
        *draw(
            st.sampled_from(
                (
                    [],
                    ["User-agent: Googlebot", "User-agent: Bingbot", "Disallow: /print/", ""],
                    ["User-agent: GPTBot", "Disallow: /", ""],
                )
            )
        ),
        f"Sitemap: {origin}/sitemap.xml",
        *draw(st.sampled_from(([], [f"Sitemap: {origin}/news.xml"], [f"sitemap: {origin}/s.php?a=1&b=2"]))),
    ]
    return CleanFile((line.join(parts) + line).encode(), f"{origin}/robots.txt")
