"""`[tool.urlset.policy]` → patterns that listed URLs must, must not, or may only match."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import msgspec

from urlset.findings.card import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlset.building.patterns import Pattern, Patterns


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One policy of a site. Patterns are written as for `urlset build --exclude`."""

    forbid: tuple[str, ...] = ()
    """no listed URL may match"""
    require: tuple[str, ...] = ()
    """each pattern must match at least one listed URL of the whole set"""
    only: tuple[str, ...] = ()
    """every listed URL must match at least one"""
    message: str = ""
    """what a finding adds: the reason, or what to do"""
    severity: Severity = Severity.ERROR

    @property
    def patterns(self) -> tuple[str, ...]:
        return (*self.forbid, *self.require, *self.only)

    def said(self, fact: str) -> str:
        """The fact, and the reason that the site gives for it."""
        return f"{fact}: {self.message}" if self.message else fact


class CompiledPolicy:
    """A policy whose patterns are ready to be searched for."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @cached_property
    def forbid(self) -> Patterns:
        return _patterns(self.policy.forbid)

    @cached_property
    def require(self) -> tuple[Pattern, ...]:
        return _patterns(self.policy.require).patterns

    @cached_property
    def only(self) -> Patterns:
        return _patterns(self.policy.only)


def _patterns(written: tuple[str, ...]) -> Patterns:
    from urlset.building.patterns import Patterns

    return Patterns(written)


@lru_cache(64)
def compiled(policies: tuple[Policy, ...]) -> tuple[CompiledPolicy, ...]:
    """Raises PatternError at the first use of a pattern that cannot be used; settings are checked for that earlier."""
    return tuple(CompiledPolicy(policy) for policy in policies)


def requirements(policies: tuple[Policy, ...]) -> list[tuple[Policy, Pattern]]:
    """Every required pattern with its policy, in the order of the settings."""
    return [(each.policy, pattern) for each in compiled(policies) for pattern in each.require]


def unmet(policies: tuple[Policy, ...], locs: Iterable[str | None]) -> tuple[int, ...]:
    """The numbers of the requirements that none of these URLs meets."""
    waiting = dict(enumerate(pattern for _, pattern in requirements(policies)))
    for loc in locs:
        if not waiting:
            break
        text = (loc or "").strip()
        for number in [number for number, pattern in waiting.items() if pattern.matches(text)]:
            del waiting[number]
    return tuple(waiting)
