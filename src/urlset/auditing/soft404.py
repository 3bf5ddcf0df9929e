"""A page sent with status 200 → how likely it is an error page all the same, and the evidence.

Two kinds of signs: what the page says and how it is marked, and how much it is like the host's answer to an address
that cannot exist. Each adds to or takes from the odds; the sum is the certainty. The weights were set on pages
generated in tests/auditing, see docs/audit-quality.md.
"""

from __future__ import annotations

from collections.abc import Collection
from math import exp

from urlset.auditing.error_phrases import error_phrases_in
from urlset.auditing.error_probe import ErrorProbe, likeness_to, probe_of, probe_urls
from urlset.auditing.page_text import PageText
from urlset.model.page import NOINDEX
from urlset.model.visit import Likelihood, PageMarks, Saying, Visit

__all__ = ["MOST_WORDS", "REPORTED", "ErrorProbe", "marks_of", "probe_of", "probe_urls", "soft_404", "unique_words"]

REPORTED = 0.5
"""a lower certainty is not a verdict"""
MOST_WORDS = 600
"""a page with more words of its own is not an error page"""
_MARKED_UP_TO = 1000
"""words, part of which may turn out to be boilerplate"""
_USUAL_PICTURES = 2
"""a logo and an icon, where the frame of the site is not known"""
_PRIOR = -3.0


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
        if _counts(phrase, words, apart):
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
    odds += _weight_of_size(words)
    if words < 25:
        signs.append(f"{words} words of unique text")
    if not NOINDEX.isdisjoint(visit.directives_for()):
        odds += 0.5
    if visit.dates:
        odds -= 1.0
    certainty = 1 / (1 + exp(-odds))
    return Likelihood(round(certainty, 2), tuple(signs)) if certainty >= REPORTED else None


def _counts(phrase: Saying, words: int, apart: Collection[int]) -> bool:
    """An empty list is the page's only where it has little else, and not where all pages have it, like the cart."""
    is_list = phrase.block is not None and phrase.weight > 2
    return not is_list or (words < 80 and phrase.block not in apart)


def _weight_of_size(words: int) -> float:
    if words < 25:
        return 1.0
    if words > 300:
        return -6.5
    return -3.0 if words > 150 else -1.0 if words > 80 else 0.0
