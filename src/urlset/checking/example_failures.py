"""A rule and its examples → what is wrong with them, and what to do next; nothing when all is well."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.engine import run
from urlset.checking.examples import build, complete, context_of, document_of, unmark
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.model.document import Document
from urlset.reading.salvage import apply_edits
from urlset.spec.engines import Engine
from urlset.spec.signals import Signal


def example_failures(rule: AnyRule) -> Iterator[str]:
    """For rules on a document or a part of it. Rules on a tree or on live pages have other examples."""
    for number, bad in enumerate(rule.bad, start=1):
        for failure in (bad_failure(rule, bad), fix_failure(rule, bad)):
            if failure is not None:
                yield f"{rule.code}, bad example {number}: {failure}"
    for number, good in enumerate(rule.good, start=1):
        failure = good_failure(rule, good)
        if failure is not None:
            yield f"{rule.code}, good example {number}: {failure}"


def bad_failure(rule: AnyRule, example: Bad) -> str | None:
    """Why a bad example is not flagged at its marks and nowhere else."""
    built, document = build(example), document_of(example)
    found = problems(rule, example, document)
    asleep = _signals_while_asleep(rule, example, document)
    if asleep is not None:
        raised = ", ".join(asleep) or "no signal"
        return (
            f"`when=` keeps the rule from looking at the entry, which raises {raised}\n"
            "  next: name a signal that the entry raises, or leave `when=` out"
        )
    if [problem.place for problem in found] == list(built.marks):
        return None
    marked = [f"  marked:   {_cut(mark.cut(built.data))} at byte {mark.offset}" for mark in built.marks]
    reported = [
        f"  reported: {_cut(each.place.cut(built.data))} at byte {each.place.offset}: {each.message}" for each in found
    ]
    lines = [*(marked or ["  marked:   nothing"]), *(reported or ["  reported: nothing"])]
    return "\n".join(["the marks and the findings differ", *lines, f"  next: {_advice(rule, example, found)}"])


def _advice(rule: AnyRule, example: Bad, found: list[Problem]) -> str:
    document = document_of(example)
    if found and not build(example).marks:
        return "put «marks» around the bytes that the rule reports"
    if found:
        return "move the «marks», or the place that the rule yields, until both name the same bytes"
    if rule.kinds is not None and document.kind not in rule.kinds:
        return f"`kinds=` leaves out this document, which is read as {document.kind}"
    if rule.needs is not None:
        return f"the rule needs something that the example does not give: {rule.needs}"
    return "the rule yields no Problem for this example; check its condition"


def good_failure(rule: AnyRule, example: Good) -> str | None:
    """Why a good example is not silent."""
    found = problems(rule, example, document_of(example))
    if not found:
        return None
    data = build(example).data
    said = [f"  reported: {_cut(each.place.cut(data))}: {each.message}" for each in found]
    return "\n".join(["it is flagged", *said, "  next: narrow the rule, or move the example to `bad` with «marks»"])


def fix_failure(rule: AnyRule, example: Bad) -> str | None:
    """Why the fix does not give the text that the example promises."""
    if example.fixed is None and example.fixed_data is None:
        return None
    document = document_of(example)
    edits = [edit for problem in problems(rule, example, document) if problem.fix for edit in problem.fix.edits]
    edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
    result = apply_edits(document.data, 0, len(document.data), tuple(edits))
    wanted = example.fixed_data if example.fixed is None else unmark(complete(example.fixed)).data
    if result != wanted:
        advice = "change the edits of the Fix, or `fixed=`" if edits else "yield a Problem with a Fix, or drop `fixed=`"
        return (
            f"the fix gives another text\n  wanted: {_cut(wanted or b'')}\n  got:    {_cut(result)}\n  next: {advice}"
        )
    again = problems(rule, example, document_of(example, result))
    if again:
        return f"the fixed text is flagged again: {again[0].message}\n  next: make the fix remove what the rule reports"
    return None


def problems(rule: AnyRule, example: Bad | Good, document: Document, engines: tuple[Engine, ...] = ()) -> list[Problem]:
    tally = run(document, [rule], context_of(example, engines or tuple(rule.card.severities)))
    assert not tally.crashes, tally.crashes
    return [problem for _, problem, _ in tally.problems]


def _signals_while_asleep(rule: AnyRule, example: Bad, document: Document) -> list[str] | None:
    """What the entry raises, where the rule would report it and no signal wakes it; None otherwise.

    Under the schema every entry is looked at, so its engine is left out here.
    """
    engines = tuple(engine for engine in rule.card.severities if engine is not Engine.XSD_STRICT)
    awake = msgspec.structs.replace(rule, when=None)
    if rule.when is None or not engines or problems(rule, example, document, engines):
        return None
    if not problems(awake, example, document, engines):
        return None
    bits = Sitemap(document, context_of(example, engines)).signals
    known = {name: bit for name, bit in vars(Signal).items() if isinstance(bit, int)}
    return [name for name, bit in known.items() if any(row & bit for row in bits)]


def _cut(data: bytes) -> str:
    """The bytes as text; of a long stretch both ends."""
    text = data.decode("utf-8", "replace")
    return repr(text if len(text) <= 300 else f"{text[:150]} … {text[-150:]}")
