"""The folder that a site generator reads → for each built page its source file, and the dates that file states.

A source belongs to the page of the same path: `content/blog/post.md` to `blog/post/index.html` and `blog/post.html`.
A permalink, a slug, a language suffix and the date in the name of a Jekyll post are followed. Where two sources claim
one page, neither counts. A generator that knows its own mapping passes it instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset.model.page import DateOrigin, PageDate
from urlset.reading.front_matter import LONGEST, FrontMatter, front_matter
from urlset.spec.lazy_pattern import lazy_pattern

_SOURCES = (
    *(".md", ".mdx", ".markdown", ".mdown", ".html", ".njk", ".liquid", ".adoc", ".rst", ".ipynb"),
    *(".astro", ".tsx", ".jsx", ".vue", ".svelte"),
)
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
_IN_LANGUAGE = lazy_pattern(r"(.+)\.([a-z]{2}(?:-[A-Za-z]{2})?)")
_ROUTE_GROUP = lazy_pattern(r"(?:^|(?<=/))\([^()/]+\)/")


class SourceFile(NamedTuple):
    """`path` is relative to `folder`, with `/`."""

    folder: str
    path: str
    dates: tuple[PageDate, ...] = ()


class SourceOfPages(msgspec.Struct, frozen=True):
    """What a generator knows: the source of each page it wrote."""

    folder: Path
    sources: Mapping[str, str | None]
    """path of the built page → path of the source below `folder`; None for a page without one"""
    only: bool = False
    """whether pages that are not named are left out"""
    alternates: Mapping[str, Mapping[str, str]] = {}
    """path of a page → its translations by hreflang, itself included: paths of pages, or URLs of other builds"""
    modified: Mapping[str, str] = {}
    """path of a page → the date of its last change, as its source states it"""


class PageSources:
    """Read once for a build; empty where there is no such folder."""

    def __init__(self, folders: tuple[Path, ...] = (), given: SourceOfPages | None = None) -> None:
        self.folders = folders if given is None else (given.folder,)
        self._given = given
        self._found: dict[str, SourceFile | None] = {}
        self._ranks: dict[str, int] = {}
        for folder in folders if given is None else ():
            for key, rank, source in _claims(folder):
                before = self._ranks.get(key, -1)
                if rank == before:
                    self._found[key] = None
                elif rank > before:
                    self._ranks[key], self._found[key] = rank, source

    def of(self, page: str) -> SourceFile | None:
        """`page`: the path of the built file, with `/`."""
        if self._given is None:
            return self._found.get(_key(page)) if self._found else None
        path = self._given.sources.get(page)
        if path is None:
            return None
        head = _front_matter(self._given.folder / path)
        dates = tuple(head.dates()) if head is not None else ()
        if (stated := self._given.modified.get(page)) is not None:
            dates = (PageDate(DateOrigin.FRONT_MATTER_MODIFIED, stated), *dates)
        return SourceFile(str(self._given.folder), path, dates)

    def alternates_of(self, page: str) -> Mapping[str, str]:
        """What the generator says; nothing where only the page itself can say it."""
        return self._given.alternates.get(page, {}) if self._given is not None else {}

    def leaves_out(self, page: str) -> bool:
        """Whether the generator did not name the page, and named all that are to be listed."""
        return self._given is not None and self._given.only and page not in self._given.sources


def source_folders(given: Path | None, built: Path) -> tuple[Path, ...]:
    """The folder named, or those with a usual name beside the built one."""
    if given is not None:
        return (given,)
    home = built.resolve()
    beside = (
        home.parent / name
        for name, signs in _USUAL.items()
        if not signs or any((home.parent / sign).exists() for sign in signs)
    )
    return tuple(
        folder
        for folder in beside
        if folder.is_dir() and not (folder.resolve().is_relative_to(home) or home.is_relative_to(folder.resolve()))
    )


def _claims(folder: Path) -> Iterator[tuple[str, int, SourceFile]]:
    """Pages and sources; of two sources that claim one page the higher rank wins."""
    for count, path in enumerate(_sources(folder)):
        if count >= _MOST_FILES:
            return
        head = _front_matter(path)
        relative = path.relative_to(folder).as_posix()
        source = SourceFile(str(folder), relative, tuple(head.dates()) if head is not None else ())
        # Generators fall back to a README where there is no index, and copy files without front matter.
        rank = 2 * (head is not None) + (path.stem.lower() != "readme")
        fields = head.fields if head is not None else {}
        yield from ((key, rank, source) for key in dict.fromkeys(_keys(relative, folder.name, fields)))


def _front_matter(path: Path) -> FrontMatter | None:
    try:
        with path.open("rb") as file:
            return front_matter(file.read(LONGEST))
    except OSError:
        return None


def _sources(folder: Path) -> Iterator[Path]:
    for home, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if name.lower().endswith(_SOURCES) and not name.startswith("."):
                path = Path(home, name)
                if path.is_file():
                    yield path


def _keys(relative: str, folder: str, fields: Mapping[str, str]) -> Iterator[str]:
    """The pages that a source may have become."""
    permalink = fields.get("permalink") or fields.get("url") or ""
    if permalink.startswith("/"):
        yield _key(permalink.strip("/"))
        return
    stem = _ROUTE_GROUP.sub("", relative[: relative.rfind(".")])
    place, _, name = stem.rpartition("/")
    dated = _DATED.fullmatch(name)
    if dated:
        year, month, day, name = dated.groups()
        home = place.removesuffix("_posts").strip("/") if folder != "_posts" else place
        for way in (f"{year}/{month}/{day}", f"{year}/{month}", ""):
            yield _key("/".join(filter(None, (home, way, name))))
        return
    translated = _IN_LANGUAGE.fullmatch(name)
    if translated:
        name, language = translated.groups()
        place = f"{language}/{place}"
    # The app router of Next.js calls the page of a folder `page`.
    if name.lower() in _INDEX or (folder == "app" and name == "page"):
        yield _key(place)
        return
    slug = fields.get("slug") or name
    yield _key("/".join(filter(None, (place.strip("/"), slug.strip("/")))))


def _key(path: str) -> str:
    return _ENDING.sub("", path).strip("/").lower().replace(" ", "-")
