"""Pages that name another as canonical → those that go in a circle, and the one of each circle that is listed.

Two pages that name each other, or a page whose canonical redirects back to it: each sends search engines to the other,
and none would be listed. One is: the one that most pages name, else the shorter address, else the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from urlset.building.candidate import Candidate, Decision, PolicyReason
from urlset.building.policy import ListingPolicy
from urlset.building.spool import Spool
from urlset.model.address import Address


class CanonicalRings:
    """Holds what is not listed for its canonical until every page is known."""

    def __init__(self, path: Path) -> None:
        self._held = Spool(path, Candidate)
        self._next: dict[int, int] = {}
        """hashes of keys: from a page to where it sends on"""
        self._describe: list[tuple[str, str]] = []

    def hold(self, candidate: Candidate) -> None:
        self._held.append(candidate)
        self._next[_key(candidate.loc)] = _key(candidate.canonical or "")

    def redirects(self, loc: str, target: str) -> None:
        self._next[_key(loc)] = _key(target)

    def settle(self, policy: ListingPolicy) -> Iterator[tuple[Decision, Candidate]]:
        """What is decided on each page that was held, in order."""
        rings = _rings(self._next)
        chosen = self._chosen(policy, rings) if rings else {}
        for candidate in self._held:
            decision = chosen.pop(candidate.loc, None)
            if decision is None:
                decision = Decision(
                    candidate.loc, PolicyReason.NOT_CANONICAL, candidate.canonical or "", candidate.origin
                )
            yield decision, candidate

    def notes(self) -> Iterator[str]:
        """When all is settled."""
        if not self._describe:
            return
        listed, other = self._describe[0]
        if len(self._describe) == 1:
            yield f"canonicals form a loop: {listed} is listed, {other} is not"
        else:
            yield (
                f"canonicals form {len(self._describe):,} loops; one page of each is listed, "
                f"such as {listed} and not {other}"
            )

    def _chosen(self, policy: ListingPolicy, rings: dict[int, int]) -> dict[str, Decision]:
        """By address: the first of each ring that has no other reason for exclusion."""
        named = Counter(target for target in self._next.values() if target in rings)
        members: dict[int, list[Candidate]] = {}
        for candidate in self._held:
            ring = rings.get(_key(candidate.loc))
            if ring is not None:
                members.setdefault(ring, []).append(candidate)
        chosen: dict[str, Decision] = {}
        for some in members.values():
            for page in sorted(some, key=lambda each: (-named[_key(each.loc)], len(each.loc))):
                decision = policy.decide(msgspec.structs.replace(page, canonical=None))
                if decision.verdict is PolicyReason.LISTED:
                    chosen[page.loc] = decision
                    self._describe.append((page.loc, page.canonical or ""))
                if decision.verdict in (PolicyReason.LISTED, PolicyReason.DUPLICATE):
                    break
        return chosen


def _rings(following: dict[int, int]) -> dict[int, int]:
    """Each that comes back to itself, with a number for its circle."""
    rings: dict[int, int] = {}
    seen: dict[int, int] = {}
    for number, start in enumerate(following):
        at = start
        while at in following and at not in seen:
            seen[at] = number
            at = following[at]
        if seen.get(at) != number or at in rings:
            continue
        while at not in rings:
            rings[at] = number
            at = following[at]
    return rings


def _key(loc: str) -> int:
    return hash(Address.parse(loc).key)
