"""A page → how likely it has almost no content, and the evidence."""

from __future__ import annotations

from urlset.model.visit import Likelihood, Visit

FEW_WORDS = 60
"""with this many words of its own a page is short, not thin"""
REPORTED = 0.5
_STEPS = ((5, 0.95), (15, 0.85), (30, 0.6), (FEW_WORDS, 0.35))


def thin(visit: Visit, words: int) -> Likelihood | None:
    """None also if unknown: scripts fill the page, it was not read completely, it leads elsewhere."""
    marks = visit.marks
    if marks is None or words >= FEW_WORDS or not visit.complete or visit.truncated or visit.refresh is not None:
        return None
    if marks.made_by_scripts and words < 20:
        return None
    certainty = next(each for most, each in _STEPS if words <= most)
    if marks.has_login or marks.fields >= 2:
        certainty -= 0.5  # a page to do something on
    if marks.pictures >= 3 or marks.players:
        certainty -= 0.5  # a gallery, a film, a map
    elif marks.pictures:
        certainty -= 0.15
    if certainty < REPORTED:
        return None
    signs = [f"{words} {'word' if words == 1 else 'words'} of unique text"]
    if not marks.pictures:
        signs.append("no unique image or player")
    if not marks.fields:
        signs.append("no form")
    return Likelihood(round(certainty, 2), tuple(signs))
