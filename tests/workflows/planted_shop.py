"""A shop with one problem of every class, each page labelled with the rules that must report it, and no others."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from zlib import crc32

from urlset.testing import PageAnswer, Request, redirect
from urlset.testing.exchange import Reply

WORDS = (  # noqa: SIM905
    "oak walnut linen velvet brass marble cotton leather glass steel round narrow folding classic modern quiet bright"
    " heavy light small large warm cold soft firm simple ornate painted carved woven lasting gentle sturdy honest"
).split()
FRAME = (
    "<header><p>Nord Living</p></header><nav><p><a href=/>Home</a> <a href=/map-1>Map</a> <a href=/map-2>More</a></p>"
    "</nav><main>{}</main><footer><p>Imprint and delivery, on every page</p></footer>"
)
SLOW = 2.0
"""seconds that the slow page takes; the threshold of the test is lower"""
OTHER_HOST = "localhost"


def prose(seed: str, count: int = 120) -> list[str]:
    state = crc32(seed.encode())
    words = []
    for place in range(count):
        state = (state * 1_103_515_245 + 12_345) % (1 << 31)
        words.append(f"{WORDS[state % len(WORDS)]}{(state >> 8) % 997 if place % 3 == 0 else ''}")
    return words


def page(title: str, words: list[str], head: str = "", more: str = "") -> str:
    half = len(words) // 2
    body = f"<h1>{title}</h1><p>{' '.join(words[:half])}</p><p>{' '.join(words[half:])}</p>{more}"
    top = f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head>"
    return f"{top}<body>{FRAME.format(body)}</body></html>"


def linked(*paths: str) -> str:
    return "".join(f'<p><a href="{path}">{path}</a></p>' for path in paths)


PRODUCT = (
    '<script type="application/ld+json">{"@type":"Product","name":"Chair","offers":{"@type":"Offer","price":"9",'
    '"availability":"https://schema.org/Discontinued"}}</script>'
)
EVENT = (
    '<script type="application/ld+json">{"@type":"Event","name":"Fair","startDate":"2024-05-01",'
    '"endDate":"2024-05-02"}</script>'
)
NAMES = ("brand", "color", "size")
FILTERS = [
    f"/list?{'&'.join(f'{name}={value}' for name, value in zip(NAMES, chosen, strict=True) if value)}"
    for chosen in product(("", "ikon", "nord"), ("", "red", "blue"), ("", "s", "m", "l"))
    if any(chosen)
]
DEEP = [f"/deep/{number}" for number in range(1, 8)]


class PlantedShop:
    """Callable as the routes of a `Site`. `planted` has path → rules; paths that it lacks must stay silent."""

    def __init__(self) -> None:
        self.planted: defaultdict[str, set[str]] = defaultdict(set)
        self.listed: list[str] = []
        self.unlinked: set[str] = set()
        self._answers: dict[str, Reply] = {}
        self._failed: set[str] = set()
        self._ordinary()
        self._gone_and_moved()
        self._alike()
        self._versions()
        self._kinds()
        self._links()

    def _add(self, path: str, answer: Reply | None = None, *codes: str, listed: bool = True) -> None:
        self._answers[path] = page(f"Page {path}", prose(path)) if answer is None else answer
        if listed:
            self.listed.append(path)
        if codes:
            self.planted[path].update(codes)

    def _ordinary(self) -> None:
        for number in range(40):
            self._add(f"/chairs/{number}")
            self._add(f"/blog/{number}-a-story")

    def _gone_and_moved(self) -> None:
        for number in range(4):
            self._add(f"/old/{number}", PageAnswer(404, "<h1>Not found</h1>"), "A001")
        self._add("/moved", redirect("/moved/"), "A003")
        self._add("/moved/", listed=False)
        self._add("/first", redirect("/second"), "A003", "A004")
        self._add("/second", redirect("/third"), listed=False)
        self._add("/third", listed=False)
        self._add("/hidden", page("Hidden", prose("hidden"), "<meta name=robots content=noindex>"), "A006")
        for number in range(3):
            self._add(f"/members/{number}", redirect(f"/login?next=/members/{number}", 302), "A022")
        self._add("/slow", PageAnswer(200, page("Slow", prose("slow")), pause=SLOW), "A046")
        self._add("/flaky", None, "A047")

    def _alike(self) -> None:
        same = page("The same", prose("same"))
        for name in ("a", "bb", "ccc"):
            self._add(f"/copies/{name}", same, *(("A043",) if name != "a" else ()))
        near = prose("near", 400)
        self._add("/near/1", page("Near", near))
        self._add("/near/22", page("Near", [*near[:200], "another", *near[201:]]), "A044")
        self._add("/session?sessionid=ab120", None, "L025")
        for each in FILTERS:
            self._add(each, None, *(("L040",) if each.count("=") > 1 else ()))

    def _versions(self) -> None:
        faults: dict[str, tuple[Reply, str]] = {
            "gone": (PageAnswer(404, "<h1>Fort</h1>"), "H024"),
            "moved": (redirect("/de/fine"), "H024"),
            "hidden": (page("Versteckt", prose("versteckt"), "<meta name=robots content=noindex>"), "H024"),
            "silent": (page("Stumm", prose("stumm")), "H033"),
        }
        for name, (answer, code) in faults.items():
            self._add(f"/de/{name}", answer, *(("A035",) if name == "silent" else ()), listed=False)
            alternate = f'<link rel=alternate hreflang=de href="/de/{name}">'
            self._add(f"/en/{name}", page(f"English {name}", prose(f"english {name}"), alternate), code)
        pair = '<link rel=alternate hreflang=en href="/en/fine"><link rel=alternate hreflang=de href="/de/fine">'
        self._add("/de/fine", page("Gut", prose("gut"), pair))
        self._add("/en/fine", page("Fine", prose("fine"), pair))

    def _kinds(self) -> None:
        self._add("/tag/oak", None, "A050")
        self._add("/author/ann", None, "A051")
        self._add("/search?q=oak", None, "A053")
        self._add("/cart", None, "A054")
        self._add("/expired", page("Expired chair", prose("expired"), PRODUCT), "A057")
        self._add("/fair-2024", page("Fair", prose("fair"), EVENT), "A058")

    def _links(self) -> None:
        self._add("/unlisted", None, "A035", listed=False)
        self._add("/orphan", None, "A036")
        self._add("/lonely", None, "A049")
        for place, path in enumerate(DEEP):
            following = DEEP[place + 1 : place + 2]
            self._add(path, page(f"Deep {path}", prose(path), more=linked(*following)), "A049")
            if place >= 3:  # the first of the chain is three clicks away
                self.planted[path].add("A048")
        self.unlinked = {"/orphan", "/lonely", *DEEP}
        self._add("/chairs/0", page("Chair 0", prose("/chairs/0"), more=linked("/lonely", DEEP[0])))
        self.listed.remove("/chairs/0")
        self.listed += ["/map-1", "/map-2"]

    def __call__(self, request: Request) -> Reply | None:
        path = request.target
        if path == "/robots.txt" and OTHER_HOST in request.headers.get("host", ""):
            return f"User-agent: *\nAllow: /\nSitemap: {request.origin.replace(OTHER_HOST, '127.0.0.1')}/sitemap.xml\n"
        if path == "/robots.txt":
            return (
                f"User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: {request.origin}/sitemap.xml\n"
            )
        if path == "/sitemap.xml":
            children = "".join(
                f"<sitemap><loc>{request.origin}/sitemap-{name}.xml</loc></sitemap>" for name in ("shop", "lost")
            )
            return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'
        if path == "/sitemap-shop.xml":
            return self._sitemap(request.origin)
        if path in {"/", "/map-1", "/map-2"}:
            every = [each for each in (*self.listed, "/unlisted") if each not in self.unlinked]
            return page(f"Map {path}", prose(path), more=linked(*every) if path != "/" else "")
        if path.startswith("/login"):
            return "<!doctype html><title>Sign in</title><h1>Sign in</h1><form><input type=password name=p></form>"
        if path == "/flaky" and path not in self._failed:
            self._failed.add(path)
            return PageAnswer(503, "busy", headers={"Retry-After": "0"})
        return self._answers.get(path)

    def _sitemap(self, origin: str) -> str:
        elsewhere = origin.replace("127.0.0.1", OTHER_HOST)
        every = [*(f"{origin}{path}" for path in ("/", *self.listed)), f"{elsewhere}/chairs/5"]
        locs = "".join(
            f"<url><loc>{url.replace('&', '&amp;')}</loc>"
            f"<lastmod>2026-{1 + place % 9:02}-{1 + place % 28:02}</lastmod></url>\n"
            for place, url in enumerate(every)
        )
        root = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n{locs}</urlset>\n'
