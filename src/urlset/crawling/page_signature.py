"""One page of a row → a number that stays the same while nothing but the place in the row changes.

The empty months of a calendar differ in nothing but their dates, and so do the pages behind the end of a list. The
pages of a real list, an archive or a comic show something else each time, also where all of it was met before. The
products of a catalogue may be linked one to the next under names that are numbers; their texts differ. So do the days
of a diary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from hashlib import blake2b

from urlset.crawling.trap_shapes import date_in, shape_of

_NUMBERED = re.compile(r"\w*\d\w*")
_PROSE_WORDS = 20
"""words of one block that no calendar has: its cells and the names of its months are shorter"""


def signature_of(
    url: str,
    title: str | None,
    links: Iterable[str],
    texts: Callable[[], Iterable[str]] = tuple,
    *,
    today: date = date.max,
) -> int:
    """`links` are those into the site that may be followed, absolute; the neighbours in the row do not count.

    Words with digits do not count either: numbers, dates and counters change with the place in the row. Nor does the
    text of a date after `today`: a diary has no days to come.
    """
    shape = shape_of(url)
    day = date_in(url)
    counts = day is None or day <= today
    plain = (_NUMBERED.sub("", text) for text in ((title or "", *texts()) if counts else ()))
    if day is not None:
        # months have names: title and short texts of a calendar say nothing
        seen = {link for link in links if date_in(link) is None}
        seen.update(text for text in plain if len(text.split()) >= _PROSE_WORDS)
    else:
        seen = {link for link in links if shape_of(link) != shape}
        seen.update(plain)
    digest = blake2b("\n".join(sorted(seen)).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
