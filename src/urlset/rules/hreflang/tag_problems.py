"""The judged hreflang values of a page → problems of one kind, with place and fix."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from urlset.checking.declare import rule
from urlset.checking.subjects import LinkSet
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.model.columns import Edit
from urlset.model.document import Kind
from urlset.model.element import Attribute
from urlset.rules.hreflang.link import links_of, part_of, text_of
from urlset.rules.hreflang.tags import TagFault, TagProblem, judge_tags
from urlset.spec.engines import Engine
from urlset.spec.signals import Signal

tag_rule = partial(rule, when=Signal.LINKS | Signal.LINK_CODE, kinds=(Kind.URLSET,), engines=(Engine.GOOGLE,))
"""a rule on the values that `tag_problems` has judged"""


def tag_problems(links: LinkSet, fault: TagFault) -> Iterator[Problem]:
    known: list[tuple[Attribute, TagProblem]] | None = links.shared.get("tag problems")
    if known is None:
        known = links.shared["tag problems"] = _all_problems(links)
    for attribute, problem in known:
        if problem.fault is fault:
            yield _problem(attribute, problem, _values(links))


def _all_problems(links: LinkSet) -> list[tuple[Attribute, TagProblem]]:
    tagged = [link.hreflang for link in links_of(links) if link.hreflang is not None]
    judged = zip(tagged, judge_tags(_values(links)), strict=True)
    return [(attribute, problem) for attribute, problems in judged for problem in problems]


def _values(links: LinkSet) -> tuple[str, ...]:
    return tuple([link.language for link in links_of(links) if link.hreflang is not None])


def _problem(attribute: Attribute, problem: TagProblem, values: tuple[str, ...]) -> Problem:
    # a country code that is also a language code may be correct
    doubtful = problem.fault is TagFault.REGION_ALONE and not problem.certain
    return Problem(
        part_of(attribute, problem.start, problem.end),
        problem.message,
        _fix(attribute, problem, values),
        severity=Severity.WARNING if doubtful else None,
    )


def _fix(attribute: Attribute, problem: TagProblem, values: tuple[str, ...]) -> Fix | None:
    if problem.instead is None:
        return None
    value = text_of(attribute)
    instead = problem.instead
    old = value[problem.start : problem.end]
    if problem.fault is TagFault.WITHDRAWN and old.isupper():
        instead = instead.upper()
    spans = ((problem.start, problem.end), *problem.again)
    new = value
    for start, end in reversed(spans):
        new = new[:start] + instead + new[end:]
    if new.lower() in {other.lower() for other in values}:
        return None  # the page already has a link for the correct code, so one of the two must be removed
    edits = tuple(Edit(part_of(attribute, start, end), instead.encode()) for start, end in spans)
    return Fix(f"write {new}", edits, Safety.SAFE if problem.certain else Safety.REVIEW)
