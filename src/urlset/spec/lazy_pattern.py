"""The text of a pattern → a pattern that is compiled when it is first used.

Most patterns are for what is rarely met, and compiling all of them was a fifth of the time of a short command.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """In place of `re.compile`, except where a pattern itself is given to a function of `re` or to compiled code."""
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))


class LazyPattern:
    """A proxy for a pattern; a method that was used once is found without a detour, so no loop gets slower."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
