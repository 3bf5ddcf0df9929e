"""Random HTML → its facts from the compiled scan and from the tree; a difference is printed with the page.

python -m fuzz.html_pages --seconds 60 [--seed N]
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random
from typing import Any
from unittest.mock import patch

from urlset.model.page import PageFacts
from urlset.reading import html
from urlset.reading.html import read_page
from urlset.reading.html_plain import plain_page

WAYS: tuple[dict[str, Any], ...] = (
    {"links": False},
    {"facets": True},
    {"text": False},
    {"links": False, "enough": 12},
    {"videos": True},
    {"links": False, "images": True, "facets": True},
)
_INLINE = [
    "a",
    "b",
    "i",
    "em",
    "strong",
    "span",
    "small",
    "code",
    "time",
    "label",
    "q",
    "u",
    "sub",
    "font",
    "abbr",
    "SPAN",
    "Span",
    "x-y",
]
_BLOCKS = [
    "div",
    "p",
    "section",
    "article",
    "main",
    "nav",
    "aside",
    "header",
    "footer",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "h1",
    "h2",
    "form",
    "blockquote",
    "pre",
    "table",
]
_BLOCKS += [
    "tr",
    "td",
    "th",
    "tbody",
    "thead",
    "caption",
    "button",
    "select",
    "option",
    "ruby",
    "rt",
    "figure",
    "address",
    "fieldset",
    "video",
    "details",
    "Div",
]
_UNSEEN = ["noscript", "object", "canvas", "svg", "template", "iframe", "script", "style", "textarea", "title", "math"]
_VOID = ["br", "hr", "img", "input", "meta", "link", "wbr", "base", "col", "area"]
_ATTRIBUTES = (
    *('class="x"', "hidden", 'role="navigation"', 'role="main"', "role=banner", 'itemprop="price" content="3"'),
    *('itemprop="dateModified" datetime="2024-01-02"', 'datetime="2024-05-06"', 'itemprop="image" src="/i.png"'),
    *('href="/a?b=1&amp;c=2&copy=3"', "href=/plain", 'rel="nofollow ugc"', 'width="300" src="/big.jpg"', "href"),
    *(
        'rel="canonical" href="/c"',
        'itemprop="price"',
        'role="button"',
        'title="a > b"',
        'name="robots" content="noindex"',
    ),
)
_TEXTS = (
    *(
        "word",
        " two  words ",
        "a &amp; b",
        "&nbsp;",
        "&lt;p>",
        "caf\u00e9 \u3000 x",
        "&copy2024",
        "&#8217;s",
        "&#x41;",
        "\n\t",
    ),
    *("&notit; &unknown; & x", "1 < 2", "\u2028", "\u00a0end", "\x1f", "&#150;", "12", "\u0130stanbul", "\f", "last"),
)
_ODD = (
    "</p>",
    "</div>",
    "</br>",
    "<!-- c -->",
    "<!-->",
    "<!---->",
    "<?php ?>",
    "</",
    "<",
    "<b",
    "</body>",
    "<body>",
    "</span>",
)
_HEAD = (
    *("<title>A &amp; B</title>", "<title>2</title>", '<meta name="robots" content="index">', '<base href="/b/">'),
    *('<link rel="canonical" href="https://e.x/1">', '<link rel=next href="/2">', "<style>p{}</style>"),
    *('<meta property="article:modified_time" content="2024-01-01">', "<script>var a='<p>';</script>", "<!-- c -->"),
    *('<script type="application/ld+json">{"@type":"Article","dateModified":"2024-02-02","image":"/x.png"}</script>',),
    *('<noscript><link rel="stylesheet" href="/s"></noscript>', "<noscript><img src=/p></noscript>", "text", "<div>"),
    *('<link rel="alternate" hreflang="de" href="/de">', '<meta http-equiv="refresh" content="5; url=/z">'),
)


class Pages:
    """Mostly sound pages, with a few errors in some of them."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._errors = random.choice((0.0, 0.0, 0.01, 0.05))

    def page(self) -> bytes:
        some = self._random
        head = "".join(some.choices(_HEAD[:-2] if some.random() < 0.9 else _HEAD, k=some.randrange(6)))
        body = "".join(self._element(0) for _ in range(some.randrange(1, 7)))
        parts = [
            "<!doctype html>\n",
            f'<html lang="{some.choice(("en", "de", ""))}">',
            "<head>",
            head,
            "</head>\n",
            "<body>",
        ]
        if some.random() < 0.3:  # tags that may be left out, and some that may not
            for _ in range(some.randrange(1, 4)):
                del parts[some.randrange(len(parts))]
        return ("".join(parts) + body + some.choice(("</body></html>\n", "</body>", ""))).encode()

    def _element(self, depth: int) -> str:
        some = self._random
        if some.random() < self._errors:
            return some.choice(_ODD)
        kind = some.random()
        if kind < 0.35 or depth > 6:
            return some.choice(_TEXTS) if kind < 0.3 else self._long_text()
        if kind < 0.43:
            return f"<{some.choice(_VOID)}{self._attributes()}>"
        name = some.choice(_INLINE if kind < 0.6 else _BLOCKS if kind < 0.93 else _UNSEEN)
        inside = "".join(self._element(depth + 1) for _ in range(some.randrange(4)))
        if name == "table" and some.random() < 0.8:
            inside = f"<tr><td>{inside}<td>{self._element(depth + 1)}</table><table>"
        elif name in ("ul", "ol") and some.random() < 0.8:
            inside = f"<li>{inside}<li>{self._element(depth + 1)}"
        elif name == "svg" and some.random() < 0.8:
            inside = '<title>t</title><g><path d="M0"/></g>'
        close = "" if some.random() < self._errors or name in ("li", "td", "tr") else f"</{name}>"
        return f"<{name}{self._attributes()}>{inside}{close}"

    def _long_text(self) -> str:
        """Mostly words with one space between them, so that a space is at every place of a chunk."""
        some = self._random
        words = ("x" * some.randrange(1, 12) for _ in range(some.randrange(5, 40)))
        between = (some.choice((" ", " ", " ", " ", " ", "  ", "\n", " & ", "\u00e9", "<3")) for _ in range(40))
        return "".join(word + space for word, space in zip(words, between, strict=False))

    def _attributes(self) -> str:
        some = self._random
        return "" if some.random() < 0.6 else " " + " ".join(some.sample(_ATTRIBUTES, some.randrange(1, 3)))


def by_tree(data: bytes, **how: Any) -> PageFacts:
    with patch.object(html, "plain_page", lambda *_, **__: None):
        return read_page(data, **how)


def is_plain(data: bytes) -> bool:
    """Whether it is read without its tree."""
    return (
        plain_page(data, "utf-8", images=False, videos=False, links=True, text=True, facets=False, enough=0) is not None
    )


def different(data: bytes) -> str | None:
    """The first field that differs, with both values."""
    for how in WAYS:
        plain, tree = read_page(data, **how), by_tree(data, **how)
        for name in plain.__struct_fields__:
            if getattr(plain, name) != getattr(tree, name):
                return f"{how} {name}: {getattr(plain, name)!r}, by tree {getattr(tree, name)!r}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    random, until, count, plain = Random(seed), time.monotonic() + options.seconds, 0, 0
    while time.monotonic() < until:
        data = Pages(random).page()
        count += 1
        plain += is_plain(data)
        found = different(data)
        if found is not None:
            print(f"seed {seed}: {found}\n{data!r}")
            return 1
    print(f"seed {seed}: {count:,} pages, {plain:,} without their tree, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
