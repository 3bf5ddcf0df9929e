"""A published set → one HTML page and a CSS file for people; nothing is loaded from elsewhere, and no XSLT."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice

from urlset.building.manifest import Manifest, PublishedFile
from urlset.model.entry import Entry
from urlset.writing.chunks import joined

HTML_NAME = "sitemap.html"
CSS_NAME = "sitemap.css"
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
const box=document.querySelector("input"),told=document.querySelector("output"),
rows=[...document.querySelectorAll("tbody tr")];
box.hidden=false;
box.addEventListener("input",()=>{
const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);let shown=0;
for(const row of rows){const text=row.textContent.toLowerCase();
row.hidden=!words.every(word=>text.includes(word));shown+=!row.hidden}
told.textContent=words.length?`${shown} of ${rows.length} rows`:""});
""".strip()

# Even a mistake in escaping could not run a script: only this one is allowed, by its hash.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; "
    f"script-src 'sha256-{base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}'"
)

CSS = """\
/* how a browser shows a sitemap to people; search engines do not read it */
urlset, sitemapindex { display: table; box-sizing: border-box; width: 100%; max-width: 68rem; margin: 2rem auto;
  padding: 0 1.25rem; font: 16px/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas;
  color-scheme: light dark; }
url, sitemap { display: table-row; }
url > *, sitemap > * { display: none; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #8884; }
url > loc, sitemap > loc { display: table-cell; width: 100%; overflow-wrap: anywhere; }
url > lastmod, sitemap > lastmod { display: table-cell; padding-right: 0; white-space: nowrap; color: #777; }
"""


def css() -> bytes:
    """For `stylesheet` of `render_index`: sitemaps opened in a browser become tables."""
    return CSS.encode()


def html(manifest: Manifest, pages: Iterable[Entry] = (), *, title: str | None = None) -> Iterator[bytes]:
    """The page in chunks. Of `pages` the first 2,000 are listed too; larger sets are better read in their files."""
    return joined(text.encode("utf-8", "replace") for text in _lines(manifest, iter(pages), title))


def _lines(manifest: Manifest, pages: Iterator[Entry], title: str | None) -> Iterator[str]:
    heading = escape(title or f"Sitemap of {manifest.host}")
    shards = manifest.shards
    counted = f"{_count(manifest.entries, 'page')} in {_count(len(shards), 'file')}"
    yield (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="robots" content="noindex">\n'
        f"<title>{heading}</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{heading}</h1>\n<p>{counted} <output></output></p>\n"
        '<input type="search" placeholder="Search" aria-label="Search" hidden>\n'
    )
    yield from _file_table(manifest, shards)
    first = list(islice(pages, MOST_PAGES))
    if first:
        yield from _page_table(first)
        left = manifest.entries - len(first)
        if left > 0:
            yield f"<p>and {_count(left, 'more page')} in the files above</p>\n"
    yield f"<script>{_SCRIPT}</script>\n</html>\n"


def _file_table(manifest: Manifest, shards: Sequence[PublishedFile]) -> Iterator[str]:
    sections = any(file.section for file in shards)
    head = '<th class="s">Section' if sections else ""
    yield f'<h2>Files</h2>\n<table>\n<thead><tr><th>File{head}<th class="n">Pages<th class="d">Newest change'
    yield '<th class="n s">Size</thead>\n<tbody>\n'
    for file in shards:
        section = f'<td class="s">{escape(file.section)}' if sections else ""
        yield (
            f'<tr><td>{_link(manifest.url_of(file.name), file.name)}{section}<td class="n">{file.entries:,}'
            f'<td class="d">{_date(file.newest)}<td class="n s">{_size(file.bytes)}\n'
        )
    yield "</tbody>\n</table>\n"


def _page_table(pages: Sequence[Entry]) -> Iterator[str]:
    yield '<h2>Pages</h2>\n<table>\n<thead><tr><th>Address<th class="d">Last change</thead>\n<tbody>\n'
    for entry in pages:
        loc = entry.loc or ""
        yield f'<tr><td>{_link(loc, loc)}<td class="d">{_date(entry.lastmod)}\n'
    yield "</tbody>\n</table>\n"


def _link(url: str, text: str) -> str:
    if not url.lower().startswith(_LINKABLE):
        return escape(text)
    return f'<a href="{escape(url)}" rel="nofollow">{escape(text)}</a>'


def _date(text: str | None) -> str:
    """The day is enough to look at; the whole stands beside it for those who point at it."""
    if not text:
        return "&ndash;"
    return f'<span title="{escape(text)}">{escape(text[:10])}</span>'


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _size(number: int) -> str:
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:.0f} kB" if number < 1_000_000 else f"{number / 1_000_000:.1f} MB"
