"""A host's answers to addresses that cannot exist → what its error page looks like, and how like it a page is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from urlset.auditing.error_phrases import error_phrases_in
from urlset.auditing.page_text import PageText
from urlset.auditing.words import words_in
from urlset.model.answer import Answer
from urlset.model.page import PageFacts, join
from urlset.reading.fingerprint import block_of, hash_of
from urlset.reading.html import read_page

_WORD = re.compile(r"[^\W\d_]{2,25}")
_KEPT_TEXTS = 60
_LETTERS = "bcdfghjkmnpqrtvwxz"
_MUCH_MORE = 120
"""words beyond those of the error page with which a page is another page"""


class ErrorProbe(msgspec.Struct, frozen=True):
    """How a host answers addresses that cannot exist."""

    urls: tuple[str, ...] = ()
    status: int | None = None
    title: str | None = None
    heading: str | None = None
    blocks: frozenset[int] = frozenset()
    """of all its answers: what the site shows around, or instead of, a page"""
    stable: frozenset[int] = frozenset()
    """of every one of its answers"""
    texts: tuple[str, ...] = ()
    """the texts of the first answer that are not its frame"""
    words: int = 0
    """of all its answers, outside their frames"""
    pictures: int = 0
    players: int = 0
    says_so: bool = False
    """the answer reads like an error page, whatever its status"""
    made_by_scripts: bool = False

    @property
    def sends_errors(self) -> bool:
        """The host says 404 or 410 where it should."""
        return self.status in (404, 410)


def probe_urls(url: str, *, seed: int = 0) -> tuple[str, ...]:
    """Addresses that cannot exist, beside the page and at the root of its host; the same ones for the same seed."""
    places = dict.fromkeys(filter(None, (join(url, "./"), join(url, "/"))))
    return tuple(filter(None, (join(place, _nonsense(place, seed)) for place in places)))


def _nonsense(text: str, seed: int) -> str:
    """Letters that no system that guesses from a misspelled address can take for a page."""
    number = abs(hash_of(f"{seed}\n{text}"))
    return "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(14))


def probe_of(answers: Sequence[Answer], reader: Callable[..., PageFacts] = read_page) -> ErrorProbe | None:
    """None where no answer tells anything: no status, or 403 and the like, which say nothing of missing pages."""
    reported = [each for each in answers if each.failure is None and each.status is not None and _tells(each.status)]
    if not reported:
        return None
    read = [reader(each.body, declared=each.header("content-type"), links=False) for each in reported]
    texts = [PageText(facts, each.body) for facts, each in zip(read, reported, strict=True)]
    sets = [frozenset(each.blocks) for each in texts]
    first = texts[0]
    return ErrorProbe(
        urls=tuple(each.url for each in reported),
        status=reported[0].status,
        title=read[0].title,
        heading=read[0].heading,
        blocks=frozenset[int]().union(*sets),
        stable=frozenset.intersection(*sets),
        texts=first.own[:_KEPT_TEXTS],
        words=sum(each.own_words for each in texts),
        pictures=first.pictures,
        players=first.players,
        says_so=sum(each.weight for each in error_phrases_in(first)) >= 1.5,
        made_by_scripts=first.made_by_scripts,
    )


def _tells(status: int) -> bool:
    return 200 <= status < 300 or status in (404, 410)


def likeness_to(probe: ErrorProbe | None, text: PageText) -> tuple[float | None, float]:
    """How far the page is the host's error page, and what that adds to the odds that it is one.

    `text` with the probe's blocks apart.
    """
    if probe is None or not probe.stable or (probe.made_by_scripts and text.made_by_scripts):
        return None, 0.0  # a shell that scripts fill is the same for every address
    same_head = _same(text.facts.title, probe.title) and _same(text.facts.heading, probe.heading)
    alike = _likeness(probe, text, same_head=same_head)
    if alike >= 0.99:
        return alike, 4.5 if probe.says_so or probe.sends_errors else 3.5
    return alike, 0.0 if alike < 0.5 else 3.5 if same_head else 2.0


def _likeness(probe: ErrorProbe, text: PageText, *, same_head: bool) -> float:
    """1 where nothing sets the page apart from the error page; else how far the words that differ are the same."""
    missing = probe.stable - frozenset(text.blocks)
    if not missing and not text.own:
        return 1.0
    if sum(map(words_in, text.own)) > _MUCH_MORE:
        return 0.0
    if not missing and same_head and probe.heading:
        return 0.9  # all that the error page says every time, and a few things that it shows by chance
    there = _vocabulary(each for each in probe.texts if block_of(each) in missing)
    here = _vocabulary(text.own)
    return len(there & here) / len(there | here) if there or here else 1.0


def _vocabulary(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for each in texts for word in _WORD.findall(each.casefold()))


def _same(one: str | None, other: str | None) -> bool:
    return (one or "").casefold() == (other or "").casefold()
