"""A page sent with status 200 → how likely it is an error page all the same, and the evidence.

Two kinds of signs: what the page says and how it is marked, and how much it is like the host's answer to an address
that cannot exist. Each adds to or takes from the odds; the sum is the certainty. The weights were set on pages
generated in tests/auditing, see docs/audit-quality.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from math import exp

import msgspec

from urlset.auditing.page_text import PageText, words_in
from urlset.model.answer import Answer
from urlset.model.page import NOINDEX, join
from urlset.model.visit import Likelihood, PageMarks, Saying, Visit
from urlset.reading.fingerprint import block_of, hash_of
from urlset.reading.html import read_page
from urlset.spec.error_phrases import says_empty, says_not_found

REPORTED = 0.5
"""a lower certainty is not a verdict"""
MOST_WORDS = 600
"""a page with more words of its own is not an error page"""
_MARKED_UP_TO = 1000
"""words, part of which may turn out to be boilerplate"""
_USUAL_PICTURES = 2
"""a logo and an icon, where the frame of the site is not known"""
_PRIOR = -3.0
_SIZES = ((24, 1.0), (80, 0.0), (150, -1.0), (300, -3.0), (MOST_WORDS, -6.5))
"""words of its own up to which the size adds so much to the odds"""


def unique_words(probe: ErrorProbe | None) -> int:
    """With more words outside its frame a page has no marks, whatever of them the error page has too."""
    return _MARKED_UP_TO + (0 if probe is None else probe.words)


def marks_of(text: PageText, probe: ErrorProbe | None = None, *, is_root: bool = False) -> PageMarks | None:
    """`is_root` for the home page, which some hosts also show for an address that does not exist."""
    if text.own_words > _MARKED_UP_TO:
        return None
    known = None if is_root else probe
    alike, weight = likeness_to(known, text)
    return PageMarks(
        error_phrases=tuple(error_phrases_in(text)),
        error_markup=text.marked_as_error,
        pictures=max(0, text.pictures - (known.pictures if known is not None else _USUAL_PICTURES)),
        players=max(0, text.players - (known.players if known is not None else 0)),
        fields=text.fields,
        has_login=text.has_login,
        made_by_scripts=text.made_by_scripts,
        likeness=alike,
        likeness_weight=weight,
        blank=text.is_blank,
        only_login=text.only_login,
        only_scripts=text.only_scripts,
    )


def soft_404(visit: Visit, words: int, apart: Collection[int] = frozenset()) -> Likelihood | None:
    """`words` of the page's own, without the blocks `apart`, which are not specific to a page."""
    marks = visit.marks
    if marks is None or words > MOST_WORDS:
        return None
    odds = _PRIOR
    signs: list[str] = []
    for phrase in marks.error_phrases:
        # an empty list is the page's only where it has little else, and not where all pages have it, like the cart
        is_list = phrase.block is not None and phrase.weight > 2
        if not is_list or (words < 80 and phrase.block not in apart):
            # where nearly all it has to say is that, it says nothing else
            odds += max(phrase.weight, 2.8) if phrase.words and phrase.words >= 0.4 * words else phrase.weight
            signs.append(f'it says "{phrase.text}"')
    if marks.likeness_weight and marks.likeness is not None:
        odds += marks.likeness_weight
        signs.append(f"{marks.likeness:.0%} of its text matches the page shown for a URL that cannot exist")
    if marks.error_markup:
        odds += 3.0
        signs.append("the markup says it is an error page")
    if not signs:
        return None
    odds += next(weight for most, weight in _SIZES if words <= most)
    if words < 25:
        signs.append(f"{words} words of unique text")
    if not NOINDEX.isdisjoint(visit.directives_for()):
        odds += 0.5
    if visit.dates:
        odds -= 1.0
    certainty = 1 / (1 + exp(-odds))
    return Likelihood(round(certainty, 2), tuple(signs)) if certainty >= REPORTED else None


# The text of a page → the sentences in it that error pages and empty lists have, with their weight.

# No colon: what follows one belongs to it, "Not found: a life".
_SEPARATORS = re.compile(r"\s+[|\-\u2013\u2014\u00b7\u2022\u00bb\u00ab]+\s+|[|\u00b7\u2022\u00bb\u00ab]")
_NUMBER = re.compile(r"\b4(?:04|10)\b")
"""alone it may be a year, a model, a house"""
_LOOKED_AT = 60
"""sentences from the beginning"""
_SHOWN = 80


def error_phrases_in(text: PageText) -> Iterator[Saying]:
    """At most one of the title, one of the heading, and one of each kind of the text."""
    title, heading = text.facts.title or "", text.facts.heading or ""
    in_title, in_heading = map(_weight_of_heading, (title, heading))
    if in_title:
        yield Saying(title[:_SHOWN], None, in_title)
    if in_heading:
        # most titles are the heading again, which says it no louder
        yield Saying(heading[:_SHOWN], None, in_heading if not in_title else min(in_heading, 1.5))
    folded_heading = heading.casefold()
    # a menu entry has two words; without spaces the number is unknown
    sentences = (block for block in text.own if block.count(" ") >= 2 or not block.isascii())
    looked_at = [
        (block, folded) for block in islice(sentences, _LOOKED_AT) if (folded := block.casefold()) != folded_heading
    ]
    for pattern, weight, most in ((says_not_found(), 1.5, 40), (says_empty(), 2.8, 25)):
        said = (block for block, folded in looked_at if words_in(block) <= most and pattern.search(folded))
        found = next(said, None)
        if found is not None:
            yield Saying(found[:_SHOWN], block_of(found), weight, words_in(found))


def _weight_of_heading(said: str) -> float:
    """About 3 where a part of it says nothing else, about 1 where it is among other words."""
    best = 0.0
    for part in _SEPARATORS.split(said[:300].casefold()):
        for pattern, whole, part_of in ((says_not_found(), 3.0, 1.2), (says_empty(), 3.0, 1.2), (_NUMBER, 2.0, 0.4)):
            match = pattern.search(part)
            if match is not None:
                share = (match.end() - match.start()) / max(1, len(part.strip()))
                best = max(best, whole if share >= 0.4 else part_of)
    return best


# A host's answers to addresses that cannot exist → what its error page looks like, and how like it a page is.

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


def probe_urls(url: str) -> tuple[str, ...]:
    """Addresses that cannot exist, beside the page and at the root of its host; the same ones in every run."""
    found: list[str | None] = []
    for place in dict.fromkeys(filter(None, (join(url, "./"), join(url, "/")))):
        # letters that no system that guesses from a misspelled address can take for a page
        number = abs(hash_of(f"0\n{place}"))
        letters = (_LETTERS[number // len(_LETTERS) ** at % len(_LETTERS)] for at in range(14))
        found.append(join(place, "".join(letters)))
    return tuple(filter(None, found))


def probe_of(answers: Sequence[Answer]) -> ErrorProbe | None:
    """None where no answer tells anything: no status, or 403 and the like, which say nothing of missing pages."""
    telling = (*range(200, 300), 404, 410)
    reported = [each for each in answers if each.failure is None and each.status in telling]
    if not reported:
        return None
    read = [read_page(each.body, declared=each.header("content-type"), links=False) for each in reported]
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
        texts=tuple(first.own[:_KEPT_TEXTS]),
        words=sum(each.own_words for each in texts),
        pictures=first.pictures,
        players=first.players,
        says_so=sum(each.weight for each in error_phrases_in(first)) >= 1.5,
        made_by_scripts=first.made_by_scripts,
    )


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
