"""The options of `urlset build` for single sections, and the policies they mean."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from urlset.building.candidate import PolicyReason
    from urlset.building.policy import SectionPolicy

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--section-include",
        multiple=True,
        metavar="NAME=PATTERN",
        help="In this section list only pages that match, as in news=/2026/*; may be given several times.",
    ),
    click.option(
        "--section-exclude", multiple=True, metavar="NAME=PATTERN", help="In this section leave out pages that match."
    ),
    click.option(
        "--section-keep",
        multiple=True,
        metavar="NAME=REASON",
        help="In this section list pages in spite of a reason, as in blog=paginated.",
    ),
)


def section_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def kept_reasons(names: Collection[str]) -> frozenset[PolicyReason]:
    """The reasons that --keep names; ValueError for one there is not."""
    from urlset.building.candidate import PolicyReason
    from urlset.building.policy import NEVER_KEPT

    known = [verdict for verdict in PolicyReason if verdict not in NEVER_KEPT]
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is no reason that can be set aside; these are: {', '.join(known)}")
    return frozenset(map(PolicyReason, names))


def take_section_policies(given: dict[str, Any]) -> dict[str, SectionPolicy]:
    """Takes its own values out of what the command was given; ValueError for a reason there is not."""
    from urlset.building.policy import SectionPolicy

    said = {kind: _by_section(given.pop(f"section_{kind}"), kind) for kind in ("include", "exclude", "keep")}
    names = dict.fromkeys(name for values in said.values() for name in values)
    named = {each.partition("=")[0] for each in given["sections"]}
    for name in names:
        if given["sections_by"] == "none" and name not in named:
            known = f"there are {', '.join(sorted(named))}" if named else "name it with --section NAME=PATTERN"
            raise click.UsageError(f"no section is called {name!r}: {known}")
    return {
        name: SectionPolicy(
            keep=kept_reasons(said["keep"].get(name, ())),
            include=tuple(said["include"].get(name, ())),
            exclude=tuple(said["exclude"].get(name, ())),
        )
        for name in names
    }


def _by_section(values: tuple[str, ...], kind: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not (name and equals and rest):
            raise click.UsageError(f"--section-{kind} {value!r} is not of the form NAME=VALUE")
        found.setdefault(name, []).append(rest)
    return found
