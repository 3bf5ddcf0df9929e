"""Edits in passes are one list of edits in the end, and the bytes outside them are the original's."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.fixing.edit_buffer import EditBuffer, unified
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.reading.salvage import apply_edits

text = st.binary(max_size=40) | st.lists(st.sampled_from([b"a\n", b"b\n", b"<url>\n", b"c"]), max_size=12).map(b"".join)
edit = st.builds(
    lambda at, length, new: Edit(Place(at, length), new), st.integers(0, 40), st.integers(0, 6), st.binary(max_size=4)
)


def without_overlap(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that can be made at once, first come first served; the rest waits for the next pass."""
    chosen: list[Edit] = []
    end = -1
    for edit in sorted(edits, key=lambda each: (each.place.offset, each.place.length)):
        if edit.place.offset > end or (edit.place.offset == end and edit.place.length):
            chosen.append(edit)
            end = max(end, edit.place.end)
    return chosen


def fitting(edits: list[Edit], size: int) -> list[Edit]:
    return without_overlap(each for each in edits if each.place.end <= size)


@given(text, st.lists(st.lists(edit, max_size=5), max_size=4))
def test_passes_add_up(original: bytes, passes: list[list[Edit]]) -> None:
    work = EditBuffer(original)
    data = original
    before: list[tuple[EditBuffer, bytes]] = []
    for each in passes:
        edits = fitting(each, len(data))
        before.append((work.snapshot(), data))
        data = apply_edits(data, 0, len(data), tuple(edits))
        work.apply(edits)
        assert work.data == data
    for snapshot, known in (*before, (work, data)):
        assert snapshot.data == known
        places = [Place(start, length) for start in range(0, len(known), 3) for length in (0, 1, 7, 50)]
        assert [snapshot.cut(place) for place in places] == [place.cut(known) for place in places]
    total = work.edits()
    assert apply_edits(original, 0, len(original), tuple(total)) == data
    assert total == without_overlap(total)


lines_of_text = st.lists(st.sampled_from(["a", "b", "<url>", "c\r", "d\re", ""]), max_size=25).map(
    lambda each: "\n".join(each).encode()
)


def patched(original: bytes, diff: list[bytes]) -> bytes:
    """What `patch` would make of it."""
    *ended, rest = original.split(b"\n")
    old = [line + b"\n" for line in ended] + ([rest] if rest else [])
    new: list[bytes] = []
    at = 0
    body = diff[2:]
    for number, line in enumerate(body):
        if line.startswith(b"\\"):
            continue
        if line.startswith(b"@@"):
            start, count = map(int, line.split()[1][1:].split(b","))
            first = start - 1 if count else start
            new += old[at:first]
            at = first
            continue
        unended = body[number + 1 : number + 2] == [b"\\ No newline at end of file"]
        content = line[1:] + (b"" if unended else b"\n")
        if not line.startswith(b"+"):
            assert old[at] == content
            at += 1
        if not line.startswith(b"-"):
            new.append(content)
    return b"".join(new + old[at:])


@given(lines_of_text, st.lists(edit, max_size=6))
def test_applying_the_diff_gives_the_result(original: bytes, edits: list[Edit]) -> None:
    plain = [Edit(each.place, bytes(byte for byte in each.text if byte in b"\r\nab")) for each in edits]
    work = EditBuffer(original)
    work.apply(fitting(plain, len(original)))
    assert patched(original, list(unified(original, work.edits(), "f"))) == work.data


def test_a_diff_reads_well() -> None:
    original = b"".join(b"line %d\n" % n for n in range(1, 21))
    at = original.index(b"line 9")
    edits = [Edit(Place(at, 6), b"LINE 9"), Edit(Place(original.index(b"line 10"), 8), b"")]
    assert [line.decode() for line in unified(original, edits, "x.txt")] == [
        "--- x.txt", "+++ x.txt (fixed)", "@@ -6,8 +6,7 @@", " line 6", " line 7", " line 8",
        "-line 9", "+LINE 9", "-line 10", " line 11", " line 12", " line 13",
    ]  # fmt: skip


@pytest.mark.slow
def test_many_edits_are_quick() -> None:
    original = b"<loc>a&b</loc>\n" * 50_000
    edits = [Edit(Place(n * 15 + 6, 1), b"&amp;") for n in range(50_000)]
    work = EditBuffer(original)
    work.apply(edits)
    assert work.data == original.replace(b"&", b"&amp;")
    assert sum(line.startswith(b"+<") for line in unified(original, work.edits(), "x")) == 50_000
