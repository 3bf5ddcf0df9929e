"""Text → how many words it has, in scripts with and without spaces between them."""

from __future__ import annotations

import re

# Chinese and Japanese need about two characters for a word; Thai, Lao, Khmer and Burmese about five.
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def words_in(text: str) -> int:
    """Of a text whose whitespace is collapsed."""
    if not text:
        return 0
    spaced = text.count(" ") + 1
    if text.isascii() or len(text.encode("utf-8", "replace")) < 1.6 * len(text):
        return spaced  # too few wide characters for one of those scripts
    return max(spaced, len(_DENSE.findall(text)) // 2 + len(_SPACELESS.findall(text)) // 5)
