"""The folder that a site generator reads → the dates its sources state, by the page each one becomes.

A source belongs to the page of the same path: `content/blog/post.md` to `blog/post/index.html` and `blog/post.html`.
A permalink, a slug and the date in the name of a Jekyll post are followed. Where two sources claim one page, neither
counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from urlset.model.page import PageDate
from urlset.reading.front_matter import LONGEST, FrontMatter, front_matter
from urlset.spec.lazy_pattern import lazy_pattern

_SOURCES = (".md", ".mdx", ".markdown", ".mdown", ".html", ".njk", ".liquid", ".adoc", ".rst")
_USUAL: dict[str, tuple[str, ...]] = {
    "content": (),
    "src/content": (),
    "src/pages": (),
    "_posts": (),
    "docs": ("mkdocs.yml", "mkdocs.yaml", "docusaurus.config.js", "docusaurus.config.ts", "docs/.vitepress"),
}
"""where generators keep them, beside the folder they build; with files of which one must be there, since many projects
have a folder of that name that is not a site"""
_SKIPPED = frozenset({"node_modules", "vendor", "themes"})
_MOST_FILES = 200_000
_INDEX = frozenset({"index", "_index", "readme"})
_ENDING = lazy_pattern(r"(?:(?:^|/)index)?\.x?html?\Z|/\Z")
_DATED = lazy_pattern(r"([0-9]{4})-([0-9]{2})-([0-9]{2})-(.+)")


class FrontMatterDates:
    """Read once for a build; empty where there is no such folder."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._found: dict[str, tuple[PageDate, ...]] = {}
        claimed: set[str] = set()
        for folder in folders:
            for key, dates in _claims(folder):
                if key in claimed:
                    self._found.pop(key, None)
                    continue
                claimed.add(key)
                self._found[key] = dates

    def of(self, page: str) -> tuple[PageDate, ...]:
        """`page`: the path of the built file, with `/`."""
        return self._found.get(_key(page), ()) if self._found else ()


def content_folders(given: Path | None, built: Path) -> tuple[Path, ...]:
    """The folder named, or those with a usual name beside the built one."""
    if given is not None:
        return (given,)
    home = built.resolve()
    beside = (
        home.parent / name
        for name, signs in _USUAL.items()
        if not signs or any((home.parent / sign).exists() for sign in signs)
    )
    return tuple(folder for folder in beside if folder.is_dir() and not _overlap(folder.resolve(), home))


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _claims(folder: Path) -> Iterator[tuple[str, tuple[PageDate, ...]]]:
    for count, path in enumerate(_sources(folder)):
        if count >= _MOST_FILES:
            return
        try:
            with path.open("rb") as file:
                head = front_matter(file.read(LONGEST))
        except OSError:
            continue
        dates = tuple(head.dates()) if head is not None else ()
        if head is not None:
            relative = path.relative_to(folder).as_posix()
            yield from ((key, dates) for key in dict.fromkeys(_keys(relative, folder.name, head)))


def _sources(folder: Path) -> Iterator[Path]:
    for home, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if name.lower().endswith(_SOURCES) and not name.startswith("."):
                path = Path(home, name)
                if path.is_file():
                    yield path


def _keys(relative: str, folder: str, head: FrontMatter) -> Iterator[str]:
    """The pages that a source may have become."""
    permalink = head.fields.get("permalink") or head.fields.get("url") or ""
    if permalink.startswith("/"):
        yield _key(permalink.strip("/"))
        return
    stem = relative[: relative.rfind(".")]
    place, _, name = stem.rpartition("/")
    dated = _DATED.fullmatch(name)
    if dated:
        year, month, day, name = dated.groups()
        home = place.removesuffix("_posts").strip("/") if folder != "_posts" else place
        for way in (f"{year}/{month}/{day}", f"{year}/{month}", ""):
            yield _key("/".join(filter(None, (home, way, name))))
        return
    if name.lower() in _INDEX:
        yield _key(place)
        return
    slug = head.fields.get("slug") or name
    yield _key("/".join(filter(None, (place, slug.strip("/")))))


def _key(path: str) -> str:
    return _ENDING.sub("", path).strip("/").lower().replace(" ", "-")
