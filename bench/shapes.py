"""Numbers → sitemaps in which every entry has the same shape: what real sites write, with and without faults.

A shape says what its entries look like, not what urlset is good at. `LISTED` are the shapes that speed is promised
for by name; the others are there to show what happens beside them, and have the same limits.

python -m bench.shapes           make them all
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.samples import CORE, HOST, IMAGE, VIDEO, XHTML, kept, make_file

ENTRIES = 50_000
FORMAT = "2"
LANGUAGES = ("en", "de", "fr")
TEN = (*LANGUAGES, "es", "it", "nl", "pl", "sv", "da", "fi")
SPREAD_DAYS = 28
ODD_EVERY = 10


class Group(Enum):
    """What is wrong with each entry."""

    VALID = "nothing"
    FAULT = "one fault"
    FOUR_FAULTS = "four faults"

    @property
    def limit(self) -> float:
        """In times of a bare parse."""
        return 1.5 if self is Group.VALID else 25.0


Pieces = Callable[[int], Iterator[str]]


class Shape(NamedTuple):
    name: str
    text: str
    """how tables call it"""
    group: Group
    pieces: Pieces
    """number of entries → the file, in pieces"""
    listed: bool = True
    twin: str = ""
    """the shape with the fault escaped, where this one cannot be parsed: its parse is the measure"""
    suffix: str = ".xml"
    newline: str = "\n"


def day(number: int) -> str:
    return f"{2019 + number % 6}-{1 + number % 12:02d}-{1 + number % SPREAD_DAYS:02d}"


def entry(loc: str, *, lastmod: str, before: str = "", after: str = "", opening: str = "<url>") -> str:
    return f"  {opening}\n    <loc>{loc}</loc>{before}\n    <lastmod>{lastmod}</lastmod>\n{after}  </url>\n"


def urlset(body: Callable[[int], str], count: int) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {CORE} {IMAGE} {VIDEO} {XHTML}>\n'
    yield from map(body, range(count))
    yield "</urlset>\n"


def addressed(address: Callable[[int], str]) -> Pieces:
    """Entries that differ from a plain one in their address only."""
    return partial(urlset, lambda number: entry(HOST + address(number), lastmod=day(number)))


def plain_entry(number: int, **parts: str) -> str:
    return entry(f"{HOST}/products/item-{number}", **{"lastmod": day(number), **parts})


def bodied(**parts: Callable[[int], str]) -> Pieces:
    """Plain addresses in entries with other parts."""
    return partial(urlset, lambda number: plain_entry(number, **{name: part(number) for name, part in parts.items()}))


def image(number: int) -> str:
    return (
        f"    <image:image>\n      <image:loc>{HOST}/images/{number}.jpg</image:loc>\n"
        f"      <image:title>Item {number}</image:title>\n"
        f"      <image:caption>Item {number}, seen from the front</image:caption>\n    </image:image>\n"
    )


def video(number: int) -> str:
    return (
        f"    <video:video>\n      <video:thumbnail_loc>{HOST}/thumbs/{number}.jpg</video:thumbnail_loc>\n"
        f"      <video:title>Item {number} in use</video:title>\n"
        f"      <video:description>How to set up item {number} in ten minutes</video:description>\n"
        f"      <video:content_loc>{HOST}/videos/{number}.mp4</video:content_loc>\n    </video:video>\n"
    )


def translated(number: int, languages: tuple[str, ...] = LANGUAGES) -> str:
    """Pages in a row are one page in several languages, so that all links are returned.

    The addresses must not end as `/page-7` does: those are later pages of a list, which check reports.
    """
    item, language = divmod(number, len(languages))
    links = "".join(
        f'    <xhtml:link rel="alternate" hreflang="{code}" href="{HOST}/{code}/item-{item}"/>\n' for code in languages
    )
    return entry(f"{HOST}/{languages[language]}/item-{item}", lastmod=day(item), after=links)


def relatively_translated(number: int) -> str:
    return translated(number).replace(f'href="{HOST}/', 'href="/')


def date_first(number: int) -> str:
    return f"  <url>\n    <lastmod>{day(number)}</lastmod>\n    <loc>{HOST}/products/item-{number}</loc>\n  </url>\n"


def picture(number: int, each: int) -> str:
    return f"    <image:image><image:loc>{HOST}/images/{number}-{each}.jpg</image:loc></image:image>\n"


def four_fields_wrong(number: int) -> str:
    return (
        f"  <url>\n    <loc>{HOST}/item {number}</loc>\n    <lastmod>2025-01-01T10:{number % 60:02d}:00</lastmod>\n"
        "    <changefreq>Daily</changefreq>\n    <priority>0,5</priority>\n  </url>\n"
    )


ODD_VALID: tuple[Callable[[int], str], ...] = (
    lambda number: entry(f"<![CDATA[{HOST}/products/item-{number}]]>", lastmod=day(number)),
    lambda number: plain_entry(number, before="<!-- moved in June -->"),
    lambda number: entry(f"{HOST}/caf%C3%A9/item-{number}?a=1&#38;b=2", lastmod=day(number)),
    lambda number: plain_entry(number, after=image(number)),
    date_first,
)
ODD_FAULTS: tuple[Callable[[int], str], ...] = (
    lambda number: entry(f"{HOST}/products/item {number}", lastmod=day(number)),
    lambda number: entry(f"{HOST}/café/item-{number}", lastmod=day(number)),
    lambda number: plain_entry(number, lastmod="01/02/2025"),
    lambda number: entry(f"{HOST}/products/item-{number}?utm_source=mail", lastmod=day(number)),
)


def mixed(odd: tuple[Callable[[int], str], ...]) -> Pieces:
    """Each tenth entry is odd, in turns."""

    def body(number: int) -> str:
        if number % ODD_EVERY:
            return plain_entry(number)
        return odd[number // ODD_EVERY % len(odd)](number)

    return partial(urlset, body)


def index(count: int) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {CORE}>\n'
    for number in range(count):
        loc = f"{HOST}/sitemap-{number}.xml"
        yield f"  <sitemap>\n    <loc>{loc}</loc>\n    <lastmod>{day(number)}</lastmod>\n  </sitemap>\n"
    yield "</sitemapindex>\n"


def text(count: int) -> Iterator[str]:
    return (f"{HOST}/products/item-{number}\n" for number in range(count))


def rss(count: int) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n'
    yield f"<channel><title>News</title><link>{HOST}/</link>\n"
    for number in range(count):
        stamp = f"{1 + number % SPREAD_DAYS:02d} Mar 2025 10:00:00 GMT"
        link = f"<link>{HOST}/products/item-{number}</link>"
        yield f"<item><title>Item {number}</title>{link}<pubDate>{stamp}</pubDate></item>\n"
    yield "</channel>\n</rss>\n"


def atom(count: int) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f'<title>News</title><link href="{HOST}/"/><updated>2025-03-01T10:00:00Z</updated><id>{HOST}/</id>\n'
    for number in range(count):
        link = f'<link rel="alternate" href="{HOST}/products/item-{number}"/><id>{HOST}/{number}</id>'
        yield f"<entry><title>Item {number}</title>{link}<updated>{day(number)}T10:00:00Z</updated></entry>\n"
    yield "</feed>\n"


def _other(name: str, said: str, group: Group, pieces: Pieces, **more: str) -> Shape:
    return Shape(name, said, group, pieces, listed=False, **more)


_VALID, _FAULT, _FOUR = Group
_QUERY = addressed(lambda number: f"/products?a={number}&amp;b=2")
SHAPES: tuple[Shape, ...] = (
    Shape("plain", "plain", _VALID, bodied()),
    Shape("query", "`?a=1&amp;b=2`", _VALID, _QUERY),
    Shape("escapes", "valid escapes, `caf%C3%A9`", _VALID, addressed(lambda n: f"/caf%C3%A9/item-{n}")),
    Shape("cdata", "CDATA", _VALID, partial(urlset, ODD_VALID[0])),
    Shape("comment", "a comment in each entry", _VALID, bodied(before=lambda n: f"<!-- row {n} -->")),
    Shape("long", "addresses of 300 characters", _VALID, addressed(lambda n: f"/{'shelf-of-oak/' * 20}{n:016d}")),
    Shape("caption", "image with title and caption", _VALID, bodied(after=image)),
    Shape("hreflang", "three hreflang links", _VALID, partial(urlset, translated)),
    Shape("video", "one video", _VALID, bodied(after=video)),
    _other("reference", "numeric reference, `&#38;`", _VALID, addressed(lambda n: f"/products?a={n}&#38;b=2")),
    _other("attribute", "attribute on `<url>`", _VALID, bodied(opening=lambda n: f'<url id="u{n}">')),
    _other("order", "lastmod before loc", _VALID, partial(urlset, date_first)),
    _other("port", "port in the address", _VALID, addressed(lambda n: f":8443/products/{n}")),
    _other("capitals", "upper-case paths", _VALID, addressed(lambda n: f"/Products/Item_{n}.HTML")),
    _other("marks", "`;,+@!$()*'` in the path", _VALID, addressed(lambda n: f"/p;v={n}/a,b+c@d!$(e)*'")),
    _other("hourly", "changefreq and priority", _VALID,
           bodied(after=lambda n: f"    <changefreq>hourly</changefreq>\n    <priority>0.{n % 10}</priority>\n")),
    _other("zone", "times with zones", _VALID,
           bodied(lastmod=lambda n: f"{day(n)}T{n % 24:02d}:{n % 60:02d}:{n * 7 % 60:02d}+02:00")),
    _other("lines", "CRLF line ends", _VALID, bodied(), newline="\r\n"),
    _other("mixed", "each tenth entry odd", _VALID, mixed(ODD_VALID)),
    _other("index", "index of 50,000 children", _VALID, index),
    _other("text", "text list", _VALID, text, twin="plain", suffix=".txt"),
    _other("rss", "RSS feed", _VALID, rss),
    _other("atom", "Atom feed", _VALID, atom),
    _other("ten", "ten hreflang links", _VALID, partial(urlset, partial(translated, languages=TEN))),
    _other("pictures", "five images", _VALID, bodied(after=lambda n: "".join(picture(n, each) for each in range(5)))),
    _other("between", "image before lastmod", _VALID, bodied(before=lambda n: f"\n{picture(n, 0)}")),
    Shape("space", "a space in each loc", _FAULT, addressed(lambda n: f"/products/item {n}")),
    Shape("accent", "`é` in each loc", _FAULT, addressed(lambda n: f"/café/item-{n}")),
    Shape("tracking", "`utm_source` in each loc", _FAULT, addressed(lambda n: f"/products/item-{n}?utm_source=mail")),
    Shape("ampersand", "a bare `&` in each loc", _FAULT, addressed(lambda n: f"/products?a={n}&b=2"), twin="query"),
    Shape("entity", "an HTML entity in each loc", _FAULT, addressed(lambda n: f"/item?a={n}&eacute;"), twin="query"),
    _other("date", "`01/02/2025` as lastmod", _FAULT, bodied(lastmod=lambda _: "01/02/2025")),
    _other("twice", "each address twice", _FAULT, addressed(lambda n: f"/products/item-{n // 2}")),
    _other("unknown", "an unknown element", _FAULT, bodied(after=lambda n: f"    <title>Item {n}</title>\n")),
    _other("image-space", "a space in each image URL", _FAULT,
           bodied(after=lambda n: picture(n, 0).replace("/images/", "/my images/"))),
    _other("relative", "relative hreflang links", _FAULT, partial(urlset, relatively_translated)),
    _other("bracket", "a stray `<` in each loc", _FAULT, addressed(lambda n: f"/products?a={n}<b"), twin="plain"),
    _other("mixed-faults", "a fault in each tenth entry", _FAULT, mixed(ODD_FAULTS)),
    Shape("four", "four faults in each loc", _FOUR,
          partial(urlset, lambda n: entry(f"http://WWW.example.com/a b/é/{n}?utm_source=x#top", lastmod=day(n)))),
    _other("four-fields", "a fault in each of four fields", _FOUR, partial(urlset, four_fields_wrong)),
)  # fmt: skip
BY_NAME = {shape.name: shape for shape in SHAPES}


def sitemap(shape: Shape, count: int = ENTRIES) -> Path:
    """The file, made now if it is not there."""
    name = f"sitemap{shape.suffix}"
    home = kept(f"shape-{shape.name}-{count}-{FORMAT}", lambda draft: make_file(draft / name, _lines(shape, count)))
    return home / name


def _lines(shape: Shape, count: int) -> Iterable[str]:
    pieces = shape.pieces(count)
    return pieces if shape.newline == "\n" else (piece.replace("\n", shape.newline) for piece in pieces)


if __name__ == "__main__":
    for each in SHAPES:
        path = sitemap(each)
        print(f"{each.name:14}{path.stat().st_size / 1e6:7.1f} MB  {each.text}")
