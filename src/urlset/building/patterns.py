"""`/blog/*`, `https://…/*` or `re:…` as a user writes it → a test on addresses; several of them → one quick test.

A pattern is compared with the whole path. `*` matches any characters, slashes included; a pattern with a `?`
is compared with path and query, one with `://` with the whole address. `re:` introduces a regular expression
that is searched for in the whole address. `?` is not a wildcard: it begins the query of an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import msgspec

from urlset.model.address import percent_encode
from urlset.model.errors import ArgumentValueError

_REGEX = "re:"
_HEAD = r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*"


class PatternError(ArgumentValueError):
    """A pattern that cannot be used, with the reason."""


class Pattern(msgspec.Struct, frozen=True):
    written: str
    expression: str
    """for `re.search` on a whole address"""
    behind_host: str | None = None
    """the part of the expression behind the host, where it begins with any host"""

    def matches(self, loc: str) -> bool:
        return _search(self.expression)(loc) is not None


@cache
def _search(expression: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(expression).search


def compile_pattern(written: str) -> Pattern:
    """Raises PatternError."""
    text = written.strip()
    behind_host = None
    if not text:
        raise PatternError("empty pattern; use /* to match everything")
    if text.startswith(_REGEX):
        expression = text.removeprefix(_REGEX)
    elif "://" in text:
        expression = rf"\A{_glob(text)}\Z" if "?" in text else rf"\A{_glob(text)}(?:\?.*)?\Z"
    else:
        rooted = text if text.startswith(("/", "*")) else f"/{text}"
        rest = "" if "?" in text else r"(?:\?.*)?"
        behind_host = rf"{_glob(rooted)}{rest}\Z"
        expression = rf"\A{_HEAD}{behind_host}"
    try:
        re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"{written!r} is not a valid regular expression: {error}") from error
    return Pattern(written, expression, behind_host)


def _glob(text: str) -> str:
    """Between two stars the first place found is as good as any, so nothing is ever tried twice."""
    first, *rest = (re.escape(piece if piece.isascii() else percent_encode(piece)) for piece in re.split(r"\*+", text))
    if not rest:
        return first
    wild = ".*" if "?" in text else "[^?]*"
    *between, last = rest
    return first + "".join(f"(?>{wild}?{piece})" for piece in between) + wild + last


class Patterns:
    """Any of several patterns; nothing matches when there are none."""

    def __init__(self, written: Iterable[str] = ()) -> None:
        self.patterns = tuple(compile_pattern(each) for each in written)
        # joined they cost one search; a group or flag of a user's expression could not be combined with another
        joinable = not any(each.written.strip().startswith(_REGEX) for each in self.patterns)
        self._any = re.compile("|".join(self._joined())) if joinable else None

    def _joined(self) -> Iterator[str]:
        """Their expressions; the host is looked at once for all paths."""
        paths = [f"(?:{each.behind_host})" for each in self.patterns if each.behind_host is not None]
        if paths:
            yield rf"(?:\A{_HEAD}(?:{'|'.join(paths)}))"
        yield from (f"(?:{each.expression})" for each in self.patterns if each.behind_host is None)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def find(self, loc: str) -> Pattern | None:
        """The first that matches, in the order given."""
        if not self.patterns or (self._any is not None and self._any.search(loc) is None):
            return None
        return next((each for each in self.patterns if each.matches(loc)), None)
