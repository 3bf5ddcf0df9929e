"""A number → a page or a whole site of the size and shape of real ones, the same for the same number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from random import Random
from xml.sax.saxutils import escape as escape_xml

from urlset.testing.exchange import PageAnswer, Request, Routes
from urlset.workflows.demo.sample import draft


def title_of(random: Random) -> str:
    words = (draft.OTHERS, draft.NOUNS, draft.VERBS, draft.NOUNS)
    return " ".join(random.choice(each) for each in words).title()


PER_LIST = 50
"""articles on a topic page, and topics on a section page"""
PER_SITEMAP = 50_000


def article(
    n: int,
    *,
    words: int | None = None,
    links: int | Sequence[str] = 8,
    boilerplate: bool = True,
    head: str = "",
    title: str | None = None,
) -> bytes:
    """The HTML of article number `n`: 30 to 100 KB with boilerplate, most of it found on no other page.

    `links`: how many earlier articles it points to, or the addresses. `head` is put into the head as it is.
    """
    random = Random(n)
    name = title or f"{title_of(random)} {n}"
    count = min(random.randint(2400, 15_000), random.randint(2400, 15_000)) if words is None else words
    targets = [article_path(random.randrange(n + 1)) for _ in range(links)] if isinstance(links, int) else links
    text = draft.paragraphs(random, count)
    lead, rest = (text[0], text[1:]) if text else ("", [])
    parts = [f'<article class="post" id="post-{n}"><h1>{escape(name)}</h1>\n<p class="lead">{lead}</p>\n']
    for place, paragraph in enumerate(rest):
        if place % 6 == 3:
            parts.append(f"<h2>{escape(title_of(random))}</h2>\n")
        if place % 8 == 5:
            parts.append(f'<figure><img src="/media/{n}-{place}.jpg" alt="" width="800" height="450"></figure>\n')
        parts.append(f"<p>{paragraph}</p>\n")
    parts.append('<ul class="related">\n')
    parts.extend(f'<li><a href="{escape(target)}">{escape(title_of(random))}</a></li>\n' for target in targets)
    parts.append("</ul></article>\n")
    return document(name, "".join(parts), head=head, boilerplate=boilerplate)


def listing(name: str, targets: Sequence[tuple[str, str]], *, boilerplate: bool = True) -> bytes:
    """A page that is little more than its links, given as (address, text)."""
    rows = "".join(f'<li><a href="{escape(to)}">{escape(text)}</a></li>\n' for to, text in targets)
    return document(name, f"<h1>{escape(name)}</h1>\n<ul>\n{rows}</ul>\n", boilerplate=boilerplate)


def document(name: str, content: str, *, head: str = "", boilerplate: bool = True, language: str = "en") -> bytes:
    """Content inside a page with menu, side column, footer, styles and scripts, or without all that."""
    above, below = furniture() if boilerplate else ("", "")
    style = styles() if boilerplate else ""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n<title>{escape(name)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n{head}{style}</head>\n<body>\n{above}<main>\n{content}'
        f"</main>\n{below}</body>\n</html>\n"
    ).encode()


@lru_cache(1)
def styles() -> str:
    random = Random("styles")
    rules = "".join(
        f".{random.choice(draft.NOUNS)}-{random.choice(draft.OTHERS)}{{margin:{random.randrange(40)}px;"
        f"color:#{random.randrange(1 << 24):06x};padding:0 {random.randrange(9)}em}}\n"
        for _ in range(160)
    )
    return f"<style>\n{rules}</style>\n"


@lru_cache(1)
def furniture() -> tuple[str, str]:
    """What every page of the site repeats, above and below its content: about 14 KB."""
    random = Random("furniture")
    menu = "".join(
        f'<li class="menu-item menu-item-{place}"><a class="menu-link" href="/menu/{place}/">{title_of(random)}</a>'
        "</li>\n"
        for place in range(40)
    )
    side = "".join(f"<p>{each}</p>\n" for each in draft.paragraphs(random, 180))
    script = "".join(f"window.q.push([{place},'{random.choice(draft.NOUNS)}']);\n" for place in range(120))
    above = (
        '<header class="site-header"><a class="logo" href="/">The Harbour Gazette</a>\n'
        f'<nav aria-label="main"><ul>\n{menu}</ul></nav></header>\n'
    )
    below = (
        f'<aside class="sidebar">\n<h2>About this site</h2>\n{side}</aside>\n<footer class="site-footer">'
        '<p>All rights reserved. Contact, imprint, privacy, terms of use, cookie settings.</p><a href="/">Home</a>'
        f"</footer>\n<script>\nwindow.q=[];\n{script}</script>\n"
    )
    return above, below


def article_path(n: int) -> str:
    return f"/articles/{n}/"


def plain_paths(count: int) -> Iterator[str]:
    """Every page of plain_site(count) that answers 200 and can be reached by links: the index first."""
    yield "/"
    topics = -(-count // PER_LIST)
    yield from (f"/sections/{each}/" for each in range(-(-topics // PER_LIST)))
    yield from (f"/topics/{each}/" for each in range(topics))
    yield from (article_path(n) for n in range(count))


def plain_site(count: int, *, pause: float = 0.0, words: int | None = None, boilerplate: bool = False) -> Routes:
    """A site without fault of `count` articles under an index, section and topic pages; made on demand.

    robots.txt names the sitemap, which lists exactly what plain_paths(count) gives. With `boilerplate` every page
    has a menu, whose 40 targets are answered with 404: off by default.
    """
    topics = -(-count // PER_LIST)
    sections = -(-topics // PER_LIST)

    def number(request: Request, below: int) -> int | None:
        name = request.path.strip("/").rpartition("/")[2]
        fine = name.isascii() and name.isdigit() and request.path.endswith(f"/{name}/") and str(int(name)) == name
        return int(name) if fine and int(name) < below else None

    def one_article(request: Request) -> PageAnswer | None:
        n = number(request, count)
        if n is None:
            return None
        return PageAnswer(body=article(n, words=words, boilerplate=boilerplate), pause=pause, headers=validators(n))

    def one_topic(request: Request) -> PageAnswer | None:
        n = number(request, topics)
        if n is None:
            return None
        inside = range(n * PER_LIST, min(count, (n + 1) * PER_LIST))
        rows = [(article_path(each), f"article {each}") for each in inside]
        return PageAnswer(body=listing(f"Topic {n}", rows, boilerplate=boilerplate), pause=pause)

    def one_section(request: Request) -> PageAnswer | None:
        n = number(request, sections)
        if n is None:
            return None
        inside = range(n * PER_LIST, min(topics, (n + 1) * PER_LIST))
        rows = [(f"/topics/{each}/", f"topic {each}") for each in inside]
        return PageAnswer(body=listing(f"Section {n}", rows, boilerplate=boilerplate), pause=pause)

    index = listing("Index", [(f"/sections/{n}/", f"section {n}") for n in range(sections)], boilerplate=boilerplate)
    return {
        "/": PageAnswer(body=index, pause=pause),
        "/sections/*": one_section,
        "/topics/*": one_topic,
        "/articles/*": one_article,
        "/robots.txt": lambda request: f"User-agent: *\nAllow: /\n\nSitemap: {request.origin}/sitemap.xml\n",
        **sitemap_routes(list(plain_paths(count))),
    }


def validators(n: int) -> dict[str, str]:
    return {"ETag": f'"article-{n}"', "Last-Modified": f"Mon, {1 + n % 28:02} Sep 2025 08:{n % 60:02}:00 GMT"}


def sitemap_routes(paths: Sequence[str]) -> Routes:
    """/sitemap.xml over these paths; an index with parts where they are too many for one file."""
    parts = [paths[start : start + PER_SITEMAP] for start in range(0, len(paths), PER_SITEMAP)]
    if len(parts) <= 1:
        return {"/sitemap.xml": lambda request: sitemap(request.origin, paths)}
    made: Routes = {
        f"/sitemap-{place}.xml": lambda request, part=part: sitemap(request.origin, part)  # type: ignore[misc]
        for place, part in enumerate(parts)
    }
    names = list(made)
    return {"/sitemap.xml": lambda request: sitemap(request.origin, names, root="sitemapindex", row="sitemap"), **made}


def sitemap(origin: str, paths: Sequence[str], *, root: str = "urlset", row: str = "url") -> bytes:
    rows = "".join(f"<{row}><loc>{escape_xml(origin + path)}</loc></{row}>\n" for path in paths)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{rows}</{root}>\n"
    ).encode()
