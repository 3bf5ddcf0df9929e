"""Text → a URL as browsers read it, by ada-url, or by the browser itself where Python runs in one.

The parser is imported when it is first used: loading it was a tenth of the time of a short command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol, cast


class ParsedUrl(Protocol):
    """What both parsers give; the names are those of the WHATWG URL standard."""

    @property
    def href(self) -> str: ...
    @property
    def protocol(self) -> str: ...
    @property
    def username(self) -> str: ...
    @property
    def password(self) -> str: ...
    @property
    def host(self) -> str: ...
    @property
    def hostname(self) -> str: ...
    @property
    def port(self) -> str: ...
    @property
    def pathname(self) -> str: ...
    @property
    def search(self) -> str: ...
    @property
    def hash(self) -> str: ...


def parse_url(text: str, base: str | None = None) -> ParsedUrl:
    """`text`, resolved against `base` if given. Raises ValueError where the standard refuses it."""
    return _parser()(text, base)


@cache
def _parser() -> Callable[[str, str | None], ParsedUrl]:
    if sys.platform == "emscripten":
        return _browser_parser()
    import ada_url

    return cast("Callable[[str, str | None], ParsedUrl]", ada_url.URL)


def _browser_parser() -> Callable[[str, str | None], ParsedUrl]:
    """JavaScript's own `URL`: the packages of a browser have no ada-url."""
    from importlib import import_module

    browser_url: Any = import_module("js").URL

    def parse(text: str, base: str | None) -> ParsedUrl:
        text.encode(), (base or "").encode()  # a lone surrogate is refused here; JavaScript would replace it
        parsed = browser_url.parse(text) if base is None else browser_url.parse(text, base)
        if not parsed or "%20" in parsed.hostname:  # JavaScript's null is not None; Chromium accepts spaces in hosts
            raise ValueError(text)
        kept = tuple(letter for letter in "*|" if letter in text and f"%{ord(letter):02X}" not in text.upper())
        return cast("ParsedUrl", _AsStandard(parsed, kept) if kept else parsed)

    return parse


class _AsStandard:
    """A URL of Chromium, which escapes `*` in hosts and `|` in paths; the standard keeps them."""

    def __init__(self, parsed: Any, kept: tuple[str, ...]) -> None:
        self._parsed, self._kept = parsed, kept

    def __getattr__(self, name: str) -> str:
        value: str = getattr(self._parsed, name)
        for letter in self._kept:
            value = value.replace(f"%{ord(letter):02X}", letter)
        return value
