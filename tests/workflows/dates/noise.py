"""Changes of built pages that are none, and edits that are some: each is a function of the HTML of a page."""

from __future__ import annotations

import re
from collections.abc import Callable

Noise = Callable[[str, int, int], str]
"""the page, its number, the number of the build"""

TEXT = """# Guide to {name}

The {name} lamp has three bulbs and one switch. It was made for small rooms.

Buy it for 49 dollars in our shop on 3 March 2027, or order it by mail.

## How to set up {name}

- Put {name} on a flat table
- Connect the cable of {name}
- Press the switch of {name} twice

| part of {name} | weight |
|---|---|
| {name} shade | 120 grams |
| {name} stand | 340 grams |

```
turn_on("{name}", brightness=80)
```

> Customers like the warm light of {name}.

![The {name} lamp](/images/{slug}.jpg)

Version 1.4 of {name} does not need a new bulb. Read the [manual of {name}](/manual/) for more.

Written by the {name} team, with help from readers.
"""
"""Markdown of one page"""

RST = """Guide to {name}
===========================

The {name} lamp has three bulbs and one switch. It was made for small rooms.

Buy it for 49 dollars in our shop on 3 March 2027, or order it by mail.

How to set up {name}
---------------------------

- Put {name} on a flat table
- Connect the cable of {name}
- Press the switch of {name} twice

.. list-table::

   * - {name} shade
     - 120 grams
   * - {name} stand
     - 340 grams

.. code-block:: python

   turn_on("{name}", brightness=80)

..

   Customers like the warm light of {name}.

.. raw:: html

   <img alt="The {name} lamp" src="/images/{slug}.jpg" width="640">

Version 1.4 of {name} does not need a new bulb. Read the `manual of {name} <https://example.com/manual/>`_ for more.

Written by the {name} team, with help from readers.
"""
"""the same for Sphinx"""


def at_end(html: str, added: str) -> str:
    """Before the end of the main content, or of the body."""
    for end in ("</main>", "</article>", "</body>"):
        if end in html:
            head, _, tail = html.rpartition(end)
            return f"{head}{added}{end}{tail}"
    return html + added


def at_body_end(html: str, added: str) -> str:
    head, end, tail = html.rpartition("</body>")
    return f"{head}{added}{end}{tail}" if end else html + added


def at_body_start(html: str, added: str) -> str:
    return re.sub(r"<body[^>]*>", lambda found: found[0] + added, html, count=1)


def in_head(html: str, added: str) -> str:
    return html.replace("</head>", f"{added}</head>", 1)


NOISE: dict[str, Noise] = {
    "hashed asset names": lambda html, _page, build: re.sub(
        r'(href|src)="([^"]+)\.(css|js)"', rf'\1="\2.{build:08x}.\3"', html
    ),
    "nonces of scripts": lambda html, page, build: in_head(html, f'<script nonce="r{page}{build}">var a=1</script>'),
    "csrf token": lambda html, page, build: in_head(html, f'<meta name="csrf-token" content="{page * 77 + build}">'),
    "generator version": lambda html, _page, build: in_head(html, f'<meta name="generator" content="Tool 1.{build}">'),
    "comment with the build time": lambda html, page, build: at_body_end(html, f"<!-- {build}:{page} built -->"),
    "year in a footer element": lambda html, _page, build: at_body_end(
        html, f"<footer>© {2024 + build} Example Ltd</footer>"
    ),
    "year in a plain footer": lambda html, _page, build: at_body_end(
        html, f'<div class="bottom">© {2024 + build} Example Ltd</div>'
    ),
    "minutes ago in the content": lambda html, page, build: at_end(
        html, f"<p>Updated {page + build * 3 + 2} minutes ago</p>"
    ),
    "commit of the build": lambda html, _page, build: at_body_end(html, f"<p>Build {build:07x}</p>"),
    "entry of the navigation": lambda html, _page, build: at_body_start(
        html, f'<nav><a href="/n{build}/">Section {build}</a></nav>'
    ),
    "related pages in an aside": lambda html, page, build: at_end(
        html, f'<aside><ul><li><a href="/r/">Related page {page * build}</a></li></ul></aside>'
    ),
    "related pages in a div": lambda html, page, build: at_end(
        html,
        f'<div class="related-posts"><h3>Related</h3><ul><li><a href="/r/">Lamp {page * 3 + build}</a></li></ul></div>',
    ),
    "previous and next page": lambda html, page, build: at_end(
        html, f'<div class="pagination"><a rel="prev" href="/p/">Page {page + build}</a></div>'
    ),
    "breadcrumbs": lambda html, page, build: at_body_start(
        html, f'<div class="breadcrumbs"><a href="/">Home {build}</a> / <a href="/x/">Part {page + build}</a></div>'
    ),
    "cookie banner": lambda html, _page, build: at_body_end(
        html, f'<div class="cookie">We use {build} cookies. By reading on, you accept all of them today.</div>'
    ),
    "view counter": lambda html, page, build: at_end(html, f"<p>{page * 100 + build:,} views</p>"),
    "class names and wrappers": lambda html, _page, build: re.sub(r"<p>", f'<p class="css-{build:06x}">', html),
    "state in a script": lambda html, page, build: at_body_end(
        html, f'<script id="__DATA__" type="application/json">{{"buildId":"b{build}","page":{page}}}</script>'
    ),
    "image of another host, with a version": lambda html, _page, build: re.sub(
        r'src="(?:https://cdn\d+\.example\.net)?(/images/[^"?]+)[^"]*"',
        rf'src="https://cdn{build}.example.net\1?v={build}"',
        html,
    ),
    "marks of headings": lambda html, _page, build: html.replace(
        "</h2>", f'<a class="headerlink" href="#h{build}" title="Link">{"¶#§"[build % 3]}</a></h2>'
    ),
    "minified whitespace": lambda html, _page, build: re.sub(r">\s*\n\s*<", ">\n<" if build % 2 else ">\n   <", html),
    "date of the build, on each page": lambda html, page, build: at_end(
        html, f"<p>Last updated: 2026-11-{10 + build:02} 10:{page:02}</p>"
    ),
    "stamped metadata": lambda html, page, build: in_head(
        html, f'<meta property="og:updated_time" content="2026-11-{10 + build:02}T10:{page:02}:00Z">'
    ),
    "number of comments": lambda html, page, build: at_end(html, f"<p>{page + build} comments</p>"),
    "reading time": lambda html, _page, build: at_end(html, f"<span>{3 + build} min read</span>"),
}

EDITS: dict[str, tuple[str, str]] = {
    "a sentence": ("It was made for small rooms.", "It was made for large halls and stages."),
    "a word": ("three bulbs", "four bulbs"),
    "one letter": ("Customers like", "Customer like"),
    "a number": ("for 49 dollars", "for 59 dollars"),
    "a date": ("3 March 2027", "4 March 2027"),
    "a weight in a table": ("120 grams", "125 grams"),
    "a row of a table": ("340 grams", "340 grams, black"),
    "an item of a list": ("on a flat table", "on a round table"),
    "the last item of a list": ("twice", "once"),
    "a heading": ("How to set up", "How to build"),
    "the title": ("Guide to", "Manual of"),
    "code": ("brightness", "luminance"),
    "a value in code": ("80", "90"),
    "a quotation": ("the warm light", "the cold light"),
    "the text of a link": (">manual of", ">handbook of"),
    "an image": ("/images/", "/pictures/new-"),
    "a version": ("Version 1.4", "Version 1.5"),
    "a negation": ("does not need", "does need"),
    "a paragraph removed": ("Written by the", "By the"),
    "a name": ("from readers.", "from readers and their friends."),
    "a sentence added": ("and one switch.", "and one switch. The cable is two meters long."),
    "the order of two sentences": (
        "has three bulbs and one switch. It was made for small rooms.",
        "was made for small rooms. It has three bulbs and one switch.",
    ),
}
