"""Which rules run: by code, family letter, or name, and by affected engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from urlset.checking.declare import AnyRule
from urlset.checking.tool_rules import CRASH, TOOL_RULES
from urlset.spec.engines import Engine


class UnknownSelectorError(ValueError):
    """A selector that matches no rule; the message has a suggestion."""


def select(
    rules: Iterable[AnyRule],
    engines: tuple[Engine, ...],
    *,
    chosen: tuple[str, ...] = (),
    ignored: tuple[str, ...] = (),
) -> tuple[AnyRule, ...]:
    """Empty `chosen` means all. An explicit code wins over an ignored family."""
    every = tuple(rules)
    for selector in (*chosen, *ignored):
        if not any(matches(rule, selector) for rule in (*every, *TOOL_RULES)):
            raise UnknownSelectorError(unknown(selector, every))
    return tuple(
        rule for rule in every if rule.card.severity_for(engines) is not None and _wanted(rule, chosen, ignored)
    )


def unwanted_tool_codes(chosen: tuple[str, ...], ignored: tuple[str, ...]) -> frozenset[str]:
    """Codes of findings about the check itself that are not to be reported.

    A crash is only left out if it is ignored: a selected rule that crashed has not passed.
    """
    unchosen = not any(selector for selector in chosen for rule in TOOL_RULES if matches(rule, selector))
    known = {CRASH.code: () if unchosen else chosen}
    return frozenset(rule.code for rule in TOOL_RULES if not _wanted(rule, known.get(rule.code, chosen), ignored))


def matches(rule: AnyRule, selector: str) -> bool:
    """L013, L (the family), L0 (a prefix), or fragment-in-loc. A is not the family of ACME001."""
    if selector in ("", rule.name):  # a comment without a selector means every rule
        return True
    wanted = selector.upper()
    return rule.code.startswith(wanted) and wanted.rstrip("0123456789") == rule.card.family


def _wanted(rule: AnyRule, chosen: tuple[str, ...], ignored: tuple[str, ...]) -> bool:
    best_chosen = max((_weight(rule, selector) for selector in chosen), default=0 if chosen else 1)
    best_ignored = max((_weight(rule, selector) for selector in ignored), default=0)
    return best_chosen > 0 and best_chosen >= best_ignored if chosen else best_ignored == 0


def _weight(rule: AnyRule, selector: str) -> int:
    """Longer selectors have more weight."""
    if not matches(rule, selector):
        return 0
    return 10 if rule.name == selector else len(selector)


def unknown(selector: str, rules: Sequence[AnyRule]) -> str:
    """The message for a selector that matches no rule."""
    from difflib import get_close_matches

    known = {name.lower(): name for rule in rules for name in (rule.name, rule.code)}
    close = get_close_matches(selector.lower(), known, n=1)
    hint = f"; did you mean {known[close[0]]!r}?" if close else "; run `urlset rules` for the list"
    return f"unknown rule {selector!r}{hint}"
