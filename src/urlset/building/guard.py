"""The set about to be published, compared with the last one → reasons to refuse, with the numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

import msgspec

from urlset.building.manifest import Manifest

SHRINK_PERCENT = 20.0


class Guard(StrEnum):
    """What `--force` can override, by name."""

    EMPTY = "empty"
    SHRINK = "shrink"
    SECTION = "section"
    HOST = "host"
    ERRORS = "errors"
    INCOMPLETE = "incomplete"


class Loss(msgspec.Struct, frozen=True):
    """How many addresses of the published set are not in the new one."""

    gone: int
    of: int
    """how many it lists"""
    foreign: bool = False
    """the state does not know the published set: another tool wrote it, or the state is lost"""


class Refusal(msgspec.Struct, frozen=True):
    name: Guard
    text: str


def refusals(
    proposed: Manifest,
    last: Manifest | None,
    *,
    loss: Loss | None = None,
    errors: int = 0,
    cut_short: str | None = None,
    shrink_percent: float = SHRINK_PERCENT,
    force: Collection[str] = (),
) -> list[Refusal]:
    """Empty when nothing prevents publishing; `errors` is the number of errors that the check of the set found.

    `loss` compares addresses. Without it, or where the base address is another one and no address can be the same,
    the numbers of pages are compared.

    `cut_short` says why a source ended before all of it was seen. Pages of the last set that it did not come to are
    kept, which is why only a first set is refused for it.

    An empty set is refused as such and not also for all that it lacks, so one override is enough.
    """
    forced = set(named(force))
    found = list(_all(proposed, last, loss, errors, shrink_percent))
    if cut_short and last is None and proposed.entries:
        found.insert(0, Refusal(Guard.INCOMPLETE, f"the new set would cover only part of the site: {cut_short}"))
    return [refusal for refusal in found if refusal.name not in forced]


def named(force: Collection[str]) -> list[Guard]:
    """The guards of these names; ValueError for a name that is none."""
    known = [guard.value for guard in Guard]
    for name in force:
        if name not in known:
            raise ValueError(f"unknown safety check {name!r}; choose from {', '.join(known)}")
    return [Guard(name) for name in force]


def _all(
    proposed: Manifest, last: Manifest | None, loss: Loss | None, errors: int, shrink_percent: float
) -> Iterator[Refusal]:
    if errors:
        yield Refusal(Guard.ERRORS, f"the check found {errors:,} error{'s' if errors != 1 else ''} in the new set")
    if last is not None and last.host != proposed.host:
        yield Refusal(Guard.HOST, f"the host changed from {last.host!r} to {proposed.host!r}")
    if not proposed.entries:
        before = f"; the last set lists {last.entries:,} pages" if last is not None else ""
        yield Refusal(Guard.EMPTY, f"the new set is empty{before}")
        return
    yield from _shrinking(proposed, last, loss, shrink_percent)
    left = proposed.sections
    for section, count in sorted(last.sections.items()) if last is not None else ():
        # A set without sections that gets some has not lost anything.
        if section and count and not left.get(section):
            pages = f"{count:,} page{'s' if count != 1 else ''}"
            yield Refusal(Guard.SECTION, f"section {section!r}, with {pages} in the last set, would disappear")


def _shrinking(
    proposed: Manifest, last: Manifest | None, loss: Loss | None, shrink_percent: float
) -> Iterator[Refusal]:
    allowed = f"at most {shrink_percent:g} % is allowed"
    if loss is not None and (last is None or last.base_url == proposed.base_url):
        lost = 100 * loss.gone / loss.of if loss.of else 0.0
        if lost > shrink_percent:
            whose = "the sitemaps in the output folder" if loss.foreign else "the last set"
            gone = f"{loss.gone:,} of {loss.of:,} pages of {whose} are missing from the new set ({lost:.1f} %)"
            yield Refusal(Guard.SHRINK, f"{gone}; {allowed}")
    elif last is not None:
        before, now = last.entries, proposed.entries
        lost = 100 * (before - now) / before if before else 0.0
        if lost > shrink_percent:
            fall = f"the set would shrink from {before:,} to {now:,} pages ({lost:.1f} %)"
            yield Refusal(Guard.SHRINK, f"{fall}; {allowed}")
