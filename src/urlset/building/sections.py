"""`NAME=PATTERN` rules, the language, or the first folder of the path → the section a page belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal
from urllib.parse import unquote

import msgspec

from urlset.building.patterns import Pattern, PatternError, compile_pattern
from urlset.spec.generator_artifacts import LANGUAGE_SEGMENT
from urlset.spec.lazy_pattern import lazy_pattern

DEFAULT_SECTION = ""
"""that of a site without sections"""

By = Literal["none", "path", "language"]

_PATH = lazy_pattern(r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*([^?#]*)", re.IGNORECASE)
_NAME = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


class SectionRules(msgspec.Struct, frozen=True):
    """The named patterns are tried first, in their order; `by` decides for addresses that match none."""

    named: tuple[tuple[str, Pattern], ...] = ()
    by: By = "none"
    default: str = DEFAULT_SECTION

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.named))


def section_rules(written: Iterable[str] = (), *, by: By = "none", default: str = DEFAULT_SECTION) -> SectionRules:
    """From `products=/p/*` and the like. Raises PatternError."""
    return SectionRules(tuple(_rule(each) for each in written), by, default)


def _rule(written: str) -> tuple[str, Pattern]:
    name, equals, pattern = written.partition("=")
    if not equals or not pattern.strip():
        raise PatternError(f"{written!r} is not a section: write NAME=PATTERN, such as products=/p/*")
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise PatternError(f"{name!r} is not a valid section name: use up to 40 lowercase letters, digits and hyphens")
    return name, compile_pattern(pattern)


def assign_section(loc: str, rules: SectionRules, *, language: str | None = None) -> str:
    for name, pattern in rules.named:
        if pattern.matches(loc):
            return name
    if rules.by == "path":
        return _by_path(loc) or rules.default
    if rules.by == "language":
        return _by_language(loc, language) or rules.default
    return rules.default


def _segments(loc: str) -> list[str]:
    match = _PATH.match(loc)
    return match[1].split("/")[1:] if match else []


def _by_path(loc: str) -> str | None:
    """The first folder, if the page lies below it: `/about/` is a page, not a folder of one."""
    segments = _segments(loc)
    return unquote(segments[0]).lower() if len(segments) > 1 and segments[1] else None


def _by_language(loc: str, language: str | None) -> str | None:
    if language:
        return language.lower()
    segments = _segments(loc)
    return segments[0].lower() if segments and LANGUAGE_SEGMENT.fullmatch(segments[0]) else None
