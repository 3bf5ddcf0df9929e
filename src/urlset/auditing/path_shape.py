"""An address → the shape of its path, such as `/p/*`: pages of one shape are mostly made by one template."""

from __future__ import annotations

import re

_PATH = re.compile(r"[a-z][a-z0-9+.\-]*://[^/?#]*([^?#]*)(\?[^#]*)?", re.IGNORECASE)
# A folder by this name is one of many: a number, a date, a hash, a slug of several words.
ONE_OF_MANY = re.compile(r".*\d.*|[^-_]+(?:[-_][^-_]+){2,}|.{25,}", re.DOTALL)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_DEEPEST = 4


def path_shape(url: str) -> str:
    """`/en/p/red-shoe?size=4` → `/en/p/*?`: the first folder that has its own name, then one star for each."""
    match = _PATH.match(url)
    if match is None:
        return "*"
    segments = match[1].split("/")[1:]
    query = "?" if match[2] else ""
    if not any(segments):
        return f"/{query}"
    closing = "/" if segments[-1] == "" else ""
    folders = segments[:-1] if not closing else segments[:-2]
    named = 1
    if folders and _LANGUAGE.fullmatch(folders[0]):
        named = 2  # a language is not a section
    shown = [
        folder if place < named and not ONE_OF_MANY.fullmatch(folder) else "*"
        for place, folder in enumerate(folders[:_DEEPEST])
    ]
    return "/" + "/".join([*shown, "*"]) + closing + query


def path_of_address(url: str) -> str:
    """As written, without query; `/` where there is none."""
    match = _PATH.match(url)
    return (match[1] if match is not None else "") or "/"


def first_folder(url: str) -> str:
    """`/blog/` of a page in it; `/` for pages that are in none."""
    first, slash, _ = path_of_address(url).lstrip("/").partition("/")
    return f"/{first}/" if slash else "/"


def depth_of(url: str) -> int:
    """The number of names in the path: 0 for the home page."""
    return sum(map(bool, path_of_address(url).split("/")))
