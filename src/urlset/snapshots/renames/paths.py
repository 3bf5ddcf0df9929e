"""A URL → the parts that survive a migration: host without www, folders, slug, query, words and numbers."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

_INDEX = re.compile(r"(?:index|default|home)\.(?:html?|php|aspx?|jsp|shtml)", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:html?|php\d?|aspx?|jsp|shtml|amp)$", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\d+")
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[a-z]{2,4})?")


class Parts(NamedTuple):
    host: str
    """in lowercase, without www and the default port"""
    folders: tuple[str, ...]
    slug: str
    """the last segment without extension; empty for a front page"""
    query: str

    @property
    def path(self) -> str:
        return "/".join((*self.folders, self.slug))

    @property
    def key(self) -> str:
        """The same for spellings of one path."""
        return f"{self.host}/{self.path}?{self.query}" if self.query else f"{self.host}/{self.path}"


def parts_of(url: str) -> Parts:
    rest = url.partition("://")[2] or url
    rest = rest.partition("#")[0]
    rest, _, query = rest.partition("?")
    host, _, path = rest.partition("/")
    host = host.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
    segments = [_plain(each) for each in path.split("/") if each]
    if segments and _INDEX.fullmatch(segments[-1]):
        segments.pop()
    if not segments:
        return Parts(host, (), "", query)
    slug = _EXTENSION.sub("", segments[-1]) or segments[-1]
    return Parts(host, tuple(segments[:-1]), slug, query)


def _plain(segment: str) -> str:
    text = unquote(segment) if "%" in segment else segment
    return text.casefold().replace("_", "-").replace("+", "-").replace(" ", "-")


def words_of(text: str) -> list[str]:
    return [word for word in _BETWEEN_WORDS.split(text) if word]


def numbers_of(words: list[str]) -> set[str]:
    return {number.lstrip("0") or "0" for word in words for number in _NUMBER.findall(word)}


def bag_of(parts: Parts) -> tuple[str, ...]:
    """The words of the slug and the numbers of the folders, in any order: `/p/17/red-shoe`, `/shop/red-shoe-17`."""
    ids = (folder for folder in parts.folders if folder.isdigit())
    return tuple(sorted({*words_of(parts.slug), *words_of(parts.query), *ids}))


def id_of(parts: Parts) -> tuple[str, str] | None:
    """The shape of the path, and the only number in it: `/item?id=#` and `17`."""
    text = f"{parts.path}?{parts.query}"
    numbers = _NUMBER.findall(text)
    return (f"{parts.host}/{shape_of(text)}", numbers[0]) if len(numbers) == 1 else None


def is_language(folder: str) -> bool:
    return _LANGUAGE.fullmatch(folder) is not None


def shape_of(folder: str) -> str:
    """Dates and numbers are alike wherever they identify one of many."""
    return _NUMBER.sub("#", folder)


def difference(old: str, new: str) -> str:
    """In which parts two spellings of one path differ, in words."""
    one, two = _split(old), _split(new)
    found = [name for name, a, b in zip(_NAMES, one, two, strict=True) if a != b]
    if "path" in found:
        found.remove("path")
        found += _path_difference(one[2], two[2])
    return ", ".join(found) or "spelling"


_NAMES = ("scheme", "host", "path", "query")


def _split(url: str) -> tuple[str, str, str, str]:
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("#")[0].partition("?")
    host, _, path = rest.partition("/")
    return scheme.lower(), host.lower(), path, query


def _path_difference(old: str, new: str) -> list[str]:
    found = []
    if old.endswith("/") != new.endswith("/"):
        found.append("trailing slash")
    old, new = old.rstrip("/"), new.rstrip("/")
    if _extension(old) != _extension(new):
        found.append("file extension")
    old, new = _EXTENSION.sub("", old), _EXTENSION.sub("", new)
    if old != new:
        found.append("letter case" if old.casefold() == new.casefold() else "spelling of the path")
    return found


def _extension(path: str) -> str:
    found = _EXTENSION.search(path)
    return found[0].lower() if found else ""
