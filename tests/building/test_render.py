"""Whatever the entries, the written set obeys every limit, reads back equal, loses nothing, lists nothing twice."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building.placed_pages import place
from tests.building.published import BASE, render
from tests.strategies import dates, entries
from urlset.building.manifest import PublishedFile
from urlset.building.render import newest_of, render_index, written
from urlset.building.shards import FRAME_BYTES, INDEX_NAME, FileForm, ShardLimits
from urlset.building.staging import Staging
from urlset.model.document import Kind
from urlset.model.entry import Entry
from urlset.model.moment import Moment
from urlset.reading.read import read, read_bytes
from urlset.writing.xml import Unwritable

LIMITS = ShardLimits(fill_entries=3, fill_bytes=FRAME_BYTES + 4000, most_entries=4, most_bytes=FRAME_BYTES + 60_000)


def publish(listed: list[Entry], sections: dict[str, str], out: Path, *, packed: bool) -> None:
    sizes = [(sections[entry.loc or ""], len(written(entry)), None) for entry in listed]
    plan, names = place(sizes, limits=LIMITS, gzip=packed)
    with Staging(out, out.parent / "state", BASE) as staging:
        for shard in plan.shards:
            inside = [entry for entry, name in zip(listed, names, strict=True) if name == shard.name]
            newest = newest_of(entry.lastmod for entry in inside)
            chunks = render(inside, gzip=shard.name.endswith(".gz"))
            staging.add(shard.name, chunks, entries=len(inside), section=shard.section, newest=newest)
        if plan.indexed:
            staging.add_indexes()
        staging.publish()


def distinct(listed: list[Entry]) -> list[Entry]:
    """Pages as a policy lets them through: each has an address, and none comes twice."""
    return list({entry.loc: entry for entry in listed if entry.loc}.values())


def obedient(path: Path) -> list[Entry]:
    document = read(path)
    assert document.kind is Kind.URLSET
    assert document.troubles == ()
    assert len(document) <= LIMITS.most_entries
    assert document.envelope.size <= LIMITS.most_bytes
    assert [entry.loc for entry in document.entries()] == sorted(entry.loc or "" for entry in document.entries())
    return list(document.entries())


@given(
    st.lists(entries(trimmed=True), max_size=9),
    st.lists(st.sampled_from(("", "", "news", "../News", "\u202e")), min_size=9, max_size=9),
    st.booleans(),
)
def test_the_written_set(listed: list[Entry], sections: list[str], packed: bool) -> None:
    listed = distinct(listed)
    of = {entry.loc or "": section for entry, section in zip(listed, sections, strict=False)}
    with TemporaryDirectory() as folder:
        out = Path(folder) / "public"
        publish(listed, of, out, packed=packed)
        first = read(out / INDEX_NAME)
        found: list[Entry] = []
        if first.kind is Kind.SITEMAPINDEX:
            assert first.troubles == ()
            children = [(child.loc or "", child.lastmod) for child in first.children()]
            assert {loc.removeprefix(BASE) for loc, _ in children} == {path.name for path in out.iterdir()} - {
                INDEX_NAME
            }
            for loc, lastmod in children:
                inside = obedient(out / loc.removeprefix(BASE))
                assert lastmod == newest_of(entry.lastmod for entry in inside)
                found += inside
        else:
            found = obedient(out / INDEX_NAME)
        assert Counter(entry.loc for entry in found) == Counter(list(of))
        assert {entry.loc: entry for entry in found} == {entry.loc: entry for entry in listed}


@given(
    st.lists(entries(trimmed=True), max_size=6),
    st.randoms(),
)
def test_the_order_of_pages_does_not_show(listed: list[Entry], chance: Random) -> None:
    listed = distinct(listed)
    shuffled = list(listed)
    chance.shuffle(shuffled)
    for packed in (False, True):
        assert b"".join(render(shuffled, gzip=packed)) == b"".join(render(listed, gzip=packed))


@given(st.lists(entries(trimmed=True), max_size=6))
def test_sizes_are_right(listed: list[Entry]) -> None:
    listed = distinct(listed)
    total = sum(len(written(entry)) for entry in listed)
    assert total <= len(b"".join(render(listed))) <= total + FRAME_BYTES


def test_packed_bytes_do_not_tell_the_time() -> None:
    data = b"".join(render([Entry(BASE)], gzip=True))
    assert data[4:8] == bytes(4)
    assert gzip.decompress(data) == b"".join(render([Entry(BASE)]))


def test_text() -> None:
    assert written(Entry(f"{BASE}a", "2024-01-01"), FileForm.TEXT) == b"https://www.example.com/a\n"


def test_what_no_file_can_hold_is_told_before_anything_is_written() -> None:
    with pytest.raises(Unwritable):
        written(Entry("https://example.com/\x00"))


def test_the_index_says_nothing_where_nothing_is_known() -> None:
    files = [PublishedFile("sitemap-a-1.xml", "", 1, newest="2024-05-01"), PublishedFile("sitemap-b-1.xml", "", 1)]
    document = read_bytes(b"".join(render_index(files, "https://example.com/shop?x")))
    assert [(child.loc, child.lastmod) for child in document.children()] == [
        ("https://example.com/shop/sitemap-a-1.xml", "2024-05-01"),
        ("https://example.com/shop/sitemap-b-1.xml", None),
    ]


@pytest.mark.parametrize(
    ("texts", "newest"),
    [
        ([], None),
        ([None, "", "yesterday"], None),
        (["2024-05-01", "2024-04-30"], "2024-05-01"),
        (["2024-05-01", "2024-99-99"], "2024-05-01"),
        (["2024", "2024-03-01"], "2024-03-01"),
        (["2024-05-01", "2024-05-01T10:00:00Z"], "2024-05-01T10:00:00Z"),
        (["2024-05-01T23:00:00-05:00", "2024-05-02T03:00:00Z"], "2024-05-01T23:00:00-05:00"),
        (["2024-05-01T10:00:00+02:00", "2024-05-01T09:00:00+00:00"], "2024-05-01T09:00:00+00:00"),
        (["2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00.25Z"], "2024-05-01T10:00:00.5Z"),
        (["2024-05-01T10:00:00+02:00", "2024-05-01T11:00:00+02:00"], "2024-05-01T11:00:00+02:00"),
        ([" 2024-05-02", "2024-05-01"], "2024-05-01"),
    ],
)
def test_newest(texts: list[str | None], newest: str | None) -> None:
    assert newest_of(texts) == newest
    assert newest_of(reversed(texts)) == newest


@given(st.lists(dates()))
def test_nothing_is_newer_than_the_newest(texts: list[str]) -> None:
    newest = newest_of(texts)
    legal = [Moment.parse(text) for text in texts if Moment.parse(text).w3c_valid]
    assert (newest is None) == (not legal)
    if newest is not None:
        assert not any(moment.newer_than(Moment.parse(newest)) for moment in legal)
