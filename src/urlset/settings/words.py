"""A message of a command → the same in words of the library: keywords in place of flags.

Workflows serve both, and their messages name flags. Only texts that urlset wrote are translated, never what a site or
a file says. A command in backticks (`urlset audit --media`) stays: it is to be run in a shell.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from urlset.settings.declare import Option, options_of
from urlset.settings.tables import TABLES, settings_class
from urlset.spec.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(
    r"(?P<command>`urlset [^`]*`)"
    r"|(?<![\w/=&?#.-])(?P<tick>`?)--(?P<flag>[a-z][a-z-]*[a-z])"
    r"(?:[ =](?P<value>[A-Z][A-Z0-9_:|]*\b(?:=[A-Z]+)?|https?://[^\s;,)`]+|[^\s;,)`:]*[./][^\s;,)`]*(?<![.:])"
    r"|\S+(?=`| allows it)))?(?P=tick)"
)

_CALL = lazy_pattern(r"`urlset (audit|check|crawl|diff|explain|fix|history|snapshot)(?: ([A-Z]{2,}))?`")


def in_library_words(text: str) -> str:
    """--max-files becomes `max_files`, --at URL `at=URL`, --fresh `fresh=True`."""
    return _WORD.sub(_keyword, text) if "--" in text or "`urlset " in text else text


def _keyword(found: re.Match[str]) -> str:
    if found["command"]:
        return _CALL.sub(lambda call: f"`urlset.{call[1]}({call[2] or ''})`", found[0])
    option = _option(f"--{found['flag']}")
    if option is None:
        return found[0]
    if option.type is bool:
        negated = found.string[: found.start()].endswith("without ")
        return f"`{option.name}`" if negated else f"`{option.name}=True`"
    if found["value"] is None:
        return f"`{option.name}`"
    return f'`{option.name}=["{found["value"]}"]`' if option.is_list else f"`{option.name}={found['value']}`"


@cache
def _option(flag: str) -> Option | None:
    """A flag means the same in every command; settings that are loaded already come first."""
    for table in sorted(TABLES, key=lambda table: TABLES[table].partition(":")[0] not in sys.modules):
        for option in options_of(settings_class(table)):
            if option.flag == flag and option.has_flag and not option.opt.positional and option.in_library:
                return option
    return None
