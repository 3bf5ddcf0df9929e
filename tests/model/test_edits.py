"""Edits and troubles in columns are the sequences they stand for, in any order and for any rows."""

from __future__ import annotations

import pickle
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from urlset.model.columns import Edit, Edits, RowEdits
from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind, Troubles

edits = st.lists(st.builds(Edit, st.builds(Place, st.integers(0, 99), st.integers(0, 9)), st.binary(max_size=12)))
troubles = st.lists(
    st.builds(
        Trouble,
        st.sampled_from(TroubleKind),
        st.builds(Place, st.integers(0, 99), st.integers(0, 9)),
        st.text(max_size=4),
        st.none() | st.integers(0, 9),
    )
)


@given(edits)
def test_edits_are_what_was_added(given_edits: list[Edit]) -> None:
    columns = Edits(given_edits)
    assert columns == given_edits
    assert list(columns) == given_edits
    assert list(columns.in_order()) == sorted(given_edits, key=lambda edit: (edit.place.offset, edit.place.length))
    assert columns[1:3] == tuple(given_edits[1:3])


@given(st.dictionaries(st.integers(0, 50), edits))
def test_edits_by_row_are_a_mapping(by_row: dict[int, list[Edit]]) -> None:
    columns = RowEdits()
    for row in sorted(by_row):
        columns[row] = by_row[row]
    assert dict(columns) == by_row
    assert all((row in columns) == (row in by_row) for row in range(52))
    assert columns.get(51, ()) == ()


@given(troubles, troubles)
def test_troubles_are_what_was_added(first: list[Trouble], second: list[Trouble]) -> None:
    columns = Troubles(first)
    columns += Troubles(second)
    every = [*first, *second]
    assert columns == every
    assert list(columns.in_order()) == sorted(every, key=lambda trouble: trouble.place.offset)
    assert columns.rows() == {trouble.row for trouble in every} - {None}
    kinds = {TroubleKind.STRAY_LT, TroubleKind.TRUNCATED}
    assert list(columns.of(kinds)) == [trouble for trouble in every if trouble.kind in kinds]
    assert columns.has(*kinds) == any(trouble.kind in kinds for trouble in every)
    assert pickle.loads(pickle.dumps(columns)) == every


def test_a_fault_takes_tens_of_bytes() -> None:
    tracemalloc.start()
    found, repairs = Troubles(), Edits()
    for offset in range(100_000):
        found.add(TroubleKind.BARE_AMPERSAND, offset, 1, "&", offset)
        repairs.add(offset, 1, b"&amp;")
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / 100_000 < 80
