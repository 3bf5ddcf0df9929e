"""The value of a robots meta tag or an X-Robots-Tag header → directives per bot, in lowercase."""

from __future__ import annotations

import re

from urlset.model.page import BotDirectives
from urlset.spec.lazy_pattern import lazy_pattern

EVERYONE = "robots"

# The directives whose value follows a colon: a colon after any other word ends the name of a bot.
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_DATED = "unavailable_after"
_PLAIN = frozenset(
    {
        *("all", "index", "noindex", "follow", "nofollow", "none", "archive", "noarchive", "nocache", "snippet"),
        *("nosnippet", "noimageindex", "notranslate", "indexifembedded", "nositelinkssearchbox", "noodp", "noydir"),
        *("noai", "noimageai", "noyaca"),
    }
)
"""the directives without a value"""
_SEPARATOR = lazy_pattern(r"\s*,\s*")
_COLON = lazy_pattern(r"\s*:\s*")
_BOT = lazy_pattern(r"([A-Za-z][A-Za-z0-9_.*-]*)\s*:\s*(.*)", re.DOTALL)
# A date may hold commas ("Wed, 25 Jun 2031"); a word that is not a directive belongs to the date before it.
_LONE_WORD = lazy_pattern(r"[a-z][a-z_-]+(?:\s*:\s*[a-z0-9-]+)?")


def meta_directives(content: str) -> tuple[str, ...]:
    """`NoIndex, max-snippet : 20` → `noindex`, `max-snippet:20`.

    The norm is a comma between directives, and no engine documents how it reads `noindex nofollow`. Known directives
    that are separated by whitespace only are split, to be on the safe side; any other text is kept as written.
    """
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
        if found and found[-1].startswith(_DATED) and not _LONE_WORD.fullmatch(piece):
            found[-1] += f", {piece}"
            continue
        for part in _without_commas(piece):
            name, colon, value = part.partition(":")
            found.append(f"{name.strip()}:{value.strip()}" if colon else " ".join(part.split()))
    return found


def _without_commas(piece: str) -> list[str]:
    """The directives between two commas; usually one."""
    words = _COLON.sub(":", piece).split()
    if len(words) < 2:
        return [piece]
    parts: list[str] = []
    for place, word in enumerate(words):
        name = word.partition(":")[0]
        if word == name and name in _PLAIN:
            parts.append(word)
        elif name == _DATED:
            return [*parts, " ".join(words[place:])]  # a date may hold spaces
        elif word != name and name in _WITH_VALUE:
            parts.append(word)
        else:
            return [piece]
    return parts
