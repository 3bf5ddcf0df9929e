"""Sitemaps of the shapes that sites publish, short: what mutations start from."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from urlset.checking.declare import Bad, Good
from urlset.checking.examples import document_of
from urlset.checking.subjects import ListedPage, Sitemap
from urlset.rules.catalogue import all_rules

_CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_MORE = (
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
    ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)


def _urlset(entries: str, namespaces: str = _CORE) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {namespaces}>\n{entries}</urlset>\n'.encode()


_SHOP = "".join(
    f"  <url>\n    <loc>https://www.example.com/shop/item-{n}?colour={n}&amp;size={n}</loc>\n"
    f"    <lastmod>2026-0{1 + n % 9}-1{n % 9}T10:{n:02d}:00+00:00</lastmod>\n"
    "    <changefreq>weekly</changefreq>\n    <priority>0.5</priority>\n  </url>\n"
    for n in range(6)
)
_TIGHT = "".join(
    f"<url><loc>https://example.com/{word}/</loc><lastmod>2026-11-0{n}</lastmod></url>"
    for n, word in enumerate(("a", "b.html", "page", "news", "caf%C3%A9", "en-gb", "cart", "x"), 1)
)
_MIXED = (
    "<url><loc>https://example.com/a</loc></url>\n"
    "<url><loc>http://example.com/a</loc><priority>1.0</priority></url>\n"
    "<url><loc>https://example.com/b?utm_source=x</loc><changefreq>always</changefreq></url>\n"
    "<url><loc> https://example.com/c </loc></url>\n"
    "<url><loc>https://example.com/\u00fc/\U0001f600</loc><lastmod>2026-11-01T10:00:00.25Z</lastmod></url>\n"
    "<url><loc><![CDATA[https://example.com/d?a=1&b=2]]></loc></url>\n"
    "<url><!-- c --><loc>https://example.com/e&#47;f</loc></url>\n"
    "<url><loc>https://example.com/login</loc><lastmod>2027-01-01</lastmod></url>\n"
    "<url><loc>https://example.org/z</loc><lastmod>1970-01-01</lastmod></url>\n"
)
_ALTERNATES = "".join(
    f"<url><loc>https://example.com/{own}/p</loc>"
    + "".join(
        f'<xhtml:link rel="alternate" hreflang="{other}" href="https://example.com/{other}/p?a=1&amp;b=2"/>\n'
        for other in ("de", "en", "x-default")
    )
    + "</url>\n"
    for own in ("de", "en")
)
_MEDIA = (
    "<url><loc>https://example.com/m</loc><image:image><image:loc>https://example.com/i.png</image:loc>"
    "<image:title>A &amp; B</image:title></image:image><video:video><video:title><![CDATA[<b>]]></video:title>"
    '<video:player_loc allow_embed="yes" autoplay="a=1">https://example.com/p</video:player_loc><video:live/>\n'
    "</video:video></url>\n"
    "<url><loc>https://example.com/n</loc><news:news><news:publication><news:name>N</news:name>"
    "<news:language>en</news:language></news:publication>"
    "<news:publication_date>2026-11-14</news:publication_date><news:title>T</news:title></news:news></url>\n"
)
_ALL_MEDIA = (
    "<url><loc>https://example.com/v</loc><video:video a='1'><video:title> <![CDATA[a]]> b </video:title>"
    "<video:title>c</video:title>"
    "<video:restriction relationship='allow' xml:lang='de' image:lang='x'>DE\r\nAT</video:restriction>"
    "<video:price currency='EUR'>1</video:price>"
    "<video:price currency='a\tb\r\nc&#10;d&quot;'/><video:id type='url'>x</video:id><video:tag>t</video:tag>"
    "<video:tag/><video:unknown>u"
    "</video:unknown><video:tvshow><video:show_title>s</video:show_title><image:b>c</image:b></video:tvshow>"
    "<video:live/></video:video>"
    "<video:video/></url>\n"
    "<url><loc>https://example.com/n</loc><news:news><news:publication><news:name>N</news:name>"
    "<news:language>en</news:language>"
    "</news:publication><news:title>T&#169;</news:title><news:name>M</news:name><news:keywords>k<!-- c -->l"
    "</news:keywords></news:news></url>\n"
    "<url><loc>https://example.com/i</loc><image:image/><image:Image><image:loc>a<b/></image:loc></image:Image>"
    "<image:image><loc>x</loc>"
    "<image:loc>y</image:loc></image:image><xhtml:link href='a&amp;b' image:href='c' hreflang='de'>t<b/>"
    "</xhtml:link><xhtml:link media='m'/></url>\n"
)
_SHAPES = (
    "<!-- before --><?before x?><url>\n<loc>https://example.com/a</loc><!-- after --></url>\n"
    "<url id='1' \t class = \"a>b\"><loc >https://example.com/b&#38;c&#x2F;</loc ></url >\n"
    "<url><lastmod>2026-01-01</lastmod><loc>https://example.com/c</loc><loc>https://example.com/d</loc></url>\n"
    "<url><loc><![CDATA[https://example.com/]]>e<!-- c -->f<?g h?>\r\n</loc><lastmod><![CDATA[2026-01-01]]>"
    "</lastmod></url>\n"
    "<url/><url></url><url ></url><url><loc/></url><url><lastmod/><priority></priority></url>\n"
    "<url>stray<loc>https://example.com/h</loc>&#160;&#32;<![CDATA[ ]]></url>\n"
    "<url>&#32;<loc>https://example.com/i</loc><unknown a='1'><b><c/>d</b></unknown><priority>0.5</priority></url>\n"
    "<url><loc>https://example.com/j&gt;k>l]]m</loc><image:image a='1' xml:lang='de'><image:loc>i</image:loc>t"
    "</image:image>"
    "<lastmod>2026-01-01</lastmod></url>\n"
    "<url><loc>https://example.com/k<b>l</b></loc></url>\n<URL><Loc>https://example.com/m</Loc></URL>\n"
)
_DAMAGED = (
    "<url><loc>https://example.com/?a=1&b=2&c</loc></url>\n"
    "<url><loc>https://example.com/caf&eacute;&nbsp;&nGt;&unheard;&AMP;&#x;&#38</loc><lastmod>2026&</lastmod></url>\n"
    "<url><!-- a --><loc>https://example.com/b&</loc><!-- c -->"
    "<xhtml:link rel='alternate' hreflang='de' href='a?b&c'/></url>\n"
    "<url><loc>https://example.com/c</loc><image:image><image:loc>x&y</image:loc><image:caption>A & B &copy; "
    "<![CDATA[&<url>]]>"
    "</image:caption></image:image></url>\n"
    "<url a='b&c'><loc>https://example.com/d&e</loc></url>\n<url>&<loc>https://example.com/f</loc>&nbsp;</url>\n"
    "<url><loc>https://example.com/g&h</loc><image:url>a</image:url><image:loc><image:b/></image:loc></url>\n"
    "<url><loc>https://example.com/i&#0;</loc></url>\n<url><loc>https://example.com/j&k<l</loc></url>\n"
    "<url><loc>https://example.com/&m</loc></url>\n"
)
_INDEX = (
    f'<?xml version="1.0"?><sitemapindex {_CORE}>'
    "<sitemap><loc>https://example.com/a.xml.gz</loc><lastmod>2026-11-01</lastmod></sitemap>\n"
    "<sitemap><loc>https://example.com/b.xml</loc></sitemap></sitemapindex>"
).encode()

SEEDS = (
    _urlset(_SHOP),
    _urlset(_TIGHT),
    _urlset(_MIXED),
    _urlset(_ALTERNATES, _CORE + _MORE),
    _urlset(_MEDIA, _CORE + _MORE),
    _urlset(_MIXED + _MEDIA + _ALTERNATES, _CORE + _MORE),
    _urlset(_TIGHT).replace(b"\n", b"\r\n"),
    _urlset(_SHOP).replace(b"xmlns=", b"xmlns:s=").replace(b"</", b"</s:").replace(b"<url", b"<s:url").replace(
        b"<l", b"<s:l"
    ).replace(b"<c", b"<s:c").replace(b"<p", b"<s:p"),
    _INDEX,
    _urlset(_SHAPES, _CORE + _MORE),
    _urlset(_DAMAGED, _CORE + _MORE),
    _urlset(_ALL_MEDIA, _CORE + _MORE),
    _urlset(_SHAPES + _TIGHT + _DAMAGED + _SHOP, _CORE + _MORE),
    _urlset(_DAMAGED).replace(b"urlset", b"sitemapindex").replace(b"url>", b"sitemap>").replace(b"<url", b"<sitemap"),
)  # fmt: skip


def corpus() -> list[bytes]:
    """The broken files that the tests keep."""
    folder = Path(__file__).resolve().parent.parent / "tests" / "corpus"
    return [path.read_bytes() for path in sorted(folder.glob("*/input.xml"))]


AROUND = (
    (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<!-- made by x -->\n'
        b'<?xml-stylesheet type="text/xsl" href="a.xsl"?>\n'
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        b'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n<!-- c -->'
        b"<url><loc>https://e.com/a</loc><lastmod>2026-01-01</lastmod>"
        b"<image:image><image:loc>https://e.com/i.png</image:loc></image:image></url><?pi x?>\n"
        b"<url><loc><![CDATA[https://e.com/b?a=1&b=2]]></loc><!-- d --></url>\n"
        b"<url><loc>https://e.com/c?a=1&amp;b=2&#38;</loc></url>\n</urlset>\n<!-- end -->\n<?done yes?>\n"
    ),
    b"<?xml version='1.0'?><!-- a --><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/><!-- b -->",
    (
        b'<?xml version="1.0" standalone="no"?>\n<rss version="2.0"><channel><title>t</title><item><link>https://e.com/</link>'
        b"</item></channel></rss>\n<!-- c -->"
    ),
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://e.com/"/><updated>2026-01-01</updated></entry></feed>',
    (
        b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<sitemap><loc>https://e.com/a.xml</loc></sitemap></sitemapindex>\r\n"
    ),
    b'<?xml version="1.0"?><pages><page>https://e.com/</page></pages>',
    b"<url><loc>https://e.com/</loc></url>",
)
"""Documents with something before and after the root, and of every kind; short, so that each byte gets its turn."""


_ROWS = b"<url><loc>&h;1</loc></url><url><loc>&h;2</loc></url>"
_ROOT = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>'
_HOST = b'<!ENTITY h "http://d.example.com/">'
DOCTYPES = tuple(
    b"<!DOCTYPE urlset [%s]>%s" % (subset, _ROOT % rows)
    for subset, rows in (
        (b"<!-- ]> -->", b"<url><loc>https://e.com/</loc></url>"),
        (b"<?p ]> ?>", b"<url><loc>https://e.com/</loc></url>"),
        (b'<!ENTITY a "]>">', b"<url><loc>https://e.com/</loc></url>"),
        (b'<!ENTITY a "&#38;#38;">', b"<url><loc>https://e.com/?a=1&a;b=2</loc></url>"),
        (_HOST, _ROWS),
        (_HOST, b"<url><loc>&h;1</loc><loc><url></url>&h;2</loc></url>"),
        (_HOST, b"<url><\xc3\xa9/><loc>&h;1</loc></url>"),
        (_HOST + b'<!ENTITY r "<url><loc>&#38;h;3</loc></url>">', _ROWS + b"&r;"),
        (b'<!ENTITY eacute "&#233;">', b"<url><loc>https://e.com/caf&eacute;</loc></url>"),
        (b'<!ATTLIST url a CDATA "]>"><!ELEMENT url ANY>', b"<url a='x'><loc>https://e.com/</loc></url>"),
    )
)
"""Well-formed documents with internal subsets, and entries that use their entities."""


def examples() -> list[bytes]:
    """The documents of the rules' own examples, as far as they are short."""
    found = {
        document_of(example).data
        for rule in all_rules()
        if rule.on in (Sitemap, ListedPage)
        for example in cast("tuple[Bad | Good, ...]", (*rule.bad, *rule.good))
        if not example.files
    }
    return sorted(data for data in found if len(data) < 1500)
