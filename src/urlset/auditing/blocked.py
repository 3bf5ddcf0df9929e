"""An answer → whether bot protection gave it instead of the site, and by what that shows."""

from __future__ import annotations

import re

import msgspec

from urlset.model.answer import Answer
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protection import (
    BY_BODY,
    BY_HEADER,
    CAPTCHA_WIDGETS,
    CHALLENGE_ADDRESS,
    HUMAN_CHECK,
    Signature,
)

LARGEST = 262_144
"""no challenge page comes near it"""
_MOST_WORDS = max(each.most_words for each in BY_BODY)
_FEW_WORDS = 80
_UNSEEN = lazy_pattern(rb"<(script|style|noscript|template)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
_PATTERNS = {each: lazy_pattern(each.value, re.IGNORECASE) for each in BY_HEADER}
# A page where users can type more than the answer to a challenge is a page of the site.
_OTHER_FORMS = lazy_pattern(
    rb"<textarea(?![^>]*(?:recaptcha|captcha))|type=[\"']?(?:email|password|tel|search)\b", re.IGNORECASE
)


class BotWall(msgspec.Struct, frozen=True):
    vendor: str
    shows: str
    """what was met, to follow "with" """


def block_in(answer: Answer, words: int | None = None) -> BotWall | None:
    """`words` is the number of visible words where the page was read already; None counts them when it matters."""
    sent = {name for name, _ in answer.headers}
    for signature in BY_HEADER:
        if signature.header in sent and _fits(signature, answer):
            return BotWall(signature.vendor, signature.shows)
    if answer.hops and CHALLENGE_ADDRESS.search(answer.final_url) and not CHALLENGE_ADDRESS.search(answer.url):
        return BotWall("", "redirect to a bot check")
    body = answer.body
    if not body or len(body) > LARGEST or (words is not None and words > _MOST_WORDS):
        return None
    for signature in BY_BODY:
        if signature.markers[0] in body and all(marker in body for marker in signature.markers):
            if words is None:
                words = len(visible(body).split())
            if words <= signature.most_words:
                return BotWall(signature.vendor, signature.shows)
    return BotWall("", "a captcha page") if _is_captcha_page(body, words) else None


def _fits(signature: Signature, answer: Answer) -> bool:
    assert signature.header is not None
    if signature.statuses is not None and answer.status not in signature.statuses:
        return False
    pattern = _PATTERNS[signature]
    return any(name == signature.header and pattern.search(value) for name, value in answer.headers)


def _is_captcha_page(body: bytes, words: int | None) -> bool:
    """Hardly a word but the riddle; a form with a captcha at its end is a page of the site."""
    if words is not None and words > _FEW_WORDS:
        return False
    if not any(widget in body for widget in CAPTCHA_WIDGETS) or _OTHER_FORMS.search(body):
        return False
    text = visible(body)
    return len(text.split()) <= _FEW_WORDS and HUMAN_CHECK.search(text) is not None


def visible(body: bytes) -> str:
    """The words of a small page, near enough, title included."""
    return _UNSEEN.sub(b" ", body[:LARGEST]).decode("utf-8", "replace")
