"""What is known about a page, now and in the last build → the one date that is believed, with its evidence.

The date moves only when a part of the page that counts moved, or when better evidence turns up, better being earlier
in the order. It is never the time of the build, with one exception that says so: when the page is not what it was in
an earlier build, the change lies between the two, and the day of this build is the day it was observed. A page met
for the first time has nothing to be compared with, so it gets no date that way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from urlset.building.candidate import Candidate, Evidence, EvidenceKind
from urlset.building.ledger_rows import LedgerRow
from urlset.model.moment import Moment
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_facets import SAID, Facet

DEFAULT_ORDER = (
    EvidenceKind.GIVEN,
    EvidenceKind.PAGE,
    EvidenceKind.GIT,
    EvidenceKind.OBSERVED,
    EvidenceKind.HTTP,
)
LEEWAY = timedelta(days=1)
"""how far ahead of our clock a date may lie: other clocks and other time zones"""

# Legal without a closer look; days that not every month has are left to Moment.
_USUAL = lazy_pattern(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|\+(?:0[0-9]|1[0-3]):[0-5][0-9]))?"
)
# Read off a file or a header. Where such a date lies behind a change that was seen, it dates something else: the
# page is made from more than that file. A date set by hand is kept until it is changed.
_MECHANICAL = frozenset({EvidenceKind.GIT, EvidenceKind.HTTP})


def decide(
    candidate: Candidate,
    known: LedgerRow | None,
    changed: Collection[Facet] | None,
    *,
    now: datetime,
    order: Sequence[EvidenceKind] = DEFAULT_ORDER,
) -> Evidence | None:
    """The evidence for the page's date, or None when there is none to believe.

    `changed` names the parts of the page that differ from the known row, of those that count; None where it was not
    seen, then or now. `now` is when this build began (naive: UTC).
    """
    if known is None and len(candidate.evidence) == 1 and candidate.evidence[0].kind is EvidenceKind.GIVEN:
        # the usual row of a list, met for the first time
        given = candidate.evidence[0]
        return given if given.kind in order and doubt(given, now) is None else None
    if candidate.is_source_dated:
        # git dates the text that the page was made from: a template change is not a change of the page
        dates = (each for kind in order for each in evidence_of(candidate) if each.kind is kind)
        if (found := next((each for each in dates if doubt(each, now) is None), None)) is not None:
            return found
    before = known.evidence if known else None
    if before is not None and before.kind not in order:
        before = None
    if known is None:
        changed = None
    found = next(_believable(candidate, before, changed or (), now, order), None)
    if changed or before is None:
        return found
    if found is None:
        return before
    better = order.index(found.kind) - order.index(before.kind)
    if better < 0 or (better == 0 and changed is None and found.lastmod != before.lastmod):
        return found
    return before


def doubt(evidence: Evidence, now: datetime) -> str | None:
    """Why the date cannot be believed; None when it can."""
    text = evidence.lastmod
    # years have four digits, so the texts sort as the days do; only the days around now need a closer look
    past = text[:10] < now.date().isoformat()
    if past and _USUAL.fullmatch(text):
        return None
    moment = Moment.parse(text)
    if moment.padded or moment.faults or not moment.w3c_valid:
        return f"'{evidence.lastmod}' is not a W3C date"
    if not past and moment.is_after(now + LEEWAY):
        return f"'{evidence.lastmod}' is in the future"
    return None


def doubts(candidate: Candidate, now: datetime, order: Sequence[EvidenceKind]) -> Iterator[str]:
    """Why dates that the source gives are not used, where such dates are wanted."""
    for each in evidence_of(candidate) if EvidenceKind.GIVEN in order else ():
        if each.kind is EvidenceKind.GIVEN and (why := doubt(each, now)) is not None:
            yield why


def evidence_of(candidate: Candidate) -> tuple[Evidence, ...]:
    """All evidence for a date now; the lastmod of the entry is what the source gave."""
    given = candidate.entry.lastmod
    if given is None or any(each.kind is EvidenceKind.GIVEN for each in candidate.evidence):
        return candidate.evidence
    return (Evidence(EvidenceKind.GIVEN, given, candidate.origin), *candidate.evidence)


def _believable(
    candidate: Candidate,
    before: Evidence | None,
    changed: Collection[Facet],
    now: datetime,
    order: Sequence[EvidenceKind],
) -> Iterator[Evidence]:
    """Best first; among those of one kind as the source ordered them."""
    offered = evidence_of(candidate)
    # without observation of changes, the other dates are used as they are
    watched = EvidenceKind.OBSERVED in order
    for kind in order:
        if kind is not EvidenceKind.OBSERVED:
            yield from (
                each
                for each in offered
                if each.kind is kind
                and doubt(each, now) is None
                and not (watched and _behind(each, before, bool(changed)))
            )
        elif changed:
            day = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date()
            *others, last = (SAID[facet] for facet in changed)
            parts = f"{', '.join(others)} and {last}" if others else last
            yield Evidence(kind, day.isoformat(), f"{parts} changed since the last build")


def _behind(evidence: Evidence, before: Evidence | None, moved: bool) -> bool:
    """It cannot date the change that was seen, now or earlier."""
    if before is None or evidence.kind not in _MECHANICAL:
        return False
    seen = moved or before.kind is EvidenceKind.OBSERVED
    return seen and not Moment.parse(evidence.lastmod).newer_than(Moment.parse(before.lastmod))
