"""Pages get a file and keep it: through growth, deletion, sections, packing and hostile names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building.placed_pages import SizedGroup, place
from urlset.building.shards import FRAME_BYTES, FileForm, ShardLimits, ShardPlan, assign, slugs_of

SMALL = ShardLimits(fill_entries=3, fill_bytes=FRAME_BYTES + 1000, most_entries=5, most_bytes=FRAME_BYTES + 1500)

Site = dict[str, tuple[str, int]]
"""url → section, size"""


class Planned(NamedTuple):
    plan: ShardPlan
    names: list[str | None]
    """of every page, by address"""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plan, name)


def planned(site: Site, before: dict[str, str], limits: ShardLimits = SMALL, *, compact: bool = False) -> Planned:
    pages = [(*site[url], before.get(url)) for url in sorted(site)]
    return Planned(*place(pages, limits=limits, compact=compact))


def files(site: Site, plan: Planned) -> dict[str, str]:
    return {url: name for url, name in zip(sorted(site), plan.names, strict=True) if name is not None}


def flat(urls: Iterable[str], section: str = "", size: int = 10) -> Site:
    return dict.fromkeys(urls, (section, size))


# names


def test_a_small_site_is_one_file() -> None:
    plan = planned(flat("abc"), {})
    assert [(shard.name, shard.entries) for shard in plan.shards] == [("sitemap.xml", 3)]
    assert not plan.indexed


def test_no_pages_are_one_empty_file() -> None:
    plan = planned({}, {})
    assert [(shard.name, shard.entries) for shard in plan.shards] == [("sitemap.xml", 0)]


@pytest.mark.parametrize(
    ("form", "gzip", "names"),
    [
        (FileForm.XML, False, ["sitemap-pages-1.xml", "sitemap-pages-2.xml"]),
        (FileForm.XML, True, ["sitemap-pages-1.xml.gz", "sitemap-pages-2.xml.gz"]),
        (FileForm.TEXT, False, ["sitemap-pages-1.txt", "sitemap-pages-2.txt"]),
        (FileForm.TEXT, True, ["sitemap-pages-1.txt.gz", "sitemap-pages-2.txt.gz"]),
    ],
)
def test_beyond_the_limit_there_are_numbered_files(form: FileForm, gzip: bool, names: list[str]) -> None:
    plan, _ = place([("", 10, None)] * 4, limits=SMALL, form=form, gzip=gzip)
    assert [shard.name for shard in plan.shards] == names
    assert plan.indexed


def test_the_only_file_is_plain_even_when_parts_would_be_packed() -> None:
    assert [shard.name for shard in place([("", 10, None)], gzip=True)[0].shards] == ["sitemap.xml"]
    assert [shard.name for shard in place([("", 10, None)], form=FileForm.TEXT)[0].shards] == ["sitemap.txt"]


def test_one_section_is_enough_for_an_index() -> None:
    plan = planned(flat("ab", "products"), {})
    assert [(shard.name, shard.section) for shard in plan.shards] == [("sitemap-products-1.xml", "products")]
    assert plan.indexed


def test_files_are_ordered_by_section_and_number() -> None:
    site = flat([f"p{number:02}" for number in range(31)], "b") | flat(["a"], "a") | flat(["z"])
    names = [shard.name for shard in planned(site, {}).shards]
    assert names[0] == "sitemap-a-1.xml"
    assert names[1:3] == ["sitemap-b-1.xml", "sitemap-b-2.xml"]
    assert names[-2:] == ["sitemap-b-11.xml", "sitemap-pages-1.xml"]


@pytest.mark.parametrize(
    "hostile",
    [
        "../../etc/passwd",
        "/etc",
        "a/b",
        "..",
        ".",
        "a\0b",
        "C:\\x",
        "a b",
        "<script>",
        "é",
        "日本",
        "",
        "x" * 500,
        "-",
        "NUL.",
    ],
)
def test_no_section_name_leaves_the_folder(hostile: str) -> None:
    slug = slugs_of([hostile, "safe"])[hostile]
    assert 0 < len(slug) <= 80
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")
    plan = planned(flat("ab", hostile), {}, compact=True)
    assert all("/" not in shard.name and shard.name.startswith("sitemap") for shard in plan.shards)


@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(("News", "news", "NEWS", "new s", "", "pages", "section")), unique=True
    )
)
def test_sections_never_share_a_name(names: list[str]) -> None:
    slugs = slugs_of(names)
    assert len(set(slugs.values())) == len(names)
    assert slugs == slugs_of(reversed(names))


def test_a_safe_name_is_kept() -> None:
    assert slugs_of(["News", "news", "de_AT", "Über uns"]) == {
        "news": "news",
        "News": slugs_of(["News", "news"])["News"],
        "de_AT": "de_at",
        "Über uns": "uber-uns",
    }


# staying


def test_growing_out_of_one_file_moves_nobody() -> None:
    site = flat("abc")
    before = files(site, planned(site, {}))
    plan = planned(site | flat("_d"), before)
    after = files(site | flat("_d"), plan)
    assert [after[url] for url in "abc"] == ["sitemap-pages-1.xml"] * 3
    assert after["_"] == after["d"] == "sitemap-pages-2.xml"
    assert plan.indexed
    assert plan.moved == 0


def test_packing_changes_names_and_moves_nobody() -> None:
    before = {"a": "sitemap-pages-2.xml", "b": "sitemap-pages-1.xml", "c": "sitemap-pages-2.xml"}
    _, names = place([(*flat("abc")[url], before[url]) for url in "abc"], limits=SMALL, gzip=True)
    assert names == ["sitemap-pages-2.xml.gz", "sitemap-pages-1.xml.gz", "sitemap-pages-2.xml.gz"]


def test_holes_are_filled_before_a_new_file_is_opened() -> None:
    site = flat("abcdef")
    before = files(site, planned(site, {}))
    del site["b"]
    site |= flat("xy")
    after = files(site, planned(site, before))
    assert after["x"] == before["b"] == "sitemap-pages-1.xml"
    assert after["y"] == "sitemap-pages-3.xml"
    assert all(after[url] == before[url] for url in "acdef")


def test_an_emptied_file_is_gone_and_its_number_is_used_again() -> None:
    site = flat("abcdefghi")
    before = files(site, planned(site, {}))
    for url in "def":
        del site[url]
    plan = planned(site, before)
    assert [shard.name for shard in plan.shards] == ["sitemap-pages-1.xml", "sitemap-pages-3.xml"]
    before = files(site, plan)
    site |= flat("x")
    assert files(site, planned(site, before))["x"] == "sitemap-pages-2.xml"


def test_shrinking_keeps_the_index_until_asked_to_compact() -> None:
    site = flat("abcd")
    before = files(site, planned(site, {}))
    del site["a"], site["b"]
    assert planned(site, before).indexed
    compact = planned(site, before, compact=True)
    assert [shard.name for shard in compact.shards] == ["sitemap.xml"]
    assert not compact.indexed


def test_compacting_closes_holes() -> None:
    site = flat("abcdefghi")
    before = files(site, planned(site, {}))
    for url in "beh":
        del site[url]
    assert len(planned(site, before).shards) == 3
    plan = planned(site, before, compact=True)
    assert [shard.entries for shard in plan.shards] == [3, 3]
    assert plan.moved > 0


def test_a_page_moves_with_its_section() -> None:
    site = flat("ab", "old") | flat("c", "new")
    before = files(site, planned(site, {}))
    site["a"] = ("new", 10)
    assert files(site, planned(site, before)) == {
        "a": "sitemap-new-1.xml",
        "b": "sitemap-old-1.xml",
        "c": "sitemap-new-1.xml",
    }


def test_entries_that_grow_use_the_headroom_first() -> None:
    site = flat("abc", size=300)
    before = files(site, planned(site, {}))
    grown = flat("abc", size=500)
    assert files(grown, planned(grown, before)) == before
    burst = flat("abc", size=700)
    after = files(burst, planned(burst, before))
    assert after == {"a": "sitemap-pages-1.xml", "b": "sitemap-pages-1.xml", "c": "sitemap-pages-2.xml"}


def test_an_entry_no_file_can_hold_is_said_and_stops_nobody() -> None:
    _, names = place([("", 10, None), ("", 10_000, None), ("", 10, None)], limits=SMALL)
    assert names == ["sitemap.xml", None, "sitemap.xml"]


def test_a_former_name_from_elsewhere_means_nothing() -> None:
    for name in ("wp-sitemap-1.xml", "../sitemap-pages-1.xml", "sitemap-pages-0.xml", "sitemap-pages-1.xml.bz2", ""):
        assert [shard.name for shard in place([("", 10, name)], limits=SMALL)[0].shards] == ["sitemap.xml"]


# properties

SITES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3),
    st.tuples(st.sampled_from(("", "x", "X", "../x")), st.integers(1, 1400)),
    max_size=25,
)


def obeys(site: Site, plan: Planned, limits: ShardLimits) -> None:
    counted: dict[str, list[int]] = {}
    for url, name in files(site, plan).items():
        counted.setdefault(name, []).append(site[url][1])
    assert {name: len(sizes) for name, sizes in counted.items()} == {
        shard.name: shard.entries for shard in plan.shards if shard.entries
    }
    for shard in plan.shards:
        sizes = counted.get(shard.name, [])
        assert shard.size == FRAME_BYTES + sum(sizes) <= limits.most_bytes
        assert len(sizes) <= limits.most_entries
    assert len({shard.name for shard in plan.shards}) == len(plan.shards)
    assert sum(map(len, counted.values())) == len(site)


@given(st.lists(SITES, min_size=1, max_size=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_every_plan_obeys_the_limits_and_loses_nothing(sites: list[Site], compact: list[bool]) -> None:
    before: dict[str, str] = {}
    for site, fresh in zip(sites, compact, strict=False):
        plan = planned(site, before, compact=fresh)
        obeys(site, plan, SMALL)
        before = files(site, plan)
        for shard in plan.shards:
            sections = {site[url][0] for url, name in before.items() if name == shard.name}
            assert sections <= {shard.section}


@given(SITES, SITES, st.sets(st.text("abcdefgh", min_size=1, max_size=3)))
def test_adding_and_removing_pages_moves_no_other(site: Site, more: Site, gone: set[str]) -> None:
    before = files(site, planned(site, {}))
    later = {url: page for url, page in (more | site).items() if url not in gone}
    after = files(later, planned(later, before))
    stayed = set(before) & set(later)
    if all(name == "sitemap.xml" for name in before.values()) and set(after.values()) - {"sitemap.xml"}:
        # out of one file: the pages stay together, and the file gets a number
        assert len({after[url] for url in stayed if later[url][0] == ""}) <= 1
    else:
        assert {url: after[url] for url in stayed} == {url: before[url] for url in stayed}


@given(SITES)
def test_planning_again_changes_nothing(site: Site) -> None:
    first = planned(site, {})
    again = planned(site, files(site, first))
    assert (again.plan.shards, again.names) == (first.plan.shards, first.names)
    assert again.moved == 0


# size


def test_a_million_pages_are_placed_by_runs() -> None:
    groups = [SizedGroup("", None), SizedGroup("", "sitemap-pages-2.xml", kept=44_000, kept_bytes=4_400_000)]
    groups[0].sizes = [100] * 1_000_000
    plan = assign(groups)
    assert [shard.entries for shard in plan.shards] == [45_000] * 23 + [9_000]
    assert len(plan.runs) < 100
    assert plan.homes == {1: 1}
    assert plan.moved == 0


def test_pages_that_are_kept_and_do_not_fit_are_placed_one_by_one() -> None:
    groups = [SizedGroup("", "sitemap-pages-1.xml", kept=8, kept_bytes=80)]
    plan = assign(groups, limits=SMALL)
    assert [shard.entries for shard in plan.shards] == [5, 3]
    assert (plan.homes, plan.moved) == ({}, 3)
