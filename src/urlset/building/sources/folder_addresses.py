"""The path of a file in a build folder, and the canonicals of its pages → the address each page is served at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from urlset.building.sources.options import IndexStyle, PageStyle
from urlset.model.address import Address

_ENDING = re.compile(r"\.(?:html?|xhtml)\Z", re.IGNORECASE)
_INDEX = "index"
_SAFE = "/-._~!$&'()*+,;=:@"
_PLAIN = re.compile(r"[A-Za-z0-9/_.-]*")


class Spellings:
    """The addresses one file can answer to, by style."""

    def __init__(self, base: str, relative: str) -> None:
        """`base` ends with a slash."""
        stem = _ENDING.sub("", relative)
        folder, slash, name = stem.rpartition("/")
        self.is_index = name.lower() == _INDEX
        whole = f"{base}{_quoted(relative)}"
        self.every: tuple[str, ...]
        """all that it may be called, the usual one first"""
        if self.is_index:
            bare = f"{base}{_quoted(folder)}"
            slashed = f"{bare}/" if slash else base
            self.by_style = {"slash": slashed, "bare": bare if slash else base}
            self.every = (slashed, bare, whole, f"{slashed}{name}")
        else:
            bare = f"{base}{_quoted(stem)}"
            self.by_style = {"keep": whole, "drop": bare, "slash": f"{bare}/"}
            self.every = (whole, bare, f"{bare}/")

    def style_of(self, canonical: str) -> str | None:
        """The style in which the canonical is an address of this file."""
        key = Address.parse(canonical).key
        return next((style for style, loc in self.by_style.items() if Address.parse(loc).key == key), None)

    def own(self, canonical: str) -> bool:
        """Whether a canonical is only another spelling of this page."""
        if canonical in self.every:
            return True
        key = Address.parse(canonical).key
        return any(Address.parse(loc).key == key for loc in self.every)


class Styles:
    """How the site spells its addresses: as told, else as most canonicals do, else as the files are named."""

    def __init__(self, page: PageStyle = "auto", index: IndexStyle = "auto") -> None:
        self.page = page
        self.index = index

    @property
    def settled(self) -> bool:
        return self.page != "auto" and self.index != "auto"

    def learn(self, pages: Iterable[tuple[Spellings, str]]) -> None:
        """From pages and their canonicals; the root page says nothing, it has only one spelling."""
        votes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for spellings, canonical in pages:
            style = spellings.style_of(canonical)
            if style is not None and len(set(spellings.by_style.values())) > 1:
                votes[spellings.is_index][style] += 1
        if self.index == "auto":
            self.index = "bare" if votes[True]["bare"] > votes[True]["slash"] else "slash"
        if self.page == "auto":
            found = votes[False].most_common(1)
            chosen = found[0][0] if found else "keep"
            self.page = "drop" if chosen == "drop" else "slash" if chosen == "slash" else "keep"

    def loc_of(self, spellings: Spellings) -> str:
        return spellings.by_style[self.index if spellings.is_index else self.page]


def _quoted(path: str) -> str:
    return path if _PLAIN.fullmatch(path) else quote(path.encode("utf-8", "surrogateescape"), safe=_SAFE)
