"""An origin and a day → the whole sample site: its pages, its sitemaps, its robots.txt, and what is wrong with them.

`SampleServer` serves it on loopback; its sitemaps can be replaced by those of a folder.
"""

from __future__ import annotations

import gzip
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Self

import msgspec

from urlset.testing import PageAnswer, Routes, Site
from urlset.workflows.demo.sample.draft import Draft, Label, Stage, bare, w3c
from urlset.workflows.demo.sample.flawed import FLAWED, NEWS, robots_txt
from urlset.workflows.demo.sample.sound import (
    EVERYTHING,
    GERMAN,
    GUIDES,
    JOURNAL,
    LAMPS,
    PAGES,
    add_endless_places,
    add_sound_pages,
)

INDEX, ROBOTS = "/sitemap.xml", "/robots.txt"
NAMESPACES = {
    "": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "xhtml": "http://www.w3.org/1999/xhtml",
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
}
SITEMAPS = {PAGES: ("xhtml",), LAMPS: ("xhtml", "image"), GERMAN: ("xhtml",), JOURNAL: (), GUIDES: (), NEWS: ("news",)}


SET = (INDEX, *SITEMAPS, ROBOTS)
"""the files that are checked, as paths"""


class SampleSite(msgspec.Struct, frozen=True):
    origin: str
    routes: Routes
    labels: tuple[Label, ...]

    def files(self) -> dict[str, bytes]:
        """robots.txt and the sitemaps by their names, as they would lie in the folder of the server."""
        found = {path.removeprefix("/"): self.routes[path] for path in SET}
        return {name: page.payload() for name, page in found.items() if isinstance(page, PageAnswer)}


def sample_site(origin: str, now: datetime) -> SampleSite:
    """`origin` is where the site will be served, such as http://127.0.0.1:8080."""
    draft = Draft(origin, now)
    add_sound_pages(draft)
    for add_flaws in FLAWED:
        add_flaws(draft)
    add_endless_places(draft)
    draft.listed(PAGES, EVERYTHING, "Everything else", links=draft.links)
    for path, extensions in SITEMAPS.items():
        draft.serve(path, sent(path, urlset(extensions, draft.entries[path])))
    _serve_badly(draft)
    draft.serve(INDEX, sent(INDEX, index(draft)))
    draft.serve(ROBOTS, robots_txt(draft, INDEX))
    draft.serve("/*", PageAnswer(404, bare("Page not found", "There is no such page here. Try the menu above.")))
    return SampleSite(origin, draft.routes, tuple(draft.labels))


def urlset(extensions: tuple[str, ...], entries: list[str]) -> str:
    names = [f'xmlns="{NAMESPACES[""]}"', *(f'xmlns:{each}="{NAMESPACES[each]}"' for each in extensions)]
    opening = "\n        ".join(names)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {opening}>\n{"".join(entries)}</urlset>\n'


def index(draft: Draft) -> str:
    """With a sitemap that is not there, and a date before that of the newest page."""
    dates = dict.fromkeys(SITEMAPS, w3c(draft.now)) | {GUIDES: w3c(draft.now - timedelta(days=300))}
    dates["/sitemap-campaigns.xml"] = w3c(draft.now - timedelta(days=80))
    draft.flaw(Stage.CHECK, "I010", "/sitemap-campaigns.xml", "listed in the index and not there", stays=True)
    draft.flaw(Stage.CHECK, "I015", GUIDES, "dated before its newest page")
    draft.flaw(Stage.CHECK, "I023", INDEX, "a remark: how many pages there are in all", stays=True)
    rows = "".join(
        f"  <sitemap><loc>{draft.url(path)}</loc><lastmod>{date}</lastmod></sitemap>\n" for path, date in dates.items()
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{NAMESPACES[""]}">\n{rows}</sitemapindex>\n'


def _serve_badly(draft: Draft) -> None:
    """One sitemap in a misspelled namespace and under the type of a web page, one without validators."""
    guides = draft.routes[GUIDES]
    assert isinstance(guides, PageAnswer)
    body = guides.payload().replace(NAMESPACES[""].encode(), NAMESPACES[""].replace("http:", "https:").encode())
    draft.routes[GUIDES] = msgspec.structs.replace(guides, body=body, type="text/html; charset=utf-8")
    draft.flaw(Stage.CHECK, "S005", GUIDES, "https in the namespace")
    draft.flaw(Stage.CHECK, "X023", GUIDES, "served as a web page", stays=True)
    german = draft.routes[GERMAN]
    assert isinstance(german, PageAnswer)
    draft.routes[GERMAN] = msgspec.structs.replace(german, headers={})
    draft.flaw(Stage.CHECK, "R027", GERMAN, "neither ETag nor Last-Modified", stays=True)


def sent(path: str, text: str | bytes) -> PageAnswer:
    """As a good server sends a sitemap: with its type and a validator."""
    data = text.encode() if isinstance(text, str) else text
    packed = path.endswith(".gz")
    tag = blake2b(data, digest_size=6).hexdigest()
    return PageAnswer(
        body=gzip.compress(data, mtime=0) if packed else data,
        type="application/gzip" if packed else "application/xml",
        headers={"ETag": f'"{tag}"'},
    )


class SampleServer:
    """`with SampleServer(now) as server:` serves until the block ends."""

    def __init__(self, now: datetime, *, port: int = 0) -> None:
        self._now = now
        self.site = Site({}, port=port)

    def __enter__(self) -> Self:
        self.site.start()
        self.sample: SampleSite = sample_site(self.site.origin, self._now)
        self.site.routes.update(self.sample.routes)
        return self

    def __exit__(self, *_fault: object) -> None:
        self.site.__exit__(None, None, None)

    @property
    def origin(self) -> str:
        return self.site.origin

    def save(self, folder: Path) -> None:
        """robots.txt and the sitemaps as they are at first."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.sample.files().items():
            (folder / name).write_bytes(data)

    def publish(self, folder: Path) -> None:
        """Serve the sitemaps of the folder instead; each in the manner of the one that it takes the place of."""
        routes = self.site.routes
        before = {path: routes.pop(path) for path in (*SET, *self._published) if path in routes}
        files = [path for path in folder.iterdir() if path.name == "robots.txt" or ".xml" in path.suffixes]
        self._published = tuple(f"/{path.name}" for path in files)
        for path in files:
            data, place = path.read_bytes(), f"/{path.name}"
            fresh = sent(place.removesuffix(".gz"), data)
            old = before.get(place)
            if isinstance(old, PageAnswer):
                fresh = PageAnswer(body=data, type=old.type, headers=fresh.headers if old.pairs() else {})
            routes[place] = fresh

    _published: tuple[str, ...] = ()
