"""Sites to be audited: small ones with a page of every state, and large ones for kills and counting."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from urlset.testing import PageAnswer, Request, redirect
from urlset.testing.exchange import Reply

TEXT = " ".join(f"sentence {number} says something that no other page of this site says" for number in range(12))


def page(name: object, head: str = "") -> str:
    """A page with words of its own inside the frame of the site."""
    own = " ".join(f"{word}-{name}" for word in TEXT.split())
    return (
        f"<!doctype html><html lang=en><head><title>Page {name}</title>{head}</head><body><nav><p>Menu of the site</p>"
        f"</nav><h1>Page {name}</h1><p>{own}</p><footer><p>Footer of the site, on every page</p></footer></body></html>"
    )


def sitemap(locs: Iterable[str], extra: str = "") -> str:
    entries = "".join(f"  <url><loc>{loc}</loc>{extra}</url>\n" for loc in locs)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{entries}</urlset>\n"
    )


CHALLENGE = PageAnswer(
    403, "<title>Just a moment...</title>", headers={"cf-mitigated": "challenge", "Server": "cloudflare"}
)
"""what bot protection shows instead of a page"""


def every_state(origin: str) -> dict[str, Reply]:
    """A page for each state and remedy; the sitemap lists them in this order."""
    pages: dict[str, Reply] = {
        "/ok": page("ok"),
        "/moved": redirect("/moved/"),
        "/gone": PageAnswer(404, page("not there")),
        "/error": PageAnswer(500, "broken"),
        "/blocked": CHALLENGE,
        "/private/page": page("private"),
        "/noindex": page("noindex", '<meta name="robots" content="noindex">'),
        "/copy": page("copy", f'<link rel="canonical" href="{origin}/ok">'),
        "/for-google": page("google", '<meta name="googlebot" content="noindex">'),
        "/elsewhere": redirect("/ok"),
        "/fine": page("fine"),
    }
    listed = sitemap(f"{origin}{path}" for path in pages)
    return {
        **pages,
        "/moved/": page("moved"),
        "/robots.txt": f"User-agent: urlset\nDisallow: /private/\n\nUser-agent: *\nAllow: /\nSitemap: {origin}/s.xml\n",
        "/sitemap.xml": listed,
    }


def many(count: int, pause: float = 0.0) -> Callable[[Request], Reply | None]:
    """`count` pages; every tenth is something else than ok, always the same for the same number."""

    def answer(request: Request) -> Reply | None:
        if request.path == "/robots.txt":
            return "User-agent: *\nAllow: /\n"
        if request.path == "/sitemap.xml":
            return sitemap(f"{request.origin}/p{number}" for number in range(count))
        name = request.path[2:].rstrip("/")
        if not request.path.startswith("/p") or not name.isdigit() or int(name) >= count:
            return None
        return _numbered(int(name), pause, slash=request.path.endswith("/"))

    return answer


def _numbered(number: int, pause: float, *, slash: bool) -> Reply | None:
    kind = number % 20
    if slash:
        return PageAnswer(200, page(number), pause=pause) if kind == 3 else None
    if kind == 3:
        return redirect(f"/p{number}/")
    if kind == 7:
        return None
    head = '<meta name="robots" content="noindex">' if kind == 11 else ""
    return PageAnswer(200, page(number, head), headers={"ETag": f'"{number}"'}, pause=pause)


def served_states() -> Callable[[Request], Reply | None]:
    """`every_state` for a server in a process of its own; without the page that is tried again after seconds."""

    def answer(request: Request) -> Reply | None:
        pages = every_state(request.origin)
        pages["/sitemap.xml"] = sitemap(
            f"{request.origin}{path}" for path in list(pages)[:11] if path not in ("/blocked", "/error")
        )
        return pages.get(request.path)

    return answer


def hosts(count: int, names: tuple[str, ...], pause: float = 0.0) -> Callable[[Request], Reply | None]:
    """`count` pages on each host; some redirect to the next host, or name a page there that is not listed."""
    alone = many(count, pause)

    def answer(request: Request) -> Reply | None:
        port = request.headers.get("host", "").rpartition(":")[2]
        if request.path == "/sitemap.xml":
            return sitemap(f"http://{name}:{port}/p{number}" for number in range(count) for name in names)
        following = f"http://{names[(names.index(request.host) + 1) % len(names)]}:{port}"
        if request.path == "/p6":
            return redirect(f"{following}/p1")
        if request.path == "/p8":
            return page("8", f'<link rel="canonical" href="{following}/unlisted">')
        return page(f"unlisted {request.host}") if request.path == "/unlisted" else alone(request)

    return answer
