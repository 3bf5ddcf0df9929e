"""Pages, entries and faults, one after another → the routes, the sitemaps and the labels of a site.

A page has words that are the same for the same path. A label names a fault by its code and place: what urlset must
find on the site, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from enum import StrEnum
from functools import cache
from html import escape
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TypedDict, Unpack

import msgspec

from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Marked, Media, News, Video
from urlset.testing.exchange import HTML, PageAnswer, Route, Routes
from urlset.writing.gzip import compress
from urlset.writing.urlset import write_index, write_urlset

SHOP = "Wick & Lumen"
MENU = {
    "/": "Home",
    "/lamps/": "All lamps",
    "/blog/": "Journal",
    "/guides/": "Guides",
    "/about/": "About us",
    "/events/": "Events",
    "/de/": "Deutsch",
}
GERMAN = """die Lampe leuchtet warm über dem Tisch und der Schirm aus Leinen hängt ruhig am Fenster während draußen
der Abend kommt Holz Messing Glas Licht Schatten Werkstatt Hafen Garten Küche Treppe Regal Kabel Schalter Faden
Winter Sommer Morgen Brief Weg Haus wir bauen prüfen liefern reparieren erklären zeigen bringen suchen finden sehr
leise hell dunkel weich fein alt neu langsam gern selten zusammen heute morgen bald immer wieder ohne zwischen
unter neben hinter wenn weil dass jede jeder einmal mehr weniger"""
WORDS = 150


class Stage(StrEnum):
    """The step that finds a fault."""

    CHECK = "check"
    """in the sitemaps and in how they are served"""
    AUDIT = "audit"
    """in the answers of listed pages"""
    CRAWL = "crawl"
    """between the sitemaps and the links of the site"""


class Label(msgspec.Struct, frozen=True):
    stage: Stage
    code: str
    at: str
    """the address concerned, without the origin of the site: of a page, or of the sitemap as a whole"""
    why: str
    stays: bool = False
    """no change to the sitemaps alone fixes it"""


class DraftParts(TypedDict, total=False):
    """What can be different about a page."""

    links: Mapping[str, str]
    changed: datetime
    head: str
    canonical: str | None
    """the path it names; the page itself unless something else is given; None leaves it out"""
    language: str
    picture: str
    below: str
    """markup at the end of the body"""
    headers: Mapping[str, str]


class Draft:
    """A site being put together. Paths are what follows the origin, escaped as in a link."""

    def __init__(self, origin: str, now: datetime) -> None:
        self.origin = origin
        self.now = now.astimezone(UTC).replace(microsecond=0)
        self.routes: Routes = {}
        self.entries: dict[str, list[str]] = {}
        """sitemap → its entries, as XML"""
        self.labels: list[Label] = []
        self.links: dict[str, str] = {}
        """what the page of all the rest links to"""
        self._dated = 0

    def url(self, path: str) -> str:
        return self.origin + path

    def next_date(self) -> datetime:
        """No two alike, each on another day and at another hour of the last ten months."""
        self._dated += 1
        return self.now - timedelta(days=2 + self._dated * 37 % 290, hours=self._dated * 5 % 24, minutes=self._dated)

    def page(self, path: str, title: str, **parts: Unpack[DraftParts]) -> datetime:
        """A page with its own words. Returns when it was changed, which the page and its headers say too."""
        changed = parts.get("changed") or self.next_date()
        head, canonical = parts.get("head", ""), parts.get("canonical", path)
        if canonical is not None:
            head = f'<link rel="canonical" href="{self.url(canonical)}">\n{head}'
        layout = Layout(
            links=parts.get("links", {}),
            head=head,
            language=parts.get("language", "en"),
            picture=parts.get("picture", ""),
            below=parts.get("below", ""),
            changed=changed,
        )
        sent = {"Last-Modified": format_datetime(changed, usegmt=True), **parts.get("headers", {})}
        self.serve(path, PageAnswer(body=html(path, title, layout), headers=sent, type=HTML))
        return changed

    def serve(self, path: str, route: Route) -> None:
        if path in self.routes:
            raise ValueError(f"{path} is there already")
        self.routes[path] = route

    def entry(self, sitemap: str, path: str, changed: datetime | str | None = None, extra: str = "") -> None:
        """`path` may be a whole address, exactly as written in the file."""
        loc = self.url(path) if path.startswith("/") else path
        self.raw(sitemap, f"<loc>{loc.replace('&', '&amp;')}</loc>{lastmod(changed)}{extra}")

    def raw(self, sitemap: str, inside: str) -> None:
        self.entries.setdefault(sitemap, []).append(f"  <url>{inside}</url>\n")

    def listed(self, sitemap: str, path: str, title: str, extra: str = "", **parts: Unpack[DraftParts]) -> None:
        """A page and its entry."""
        self.entry(sitemap, path, self.page(path, title, **parts), extra)

    def linked(self, path: str, title: str, **parts: Unpack[DraftParts]) -> datetime:
        """A page that the page of all the rest links to."""
        self.links[path] = title
        return self.page(path, title, **parts)

    def flawed(
        self,
        label: tuple[Stage, str, str],
        sitemap: str,
        path: str,
        title: str,
        extra: str = "",
        *,
        stays: bool = False,
        **parts: Unpack[DraftParts],
    ) -> None:
        """A page that is listed and linked, and what is wrong with it: stage, code, and why."""
        self.entry(sitemap, path, self.linked(path, title, **parts), extra)
        stage, code, why = label
        self.flaw(stage, code, path, why, stays=stays)

    def answered(
        self,
        code: str,
        sitemap: str,
        path: str,
        why: str,
        *,
        title: str = "",
        route: Route | None = None,
        stays: bool = False,
    ) -> None:
        """A listed address that is no page; without a title, nothing links to it either."""
        if route is not None:
            self.serve(path, route)
        self.entry(sitemap, path, self.next_date())
        self.flaw(Stage.AUDIT, code, path, why, stays=stays)
        if title:
            self.links[path] = title
        else:
            self.flaw(Stage.CRAWL, "A036", path, "only the sitemap still names it", stays=True)

    def changed(self, path: str) -> datetime:
        """When the page says it was changed."""
        route = self.routes[path]
        assert isinstance(route, PageAnswer)
        return parsedate_to_datetime(dict(route.pairs())["Last-Modified"])

    def flaw(self, stage: Stage, code: str, at: str, why: str, *, stays: bool = False) -> None:
        self.labels.append(Label(stage, code, at, why, stays))


def lastmod(changed: datetime | str | None) -> str:
    if changed is None:
        return ""
    return f"<lastmod>{w3c(changed) if isinstance(changed, datetime) else changed}</lastmod>"


def w3c(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """What surrounds the words of a page."""

    links: Mapping[str, str] = {}
    head: str = ""
    language: str = "en"
    picture: str = ""
    below: str = ""
    changed: datetime | None = None


def html(path: str, title: str, layout: Layout) -> str:
    random = Random(path)  # noqa: S311
    if layout.language == "de":
        drawn = random.choices(GERMAN.split(), k=WORDS)
        text = [" ".join(drawn[start : start + 30]).capitalize() + "." for start in range(0, WORDS, 30)]
    else:
        text = paragraphs(random, WORDS)
    parts = [f"<h1>{escape(title)}</h1>\n"]
    if layout.picture:
        parts.append(f'<img src="{layout.picture}" alt="{escape(title)}" width="64" height="64">\n')
    parts += (f"<p>{each}</p>\n" for each in text)
    if layout.links:
        rows = "".join(f'<li><a href="{escape(to)}">{escape(name)}</a></li>\n' for to, name in layout.links.items())
        parts.append(f"<ul>\n{rows}</ul>\n")
    head = layout.head
    if layout.changed is not None:
        head = f'<meta property="article:modified_time" content="{layout.changed.isoformat()}">\n{head}'
    return framed(title, "".join(parts), head=head, language=layout.language, below=layout.below)


def bare(title: str, words: str) -> str:
    """The frame of the site around a few words: its error pages."""
    return framed(title, f"<h1>{escape(title)}</h1>\n<p>{words}</p>\n")


def framed(title: str, content: str, *, head: str = "", language: str = "en", below: str = "") -> str:
    menu = "".join(f'<a href="{to}">{name}</a>\n' for to, name in MENU.items())
    shop = escape(SHOP)
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)} | {shop}</title>\n{head}</head>\n<body>\n"
        f"<header><strong>{shop}</strong>\n<nav>\n{menu}</nav></header>\n<main>\n{content}</main>\n"
        "<footer><p>Lamps made by hand in a small harbour town since 1987.</p></footer>\n"
        f"{below}</body>\n</html>\n"
    )


# A seed → readable nonsense in paragraphs, the same for the same seed, with the word frequencies of real text.

SMALL = "the of and to a in that it was for on with as at by from this but not are"
NOUNS_TEXT = """harbour lantern garden railway kettle orchard market bridge teacher engine window river letter valley
winter summer island meadow bakery station journey kitchen library painter cottage mountain village weather
blanket candle carpet ceiling clock corner cousin curtain daughter doctor drawer evening farmer feather finger
forest furnace glacier granite hammer hallway hillside horizon hospital jacket ladder lemon machine marble
mirror morning museum needle neighbour notebook ocean officer paddock parcel pasture pencil pepper piano pillow
planet pocket quarry rabbit ribbon saddle sailor season shadow shelter shoulder signal silver sister spoon
stable stranger sugar tailor temple thunder ticket timber tower traveller tunnel uncle vessel violin voyage
wagon waiter wallet whistle willow workshop yard zebra"""
VERBS_TEXT = """carries follows keeps leaves makes opens paints reads sends takes turns watches builds brings catches
draws drops finds gathers grows helps holds joins knows learns lifts listens lives looks loses meets mends moves
needs offers passes plants plays points pours pulls pushes reaches remembers returns sails sells shows sings
sleeps speaks spends stands starts stays tells thinks throws travels tries visits waits walks wants warms wears
works writes"""
OTHERS_TEXT = """ancient blue bright broken calm careful clean clever cold crowded curious deep dusty early empty
familiar fine foreign fresh gentle golden green heavy hollow honest hungry large late light little lonely long
lucky narrow new noisy old open patient plain pleasant polite quick quiet rare red rough round sharp short shy
simple slow small smooth soft strange strong sudden sweet tall thick thin tired warm wet white wide wild young
again almost already always because before behind between often perhaps quite rather seldom slowly sometimes
soon still suddenly then there together under until usually very when where while without yesterday"""
NOUNS, VERBS, OTHERS = NOUNS_TEXT.split(), VERBS_TEXT.split(), OTHERS_TEXT.split()

SENTENCE_LENGTHS = (7, 12, 9, 17, 5, 14, 11, 21, 8)
SENTENCES_IN_PARAGRAPH = 5


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words and their running weights: a few small words make up half of a text, as they do everywhere."""
    small, rest = SMALL.split(), NOUNS + VERBS + OTHERS
    weights = [len(rest) / len(small)] * len(small) + [2.0 / (1 + place % 97) + 0.5 for place in range(len(rest))]
    return small + rest, list(accumulate(weights))


def words(random: Random, count: int) -> list[str]:
    known, weights = vocabulary()
    return random.choices(known, cum_weights=weights, k=count)


def paragraphs(random: Random, count: int) -> list[str]:
    """`count` words in paragraphs of some five sentences."""
    drawn = words(random, count)
    found: list[str] = []
    sentences: list[str] = []
    start = turn = 0
    while start < count:
        length = SENTENCE_LENGTHS[turn % len(SENTENCE_LENGTHS)]
        sentences.append(" ".join(drawn[start : start + length]).capitalize() + ".")
        start, turn = start + length, turn + 1
        if len(sentences) == SENTENCES_IN_PARAGRAPH:
            found.append(" ".join(sentences))
            sentences = []
    if sentences:
        found.append(" ".join(sentences))
    return found


SITE = "https://www.example.com"


BROKEN = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc>https://www.example.com/</loc>
    <lastmod>2024-03-01</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/search?q=lamp&page=2</loc>
    <lastmod>2024-04-12</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/search?q=lamp&page=3</loc>
    <lastmod>12/31/2023</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/salt&nbsp;and&nbsp;pepper</loc>
  </url>
  <url>
    <loc>https://www.example.com/caf\xe9</loc>
    <lastmod>2024-05-02</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/lamps
    <lastmod>2024-05-20</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/cheap?price<10</loc>
    <lastmod>yesterday</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/last</loc>
    <lastmod>2024-06-30T09:30:00+02:00</lastmod>
  </url>
"""


def write_samples(folder: Path) -> list[Path]:
    """Write the samples below `folder`. A file that is there and differs is never overwritten."""
    samples = {folder / name: data for name, data in _samples()}
    for path, data in samples.items():
        if path.exists() and path.read_bytes() != data:
            raise FileExistsError(f"{path} is already there and is not the sample; choose another folder")
    for path, data in samples.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(samples)


def _samples() -> Iterator[tuple[str, bytes]]:
    index = [
        IndexEntry(f"{SITE}/sitemap-pages.xml", "2024-07-02"),
        IndexEntry(f"{SITE}/sitemap-news.xml.gz", "2024-07-03T06:00:00Z"),
    ]
    yield "good/sitemap.xml", b"".join(write_index(index))
    yield "good/sitemap-pages.xml", b"".join(write_urlset(list(_pages())))
    yield "good/sitemap-news.xml.gz", b"".join(compress(write_urlset(list(_news()))))
    yield "broken.xml", BROKEN


def _pages() -> Iterator[Entry]:
    languages = tuple(
        Alternate(code, f"{SITE}{path}")
        for code, path in (("en", "/"), ("de", "/de/"), ("fr", "/fr/"), ("x-default", "/"))
    )
    for path, changed in (("/", "2024-07-02"), ("/de/", "2024-07-01"), ("/fr/", "2024-06-11")):
        yield Entry(f"{SITE}{path}", changed, media=Media(alternates=languages))
    for name, changed in (("desk-lamp", "2024-05-17"), ("floor-lamp", "2024-02-29"), ("lantern", "2023-11-05")):
        images = tuple(Image(f"{SITE}/images/{name}-{view}.webp") for view in ("front", "side"))
        yield Entry(f"{SITE}/lamps/{name}?colour=red&size=2", changed, media=Media(images=images))
    video = Video(
        thumbnail_loc=f"{SITE}/images/wiring.webp",
        title="How to wire a lamp",
        description="From the bare cable to the first light in four minutes.",
        content_loc=f"{SITE}/videos/wiring.mp4",
        duration="240",
        restriction=Marked("DE FR", {"relationship": "allow"}),
    )
    yield Entry(f"{SITE}/guides/wiring", "2024-04-09", media=Media(videos=(video,)))


def _news() -> Iterator[Entry]:
    for number, hour in ((1, "05:10"), (2, "05:55")):
        moment = f"2024-07-03T{hour}:00Z"
        article = News(
            name="Example Lamps", language="en", publication_date=moment, title=f"A new lantern, part {number}"
        )
        yield Entry(f"{SITE}/news/lantern-{number}", moment, media=Media(news=(article,)))
