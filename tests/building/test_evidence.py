"""A date moves only for a reason, and is never the time of the build."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.candidate import Candidate, Evidence, EvidenceKind
from urlset.building.evidence import DEFAULT_ORDER, decide, doubt, evidence_of
from urlset.building.ledger_rows import LedgerRow
from urlset.model.entry import Entry
from urlset.spec.page_facets import Facet

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
GIVEN, PAGE, GIT, OBSERVED, HTTP = DEFAULT_ORDER
URL = "https://example.com/a"
TODAY = "2026-03-10"


def page(*evidence: tuple[EvidenceKind, str], given: str | None = None) -> Candidate:
    return Candidate(Entry(URL, given), "list.csv:2", evidence=tuple(Evidence(*each) for each in evidence))


def row(kind: EvidenceKind | None = None, lastmod: str | None = None) -> LedgerRow:
    return LedgerRow(URL, "all", lastmod=lastmod, evidence_kind=kind and kind.value, fingerprint=1, changed=3)


def changed(moved: bool | None) -> tuple[Facet, ...] | None:
    return None if moved is None else (Facet.TEXT,) if moved else ()


def outcome(
    candidate: Candidate,
    known: LedgerRow | None,
    moved: bool | None,
    order: tuple[EvidenceKind, ...] = DEFAULT_ORDER,
) -> tuple[EvidenceKind, str] | None:
    found = decide(candidate, known, changed(moved), now=NOW, order=order)
    return None if found is None else (found.kind, found.lastmod)


OLD, MID, NEW = "2026-01-01", "2026-02-01", "2026-03-01"

FIRST_SIGHT = [
    (page(), None),
    (page((HTTP, OLD)), (HTTP, OLD)),
    (page((HTTP, NEW), (GIT, OLD)), (GIT, OLD)),
    (page((GIT, NEW), (PAGE, OLD)), (PAGE, OLD)),
    (page((PAGE, NEW), given=OLD), (GIVEN, OLD)),
    (page((PAGE, "soon"), (PAGE, OLD)), (PAGE, OLD)),
    (page((PAGE, "2031-01-01"), (GIT, OLD)), (GIT, OLD)),
    (page((OBSERVED, OLD)), None),
]


@pytest.mark.parametrize(("candidate", "expected"), FIRST_SIGHT)
@pytest.mark.parametrize("moved", [None, False, True])
def test_first_sight(candidate: Candidate, expected: object, moved: bool | None) -> None:
    assert outcome(candidate, None, moved) == expected


UNMOVED = [
    # what is offered, what was known, what stands
    (page(), row(), None),
    (page(), row(GIT, OLD), (GIT, OLD)),
    (page((GIT, NEW)), row(GIT, OLD), (GIT, OLD)),
    (page((PAGE, NEW)), row(PAGE, OLD), (PAGE, OLD)),
    (page((HTTP, NEW)), row(HTTP, OLD), (HTTP, OLD)),
    (page((HTTP, NEW)), row(OBSERVED, OLD), (OBSERVED, OLD)),
    (page((GIT, NEW)), row(PAGE, OLD), (PAGE, OLD)),
    (page((PAGE, NEW)), row(GIT, OLD), (PAGE, NEW)),
    (page((PAGE, OLD)), row(OBSERVED, MID), (PAGE, OLD)),
    (page((GIT, OLD)), row(HTTP, MID), (GIT, OLD)),
    (page((GIT, OLD)), row(OBSERVED, MID), (OBSERVED, MID)),
    (page((GIT, NEW)), row(OBSERVED, MID), (GIT, NEW)),
    (page((HTTP, NEW)), row(), (HTTP, NEW)),
]


@pytest.mark.parametrize(("candidate", "known", "expected"), UNMOVED)
def test_content_that_stands_still_moves_no_date_without_better_evidence(
    candidate: Candidate, known: LedgerRow, expected: object
) -> None:
    assert outcome(candidate, known, moved=False) == expected


MOVED = [
    (page(), row(), (OBSERVED, TODAY)),
    (page(), row(GIT, OLD), (OBSERVED, TODAY)),
    (page(), row(OBSERVED, OLD), (OBSERVED, TODAY)),
    (page((GIT, NEW)), row(GIT, OLD), (GIT, NEW)),
    (page((GIT, OLD)), row(GIT, OLD), (OBSERVED, TODAY)),
    (page((GIT, OLD)), row(OBSERVED, MID), (OBSERVED, TODAY)),
    (page((PAGE, NEW)), row(PAGE, OLD), (PAGE, NEW)),
    (page((PAGE, OLD)), row(PAGE, OLD), (PAGE, OLD)),
    (page((PAGE, "2031-01-01")), row(PAGE, OLD), (OBSERVED, TODAY)),
    (page((HTTP, NEW)), row(HTTP, OLD), (OBSERVED, TODAY)),
]


@pytest.mark.parametrize(("candidate", "known", "expected"), MOVED)
def test_content_that_moved(candidate: Candidate, known: LedgerRow, expected: object) -> None:
    assert outcome(candidate, known, moved=True) == expected


UNSEEN = [
    (page(given=NEW), row(GIVEN, OLD), (GIVEN, NEW)),
    (page(given=OLD), row(GIVEN, NEW), (GIVEN, OLD)),
    (page(), row(GIVEN, OLD), (GIVEN, OLD)),
    (page((HTTP, NEW)), row(GIVEN, OLD), (GIVEN, OLD)),
    (page(given=NEW), row(HTTP, OLD), (GIVEN, NEW)),
]


@pytest.mark.parametrize(("candidate", "known", "expected"), UNSEEN)
def test_content_that_was_not_seen(candidate: Candidate, known: LedgerRow, expected: object) -> None:
    assert outcome(candidate, known, moved=None) == expected


def test_the_order_is_the_callers() -> None:
    both = page((PAGE, OLD), (GIT, MID))
    assert outcome(both, None, None, (GIT, PAGE)) == (GIT, MID)
    assert outcome(both, None, None, ()) is None
    assert outcome(both, row(PAGE, OLD), True, (OBSERVED, PAGE)) == (OBSERVED, TODAY)
    assert outcome(both, row(OBSERVED, MID), False, (OBSERVED, PAGE)) == (OBSERVED, MID)


def test_a_kind_that_is_no_longer_trusted_is_dropped() -> None:
    assert outcome(page(), row(HTTP, OLD), False, (GIVEN, GIT)) is None
    assert outcome(page((GIT, NEW)), row(HTTP, OLD), False, (GIVEN, GIT)) == (GIT, NEW)


def test_a_change_nobody_dates_leaves_the_date_out() -> None:
    assert outcome(page(), row(GIT, OLD), True, (GIVEN, GIT)) is None
    assert outcome(page((GIT, OLD)), row(GIT, OLD), True, (GIVEN, GIT)) == (GIT, OLD), "taken as it is"


def test_a_standing_date_keeps_its_evidence_word_for_word() -> None:
    known = LedgerRow(URL, "all", lastmod=OLD, evidence_kind="git", evidence_detail="commit 1")
    candidate = Candidate(Entry(URL), "a.html", evidence=(Evidence(GIT, OLD, "commit 2"),))
    assert decide(candidate, known, None, now=NOW) == Evidence(GIT, OLD, "commit 1")


def test_the_observed_day_is_that_of_utc() -> None:
    late = datetime(2026, 3, 10, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    found = decide(page(), row(), changed=(Facet.TEXT,), now=late)
    assert found is not None
    assert found.lastmod == "2026-03-11"
    naive = decide(page(), row(), changed=(Facet.TEXT,), now=datetime(2026, 3, 10, 23, 30))  # noqa: DTZ001
    assert naive is not None
    assert naive.lastmod == TODAY


DOUBTS = [
    ("2026-03-10", None),
    ("2026-03-11", None),
    ("2026-03-11T11:59:59Z", None),
    ("2026-03-11T12:00:01Z", "future"),
    ("2026-03-13", "future"),
    ("2027", "future"),
    ("2026", None),
    ("2026-02-30", "W3C"),
    ("10.03.2026", "W3C"),
    ("2026-03-01T10:00:00", "W3C"),
    (" 2026-03-01", "W3C"),
    ("", "W3C"),
]


@pytest.mark.parametrize(("lastmod", "reason"), DOUBTS)
def test_dates_that_are_not_believed(lastmod: str, reason: str | None) -> None:
    found = doubt(Evidence(GIVEN, lastmod), NOW)
    assert (found is None) if reason is None else (found is not None and reason in found)


def test_the_lastmod_of_the_entry_is_what_the_source_gave() -> None:
    assert evidence_of(page(given=OLD)) == (Evidence(GIVEN, OLD, "list.csv:2"),)
    explicit = Candidate(Entry(URL, OLD), "x", evidence=(Evidence(GIVEN, MID, "column updated"),))
    assert evidence_of(explicit) == explicit.evidence


# properties

DATES = st.sampled_from([OLD, MID, NEW, "2026-02-15T10:00:00Z", "2031-01-01", "nonsense", "2026-03-10T12:00:00Z"])
CANDIDATES = st.builds(
    lambda evidence, given_: page(*evidence, given=given_),
    st.lists(st.tuples(st.sampled_from(EvidenceKind), DATES), max_size=4),
    st.none() | DATES,
)
ROWS = st.none() | st.builds(row, st.sampled_from(EvidenceKind), st.sampled_from([OLD, MID, NEW])) | st.just(row())
ORDERS = st.permutations(DEFAULT_ORDER).flatmap(lambda order: st.integers(0, 5).map(lambda size: tuple(order[:size])))


@given(CANDIDATES, ROWS, st.sampled_from([None, False, True]), ORDERS)
def test_every_date_has_a_source(
    candidate: Candidate, known: LedgerRow | None, moved: bool | None, order: tuple[EvidenceKind, ...]
) -> None:
    found = decide(candidate, known, changed(moved), now=NOW, order=order)
    if found is None:
        return
    assert found.kind in order
    assert doubt(found, NOW) is None
    seen_to_move = found.kind is OBSERVED and known is not None and moved and found.lastmod == TODAY
    assert found in evidence_of(candidate) or (known is not None and found == known.evidence) or seen_to_move


@given(CANDIDATES, ROWS, ORDERS)
def test_the_same_again_changes_nothing(
    candidate: Candidate, known: LedgerRow | None, order: tuple[EvidenceKind, ...]
) -> None:
    """Once decided, a build with the same offers and the same content decides the same, at any later time."""
    for moved in (None, False, True):
        first = decide(candidate, known, changed(moved), now=NOW, order=order)
        kept = row(first.kind, first.lastmod) if first else row()
        again = None if moved is None else ()
        second = decide(candidate, kept, again, now=NOW + timedelta(hours=5), order=order)
        assert (second and second.lastmod) == (first and first.lastmod)
