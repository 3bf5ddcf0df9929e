"""A title and some links → a page of the sample shop, with words that are the same for the same path."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape
from random import Random

import msgspec

from urlset.testing import prose

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
    text = _german(random) if layout.language == "de" else prose.paragraphs(random, WORDS)
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


def _german(random: Random) -> list[str]:
    known = GERMAN.split()
    drawn = random.choices(known, k=WORDS)
    return [" ".join(drawn[start : start + 30]).capitalize() + "." for start in range(0, WORDS, 30)]
