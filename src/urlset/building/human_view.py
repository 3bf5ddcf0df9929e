"""A published set → one HTML page for people; nothing is loaded from elsewhere, and sitemaps need no style sheet."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from urlset.building.manifest import Manifest
from urlset.model.entry import Entry
from urlset.writing.escaping import environment
from urlset.writing.urlset import joined

if TYPE_CHECKING:
    from jinja2 import Template

HTML_NAME = "sitemap.html"
MOST_PAGES = 2000

_LINKABLE = ("https://", "http://")

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#777}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:68rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.6rem;margin:0}
p{margin:.25rem 0 1.25rem;color:var(--soft)}
h2{font-size:1.1rem;margin:2rem 0 .25rem}
input{font:inherit;width:100%;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.4rem;
background:transparent;color:inherit}
table{width:100%;border-collapse:collapse}
th{font-weight:600;font-size:.85rem;color:var(--soft)}
th,td{text-align:left;padding:.4rem 1.5rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
td:first-child{overflow-wrap:anywhere;width:100%}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.s,.d{white-space:nowrap;font-variant-numeric:tabular-nums}
@media(max-width:36rem){.s{display:none}}
""".strip()

_SCRIPT = """
const box=document.querySelector("input"),found=document.querySelector("output"),
rows=[...document.querySelectorAll("tbody tr")];
box.hidden=false;
box.addEventListener("input",()=>{
const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);let shown=0;
for(const row of rows){const text=row.textContent.toLowerCase();
row.hidden=!words.every(word=>text.includes(word));shown+=!row.hidden}
found.textContent=words.length?`${shown} of ${rows.length} rows`:""});
""".strip()

# Even a mistake in escaping could not run a script: only this one is allowed, by its hash.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; "
    f"script-src 'sha256-{base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}'"
)


def html(manifest: Manifest, pages: Iterable[Entry] = (), *, title: str | None = None) -> Iterator[bytes]:
    """The page in chunks. Of `pages` the first 2,000 are listed too; larger sets are better read in their files."""
    return joined(text.encode("utf-8", "replace") for text in _lines(manifest, iter(pages), title))


def _lines(manifest: Manifest, pages: Iterator[Entry], title: str | None) -> Iterator[str]:
    from markupsafe import Markup

    shards = manifest.shards
    return _template().generate(
        manifest=manifest,
        title=title or f"Sitemap of {manifest.host}",
        shards=shards,
        sections=any(file.section for file in shards),
        pages=list(islice(pages, MOST_PAGES)),
        policy=_POLICY,
        style=Markup(_STYLE),  # noqa: S704 - a constant of this module
        script=Markup(_SCRIPT),  # noqa: S704 - a constant of this module
    )


@cache
def _template() -> Template:
    made = environment(Path(__file__).with_name("templates"))
    made.filters |= {"count": _count, "size": _size}
    made.tests["linkable"] = lambda url: url.lower().startswith(_LINKABLE)
    return made.get_template("human_view.html")


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _size(number: int) -> str:
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:.0f} kB" if number < 1_000_000 else f"{number / 1_000_000:.1f} MB"
