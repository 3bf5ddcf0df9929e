"""An element, an attribute or a message of an engine's report → what it means, examples, and the rules that check it.

Nothing about rules is written down twice: an example is wrong because a rule says so, and a rule belongs to an element
because it marks bytes in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache

import msgspec

from urlset.checking.declare import AnyRule
from urlset.checking.examples import build, complete
from urlset.checking.live_page import LIVE
from urlset.execution.workers import Where
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.reading.read import read
from urlset.rules.catalogue import own_rules
from urlset.settings.check import CheckSettings
from urlset.spec.report_messages import MESSAGES, ReportMessage, find_messages
from urlset.spec.topics import Topic, find_topic, topics
from urlset.workflows.check import check

SHOWN = 2
"""examples of each kind"""
_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.-]*)([^<>]*?)(/?)>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_NAMED = re.compile(r"\b(lastmod|changefreq|priority|(?:image|video|news):[a-z_]+)\b")
_ROOTS = ("urlset", "sitemapindex")
_NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
_AT = "https://www.example.com/"
_WITHOUT = ("<loc>https://www.example.com/a</loc>", "<loc>https://www.example.com/b</loc>")


class WrongExample(msgspec.Struct, frozen=True):
    text: str
    code: str
    message: str


class TopicPage(msgspec.Struct, frozen=True):
    """A topic with its examples, and the codes of the rules about it."""

    topic: Topic
    right: tuple[str, ...]
    wrong: tuple[WrongExample, ...]
    rules: tuple[str, ...]


def page_of(topic: Topic) -> TopicPage:
    """The candidates of the topic, as the rules judge them."""
    noise: set[str] = set()
    if topic.retired:  # every use is wrong, and right is what is left without it
        right, candidates = list(_WITHOUT), topic.right
    else:
        judged = [(text, findings_in(topic, text)) for text in topic.right]
        right = [text for text, found in judged if not any(it.severity is not Severity.INFO for it in found)]
        noise = {it.code for text, found in judged if text in right for it in found}
        candidates = topic.wrong
    marked = _marked_rules().get(topic.name, frozenset())
    wrong: list[WrongExample] = []
    for text in candidates:
        found = [it for it in findings_in(topic, text) if it.code not in noise and it.code != "L031"]
        if found:
            worst = min(found, key=lambda it: (it.code not in marked, it.severity.rank))
            wrong.append(WrongExample(text, worst.code, worst.message))
    first = {each.code: each for each in reversed(wrong)}
    wrong.sort(key=lambda each: first[each.code] is not each)  # those of different rules first
    codes = {*(each.code for each in wrong), *marked}
    return TopicPage(topic, tuple(right[:SHOWN]), tuple(wrong[:SHOWN]), tuple(sorted(codes)))


def findings_in(topic: Topic, text: str) -> tuple[Finding, ...]:
    """What a check says about an example, completed to a whole file."""
    name = "robots.txt" if topic.name == "robots-sitemap" else "sitemap.xml"
    document = read(complete(text).replace("//example.com/", "//www.example.com/").encode(), name=name, url=_AT + name)
    return check([document], CheckSettings(now=_NOW, executor=Where.LOCAL)).findings


@cache
def _marked_rules() -> dict[str, frozenset[str]]:
    """Topic → the rules whose examples mark bytes in that element, attribute or line."""
    found: dict[str, set[str]] = {}
    for rule in own_rules():
        for name in (*_places_of(rule), *_NAMED.findall(rule.card.summary)):
            found.setdefault(name, set()).add(rule.code)
    return {name: frozenset(codes) for name, codes in found.items()}


def _places_of(rule: AnyRule) -> Iterator[str]:
    if rule.on in LIVE:
        return
    for bad in rule.bad:
        if bad.files or bad.title:
            continue
        built = build(bad)
        text = built.data.decode("latin-1")  # one character for each byte
        for mark in built.marks[:1]:
            if not text.lstrip().startswith("<"):
                line = text[: mark.offset].count("\n")
                if text.splitlines()[line : line + 1] and "sitemap" in text.splitlines()[line].lower():
                    yield "robots-sitemap"
            else:
                yield from _around(text, mark.offset)


def _around(text: str, offset: int) -> Iterator[str]:
    """The innermost element at an offset, and the attribute if it is in one; a root only for what is in its tag."""
    stack: list[str] = []
    for tag in _TAG.finditer(text):
        closing, name, attributes, empty = tag.groups()
        if tag.start() > offset:
            break
        if tag.end() > offset:  # the tag itself
            stack.append(name)
            start = tag.start(3)
            for attribute in _ATTRIBUTE.finditer(attributes):
                if start + attribute.start() <= offset < start + attribute.end():
                    yield f"{name} {attribute[1]}"
            yield _topic_name(stack)
            return
        if closing:
            if name in stack:
                del stack[len(stack) - 1 - stack[::-1].index(name) :]
        elif not empty:
            stack.append(name)
    if stack and stack[-1] not in _ROOTS:
        yield _topic_name(stack)


def _topic_name(stack: list[str]) -> str:
    """Fields of a child of an index are explained with it."""
    return "sitemap" if "sitemap" in stack[:-1] and ":" not in stack[-1] else stack[-1]


def find_explained(text: str) -> Topic | tuple[ReportMessage, ...] | None:
    """The element or the messages that a text names."""
    return find_topic(text) or find_messages(text) or None


def similar(text: str) -> list[str]:
    """Names of topics and messages that look like a text."""
    names = [*(each.name for each in topics()), *(label for message in MESSAGES for label in message.labels)]
    known = {name.casefold(): name for name in names}
    return [known[name] for name in get_close_matches(text.casefold(), known, n=1, cutoff=0.8)]
