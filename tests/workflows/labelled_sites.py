"""Sites of any size with planted root causes, each page labelled with the one it has: a shop, a blog, docs, languages.

A site is made of families of pages: how many there are, what they answer, and the cause that explains it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from urlset.testing import PageAnswer, Request, redirect
from urlset.testing.exchange import Reply

WORDS = (  # noqa: SIM905
    "oak walnut linen velvet brass marble cotton leather glass steel round narrow folding classic modern quiet bright "
    "heavy light small large warm cold soft firm simple ornate painted carved woven hand made lasting gentle sturdy"
).split()
FRAME = "<nav><p>Home, Tables, Chairs, Sofas</p></nav>{}<footer><p>Imprint and delivery, on every page</p></footer>"


class Cause(NamedTuple):
    """What was planted."""

    name: str
    kind: str
    """as the report names it"""
    lost: bool
    """whether its pages can be indexed under no address"""


class Family(msgspec.Struct, frozen=True):
    """Pages of one kind, listed in one sitemap."""

    sitemap: str
    path: str
    """with `{}` for the number"""
    count: int
    answer: Callable[[str, str, int], Reply]
    """called with the origin, the path and the number"""
    cause: Cause | None = None
    alternate: str = ""
    """the path of a translation, with `{}`"""


def text(number: int, path: str, head: str = "") -> str:
    """A page with a text of its own."""
    seed = hash((number, path.partition("?")[0])) & 0xFFFFFFFF
    words = [WORDS[(seed >> (place % 24)) * (place + 3) % len(WORDS)] for place in range(90)]
    body = " ".join(f"{word}{seed % 9973}{place}" if place % 3 else word for place, word in enumerate(words))
    title = f"{words[0]} {words[1]} {number}"
    main = f"<main><h1>{title}</h1><p>{body}</p></main>"
    return f"<!doctype html><html lang=en><title>{title}</title>{head}<body>{FRAME.format(main)}</body></html>"


def fine(origin: str, path: str, number: int) -> Reply:
    return text(number, path, f'<link rel="canonical" href="{origin}{path}">')


def noindex(origin: str, path: str, number: int) -> Reply:
    return text(number, path, f'<meta name="robots" content="noindex"><link rel="canonical" href="{origin}{path}">')


def header_noindex(_origin: str, path: str, number: int) -> Reply:
    return PageAnswer(body=text(number, path), headers={"X-Robots-Tag": "noindex"})


def status(code: int) -> Callable[[str, str, int], Reply]:
    return lambda _origin, path, number: PageAnswer(code, text(number, path) if code == 200 else "<h1>Error</h1>")


def moved(to: Callable[[str], str]) -> Callable[[str, str, int], Reply]:
    return lambda origin, path, _number: redirect(to(path) if "://" in to(path) else f"{origin}{to(path)}")


def canonical(to: Callable[[str], str]) -> Callable[[str, str, int], Reply]:
    def answer(origin: str, path: str, number: int) -> Reply:
        target = to(path)
        return text(number, path, f'<link rel="canonical" href="{target if "://" in target else origin + target}">')

    return answer


def without_query(path: str) -> str:
    return path.partition("?")[0]


def soft_404(_origin: str, path: str, number: int) -> Reply:
    del path, number
    main = "<main><h1>Page not found</h1><p>Sorry, we could not find this product.</p></main>"
    return f"<!doctype html><title>Page not found</title><body>{FRAME.format(main)}</body>"


def login(_origin: str, path: str, _number: int) -> Reply:
    return redirect(f"/login/?next={path}", 302)


LOGIN_FORM = (
    '<!doctype html><title>Sign in</title><meta name="robots" content="noindex"><link rel="canonical" href="/login/">'
    "<body><h1>Sign in</h1><form method=post><input name=user><input type=password name=password></form></body>"
)


class LabelledSite:
    """Callable as the routes of a `Site`."""

    def __init__(self, families: list[Family], robots: str = "User-agent: *\nAllow: /\n") -> None:
        self.families, self.robots = families, robots
        self._known: dict[str, tuple[Family, int]] = {}
        for family in families:
            for number in range(family.count):
                self._known[family.path.format(number)] = family, number

    @property
    def causes(self) -> Counter[Cause]:
        """Planted causes with their pages."""
        found: Counter[Cause] = Counter()
        for family in self.families:
            if family.cause is not None:
                found[family.cause] += family.count
        return found

    def label(self, path: str) -> Cause | None:
        return self._known[path][0].cause

    def __call__(self, request: Request) -> Reply | None:
        path, origin = request.target, request.origin
        if path == "/robots.txt":
            return f"{self.robots}Sitemap: {origin}/sitemap.xml\n"
        if path == "/sitemap.xml":
            return self._index(origin)
        if path.startswith("/sitemap-"):
            return self._sitemap(path, origin)
        if path == "/login/" or path.startswith("/login/?"):
            return LOGIN_FORM
        if path in self._known:
            family, number = self._known[path]
            return family.answer(origin, path, number)
        if path == "/" or (path.endswith("/") and path[:-1] in self._known) or path.startswith(("/new/", "/news/")):
            return text(1, path, f'<link rel="canonical" href="{origin}{path}">')
        base = path.partition("?")[0]
        return fine(origin, base, 1) if "?" in path and base in self._known else None

    def _index(self, origin: str) -> str:
        names = dict.fromkeys(family.sitemap for family in self.families)
        rows = "".join(f"<sitemap><loc>{origin}/sitemap-{name}.xml</loc></sitemap>\n" for name in names)
        return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</sitemapindex>\n'

    def _sitemap(self, path: str, origin: str) -> str | None:
        name = path.removeprefix("/sitemap-").removesuffix(".xml")
        rows = "".join(self._entries(name, origin))
        xhtml = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
        return (
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" {xhtml}>\n{rows}</urlset>\n' if rows else None
        )

    def _entries(self, name: str, origin: str) -> Iterator[str]:
        for family in self.families:
            for number in range(family.count if family.sitemap == name else 0):
                loc = f"{origin}{family.path.format(number)}".replace("&", "&amp;")
                links = ""
                if family.alternate:
                    link = '<xhtml:link rel="alternate" hreflang="{}" href="{}"/>'
                    other = f"{origin}{family.alternate.format(number)}"
                    links = link.format("en", loc) + link.format("de", other)
                yield f"<url><loc>{loc}</loc>{links}</url>\n"


def shop(size: int = 20_000) -> LabelledSite:
    """Twelve causes; the three that cost most are noindex on all beds, robots.txt on all lamps, errors on all rugs."""

    def of(share: float) -> int:
        return round(size * share)

    discontinued = Cause("discontinued products", "gone", lost=True)
    slash = Cause("categories without trailing slash", "redirected", lost=False)
    facets = Cause("filters in the sitemap", "not canonical", lost=False)
    unavailable = Cause("sold-out products", "soft 404", lost=True)
    good = [
        Family(f"products-{place % 3 + 1}", f"/{name}/{{}}-item", of(share), fine)
        for place, (name, share) in enumerate(
            {"tables": 0.13, "chairs": 0.11, "sofas": 0.08, "desks": 0.05, "shelves": 0.05}.items()
        )
    ]
    return LabelledSite(
        [
            *good,
            Family("pages", "/guides/{}", of(0.03), fine, alternate="/de/kategorie-{}"),
            *(Family("products-2", f"/{name}/{{}}-discontinued", of(0.01), status(404), discontinued)
              for name in ("tables", "chairs", "sofas")),
            Family("products-1", "/outlet/{}", of(0.02), status(404), Cause("outlet removed", "gone", lost=True)),
            Family("products-2", "/beds/{}", of(0.09), noindex, Cause("noindex template", "noindex", lost=True)),
            Family("products-3", "/lamps/{}", of(0.075), fine, Cause("robots.txt", "disallowed", lost=True)),
            Family("products-3", "/rugs/{}", of(0.05), status(500), Cause("failing section", "failed", lost=True)),
            Family("categories", "/c/room-{}", of(0.04), moved(lambda path: f"{path}/"), slash),
            Family("categories", "/de/kategorie-{}", of(0.06), moved(lambda path: f"{path}/"), slash),
            Family("blog", "/blog/{}-story", of(0.035), moved(lambda path: path.replace("/blog/", "/news/")),
                   Cause("blog moved", "redirected", lost=False)),
            Family("filters", "/tables/{}-item?color=red", of(0.03), canonical(without_query), facets),
            Family("filters", "/chairs/{}-item?size=2", of(0.025), canonical(without_query), facets),
            Family("filters", "/sofas/{}-item?color=blue&size=3", of(0.02), canonical(without_query), facets),
            Family("products-1", "/desks/{}-item?sid=a81f63c5d2e94b70", of(0.015),
                   canonical(without_query), Cause("session ids", "not canonical", lost=False)),
            Family("pages", "/account/{}", of(0.006), login, Cause("login wall", "requires login", lost=True)),
            *(Family("products-3", f"/{name}/{{}}-sold-out", of(0.006), soft_404, unavailable)
              for name in ("desks", "shelves")),
            Family("pages", "/gifts/{}", of(0.0175), canonical(lambda _path: "/"),
                   Cause("canonical to the home page", "not canonical", lost=True)),
        ],
        robots="User-agent: *\nDisallow: /lamps/\n",
    )  # fmt: skip


def attached_to(path: str) -> str:
    return path.removesuffix("attachment/").replace("/image-", "/post-").replace("-of-a-post", "-about-something")


def blog(size: int = 300) -> LabelledSite:
    """Tag archives with noindex, deleted posts, attachments that lead to posts, drafts behind a login."""

    def of(share: float) -> int:
        return round(size * share)

    years = range(2019, 2024)
    return LabelledSite(
        [
            *(Family("posts", f"/{year}/post-{{}}-about-something/", of(0.09), fine) for year in years),
            *(Family("posts", f"/{year}/deleted-{{}}-post-of-old/", of(0.012), status(410),
                     Cause("deleted", "gone", lost=True))
              for year in years),
            Family("tags", "/tag/topic-{}/", of(0.2), noindex, Cause("tag archives", "noindex", lost=True)),
            Family("authors", "/author/name-{}/", of(0.05), header_noindex,
                   Cause("author archives", "noindex", lost=True)),
            *(Family("images", f"/{year}/image-{{}}-of-a-post/attachment/", of(0.02),
                     moved(attached_to),
                     Cause("attachments", "redirected", lost=False)) for year in years),
            Family("pages", "/drafts/{}/", of(0.03), login, Cause("drafts", "requires login", lost=True)),
            Family("pages", "/archive/list-{}/?paged=2", of(0.04), canonical(without_query),
                   Cause("pagination", "not canonical", lost=False)),
            Family("pages", "/archive/list-{}/", of(0.04), fine),
        ],
    )  # fmt: skip


def docs(size: int = 300) -> LabelledSite:
    """Versions: old ones name the newest as canonical, one has noindex, pages were removed here and there."""

    def of(share: float) -> int:
        return round(size * share)

    removed = Cause("removed", "gone", lost=True)

    def latest(path: str) -> str:
        return "/docs/latest/" + path.split("/", 3)[3]

    return LabelledSite(
        [
            Family("docs", "/docs/latest/guide/page-{}.html", of(0.2), fine),
            Family("docs", "/docs/latest/api/module_{}.html", of(0.15), fine),
            *(Family("docs", f"/docs/{version}/guide/page-{{}}.html", of(0.1), canonical(latest),
                     Cause("old versions", "not canonical", lost=False)) for version in ("1.0", "1.1", "2.0")),
            Family("docs", "/docs/next/guide/page-{}.html", of(0.1), noindex, Cause("preview", "noindex", lost=True)),
            Family("docs", "/docs/latest/old/page-{}", of(0.08), moved(lambda path: f"{path}/"),
                   Cause("slash", "redirected", lost=False)),
            Family("docs", "/docs/latest/guide/removed_{}.html", of(0.03), status(404), removed),
            Family("docs", "/docs/latest/api/removed_{}.html", of(0.03), status(404), removed),
            Family("docs", "/internal/notes-{}.html", of(0.05), fine, Cause("internal", "disallowed", lost=True)),
            Family("docs", "/search/result-{}.html", of(0.05), fine, Cause("search", "disallowed", lost=True)),
        ],
        robots="User-agent: *\nDisallow: /internal/\nDisallow: /search/\n",
    )  # fmt: skip


def languages(size: int = 300) -> LabelledSite:
    """Six languages: one is noindex, one is gone, one moved, and copies in all of them."""

    def of(share: float) -> int:
        return round(size * share)

    gone_language = Cause("Italian removed", "gone", lost=True)
    checkout = Cause("checkout", "requires login", lost=True)
    sold = Cause("sold out", "soft 404", lost=True)
    return LabelledSite(
        [
            *(Family(f"{code}", f"/{code}/{part}/item-{{}}", of(0.05), fine)
              for code in ("en", "fr", "es") for part in ("shoes", "hats", "bags")),
            *(Family("de", f"/de/{part}/item-{{}}", of(0.04), noindex, Cause("German draft", "noindex", lost=True))
              for part in ("schuhe", "huete", "taschen")),
            *(Family("it", f"/it/{part}/item-{{}}", of(0.03), status(404), gone_language)
              for part in ("scarpe", "cappelli", "borse")),
            *(Family("pt", f"/pt/{part}/item-{{}}", of(0.03), moved(lambda path: path.replace("/pt/", "/new/pt-br/")),
                     Cause("Portuguese moved", "redirected", lost=False)) for part in ("sapatos", "bolsas")),
            *(Family(code, f"/{code}/{part}/old-{{}}", of(0.01), soft_404, sold)
              for code in ("en", "fr", "es") for part in ("shoes", "hats", "bags")),
            *(Family(code, f"/{code}/checkout/step-{{}}", of(0.01), login, checkout)
              for code in ("en", "fr", "es")),
            Family("en", "/en/shoes/item-{}?utm_source=mail", of(0.03), canonical(without_query),
                   Cause("tracking", "not canonical", lost=False)),
        ],
    )  # fmt: skip


def two_canonicals(origin: str, path: str, number: int) -> Reply:
    head = f'<link rel="canonical" href="{origin}{path}"><link rel="canonical" href="{origin}/x{number}">'
    return text(number, path, head)


def shell(_origin: str, _path: str, number: int) -> Reply:
    return f"<!doctype html><title>App {number}</title><div id=app></div><script src=app.js></script>"


def thin(_origin: str, _path: str, number: int) -> Reply:
    main = "<main><h1>Soon</h1><p>Soon</p></main>"
    return f"<!doctype html><title>Soon {number}</title><body>{FRAME.format(main)}</body>"


def mixed(size: int = 250) -> LabelledSite:
    """What leaves pages in the index, or keeps them from one engine only, beside a canonical on the staging host."""

    def of(share: float) -> int:
        return round(size * share)

    def staging(path: str) -> str:
        return f"https://staging.example.com{path}"

    return LabelledSite(
        [
            Family("all", "/alpha/{}/", of(0.3), fine),
            Family("all", "/beta/{}/", of(0.2), fine),
            Family(
                "all", "/alpha/two-{}/", of(0.06), two_canonicals, Cause("two", "conflicting canonicals", lost=False)
            ),
            Family("all", "/app/{}/", of(0.07), shell, Cause("shells", "rendered by scripts", lost=False)),
            Family("all", "/beta/soon-{}/", of(0.06), thin, Cause("thin", "thin", lost=False)),
            Family("all", "/delta/{}/", of(0.08), fine, Cause("Bing only", "disallowed", lost=False)),
            Family("all", "/eps/{}/", of(0.06), canonical(staging), Cause("staging", "not canonical", lost=True)),
            Family("all", "/zeta/{}/", of(0.06), status(500), Cause("broken", "failed", lost=True)),
        ],
        robots="User-agent: bingbot\nDisallow: /delta/\n\nUser-agent: *\nDisallow:\n",
    )
