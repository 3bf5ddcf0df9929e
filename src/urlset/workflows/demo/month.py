"""A month of the sample shop → a state folder, by an audit and a snapshot on every simulated day."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from random import Random

import msgspec

from urlset.checking import clock
from urlset.execution.workers import Where
from urlset.settings.audit import AuditSettings
from urlset.settings.engines import IndexSettings
from urlset.settings.history import SnapshotSettings
from urlset.snapshots.expressions import KEEP_ALL
from urlset.testing.exchange import HTML, PageAnswer, Routes, redirect
from urlset.testing.site import Site
from urlset.web.access import ServerMapping, SiteAccess
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited
from urlset.workflows.demo.demo import environment
from urlset.workflows.demo.fake_engines import FakeEngines
from urlset.workflows.demo.sample import draft
from urlset.workflows.demo.sample.draft import Layout, bare, html, lastmod
from urlset.workflows.demo.sample.site import sent, urlset
from urlset.workflows.demo.sample.sound import CATEGORIES, INFO, MATERIALS, MODELS, POSTS, TOPICS, title_of
from urlset.workflows.engines_index import InspectionPace, index
from urlset.workflows.snapshot import snapshot

HOUR = 6
ORIGIN = "https://www.wick-and-lumen.example"
"""the name of the shop, which only this simulation knows"""
INSPECTED = (2, 9, 16, 23, 30)
"""the days with URL inspections"""
_LATE = 3
"""days until Google has seen what changed"""
DAYS = 30


class Month(msgspec.Struct, frozen=True):
    target: str
    web: WebOptions
    """requests for the shop go to the server on loopback"""
    first: datetime
    """midnight before day 1"""

    def at(self, day: int) -> datetime:
        """When the audit of that day starts."""
        return self.first + timedelta(days=day, hours=HOUR)


def simulate(site: Site, state: Path, now: datetime, *, watch: Callable[[int], None] = lambda _day: None) -> Month:
    """The last day is that of `now`, or the one before if it is still early; `watch` receives each finished day."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    last = midnight if now - midnight >= timedelta(hours=HOUR) else midnight - timedelta(days=1)
    access = SiteAccess(mappings=(ServerMapping(ORIGIN, site.origin),))
    month = Month(
        f"{ORIGIN}/", WebOptions(access=access, concurrency=16, patience=0.1, backoff=0.05), last - timedelta(days=DAYS)
    )
    with FakeEngines() as engines:
        engines.google.properties = {month.target: "siteOwner"}
        secrets = environment(engines, state)
        for day in range(1, DAYS + 1):
            routes = shop_on(ORIGIN, month.first, day)
            site.routes.update(routes)
            for path in [path for path in site.routes if path not in routes]:
                del site.routes[path]
            with clock.fixed(month.at(day)):
                _look(month, state, engines, secrets if day in INSPECTED else None, day)
            watch(day)
    return month


def _look(month: Month, state: Path, engines: FakeEngines, secrets: abc.Mapping[str, str] | None, day: int) -> None:
    """One day: audit, now and then Google, snapshot."""
    now = month.at(day)
    with audited(AuditSettings(target=month.target, state=state, web=month.web, now=now)):
        pass
    if secrets is not None:
        # Google has what was indexable a few days ago, and believes a canonical only in part
        seen = max(1, day - _LATE)
        found = {}
        for number, page in enumerate(pages_on(month.first, seen)):
            if page.noindex:
                said = {"verdict": "NEUTRAL", "coverageState": "Excluded by 'noindex' tag"}
            elif page.canonical and number % 4:
                said = {"verdict": "NEUTRAL", "coverageState": "Alternate page with proper canonical tag"}
            elif number % 11 == 10:
                said = {"verdict": "NEUTRAL", "coverageState": "Crawled - currently not indexed"}
            else:
                said = {"verdict": "PASS", "coverageState": "Submitted and indexed"}
            found[f"{ORIGIN}{page.path}"] = said
        engines.google.pages = found
        settings = IndexSettings(target=month.target, state=state, sample=60, web=month.web)
        index(settings, environment=secrets, now=lambda: now, pace=InspectionPace(refresh_days=1))
    taking = SnapshotSettings(target=month.target, state=state, keep=KEEP_ALL, web=month.web, executor=Where.LOCAL)
    snapshot(taking, now=now)


CANONICALS_BROKEN, NOINDEX, FIXED, RENAMED, DISCONTINUED = 9, 16, 18, 22, 26
"""the days of the story, from 1"""
PAGES, LAMPS, JOURNAL, GUIDES = (
    "/sitemap-pages.xml",
    "/sitemap-lamps.xml",
    "/sitemap-journal.xml",
    "/sitemap-guides.xml",
)
INDEX, ROBOTS = "/sitemap.xml", "/robots.txt"
FIRST_POSTS = 14
EDITED_EACH_DAY = 2
GONE = 4
_HOUR = 5.5
"""deploys and edits happen half an hour before the audit"""


class ShopPage(msgspec.Struct, frozen=True, kw_only=True):
    sitemap: str
    path: str
    title: str
    changed: datetime
    """what the sitemap says"""
    edits: int = 0
    """how often its text was rewritten"""
    canonical: str = ""
    noindex: bool = False
    is_gone: bool = False
    """listed, and not there"""
    links: dict[str, str] = {}


def posts_on(day: int) -> tuple[str, ...]:
    """A new one every second day."""
    return POSTS[: min(FIRST_POSTS + (day - 1) // 2, len(POSTS))]


def shop_on(origin: str, first: datetime, day: int) -> Routes:
    """`first` is the day before day 1, at midnight."""
    pages = list(pages_on(first, day))
    routes: Routes = {page.path: _answer(origin, page) for page in pages if not page.is_gone}
    if day >= RENAMED:
        routes |= {f"/journal/{slug}/": redirect(f"/stories/{slug}/") for slug in posts_on(day)}
        routes["/journal/"] = redirect("/stories/")
    sitemaps = dict.fromkeys(page.sitemap for page in pages)
    for name in sitemaps:
        listed = [page for page in pages if page.sitemap == name]
        entries = [f"  <url><loc>{origin}{page.path}</loc>{lastmod(page.changed)}</url>\n" for page in listed]
        routes[name] = sent(name, urlset((), entries))
    rows = "".join(f"  <sitemap><loc>{origin}{name}</loc></sitemap>\n" for name in sitemaps)
    routes[INDEX] = sent(INDEX, urlset((), [rows]).replace("urlset", "sitemapindex"))
    routes[ROBOTS] = PageAnswer(body=f"User-agent: *\nAllow: /\nSitemap: {origin}{INDEX}\n", type="text/plain")
    routes["/*"] = PageAnswer(404, bare("Page not found", "There is no such page here. Try the menu above."))
    return routes


def pages_on(first: datetime, day: int) -> Iterator[ShopPage]:
    lamps = {f"/lamps/{name}/": title_of(name) for name in CATEGORIES}
    for path, title in {"/": "Lamps for quiet evenings", "/lamps/": "All lamps", **INFO}.items():
        yield ShopPage(sitemap=PAGES, path=path, title=title, changed=_long_ago(first, path), links=lamps)
    for path, title in lamps.items():
        yield ShopPage(sitemap=PAGES, path=path, title=f"{title} lamps", changed=_long_ago(first, path))
    yield from _lamps(first, day)
    yield from _posts(first, day)
    yield from _guides(first, day)


def _lamps(first: datetime, day: int) -> Iterator[ShopPage]:
    """Their dates are honest: a new date means a new text."""
    models = [f"{model}-{material}" for model in MODELS for material in MATERIALS[:5]]
    every = [(name, slug) for name in CATEGORIES for slug in models]
    broken = CANONICALS_BROKEN <= day < FIXED
    for number, (name, slug) in enumerate(every):
        path = f"/lamps/{name}/{slug}/"
        turns = [at for at in range(1, day + 1) if (at * EDITED_EACH_DAY - number) % len(every) < EDITED_EACH_DAY]
        yield ShopPage(
            sitemap=LAMPS,
            path=path,
            title=f"{title_of(slug)} {name} lamp",
            changed=_at(first, turns[-1]) if turns else _long_ago(first, path),
            edits=len(turns),
            canonical=f"/lamps/{name}/" if broken else "",
            is_gone=day >= DISCONTINUED and number >= len(every) - GONE,
        )


def _posts(first: datetime, day: int) -> Iterator[ShopPage]:
    section, slugs = ("/stories/" if day >= RENAMED else "/journal/"), posts_on(day)
    hidden = NOINDEX < day < FIXED
    newest = max(1, 2 * (len(slugs) - FIRST_POSTS) + 1)
    links = {f"{section}{slug}/": title_of(slug) for slug in slugs}
    yield ShopPage(
        sitemap=JOURNAL,
        path=section,
        title="Journal",
        changed=_at(first, newest),
        edits=len(slugs),
        noindex=hidden,
        links=links,
    )
    for number, slug in enumerate(slugs):
        day_published = 2 * (number - FIRST_POSTS) + 3
        changed = _at(first, day_published) if day_published > 1 else _long_ago(first, slug)
        yield ShopPage(sitemap=JOURNAL, path=f"{section}{slug}/", title=title_of(slug), changed=changed, noindex=hidden)


def _guides(first: datetime, day: int) -> Iterator[ShopPage]:
    """Every date is that of the last build; one text a week is really edited."""
    hidden = NOINDEX <= day < FIXED
    for number, slug in enumerate(TOPICS):
        edits = sum(1 for at in range(1, day + 1) if at % 7 == 3 and at // 7 == number)
        yield ShopPage(
            sitemap=GUIDES,
            path=f"/guides/{slug}/",
            title=title_of(slug),
            changed=_at(first, day),
            edits=edits,
            noindex=hidden,
        )


def _answer(origin: str, page: ShopPage) -> PageAnswer:
    head = f'<link rel="canonical" href="{origin}{page.canonical or page.path}">\n'
    if page.noindex:
        head += '<meta name="robots" content="noindex">\n'
    slug = page.path.replace("/stories/", "/journal/")  # a renamed page keeps its words
    body = html(slug, page.title, Layout(links=page.links, head=head))
    if page.edits:
        random = Random(f"{slug} {page.edits}")  # noqa: S311 - the same words for the same edit
        news = "".join(f"<p>{each}</p>\n" for each in draft.paragraphs(random, 40))
        body = body.replace("</main>", f"{news}</main>")
    tag = blake2b(body.encode(), digest_size=6).hexdigest()
    return PageAnswer(body=body, headers={"ETag": f'"{tag}"'}, type=HTML)


def _at(first: datetime, day: int) -> datetime:
    return first + timedelta(days=day, hours=_HOUR)


def _long_ago(first: datetime, name: str) -> datetime:
    random = Random(name)  # noqa: S311 - the same date for the same page
    return first - timedelta(days=random.randrange(20, 300), hours=random.randrange(24), minutes=random.randrange(60))
