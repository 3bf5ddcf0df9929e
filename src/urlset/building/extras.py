"""Files beside the sitemaps: `llms.txt`, a feed of the newest changes, and a page for people."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache, lru_cache
from heapq import heappushpop, nlargest
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from urlset.building.manifest import Manifest, url_of
from urlset.model.entry import Entry
from urlset.model.moment import Moment
from urlset.writing.escaping import environment
from urlset.writing.urlset import joined
from urlset.writing.xml import DECLARATION, attribute_list, escaped

if TYPE_CHECKING:
    from jinja2 import Template


# Listed pages with their titles and sections → `llms.txt`, a short map of the site in Markdown.
#
# The format is an H1 with the name of the site, a quoted summary, and a list of links below an H2 for each section.
# It is meant to be small, so the pages next to the root of the site are named, and the sitemap for all others.

LLMS_NAME = "llms.txt"
LLMS_PAGES = 1_000
_PER_SECTION = 200
_LONGEST_TITLE = 200
_GENERAL = "Pages"
_SPECIAL = re.compile(r"([\\`*_\[\]<>#])")
_DIVIDERS = re.compile(r"[-_+\s]+")


class _Page(tuple[int, str, str]):
    """Depth of the path, URL, title; the largest is the first to go."""

    __slots__ = ()

    def __lt__(self, other: tuple[int | str, ...]) -> bool:
        return tuple.__gt__(self, other)


class LlmsMap:
    """Takes every listed page and keeps those that are named."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url
        self._kept: dict[str, list[_Page]] = {}
        self._counts: Counter[str] = Counter()
        self._home: str | None = None

    def add(self, loc: str, title: str | None, section: str) -> None:
        path = urlsplit(loc).path
        parts = [part for part in path.split("/") if part]
        title = " ".join((title or "").split())[:_LONGEST_TITLE]
        if loc.rstrip("/") == self._base.rstrip("/"):
            self._home = title or None
        name = section or (parts[0] if len(parts) > 1 else "")
        self._counts[name] += 1
        kept = self._kept.setdefault(name, [])
        page = _Page((len(parts), loc, title or _words(parts[-1] if parts else "") or loc))
        if len(kept) < _PER_SECTION:
            kept.append(page)
            if len(kept) == _PER_SECTION:
                kept.sort()
        else:
            heappushpop(kept, page)

    def text(self, sitemap_url: str) -> Iterator[bytes]:
        """The file; equal pages give equal bytes."""
        host = urlsplit(self._base).netloc
        total = self._counts.total()
        noun = "page" if total == 1 else "pages"
        yield f"# {_escaped(self._home or host)}\n\n> {total:,} {noun} of {host}. All of them: {sitemap_url}\n".encode()
        left = LLMS_PAGES
        for heading, pages in self._sections():
            shown = sorted(pages, key=tuple)[:left]
            if shown:
                yield f"\n## {_escaped(heading)}\n\n".encode()
                for _, loc, title in shown:
                    target = f"<{loc}>" if "(" in loc or ")" in loc else loc
                    yield f"- [{_escaped(title)}]({target})\n".encode()
                left -= len(shown)

    def _sections(self) -> Iterator[tuple[str, list[_Page]]]:
        """Pages outside any section first, together with those that are alone in theirs."""
        general = [page for name, pages in self._kept.items() if not name or len(pages) == 1 for page in pages]
        if general:
            yield _GENERAL, general
        for name in sorted(self._kept):
            if name and len(self._kept[name]) > 1:
                yield _words(name), self._kept[name]


def _words(part: str) -> str:
    """`getting-started.html` → `Getting started`."""
    stem = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", unquote(part, errors="replace"))
    words = _DIVIDERS.sub(" ", stem).strip()
    return words[:1].upper() + words[1:]


def _escaped(text: str) -> str:
    """As text of a heading or a link: no title can add a link or a tag."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


# Listed pages → an Atom or RSS feed of the ones that changed last, which engines also accept as a sitemap.
#
# A page without a date is in no feed. The title of an item is its address, the only thing that is known of every
# page.

MOST_ITEMS = 200
FEED_NAMES = {"atom": "sitemap.atom", "rss": "sitemap.rss"}


class FeedItem(NamedTuple):
    changed: datetime
    loc: str


def newest_changes(entries: Iterable[Entry], now: datetime, most: int = MOST_ITEMS) -> list[FeedItem]:
    """The latest first, and those of one moment by address; dates in the future do not count."""
    found = (FeedItem(changed, entry.loc) for entry in entries if entry.loc and (changed := _changed(entry.lastmod)))
    return nlargest(most, (item for item in found if item.changed <= now), key=lambda item: (item.changed, item.loc))


def feed_bytes(kind: str, items: Iterable[FeedItem], base_url: str) -> Iterator[bytes]:
    """The bytes of the file; equal items give equal bytes."""
    listed = list(items)
    lines = _atom(listed, base_url) if kind == "atom" else _rss(listed, base_url)
    return (line.encode() for line in (DECLARATION, *lines))


def _atom(items: list[FeedItem], base_url: str) -> Iterator[str]:
    self_link = attribute_list([("rel", "self"), ("href", url_of(base_url, FEED_NAMES["atom"]))])
    updated = items[0].changed if items else datetime(1970, 1, 1, tzinfo=UTC)
    yield '<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"  <title>Changes on {escaped(base_url)}</title>\n  <id>{escaped(base_url)}</id>\n"
    yield f"  <link{self_link}/>\n  <updated>{_rfc3339(updated)}</updated>\n"
    yield f"  <author><name>{escaped(base_url)}</name></author>\n"
    for changed, loc in items:
        text = escaped(loc)
        link = attribute_list([("href", loc)])
        yield f"  <entry>\n    <title>{text}</title>\n    <id>{text}</id>\n    <link{link}/>\n"
        yield f"    <updated>{_rfc3339(changed)}</updated>\n  </entry>\n"
    yield "</feed>\n"


def _rss(items: list[FeedItem], base_url: str) -> Iterator[str]:
    base = escaped(base_url)
    yield '<rss version="2.0">\n  <channel>\n'
    yield f"    <title>Changes on {base}</title>\n    <link>{base}</link>\n"
    yield f"    <description>Pages of {base} that changed last</description>\n"
    for changed, loc in items:
        text = escaped(loc)
        yield f'    <item>\n      <title>{text}</title>\n      <link>{text}</link>\n      <guid isPermaLink="true">'
        yield f"{text}</guid>\n      <pubDate>{format_datetime(changed, usegmt=True)}</pubDate>\n    </item>\n"
    yield "  </channel>\n</rss>\n"


@lru_cache(4096)
def _changed(lastmod: str | None) -> datetime | None:
    """A day counts from its beginning."""
    interval = Moment.parse(lastmod).interval() if lastmod else None
    return None if interval is None else interval[0].astimezone(UTC)


def _rfc3339(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# A published set → one HTML page for people; nothing is loaded from elsewhere, and sitemaps need no style sheet.

HTML_NAME = "sitemap.html"
HTML_PAGES = 2000

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
    from markupsafe import Markup

    shards = manifest.shards
    texts = _template().generate(
        manifest=manifest,
        title=title or f"Sitemap of {manifest.host}",
        shards=shards,
        sections=any(file.section for file in shards),
        pages=list(islice(pages, HTML_PAGES)),
        policy=_POLICY,
        style=Markup(_STYLE),  # noqa: S704 - a constant of this module
        script=Markup(_SCRIPT),  # noqa: S704 - a constant of this module
    )
    return joined(text.encode("utf-8", "replace") for text in texts)


@cache
def _template() -> Template:
    made = environment(Path(__file__).with_name("templates"))
    made.filters |= {"count": lambda number, thing: f"{number:,} {thing}{'' if number == 1 else 's'}", "size": _size}
    made.tests["linkable"] = lambda url: url.lower().startswith(_LINKABLE)
    return made.get_template("human_view.html")


def _size(number: int) -> str:
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:.0f} kB" if number < 1_000_000 else f"{number / 1_000_000:.1f} MB"
