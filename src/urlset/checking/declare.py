"""`@rule`: the only way to declare a rule. The decorator returns a value; importing registers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from urlset.checking.context import Policy
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Problem
from urlset.model.document import Has, Kind, kinds_with
from urlset.model.trouble import TroubleKind
from urlset.spec import namespaces
from urlset.spec.engines import Engine

Subject = TypeVar("Subject")
OPEN, CLOSE = "«", "»"
_PREFIXES = ("image", "video", "news", "xhtml", "mobile", "pagemap", "xsi")
EVERYONE: tuple[Engine, ...] = tuple(Engine)
"""all engines, for "all" in the catalog; a schema-only rule lists XSD_STRICT alone"""
READERS = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)
"""all engines that fetch something; the schema only checks characters and length"""

ADDRESS = "sitemap URL unknown (set --at URL)"
"""needs=ADDRESS: skipped without `document.url`"""
ROBOTS = "no robots.txt (set --robots FILE)"
"""needs=ROBOTS: skipped without `context.robots`"""


class Bad(msgspec.Struct, frozen=True):
    """A snippet with «marks» around the exact bytes expected; run as a test, shown in the docs.

    `text` may be a whole document, or a part that is completed (see checking/examples.py); `data` is for examples
    that are not text, with `marks` as (offset, length). Long examples are functions, because rules are declared at
    each start and examples are rarely needed.
    """

    text: str = ""
    fixed: str | None = None
    at: str | None = None
    """the sitemap's own URL"""
    now: str = "2026-11-15T12:00:00+00:00"
    robots: str | None = None
    data: bytes | Callable[[], bytes] | None = None
    marks: tuple[tuple[int, int], ...] = ()
    fixed_data: bytes | None = None
    title: str = ""
    """shown instead of a text that is too long"""
    files: dict[str, str] = {}
    """for rules on a tree: file name → text; the tree starts at the first one"""
    policies: tuple[Policy, ...] = ()
    """settings of the site, for the rules that look at them"""


class Good(msgspec.Struct, frozen=True):
    """A near miss that the rule does not report."""

    text: str = ""
    at: str | None = None
    now: str = "2026-11-15T12:00:00+00:00"
    robots: str | None = None
    base_url: str | None = None
    """where the robots.txt is served"""
    data: bytes | Callable[[], bytes] | None = None
    title: str = ""
    files: dict[str, str] = {}
    policies: tuple[Policy, ...] = ()


def wrap(entries: str, root: str = "urlset") -> str:
    """Entries inside a valid root that declares only the prefixes in use."""
    bare = entries.replace(OPEN, "")
    used = [prefix for prefix in _PREFIXES if f"<{prefix}:" in bare or f" {prefix}:" in entries]
    declared = "".join(f' xmlns:{prefix}="{namespaces.BY_PREFIX[prefix].uri}"' for prefix in used)
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{namespaces.SITEMAP}"{declared}>\n'
    return f"{head}{entries}\n</{root}>\n"


class Rule(msgspec.Struct, Generic[Subject], frozen=True):
    """One declared rule."""

    card: Card
    on: type[Subject]
    check: Callable[[Subject], Iterable[Problem]]
    bad: tuple[Bad, ...]
    good: tuple[Good, ...]
    needs: str | None = None
    partly: bool = False
    """it also runs without what it needs, for the part that can be checked; it then counts as skipped"""
    kinds: frozenset[Kind] | None = None
    """document kinds it applies to; None for all with such a subject"""
    across: Callable[[Any], Iterable[Problem]] | None = None
    """the same problem between the files of a TreeView, for rules that check one file first"""
    alone: bool = False
    """in a set of files only `across` is used, because another file may have what one lacks"""
    when: int | None = None
    """an entry is only checked if it raises one of these signals; None for a rule that checks all entries"""
    reports: tuple[TroubleKind, ...] = ()
    """kinds of trouble that are one finding each, so those without a place are added to the count"""
    may_be_worse: bool = False
    """some of its problems are more severe than the card says"""
    names_other: bool = False
    """it says what a document is that is not a sitemap; no other rule runs on such a document"""
    by_dates: bool = False
    """of a file without dates it only looks at how many entries there are"""

    def can_be_more_than(self, severity: Severity, engines: tuple[Engine, ...]) -> bool:
        """Whether some problem can be more severe than that."""
        own = self.card.severity_for(engines) or self.card.severity
        return self.may_be_worse or own.rank < severity.rank

    @property
    def code(self) -> str:
        return self.card.code

    @property
    def name(self) -> str:
        return self.card.name


AnyRule = Rule[Any]
Check = TypeVar("Check", bound=Callable[..., object])


def bad(*examples: Bad | str, **parts: Any) -> Callable[[Check], Check]:
    """Texts that the rule reports, at their «marks»; or one text with other parts of a Bad, such as `fixed=`."""
    return _noted("bad", _made(Bad, examples, **parts))


def good(*examples: Good | str, **parts: Any) -> Callable[[Check], Check]:
    """Near misses that the rule does not report; or one with other parts of a Good, such as `at=`."""
    return _noted("good", _made(Good, examples, **parts))


def _made(kind: type[Any], examples: tuple[Any, ...], **parts: Any) -> list[Any]:
    if parts:
        return [kind(*examples, **parts)]
    return [kind(example) if isinstance(example, str) else example for example in examples]


def _noted(name: str, examples: list[Any]) -> Callable[[Check], Check]:
    """Until `rule` collects them; decorators are applied from the last one up."""

    def add(check: Check) -> Check:
        vars(check)[name] = (*examples, *vars(check).get(name, ()))
        return check

    return add


def rule(  # noqa: PLR0913 - a declaration has as many parts as a rule has facts
    code: str,
    name: str = "",
    *,
    on: type[Any] | None = None,
    severity: Severity,
    engines: Iterable[Engine] | Mapping[Engine, Severity] = EVERYONE,
    fails_schema: bool = False,
    cites: tuple[str, ...],
    bad: tuple[Bad | str, ...] = (),
    good: tuple[Good | str, ...] = (),
    needs: str | None = None,
    partly: bool = False,
    kinds: Has | None = None,
    across: Callable[[Any], Iterable[Problem]] | None = None,
    alone: bool = False,
    when: int | None = None,
    reports: tuple[TroubleKind, ...] = (),
    may_be_worse: bool = False,
    names_other: bool = False,
    by_dates: bool = False,
) -> Callable[[Callable[[Subject], Iterator[Problem]]], Rule[Subject]]:
    """Declare a rule: the docstring's first line is its summary, the rest is its rationale.

    The function's name is the rule's name, unless another is given. Examples are given here, or by `@bad` and `@good`
    between this decorator and the function.
    The subject is the annotation of the function's parameter; `on` names it for a function without one.
    `fails_schema`: the official schema rejects what the rule reports, which is an error for a validator even if engines
    accept it.
    """

    def declare(check: Callable[[Subject], Iterator[Problem]]) -> Rule[Subject]:
        summary, _, rationale = (check.__doc__ or "").partition("\n")
        severities = dict(engines) if isinstance(engines, Mapping) else dict.fromkeys(engines, severity)
        if fails_schema:
            severities[Engine.XSD_STRICT] = Severity.ERROR
        bads = (*_made(Bad, bad), *vars(check).get("bad", ()))
        card = Card(
            code=code,
            name=name or check.__name__.replace("_", "-"),
            summary=summary.strip(),
            rationale=" ".join(rationale.split()),
            severities=severities,
            cites=cites,
            fixable=any(example.fixed is not None or example.fixed_data is not None for example in bads),
        )
        goods = (*_made(Good, good), *vars(check).get("good", ()))
        only = kinds_with(kinds) if kinds is not None else None
        subject = on or _subject_of(code, check)
        selected = (needs, partly, only, across, alone, when)
        return Rule(card, subject, check, bads, goods, *selected, reports, may_be_worse, names_other, by_dates)

    return declare


# Rules by severity and engines, as most are declared: `@google_error("V001", …)`.

error_rule = partial(rule, severity=Severity.ERROR)
warning_rule = partial(rule, severity=Severity.WARNING)
info_rule = partial(rule, severity=Severity.INFO)
google_error = partial(error_rule, engines=(Engine.GOOGLE,))
google_warning = partial(warning_rule, engines=(Engine.GOOGLE,))
google_info = partial(info_rule, engines=(Engine.GOOGLE,))
reader_error = partial(error_rule, engines=READERS)
reader_warning = partial(warning_rule, engines=READERS)
reader_info = partial(info_rule, engines=READERS)


def _subject_of(code: str, check: Callable[[Any], object]) -> type[Any]:
    """The annotation of the parameter, which is a text where annotations are postponed."""
    name, subject = next(iter(getattr(check, "__annotations__", {}).items()), ("return", None))
    if isinstance(subject, str):
        subject = getattr(check, "__globals__", {}).get(subject)
    if name == "return" or not isinstance(subject, type):
        raise TypeError(
            f"rule {code}: annotate the parameter of its function with a subject such as ListedPage, or set on="
        )
    return subject
