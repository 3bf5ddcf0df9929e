"""`@rule`: the only way to declare one. The decorator returns a value; nothing registers by import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from urlset.checking.policy import Policy
from urlset.checking.subjects import Sitemap
from urlset.checking.tree import TreeView
from urlset.findings.card import Card
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.spec.engines import Engine

Subject = TypeVar("Subject")
EVERYONE: tuple[Engine, ...] = tuple(Engine)
"""all engines, for the catalogue's "all"; a schema-only rule names XSD_STRICT alone"""

ADDRESS = "the sitemap's own address is unknown; give it with --at URL"
"""needs=ADDRESS: not judged without `document.url`"""
ROBOTS = "no robots.txt was given; give it with --robots FILE"
"""needs=ROBOTS: not judged without `context.robots`"""


class Bad(msgspec.Struct, frozen=True):
    """A snippet with «marks» round the exact bytes expected; run as a test, shown in the docs.

    `text` may be a whole document, or a part that is completed (see checking/examples.py); `data` is for
    examples that are not text, with `marks` as (offset, length). Where it is long, a function makes it, because
    rules are declared at every start and examples are hardly ever looked at.
    """

    text: str = ""
    fixed: str | None = None
    at: str | None = None
    """the sitemap's own address"""
    now: str = "2026-11-15T12:00:00+00:00"
    robots: str | None = None
    data: bytes | Callable[[], bytes] | None = None
    marks: tuple[tuple[int, int], ...] = ()
    fixed_data: bytes | None = None
    title: str = ""
    """what to show instead when the text is too long to show"""
    files: dict[str, str] = {}
    """for rules on a tree: file name → text, the first one being where the tree starts"""
    policies: tuple[Policy, ...] = ()
    """settings of the site, for the rules that look at them"""


class Good(msgspec.Struct, frozen=True):
    """A near miss on which the rule is silent."""

    text: str = ""
    at: str | None = None
    now: str = "2026-11-15T12:00:00+00:00"
    robots: str | None = None
    data: bytes | Callable[[], bytes] | None = None
    title: str = ""
    files: dict[str, str] = {}
    policies: tuple[Policy, ...] = ()


class Rule(msgspec.Struct, Generic[Subject], frozen=True):
    """One declared rule."""

    card: Card
    on: type[Subject]
    check: Callable[[Subject], Iterable[Problem]]
    bad: tuple[Bad, ...]
    good: tuple[Good, ...]
    needs: str | None = None
    partly: bool = False
    """it runs without what it needs too, for the part that can be judged; it is counted as not checked then"""
    kinds: frozenset[str] | None = None
    """document kinds it looks at; None for all that have such a subject"""
    across: Callable[[TreeView], Iterable[Problem]] | None = None
    """the same fault between files, for rules that judge one file first"""
    when: int | None = None
    """the signals of which an entry must raise one to be looked at; None for a rule that looks at every entry"""
    count: Callable[[Sitemap, int], int | None] | None = None
    """how many problems an entry has, for those beyond the cap: each of them of the severity on the card, and with a
    fix where the card says so; None for an entry that has to be checked to tell"""

    @property
    def code(self) -> str:
        return self.card.code

    @property
    def name(self) -> str:
        return self.card.name


AnyRule = Rule[Any]


def rule(  # noqa: PLR0913 - a declaration has as many parts as a rule has facts
    code: str,
    name: str,
    *,
    on: type[Subject],
    severity: Severity,
    engines: Iterable[Engine] | Mapping[Engine, Severity] = EVERYONE,
    fails_schema: bool = False,
    cites: tuple[str, ...],
    bad: tuple[Bad | str, ...],
    good: tuple[Good | str, ...],
    needs: str | None = None,
    partly: bool = False,
    kinds: Iterable[str] | None = None,
    across: Callable[[TreeView], Iterable[Problem]] | None = None,
    when: int | None = None,
    count: Callable[[Sitemap, int], int | None] | None = None,
) -> Callable[[Callable[[Subject], Iterator[Problem]]], Rule[Subject]]:
    """Declare a rule: the docstring's first line is its summary, the rest says why it matters.

    `fails_schema`: the official schema rejects what the rule finds, which is an error to a validator, however mild it
    is to engines.
    """

    def declare(check: Callable[[Subject], Iterator[Problem]]) -> Rule[Subject]:
        summary, _, rationale = (check.__doc__ or "").partition("\n")
        severities = dict(engines) if isinstance(engines, Mapping) else dict.fromkeys(engines, severity)
        if fails_schema:
            severities[Engine.XSD_STRICT] = Severity.ERROR
        bads = tuple(Bad(example) if isinstance(example, str) else example for example in bad)
        card = Card(
            code=code,
            name=name,
            summary=summary.strip(),
            rationale=" ".join(rationale.split()),
            severities=severities,
            cites=cites,
            fixable=any(example.fixed is not None or example.fixed_data is not None for example in bads),
        )
        goods = tuple(Good(example) if isinstance(example, str) else example for example in good)
        looked_at = frozenset(kinds) if kinds is not None else None
        return Rule(card, on, check, bads, goods, needs, partly, looked_at, across, when, count)

    return declare
