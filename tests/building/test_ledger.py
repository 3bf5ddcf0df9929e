"""The ledger keeps what builds decided, as a whole or not at all, and can say why."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from urlset.building.candidate import Decision, Evidence, EvidenceKind, PolicyReason
from urlset.building.ledger import REMEMBERED_BUILDS, Ledger, LedgerRow, Recording, ShardRow
from urlset.reading.fingerprint import BlockCounter, hash_of, pack, unpack
from urlset.writing.sqlite_store import StateBusy, StateError

START = datetime(2026, 3, 10, 12, tzinfo=UTC)
SITE = "https://example.com/"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ledger.db"


def begin(ledger: Ledger) -> Recording:
    return ledger.record(base_url=SITE, host="example.com", started=START)


def row(name: str, lastmod: str | None = None, *, section: str = "all", shard: str = "sitemap.xml") -> LedgerRow:
    kind = None if lastmod is None else "given"
    return LedgerRow(SITE + name, section, shard, f"{name}.html", lastmod, kind, digest=hash_of(name))


def build(ledger: Ledger, *rows: LedgerRow, decisions: tuple[Decision, ...] = ()) -> int:
    with begin(ledger) as recording:
        recording.put(rows)
        recording.decide(decisions)
        recording.finish(finished=START + timedelta(seconds=9))
        return recording.build


def listed(ledger: Ledger) -> list[str]:
    return [each.url.removeprefix(SITE) for each in ledger.pages()]


def test_what_is_put_comes_back(path: Path) -> None:
    blocks = pack((1, -5, 2**63 - 1, -(2**63)))
    given_ = LedgerRow(
        SITE + "a", "blog", "sitemap-blog-1.xml", "a.html", "2026-01-01", "page", "JSON-LD", -(2**63), 2**63 - 1, blocks
    )
    with Ledger.open(path) as ledger:
        assert ledger.last_build() is None
        assert build(ledger, given_) == 1
        found = ledger.page(SITE + "a")
    assert found is not None
    assert found == msgspec.structs.replace(given_, first_seen=1, changed=1, id=1)
    assert found.evidence == Evidence(EvidenceKind.PAGE, "2026-01-01", "JSON-LD")
    assert unpack(found.blocks or b"") == (1, -5, 2**63 - 1, -(2**63))


def test_pages_come_by_section_file_and_address(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(
            ledger,
            row("c", section="b", shard="2"),
            row("z", section="a", shard="2"),
            row("b", section="b", shard="2"),
            row("d", section="b", shard="1"),
            row("y", section="a", shard="1"),
        )
        assert listed(ledger) == ["y", "z", "d", "b", "c"]
        assert [each.url for each in ledger.pages("2")] == [SITE + "z", SITE + "b", SITE + "c"]


def test_a_second_build_updates_keeps_and_misses(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("kept", "2026-01-01"), row("changed", "2026-01-01"), row("gone"))
        with begin(ledger) as recording:
            known = recording.known([SITE + "kept", SITE + "changed", SITE + "new"])
            assert sorted(known) == [SITE + "changed", SITE + "kept"]
            assert known[SITE + "kept"].says_the_same(row("kept", "2026-01-01"))
            assert not known[SITE + "changed"].says_the_same(row("changed", "2026-02-01"))
            recording.keep([known[SITE + "kept"].id])
            recording.put([row("changed", "2026-02-01"), row("new")])
            assert [each.url for each in recording.missing()] == [SITE + "gone"]
            recording.finish(finished=START)
        assert listed(ledger) == ["changed", "kept", "new"]
        about = {name: ledger.page(SITE + name) for name in ("kept", "changed", "new", "gone")}
        assert {name: (each.first_seen, each.changed, each.gone) for name, each in about.items() if each} == {
            "kept": (1, 1, None),
            "changed": (1, 2, None),
            "new": (2, 2, None),
            "gone": (1, 1, 2),
        }
        assert [each.counts for each in ledger.builds()] == [{"listed": 3}, {"listed": 3}]


def test_a_page_that_returns_is_recognised(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("a", "2026-01-01"), row("b"))
        build(ledger, row("b"))
        with begin(ledger) as recording:
            known = recording.known([SITE + "a"])[SITE + "a"]
            assert (known.lastmod, known.gone) == ("2026-01-01", 2)
            recording.put([known])
            recording.finish(finished=START)
        returned = ledger.page(SITE + "a")
        assert returned is not None
        assert (returned.first_seen, returned.gone) == (1, None)
        assert listed(ledger) == ["a"]


def test_what_is_gone_is_forgotten_in_the_end(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("a"), row("b"))
        for _ in range(REMEMBERED_BUILDS):
            build(ledger, row("b"))
            assert ledger.page(SITE + "a") is not None
        build(ledger, row("b"))
        assert ledger.page(SITE + "a") is None
        assert ledger.page(SITE + "b") is not None


@pytest.mark.parametrize("builds_before", [0, 1])
def test_of_two_with_one_address_the_last_counts(path: Path, builds_before: int) -> None:
    with Ledger.open(path) as ledger:
        for _ in range(builds_before):
            build(ledger, row("a"), row("b"))
        build(ledger, row("a", "2026-01-01"), row("b"), row("a", "2026-02-01"))
        assert [(each.url, each.lastmod) for each in ledger.pages()] == [
            (SITE + "a", "2026-02-01"),
            (SITE + "b", None),
        ]
        assert next(ledger.builds()).counts == {"listed": 2}


# all or nothing


def test_leaving_without_finish_records_nothing(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("a"), decisions=(Decision(SITE + "x", PolicyReason.NOINDEX),))
        with begin(ledger) as recording:
            recording.put([row("b")])
            recording.decide([Decision(SITE + "y", PolicyReason.NOINDEX)])
            recording.set_shards([ShardRow("sitemap.xml", "all", 1, 1, "0")])
        with pytest.raises(ZeroDivisionError), begin(ledger) as recording:
            recording.put(row(str(1 // number)) for number in (1, 0))
        assert listed(ledger) == ["a"]
        assert [each.loc for each in ledger.decisions()] == [SITE + "x"]
        assert ledger.shards() == []
        assert build(ledger, row("a")) == 2


def test_after_finish_nothing_more_is_taken(path: Path) -> None:
    with Ledger.open(path) as ledger, begin(ledger) as recording:
        recording.finish(finished=START)
        with pytest.raises(StateError, match="no build is being recorded"):
            recording.put([row("a")])


def test_a_reader_sees_the_build_before(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("a"))
        with Ledger.open_to_read(path) as reader, begin(ledger) as recording:
            recording.put([row("b")])
            assert listed(reader) == ["a"]
            stream = reader.pages()
            first = next(stream)
            recording.finish(finished=START)
            assert [first, *stream] == [msgspec.structs.replace(row("a"), first_seen=1, changed=1, id=1)]
            assert listed(reader) == ["b"]


def test_a_second_builder_is_told(path: Path) -> None:
    with Ledger.open(path) as one, Ledger.open(path) as two:
        with begin(one) as recording:
            recording.put([row("a")])
            with pytest.raises(StateBusy, match="another build with this state is running"), begin(two):
                pytest.fail("two at once")
            recording.finish(finished=START)
        assert build(two, row("b")) == 2


# what belongs to a build


def test_builds_files_and_counts(path: Path) -> None:
    left_out = (
        Decision(SITE + "x", PolicyReason.NOINDEX, "meta robots", "x.html"),
        Decision(SITE + "y", PolicyReason.NOINDEX),
        Decision(SITE + "z", PolicyReason.FACET, "?color="),
        Decision(SITE + "a", PolicyReason.LISTED),
    )
    shard = ShardRow("sitemap.xml", "all", 1, 200, "ab" * 32, "2026-01-01")
    with Ledger.open(path) as ledger:
        with begin(ledger) as recording:
            recording.put([row("a")])
            recording.decide(left_out)
            recording.set_shards([shard, ShardRow("sitemap-2.xml", "a", 0, 0, "")])
            recording.set_shards([shard])
            recording.finish(finished=START + timedelta(seconds=9))
        last = ledger.last_build()
        assert last is not None
        assert (last.started, last.finished) == ("2026-03-10T12:00:00Z", "2026-03-10T12:00:09Z")
        assert (last.base_url, last.host) == (SITE, "example.com")
        assert last.counts == {"listed": 1, "facet": 1, "noindex": 2}
        assert ledger.shards() == [shard]
        assert list(ledger.decisions()) == list(left_out[:3])
        build(ledger, row("a"))
        assert list(ledger.decisions()) == []


def test_explanations(path: Path) -> None:
    shard = ShardRow("sitemap.xml", "all", 1, 200, "ab" * 32)
    with Ledger.open(path) as ledger:
        assert ledger.explain(SITE) is None
        build(ledger, row("a", "2026-01-01"), row("was"))
        duplicate = Decision(SITE + "a", PolicyReason.DUPLICATE, SITE + "a", "b.html")
        hidden = Decision(SITE + "was", PolicyReason.NOINDEX, "meta robots", "was.html")
        with begin(ledger) as recording:
            recording.put([row("a", "2026-01-01")])
            recording.decide([duplicate, hidden])
            recording.set_shards([shard])
            recording.finish(finished=START)
    with Ledger.open_to_read(path) as reader:
        inside, outside = reader.explain(SITE + "a"), reader.explain(SITE + "was")
        assert reader.explain(SITE + "never") is None
    assert inside is not None
    assert outside is not None
    assert inside.listed
    assert inside.decisions == (Decision(SITE + "a", PolicyReason.LISTED, "", "a.html"), duplicate)
    assert (inside.shard, inside.build.id) == (shard, 2)
    assert inside.page is not None
    assert inside.page.evidence == Evidence(EvidenceKind.GIVEN, "2026-01-01")
    assert not outside.listed
    assert outside.decisions == (hidden,)
    assert outside.page is not None
    assert (outside.page.gone, outside.shard) == (2, None)


def test_boilerplate_is_remembered_and_brought_up_to_date(path: Path) -> None:
    def counter(*pages: tuple[int, ...]) -> BlockCounter:
        made = BlockCounter()
        for page in pages:
            made.add(page)
        return made

    with Ledger.open(path) as ledger:
        for counts in (counter(*[(1, -2)] * 10, *[(3,)] * 2), counter(*[(1,)] * 10, *[(-2,)] * 2)):
            with begin(ledger) as recording:
                recording.count_blocks(counts)
                recording.finish(finished=START)
            seen = ledger.boilerplate()
        assert seen == {1}, "-2 stands on two pages of twelve by now"
        assert ledger.boilerplate(share=0.1, minimum_pages=2) == {1, -2, 3}


# the file


def test_a_foreign_database_is_refused_untouched(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE pages (x)")
    before = path.read_bytes()
    for opening in (Ledger.open, Ledger.open_to_read):
        with pytest.raises(StateError, match="not a urlset database"):
            opening(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_untouched(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StateError, match=r"damaged .*move it to start over"):
        Ledger.open(path)
    assert path.read_bytes() == b"no database" * 1000


def test_reading_where_nothing_was_built(path: Path) -> None:
    with pytest.raises(StateError, match="nothing has been built here"):
        Ledger.open_to_read(path)
    assert not path.parent.exists()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="cannot be created"):
        Ledger.open(tmp_path / "file" / "ledger.db")


def test_a_closed_ledger_is_one_file(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("a"))
    assert [each.name for each in path.parent.iterdir()] == ["ledger.db"]


def test_a_full_disk_is_told_and_loses_nothing(path: Path) -> None:
    with Ledger.open(path) as ledger:
        build(ledger, row("a"))
        ledger._db.execute("PRAGMA max_page_count = 20")
        with pytest.raises(StateError, match=r"full; what was recorded before is unchanged"):
            build(ledger, *(row(str(number)) for number in range(10_000)))
        assert listed(ledger) == ["a"]


# any history


@given(st.lists(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["1", "2", None]))), max_size=6))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_history_leaves_what_the_last_build_said(
    tmp_path_factory: pytest.TempPathFactory, history: list[list[tuple[int, str | None]]]
) -> None:
    first_seen: dict[str, int] = {}
    with Ledger.open(tmp_path_factory.mktemp("ledger") / "ledger.db") as ledger:
        for number, pages in enumerate(history, 1):
            rows = {each.url: each for each in (row(str(name), lastmod) for name, lastmod in pages)}
            before = {each.url for each in ledger.pages()}
            with begin(ledger) as recording:
                known = recording.known(list(rows))
                same = {url for url, each in known.items() if each.gone is None and each.says_the_same(rows[url])}
                recording.keep(known[url].id for url in same)
                recording.put(each for url, each in rows.items() if url not in same)
                assert {each.url for each in recording.missing()} == before - set(rows)
                recording.finish(finished=START)
            for url in rows:
                first_seen.setdefault(url, number)
            found = {each.url: each for each in ledger.pages()}
            assert found.keys() == rows.keys()
            assert all(each.says_the_same(rows[url]) for url, each in found.items())
            assert {url: each.first_seen for url, each in found.items()} == {url: first_seen[url] for url in rows}
            assert next(ledger.builds()).counts == {"listed": len(rows)}
