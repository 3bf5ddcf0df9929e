"""Addresses → files in the layout of the programs that write them."""

from __future__ import annotations

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
SHOP = "https://www.nordwind-shop.de"
BLOG = "https://blog.hazel-and-oak.com"


def urlset(*entries: str, attributes: str = "", declaration: str = DECLARATION) -> str:
    return f'{declaration}<urlset xmlns="{NS}"{attributes}>\n' + "\n".join(entries) + "\n</urlset>\n"


def url(loc: str, rest: str = "") -> str:
    return f"  <url>\n    <loc>{loc}</loc>\n{rest}  </url>"


def dated(loc: str, date: str) -> str:
    return url(loc, f"    <lastmod>{date}</lastmod>\n")


def index(*locs: str) -> str:
    rows = "\n".join(f"  <sitemap>\n    <loc>{loc}</loc>\n  </sitemap>" for loc in locs)
    return f'{DECLARATION}<sitemapindex xmlns="{NS}">\n{rows}\n</sitemapindex>\n'


def pages(host: str) -> str:
    """A small site as a starter template lists it."""
    return urlset(*(dated(f"{host}{path}", f"2026-0{n}-1{n}") for n, path in enumerate(("/", "/about/", "/blog/"), 1)))


def rss(*items: str, prefixes: str = "") -> str:
    head = (
        f'{DECLARATION}<rss version="2.0"{prefixes}>\n<channel>\n<title>Hazel &amp; Oak</title>\n<link>{BLOG}/</link>\n'
    )
    return head + "<description>Notes</description>\n" + "\n".join(items) + "\n</channel>\n</rss>\n"


def item(inside: str) -> str:
    return f"<item>\n<title>Spring table</title>\n{inside}\n</item>"


def atom(*entries: str) -> str:
    head = f'{DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">\n<title>Hazel</title>\n<id>{BLOG}/</id>\n'
    return head + "<updated>2026-03-01T10:00:00Z</updated>\n" + "\n".join(entries) + "\n</feed>\n"
