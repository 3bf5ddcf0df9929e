"""Thirty pages with scripts, each labelled with what its scripts change: noindex, canonical, links, content."""

from __future__ import annotations

from typing import NamedTuple

from urlset.testing import PageAnswer, redirect
from urlset.testing.exchange import Routes

NOINDEX, CANONICAL, LINKS, CONTENT = "A039", "A040", "A041", "A042"
TEXT = " ".join(f"lamp {number} of brass and glass stands in the window" for number in range(12))
OWN = "/own/target"
ADD_META = "document.head.insertAdjacentHTML('beforeend', '<meta name=\"robots\" content=\"%s\">')"
FILL = f"document.getElementById('root').innerHTML = '<h1>Lamps</h1><p>{TEXT}</p><a href=\"{OWN}\">more</a>'"
ROOT = '<div id="root"></div>'


class ScriptPage(NamedTuple):
    name: str
    html: str
    labels: frozenset[str] = frozenset()
    shell: bool = False
    """`--render auto` must look at it"""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> str:
        return f"/{self.name}"


def page(name: str, body: str, *labels: str, head: str = "", shell: bool = False, **headers: str) -> ScriptPage:
    head = head.replace("SELF", f"/{name}")
    html = (
        f"<!doctype html><html><head><meta charset=utf-8><title>{name}</title>{head}</head><body>{body}</body></html>"
    )
    sent = tuple((key.replace("_", "-"), value) for key, value in headers.items())
    return ScriptPage(name, html, frozenset(labels), shell, sent)


def script(code: str) -> str:
    return f"<script>{code}</script>"


FULL = f"<h1>Lamps</h1><p>{TEXT}</p>"
SELF = '<link rel="canonical" href="SELF">'
FILE = '<script src="{}"></script>'
APPEND = "document.body.insertAdjacentHTML('beforeend', '{}')"
FETCHED = "fetch('/data.json').then(r => r.json()).then(d => root.innerHTML = '<p>' + d.text + '</p>')"
XHR = (
    "const x = new XMLHttpRequest(); x.open('GET', '/data.json'); "
    "x.onload = () => root.textContent = JSON.parse(x.response).text; x.send()"
)
SHADOW = (
    "customElements.define('my-lamps', class extends HTMLElement { connectedCallback() { "
    f"this.attachShadow({{mode: 'open'}}).innerHTML = '<p>{TEXT}</p><a href=\"{OWN}\">more</a>' }} }})"
)
SEEN = f"new IntersectionObserver(seen => {{ if (seen[0].isIntersecting) {{ {FILL} }} }}).observe(root)"
JAPANESE = f"root.textContent = '{'真鍮のランプと硝子の窓。' * 20}'"
HYDRATE = "const old = root.innerHTML; root.innerHTML = ''; setTimeout(() => root.innerHTML = `<div>${old}</div>`, 50)"
ADD_CANONICAL = 'document.head.insertAdjacentHTML("beforeend", `<link rel="canonical" href="${location.href}">`)'
BANNER = "<p>We use cookies. Accept them?</p><a href=#top>top</a><a href=https://social.example/>share</a>"
SHELLS = (
    page("inline-shell", ROOT + script(FILL), LINKS, CONTENT, shell=True),
    page("file-shell", ROOT + FILE.format("/fill.js"), LINKS, CONTENT, shell=True),
    page("deferred-shell", ROOT, LINKS, CONTENT, head='<script defer src="/fill.js"></script>', shell=True),
    page("module-shell", ROOT + '<script type="module" src="/module.js"></script>', LINKS, CONTENT, shell=True),
    page("redirected-script", ROOT + FILE.format("/old-fill.js"), LINKS, CONTENT, shell=True),
    page("fetch-shell", ROOT + script(FETCHED), CONTENT, shell=True),
    page("xhr-shell", ROOT + script(XHR), CONTENT, shell=True),
    page("late-shell", ROOT + script(f"setTimeout(() => {{ {FILL} }}, 3000)"), LINKS, CONTENT, shell=True),
    page("idle-shell", ROOT + script(f"requestIdleCallback(() => {{ {FILL} }})"), LINKS, CONTENT, shell=True),
    page("shadow-shell", "<my-lamps></my-lamps>" + script(SHADOW), LINKS, CONTENT, shell=True),
    page("seen-shell", '<div style="height:3000px"></div>' + ROOT + script(SEEN), LINKS, CONTENT, shell=True),
    page("japanese-shell", ROOT + script(JAPANESE), CONTENT, shell=True),
    page("written-shell", script(f"document.write('<p>{TEXT}</p>')"), CONTENT, shell=True),
    page("noindex-shell", ROOT + script(f"{FILL}; {ADD_META % 'noindex'}"), NOINDEX, LINKS, CONTENT, shell=True),
)
CHANGED = (
    page("noindex", FULL + script(ADD_META % "noindex, follow"), NOINDEX),
    page("none", FULL + script(ADD_META % "none"), NOINDEX),
    page(
        "index-to-noindex",
        FULL + script("document.querySelector('meta[name=robots]').content = 'noindex'"),
        NOINDEX,
        head='<meta name="robots" content="index">',
    ),
    page("late-noindex", FULL + script(f"setTimeout(() => {ADD_META % 'noindex'}, 2000)"), NOINDEX),
    page("canonical", FULL + script(f"document.querySelector('link').href = '{OWN}'"), CANONICAL, head=SELF),
    page("canonical-gone", FULL + script("document.querySelector('link').remove()"), CANONICAL, head=SELF),
    page("links", FULL + script(APPEND.format(f"<a href={OWN}>x</a>")), LINKS),
)
SAME = (
    page("same-canonical", FULL + script("document.querySelector('link').href = location.pathname"), head=SELF),
    page("added-canonical", FULL + script(ADD_CANONICAL)),
    page("hydrated", f"<div id=root>{FULL}</div>" + script(HYDRATE)),
    page("banner", FULL + script(APPEND.format(BANNER))),
    page("nofollow", FULL + script(ADD_META % "nofollow")),
    page("button", FULL + script(APPEND.format('<button onclick="location=1">x</button>'))),
    page("forbidden-inline", ROOT + script(FILL), shell=True, content_security_policy="script-src 'none'"),
    page("missing-script", ROOT + FILE.format("/none.js"), shell=True),
    page("disallowed-script", ROOT + FILE.format("/closed/fill.js"), shell=True),
    page("endless-timer", FULL + script("let n = 0; setInterval(() => document.body.dataset.n = n++, 5)")),
    page("failing", FULL + script("null.lamps")),
)
PAGES = (*SHELLS, *CHANGED, *SAME)


def javascript(body: str) -> PageAnswer:
    return PageAnswer(body=body, type="text/javascript")


def site_routes(origin: str) -> Routes:
    listed = "".join(f"<url><loc>{origin}{each.path}</loc></url>" for each in PAGES)
    return {
        **{each.path: PageAnswer(body=each.html, headers=each.headers) for each in PAGES},
        "/robots.txt": "User-agent: *\nDisallow: /closed/\n",
        "/fill.js": javascript(FILL),
        "/old-fill.js": redirect("/fill.js"),
        "/closed/fill.js": javascript(FILL),
        "/module.js": javascript("import {fill} from './part.js'; fill()"),
        "/part.js": javascript(f"export const fill = () => {{ {FILL} }}"),
        "/data.json": PageAnswer(body=f'{{"text": "{TEXT}"}}', type="application/json"),
        "/slow": PageAnswer(body="slow", pause=20.0),
        "/sitemap.xml": f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>',
    }
