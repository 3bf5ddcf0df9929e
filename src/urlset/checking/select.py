"""Which rules run: by code, family letter, name, or engine, without those that a comment suppresses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from urlset.checking.declare import AnyRule, Rule
from urlset.findings.card import Card, Severity
from urlset.model.document import Document
from urlset.model.errors import ArgumentValueError
from urlset.model.place import Place
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern

# Comments in the file that suppress rules: `<!-- urlset: ignore L013 -->`, `<!-- urlset: ignore-file D -->`.

_DIRECTIVE = lazy_pattern(rb"<!--\s*urlset:\s*(ignore-file|ignore)\b([^>]*?)-->")
_SELECTOR = lazy_pattern(rb"[^\s,]+")


class Suppressions:
    """What the comments in one document suppress, and where."""

    def __init__(self, document: Document) -> None:
        self._file: list[str] = []
        self._rows: dict[int, list[str]] = {}
        self._document = document
        self.named: list[tuple[str, Place]] = []
        """all selectors with their places"""
        for place in document.directives:
            directive = _DIRECTIVE.match(place.cut(document.data))
            if directive is None:
                continue
            begin = place.offset + directive.start(2)
            named = [
                (found.group().decode("utf-8", "replace"), Place(begin + found.start(), len(found.group())))
                for found in _SELECTOR.finditer(directive[2])
            ]
            self.named += named
            wanted = [selector for selector, _ in named] or [""]
            if directive[1] == b"ignore-file":
                self._file += wanted
            else:
                # a comment inside an entry applies to that entry; one before it applies to the next
                row = self._row_at(place.offset)
                row = bisect_left(document.columns.starts, place.offset) if row is None else row
                self._rows.setdefault(row, []).extend(wanted)

    @property
    def in_file(self) -> tuple[str, ...]:
        return tuple(self._file)

    @property
    def in_rows(self) -> dict[int, tuple[str, ...]]:
        return {row: tuple(selectors) for row, selectors in self._rows.items()}

    def __bool__(self) -> bool:
        return bool(self._file or self._rows)

    def silences(self, rule: AnyRule, place: Place) -> bool:
        if any(matches(rule, selector) for selector in self._file):
            return True
        if not self._rows:
            return False
        row = self._row_at(place.offset)
        return row is not None and any(matches(rule, selector) for selector in self._rows.get(row, ()))

    def _row_at(self, offset: int) -> int | None:
        columns = self._document.columns
        row = bisect_left(columns.starts, offset + 1) - 1
        return row if row >= 0 and offset < columns.ends[row] else None


# Findings about the check itself: a rule that crashed, a comment that suppresses nothing.
#
# No engine runs them as rules; they can be selected, ignored and explained like rules.

CRASH = Card(
    code="T001",
    name="rule-crashed",
    summary="A rule crashed because of a bug in urlset.",
    rationale="The rest of the run continued; the findings of this rule are unknown. Please report the bug.",
    severities=dict.fromkeys(Engine, Severity.WARNING),
    cites=(),
    fixable=False,
)
UNKNOWN_RULE = Card(
    code="T002",
    name="unknown-rule-in-comment",
    summary="A suppression comment has an unknown rule.",
    rationale="It suppresses nothing. Search engines do not read such comments, so no engine is affected.",
    severities={},
    cites=(),
    fixable=False,
)


class _Check:
    """The subject: the check itself."""


TOOL_RULES: tuple[AnyRule, ...] = tuple(
    Rule(card, _Check, lambda _check: iter(()), (), ()) for card in (CRASH, UNKNOWN_RULE)
)


class UnknownSelectorError(ArgumentValueError):
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
    hint = f"; did you mean {known[close[0]]!r}?" if close else "; run `urlset explain rules` for the list"
    return f"unknown rule {selector!r}{hint}"
