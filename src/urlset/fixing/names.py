"""A file and its URL → names and URLs for the files made from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import PurePath

from urlset.findings.fix_result import FixedFile
from urlset.model.address import Address

IsFree = Callable[[FixedFile], bool]
"""whether a file of that name may be written: it does not exist, or has the same bytes"""
_SCHEMES = ("{stem}-{word}{suffix}", "{stem}-part-{word}{suffix}", "{stem}-fixed-{word}{suffix}")


def anything(_piece: FixedFile) -> bool:
    return True


def beside(name: str, words: Sequence[str], contents: Sequence[FixedFile], is_free: IsFree) -> list[FixedFile] | None:
    """The contents under new names in the folder of `name`, one word each; None if such files exist."""
    for scheme in _SCHEMES:
        named = [
            FixedFile(_named(name, scheme, word), piece.chunks) for word, piece in zip(words, contents, strict=True)
        ]
        if all(map(is_free, named)):
            return named
    return None


def _named(name: str, scheme: str, word: str) -> str:
    folder, last = os.path.split(name)
    path = PurePath(last)
    suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    stem = last.removesuffix(suffix) if suffix else last
    return os.path.join(folder, scheme.format(stem=stem, word=word, suffix=suffix))  # noqa: PTH118 - keeps the spelling


def with_suffix(name: str, suffix: str) -> str:
    """The same name with another suffix; .gz stays."""
    packed = ".gz" if name.endswith(".gz") else ""
    return name.removesuffix(packed).rpartition(".")[0] + suffix + packed


def sibling(url: str, name: str) -> str:
    """The URL of a file in the folder of another URL."""
    address = Address.parse(url)
    folder = address.raw[: address.parts.path[1]].rpartition("/")[0]
    return f"{folder}/{PurePath(name).name}"
