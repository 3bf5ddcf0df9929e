"""The sound part of the sample site: a shop, a journal, guides, two languages; every page linked, listed and dated."""

from __future__ import annotations

import struct
import zlib
from datetime import date
from urllib.parse import parse_qsl, urlencode

from urlset.testing.exchange import PageAnswer, Reply, Request, redirect
from urlset.workflows.demo.sample.draft import Draft, Layout, Stage, html

PAGES, LAMPS, GERMAN = "/sitemap-pages.xml", "/sitemap-lamps.xml.gz", "/sitemap-de.xml"
JOURNAL, GUIDES = "/sitemap-journal.xml", "/sitemap-guides.xml"

CATEGORIES = {
    "desk": "Tischlampen",
    "floor": "Stehlampen",
    "pendant": "Hängelampen",
    "wall": "Wandlampen",
    "garden": "Gartenlampen",
    "lantern": "Laternen",
}
MATERIALS = ("brass", "copper", "linen", "oak", "opal", "rattan", "smoked", "steel")
MODELS = ("aurora", "ferry")
IN_GERMAN = MATERIALS[:2]
"""the lamps of these materials have a page in German too"""
POSTS = (
    *("a-light-for-every-season", "how-linen-shades-age", "the-harbour-at-six", "on-repairing-old-lamps"),
    *("what-warm-white-means", "our-glass-comes-by-boat", "a-visit-to-the-foundry", "seven-ways-to-hang-a-pendant"),
    *("the-first-lantern", "why-we-still-use-brass", "a-winter-market", "reading-in-bed", "shades-of-copper"),
    *("the-electricians-cat", "small-rooms", "a-table-by-the-window", "counting-lumens", "oak-from-the-valley"),
    *("a-lamp-that-came-home", "the-apprentice", "stairs-at-night", "light-on-water", "what-customers-ask"),
    *("open-house", "the-blue-switch", "polishing-day", "rain-on-the-workshop", "letters-from-readers"),
)
TOPICS = (
    *("choosing-a-bulb", "wiring", "dimmers", "cleaning-brass", "cleaning-glass", "changing-a-shade", "hanging-height"),
    *("outdoor-ratings", "cable-lengths", "mounting-on-plaster", "mounting-on-wood", "storage", "spare-parts"),
    *("returns", "guarantee", "delivery-times", "measuring-a-room", "colour-temperature", "flicker", "recycling"),
)
INFO = {"/about/": "About us", "/contact/": "Contact", "/shipping/": "Shipping", "/workshop/": "The workshop"}
EVERYTHING = "/everything/"
"""a page with links to all the rest"""


def add_sound_pages(draft: Draft) -> None:
    _front(draft)
    for name in CATEGORIES:
        _category(draft, name)
    posts = {f"/blog/{slug}/": title_of(slug) for slug in POSTS}
    draft.listed(JOURNAL, "/blog/", "Journal", links=posts)
    for path, title in posts.items():
        draft.listed(JOURNAL, path, title, links={"/blog/": "All stories"})
    topics = {f"/guides/{slug}/": title_of(slug) for slug in TOPICS}
    draft.listed(GUIDES, "/guides/", "Guides", links=topics)
    for path, title in topics.items():
        draft.listed(GUIDES, path, title, links={"/guides/": "All guides"})


def title_of(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def german_path(path: str) -> str:
    return f"/de{path}" if path != "/" else "/de/"


def versions(draft: Draft, path: str) -> str:
    """The English page and the German one; English is for all other readers."""
    found = {"en": path, "de": german_path(path), "x-default": path}
    return "".join(
        f'\n    <xhtml:link rel="alternate" hreflang="{language}" href="{draft.url(to)}"/>'
        for language, to in found.items()
    )


def version_links(draft: Draft, path: str) -> str:
    """The same in the head of a page."""
    return versions(draft, path).replace("    <xhtml:link", "<link").replace("/>", ">").lstrip() + "\n"


def image(draft: Draft, path: str) -> str:
    """The entry of an image, which is there."""
    draft.serve(path, PageAnswer(body=png(), type="image/png"))
    return f"\n    <image:image><image:loc>{draft.url(path)}</image:loc></image:image>"


def png() -> bytes:
    """A small grey PNG."""
    rows = b"".join(b"\x00" + b"\xc8" * 64 for _ in range(64))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _front(draft: Draft) -> None:
    categories = {f"/lamps/{name}/": title_of(name) for name in CATEGORIES}
    for path, title in (("/", "Lamps for quiet evenings"), ("/lamps/", "All lamps")):
        draft.listed(PAGES, path, title, versions(draft, path), links=categories, head=version_links(draft, path))
    for path, title in INFO.items():
        draft.listed(PAGES, path, title, links=INFO | {EVERYTHING: "Everything else"})
    links = {german_path(path): CATEGORIES[path.split("/")[2]] for path in categories}
    for path, title in (("/", "Lampen für stille Abende"), ("/lamps/", "Alle Lampen")):
        _in_german(draft, path, title, links)


def _in_german(draft: Draft, path: str, title: str, links: dict[str, str]) -> None:
    german, head = german_path(path), version_links(draft, path)
    draft.listed(
        GERMAN, german, title, versions(draft, path), links=links | {path: "English"}, language="de", head=head
    )


def _category(draft: Draft, name: str) -> None:
    slugs = [f"{model}-{material}" for model in MODELS for material in MATERIALS]
    lamps = {f"/lamps/{name}/{slug}/": title_of(slug) for slug in slugs}
    path = f"/lamps/{name}/"
    head = version_links(draft, path)
    draft.listed(PAGES, path, f"{title_of(name)} lamps", versions(draft, path), links=lamps, head=head)
    translated = {each: title for each, title in lamps.items() if each.rpartition("-")[2].strip("/") in IN_GERMAN}
    german = {german_path(each): title for each, title in translated.items()}
    _in_german(draft, path, CATEGORIES[name], german)
    for each, title in lamps.items():
        picture = f"/images/{name}-{each.split('/')[3]}.png"
        head, extra = (version_links(draft, each), versions(draft, each)) if each in translated else ("", "")
        changed = draft.page(each, f"{title} {name} lamp", links={path: title_of(name)}, head=head, picture=picture)
        draft.entry(LAMPS, _as_listed(draft, each), changed, extra + image(draft, picture))
        if each in translated:
            _in_german(draft, each, f"{title}, {CATEGORIES[name]}", {german_path(path): CATEGORIES[name]})


def _as_listed(draft: Draft, path: str) -> str:
    """Some lanterns are listed without the slash at the end, to which their addresses redirect."""
    if not path.startswith("/lamps/lantern/ferry-") or path.rpartition("-")[2].strip("/") in IN_GERMAN:
        return path
    bare = path.removesuffix("/")
    draft.serve(bare, redirect(path))
    draft.flaw(Stage.AUDIT, "A003", bare, "redirects to the address with a slash")
    return bare


EVENTS, FILTERED = "/events/", "/lamps/"
CHOICES = {
    "colour": ("black", "green", "red", "sand", "white"),
    "height": ("low", "middle", "tall"),
    "bulb": ("e14", "e27", "g9"),
    "room": ("hall", "kitchen", "study"),
}


def add_endless_places(draft: Draft) -> None:
    first = draft.now.date().replace(day=1)
    draft.listed(PAGES, EVENTS, "Events", links={f"{EVENTS}{first:%Y/%m}/": "This month"})

    def month(request: Request) -> Reply | None:
        parts = request.path.removeprefix(EVENTS).strip("/").split("/")
        if len(parts) != 2 or not all(part.isdigit() for part in parts) or not 1 <= int(parts[1]) <= 12:
            shown = None
        else:
            shown = date(int(parts[0]), int(parts[1]), 1) if 1 <= int(parts[0]) < 9999 else None
        if shown is None or shown < first:
            return None
        following = date(shown.year + shown.month // 12, shown.month % 12 + 1, 1)
        title = f"Events in {shown:%B %Y}"
        links = {f"{EVENTS}{following:%Y/%m}/": "Next month"}
        return PageAnswer(body=html(request.path, title, Layout(links=links)))

    draft.serve(f"{EVENTS}*", month)
    _filters(draft)


def _filters(draft: Draft) -> None:
    """All lamps, and the same narrowed by any choice of parameters; each page links to every further choice."""
    whole = draft.routes[FILTERED]
    assert isinstance(whole, PageAnswer)
    canonical = f'<link rel="canonical" href="{draft.url(FILTERED)}">\n'

    def lamps(request: Request) -> Reply:
        chosen = dict(parse_qsl(request.query))
        links = {
            f"{FILTERED}?{urlencode({**chosen, name: value})}": f"{name}: {value}"
            for name, values in CHOICES.items()
            for value in values
            if name not in chosen
        }
        if chosen:
            title = f"Lamps, {', '.join(chosen.values())}"
            return PageAnswer(body=html(request.target, title, Layout(links=links, head=canonical)))
        rows = "".join(f'<li><a href="{to.replace("&", "&amp;")}">{name}</a></li>\n' for to, name in links.items())
        body = whole.payload().decode().replace("</main>", f"<ul>\n{rows}</ul>\n</main>")
        return PageAnswer(body=body, headers=whole.headers)

    draft.routes[FILTERED] = lamps
