"""Listed pages with their titles and sections → `llms.txt`, a short map of the site in Markdown.

The format is an H1 with the name of the site, a quoted summary, and a list of links below an H2 for each section. It is
meant to be small, so the pages next to the root of the site are named, and the sitemap for all others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from heapq import heappushpop
from urllib.parse import unquote, urlsplit

NAME = "llms.txt"
MOST_PAGES = 1_000
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
        left = MOST_PAGES
        for heading, pages in self._sections():
            shown = sorted(pages, key=tuple)[:left]
            if shown:
                yield f"\n## {_escaped(heading)}\n\n".encode()
                yield from (f"- [{_escaped(title)}]({_target(loc)})\n".encode() for _, loc, title in shown)
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


def _target(loc: str) -> str:
    return f"<{loc}>" if "(" in loc or ")" in loc else loc
