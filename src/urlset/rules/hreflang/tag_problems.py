"""The judged hreflang values of a page → problems of one kind, with place and fix."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from urlset.model.columns import Edit
from urlset.model.element import Attribute
from urlset.rules import Engine, Fix, Kind, LinkSet, Problem, Safety, Severity, Signal, rule
from urlset.rules.hreflang.link import links_of, part_of, text_of
from urlset.rules.hreflang.tags import TagFault, TagProblem, judge_tags

tag_rule = partial(rule, when=Signal.LINKS | Signal.LINK_CODE, kinds=(Kind.URLSET,), engines=(Engine.GOOGLE,))
"""a rule on the values that `tag_problems` has judged"""


def tag_problems(links: LinkSet, fault: TagFault) -> Iterator[Problem]:
    known: _JudgedTags | None = links.shared.get("tag problems")
    if known is None:
        known = links.shared["tag problems"] = _judged(links)
    for attribute, problem in known.problems:
        if problem.fault is fault:
            yield _problem(attribute, problem, known.codes)


class _JudgedTags(NamedTuple):
    problems: list[tuple[Attribute, TagProblem]]
    codes: frozenset[str]
    """all values of the page, in lowercase"""


def _judged(links: LinkSet) -> _JudgedTags:
    tagged = [link for link in links_of(links) if link.hreflang is not None]
    values = tuple([link.language for link in tagged])
    judged = zip([link.hreflang for link in tagged], judge_tags(values), strict=True)
    problems = [(attribute, problem) for attribute, problems in judged for problem in problems if attribute is not None]
    return _JudgedTags(problems, frozenset(map(str.lower, values)))


def _problem(attribute: Attribute, problem: TagProblem, codes: frozenset[str]) -> Problem:
    # a country code that is also a language code may be correct
    doubtful = problem.fault is TagFault.REGION_ALONE and not problem.certain
    return Problem(
        part_of(attribute, problem.start, problem.end),
        problem.message,
        _fix(attribute, problem, codes),
        severity=Severity.WARNING if doubtful else None,
    )


def _fix(attribute: Attribute, problem: TagProblem, codes: frozenset[str]) -> Fix | None:
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
    if new.lower() in codes:
        return None  # the page already has a link for the correct code, so one of the two must be removed
    edits = tuple(Edit(part_of(attribute, start, end), instead.encode()) for start, end in spans)
    return Fix(f"write {new}", edits, Safety.SAFE if problem.certain else Safety.REVIEW)
