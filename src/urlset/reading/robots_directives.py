"""The value of a robots meta tag or an X-Robots-Tag header → directives per bot, in lower case."""

from __future__ import annotations

import re

from urlset.model.page import BotDirectives
from urlset.spec.lazy_pattern import lazy_pattern

EVERYONE = "robots"

# The directives whose value follows a colon: a colon after any other word ends the name of a bot.
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_DATED = "unavailable_after"
_SEPARATOR = lazy_pattern(r"\s*,\s*")
_BOT = lazy_pattern(r"([A-Za-z][A-Za-z0-9_.*-]*)\s*:\s*(.*)", re.DOTALL)
# A date may hold commas ("Wed, 25 Jun 2031"); a word that is no directive belongs to the date before it.
_LONE_WORD = lazy_pattern(r"[a-z][a-z_-]+(?:\s*:\s*[a-z0-9-]+)?")


def meta_directives(content: str) -> tuple[str, ...]:
    """`NoIndex, max-snippet : 20` → `noindex`, `max-snippet:20`."""
    return tuple(_directives(content))


def header_directives(value: str) -> tuple[BotDirectives, ...]:
    """One header value, in which a bot's name before a colon claims what follows: `bingbot: noindex, nofollow`."""
    found: list[BotDirectives] = []
    bot, gathered = EVERYONE, list[str]()
    for piece in _SEPARATOR.split(value.strip()):
        named = _BOT.fullmatch(piece)
        if named and named[1].lower() not in _WITH_VALUE:
            if gathered:
                found.append(BotDirectives(bot, tuple(_directives(", ".join(gathered)))))
            bot = EVERYONE if named[1] == "*" else named[1].lower()
            gathered = [named[2]]
        else:
            gathered.append(piece)
    words = tuple(_directives(", ".join(gathered)))
    return (*found, BotDirectives(bot, words)) if words else tuple(found)


def _directives(content: str) -> list[str]:
    found: list[str] = []
    for piece in _SEPARATOR.split(content.strip().lower()):
        if not piece:
            continue
        name, colon, value = piece.partition(":")
        word = f"{name.strip()}:{value.strip()}" if colon else " ".join(piece.split())
        if found and found[-1].startswith(_DATED) and not _LONE_WORD.fullmatch(piece):
            found[-1] += f", {piece}"
        else:
            found.append(word)
    return found
