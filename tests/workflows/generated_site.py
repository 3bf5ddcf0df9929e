"""Numbers → a static site as a generator leaves it, and what of it a sitemap ought to list, and why the rest not."""

from __future__ import annotations

from pathlib import Path

BASE = "https://www.example.com/"
FOOTER = "Example Ltd, 12 Harbour Street. All rights reserved 2025."
POSTS = 1_800
PRODUCTS = 950
GUIDES = 150
_WORDS = (
    *("harbour", "lantern", "orchard", "velvet", "granite", "meadow", "copper", "willow", "ember", "saddle"),
    *("thistle", "marble", "cinder", "hollow", "bramble", "quarry", "linen", "raven", "mortar", "clover"),
)
_IMAGE, _STYLES, _FEED = "/media/logo.svg", "/assets/site.css", "/feed.xml"

LEFT_OUT = {
    "hidden/plan.html": ("hidden/plan.html", "noindex", '<meta name="robots" content="noindex, follow">'),
    "hidden/none.html": ("hidden/none.html", "noindex", '<meta name="robots" content="none">'),
    "headers/secret.html": ("headers/secret.html", "noindex", ""),
    "print/post-0001.html": (
        "print/post-0001.html",
        "not-canonical",
        f'<link rel="canonical" href="{BASE}about.html">',
    ),
    "moved/old.html": ("moved/old.html", "redirect", ""),
    "moved/deep/older.html": ("moved/deep/older.html", "redirect", ""),
    "moved/refresh.html": (
        "moved/refresh.html",
        "redirect",
        '<meta http-equiv="refresh" content="0; url=/about.html">',
    ),
    "private/account.html": ("private/account.html", "disallowed", ""),
    "blog/page/2/index.html": ("blog/page/2/", "paginated", ""),
    "blog/page/17/index.html": ("blog/page/17/", "paginated", ""),
    "never/wanted.html": ("never/wanted.html", "excluded", ""),
}
"""file → (path of its address, why it is not listed, what its head says)"""

UNMENTIONED = ("404.html", "drafts/idea.html", ".well-known/page.html", "google0123456789abcdef.html")
"""files that are no pages at all"""

LISTED_TOO = {
    "p/lamp.html?filter_colour=red": "facet",
    "p/lamp.html?sort=price": "facet",
    "about.html?PHPSESSID=8f14e45fceea167a5a36dedd4bea2543": "session",
    "about.html;jsessionid=8F14E45FCEEA167A": "session",
    "about.html?utm_source=mail": "tracking",
    "blog/?page=3": "paginated",
    "media/logo.svg": "asset",
    "assets/site.css": "asset",
    "feed.xml": "asset",
    "about.html": "duplicate",
}
"""rows of a list that is built together with the folder → why they are not listed"""


class GeneratedSite:
    """The folder, its list of further addresses, and what to expect of a build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = folder.parent / "more.txt"
        self.footer = FOOTER
        self._pages: dict[str, tuple[str, str, str]] = {}
        """file → (address, head, text)"""
        self._fill()

    @property
    def listed(self) -> set[str]:
        return {loc for file, (loc, _, _) in self._pages.items() if file not in LEFT_OUT} | {f"{BASE}shop/offer"}

    @property
    def left_out(self) -> dict[str, str]:
        folder = {f"{BASE}{path}": reason for path, reason, _ in LEFT_OUT.values()}
        rows = {f"{BASE}{path}": reason for path, reason in LISTED_TOO.items()}
        return folder | rows | {"https://elsewhere.example/page": "other-host"}

    def write(self) -> None:
        for file in self._pages:
            self._write_page(file)
        for file in UNMENTIONED:
            self._write(file, _html("nothing", "", "Nothing to list here.", self.footer))
        self._write("robots.txt", "User-agent: *\nDisallow: /private/\n")
        self._write(".urlsetignore", "# not yet\ndrafts/\n")
        self._write("_redirects", "/moved/old.html /about.html 301\n/moved/deep/* /about.html 301\n")
        self._write("_headers", "/headers/*\n  X-Robots-Tag: noindex\n")
        self._write("media/logo.svg", "<svg/>")
        rows = [f"{BASE}{path}" for path in LISTED_TOO]
        self.rows.write_text("\n".join(["# further", f"{BASE}shop/offer", *rows, "https://elsewhere.example/page", ""]))

    def change_footer(self, text: str) -> None:
        self.footer = text
        for file in self._pages:
            self._write_page(file)

    def change_text(self, file: str, text: str) -> None:
        loc, head, _ = self._pages[file]
        self._pages[file] = loc, head, text
        self._write_page(file)

    def delete(self, file: str) -> str:
        (self.folder / file).unlink()
        return self._pages.pop(file)[0]

    def address(self, file: str) -> str:
        return self._pages[file][0]

    # making it

    def _fill(self) -> None:
        self._page("index.html", "")
        self._page("about.html", "about.html")
        self._page("blog/index.html", "blog/")
        for number in range(1, POSTS + 1):
            slug = f"{_words(number, 3, '-')}-{number}"
            self._page(f"blog/{slug}/index.html", f"blog/{slug}/", _dated(number))
        for number in range(1, PRODUCTS + 1):
            name = f"p/{_words(number, 2, '-')}-{number}.html"
            self._page(name, name, f'<meta property="article:modified_time" content="2025-03-{number % 28 + 1:02d}">')
        for number in range(1, GUIDES + 1):
            self._page(f"guides/guide-{number}.html", f"guides/guide-{number}.html")
        for number in range(80):
            self._page(f"caf\u00e9/n\u00ba {number}.html", f"caf%C3%A9/n%C2%BA%20{number}.html")
        for file, (path, _, head) in LEFT_OUT.items():
            self._pages[file] = f"{BASE}{path}", head, f"This page is not for the list: {file}."

    def _page(self, file: str, path: str, head: str = "") -> None:
        number = len(self._pages)
        loc = f"{BASE}{path}"
        text = f"{_words(number * 7 + 1, 12, ' ')} number {number} tells of {_words(number * 3, 9, ' ')}."
        self._pages[file] = loc, f'<link rel="canonical" href="{loc}">{head}', text

    def _write_page(self, file: str) -> None:
        _, head, text = self._pages[file]
        self._write(file, _html(file, head, text, self.footer))

    def _write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _dated(number: int) -> str:
    """Every second article says when it was changed."""
    day = f"2025-{number % 12 + 1:02d}-{number % 28 + 1:02d}T08:{number % 60:02d}:00Z"
    return f'<script type="application/ld+json">{{"@type": "Article", "dateModified": "{day}"}}</script>' * (number % 2)


def _words(seed: int, count: int, between: str) -> str:
    return between.join(_WORDS[(seed * (3 + at) + at * at + seed // (at + 1)) % len(_WORDS)] for at in range(count))


def _html(name: str, head: str, text: str, footer: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>{head}</head><body>'
        '<nav><ul><li><a href="/">Home</a></li><li><a href="/blog/">Journal</a></li>'
        '<li><a href="/p/">Shop</a></li></ul></nav>'
        f"<main><h1>About {name}</h1><p>{text}</p><p>More on {name} in the next issue.</p></main>"
        f"<aside><p>Read by many people every day.</p></aside><footer><p>{footer}</p></footer></body></html>\n"
    )
