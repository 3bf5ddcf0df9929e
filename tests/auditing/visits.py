"""An answer → the visit that an audit makes of it, in one step."""

from __future__ import annotations

from collections.abc import Collection

from urlset.auditing.facts import Reader, judged, seen_of
from urlset.auditing.soft404 import ErrorProbe
from urlset.model.answer import Answer
from urlset.model.visit import Visit
from urlset.reading.html import read_page


def visit_of(
    answer: Answer,
    *,
    reader: Reader = read_page,
    baseline: ErrorProbe | None = None,
    boilerplate: Collection[int] = frozenset(),
) -> Visit:
    """What the answer says of the page.

    With `baseline`, the host's answer to an address that cannot exist, what the site shows around its pages is
    known, and what it shows instead of them. `boilerplate` adds blocks known from other pages.
    """
    seen = seen_of(answer, reader=reader, baseline=baseline)
    return judged(seen, baseline=baseline, boilerplate=boilerplate)
