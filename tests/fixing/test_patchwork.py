"""Edits in passes are one list of edits in the end, and the bytes outside them are the original's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from urlset.fixing.diff import unified
from urlset.fixing.patchwork import Patchwork, without_overlap
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.reading.salvage import apply_edits

text = st.binary(max_size=40) | st.lists(st.sampled_from([b"a\n", b"b\n", b"<url>\n", b"c"]), max_size=12).map(b"".join)
edit = st.builds(
    lambda at, length, new: Edit(Place(at, length), new), st.integers(0, 40), st.integers(0, 6), st.binary(max_size=4)
)


def fitting(edits: list[Edit], size: int) -> list[Edit]:
    return without_overlap(each for each in edits if each.place.end <= size)


@given(text, st.lists(st.lists(edit, max_size=5), max_size=4))
def test_passes_add_up(original: bytes, passes: list[list[Edit]]) -> None:
    work = Patchwork(original)
    data = original
    for each in passes:
        edits = fitting(each, len(data))
        data = apply_edits(data, 0, len(data), tuple(edits))
        work.apply(edits)
        assert work.data == data
    total = work.edits()
    assert apply_edits(original, 0, len(original), tuple(total)) == data
    assert total == without_overlap(total)


@given(text, st.lists(edit, max_size=6))
def test_the_diff_tells_every_change(original: bytes, edits: list[Edit]) -> None:
    work = Patchwork(original)
    work.apply(fitting(edits, len(original)))
    lines = list(unified(original, work.edits(), "f"))
    old = original.decode("utf-8", "replace").split("\n")
    removed = [line[1:] for line in lines[2:] if line.startswith("-")]
    assert all(line in old for line in removed)
    if work.data == original and not work.edits():
        assert lines == []


def test_a_diff_reads_well() -> None:
    original = b"".join(b"line %d\n" % n for n in range(1, 21))
    at = original.index(b"line 9")
    edits = [Edit(Place(at, 6), b"LINE 9"), Edit(Place(original.index(b"line 10"), 8), b"")]
    assert list(unified(original, edits, "x.txt")) == [
        "--- x.txt", "+++ x.txt (fixed)", "@@ -6,8 +6,7 @@", " line 6", " line 7", " line 8",
        "-line 9", "-line 10", "+LINE 9", " line 11", " line 12", " line 13",
    ]  # fmt: skip


def test_many_edits_are_quick() -> None:
    original = b"<loc>a&b</loc>\n" * 50_000
    edits = [Edit(Place(n * 15 + 6, 1), b"&amp;") for n in range(50_000)]
    work = Patchwork(original)
    work.apply(edits)
    assert work.data == original.replace(b"&", b"&amp;")
    assert sum(line.startswith("+<") for line in unified(original, work.edits(), "x")) == 50_000
