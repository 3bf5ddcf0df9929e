"""Any entries → a set that obeys every limit, reads back equal, loses nothing unreported and lists nothing twice."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import strategies
from urlset.building import shards
from urlset.building.candidate import PolicyReason
from urlset.building.guard import Guard
from urlset.building.policy import NEVER_KEPT
from urlset.building.sources.iterable import from_iterable
from urlset.building.sources.source import SourceOptions, items_of
from urlset.model.address import Address
from urlset.model.entry import NOTHING, Entry
from urlset.reading.read import read
from urlset.reading.tree import read_tree
from urlset.settings.build import BuildSettings
from urlset.spec.protocol import LOC_LENGTH_BELOW, MAX_BYTES, MAX_URLS
from urlset.workflows.build.build import build
from urlset.workflows.build.result import BuildReport, BuildRun

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BASE = "https://example.com/"
EVERYTHING = tuple(frozenset(PolicyReason) - NEVER_KEPT)
FORCED = tuple(guard.value for guard in Guard)


def paths() -> st.SearchStrategy[str]:
    return st.from_regex(r"[a-z0-9/_.~-]{0,12}(\?[a-z]{1,6}=[0-9a-z&'é%]{0,6})?", fullmatch=True)


def entries() -> st.SearchStrategy[Entry]:
    """On one host, so that most of them are listed; and any others."""
    plain = st.builds(lambda path, lastmod: Entry(BASE + path, lastmod), paths(), st.none() | strategies.dates())
    rich = st.builds(lambda path, media: Entry(BASE + path, media=media), paths(), strategies.media(trimmed=True))
    return st.one_of(plain, rich, strategies.entries(trimmed=True))


def built(offers: list[Entry], out: Path, state: Path | None, **more: object) -> BuildReport:
    options = BuildSettings(base_url=BASE, out=out, state=state, keep=EVERYTHING, force=FORCED, now=NOW, **more)  # type: ignore[arg-type]
    return build(options, BuildRun(offers=offers))


def read_back(out: Path) -> list[Entry]:
    tree = read_tree(out / "sitemap.xml")
    found = []
    for document in tree:
        assert document.troubles == ()
        found += list(document.entries())
    assert not tree.missing
    return found


def expected(offers: list[Entry]) -> dict[str, Entry]:
    """The first entry of each page that a set for this host can list."""
    wanted: dict[str, Entry] = {}
    for item in items_of(from_iterable(offers, SourceOptions(base_url=BASE))):
        entry = getattr(item, "entry", None)
        if entry is None:
            continue
        address = Address.parse(entry.loc)
        legal = address.illegal is None and address.whatwg is not None and len(address.raw) < LOC_LENGTH_BELOW
        if legal and address.userinfo is None and address.origin == Address.parse(BASE).origin:
            wanted.setdefault(address.key, entry)
    wanted.pop(Address.parse(f"{BASE}sitemap.xml").key, None)
    return wanted


def check_limits(out: Path) -> None:
    for path in out.glob("sitemap*"):
        document = read(path)
        assert len(document) <= MAX_URLS
        assert len(document.data) <= MAX_BYTES


@settings(max_examples=60)
@given(offers=st.lists(entries(), max_size=25), sections=st.sampled_from(["none", "path"]), gzip=st.booleans())
def test_nothing_is_lost_or_listed_twice(offers: list[Entry], sections: str, gzip: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out, state = Path(folder) / "out", Path(folder) / "state"
        report = built(offers, out, state, sections_by=sections, gzip=gzip)
        assert report.published
        found = read_back(out)
        wanted = expected(offers)
        keys = [entry.address.key for entry in found]
        assert len(keys) == len(set(keys))
        assert set(keys) == set(wanted)
        assert report.trouble_count == len(report.troubles)
        corrected = {trouble.origin for trouble in report.troubles}
        for entry in found:
            if entry.loc not in corrected:
                _same(entry, wanted[entry.address.key])
        check_limits(out)
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        again = built(offers, out, state, sections_by=sections, gzip=gzip)
        assert again.changes.touched == ()
        assert {path.name: path.read_bytes() for path in out.iterdir()} == files


def _same(found: Entry, wanted: Entry) -> None:
    """All as it was offered, save what a build decides: dates to be believed, translations, what is still news."""
    assert (found.loc, found.changefreq, found.priority) == (wanted.loc, wanted.changefreq, wanted.priority)
    assert found.lastmod in (wanted.lastmod, None)
    if wanted.media is not NOTHING:
        assert found.images == wanted.images
        assert found.videos == wanted.videos
        assert found.pagemaps == wanted.pagemaps


@pytest.mark.parametrize("compact", [False, True])
def test_small_limits_give_many_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compact: bool) -> None:
    """The real limits cannot be reached in a test that is quick; the same code obeys smaller ones."""
    limits = shards.ShardLimits(
        fill_entries=9, fill_bytes=shards.FRAME_BYTES + 900, most_entries=10, most_bytes=shards.FRAME_BYTES + 1000
    )
    monkeypatch.setattr(shards, "LIMITS", limits)
    offers = [Entry(f"{BASE}{'x' * (number % 50)}/{number}") for number in range(400)]
    built(offers, tmp_path / "out", tmp_path / "state")
    kept = [offer for number, offer in enumerate(offers) if number % 3]
    report = built(kept, tmp_path / "out", tmp_path / "state", compact=compact)
    found = read_back(tmp_path / "out")
    assert sorted(entry.loc or "" for entry in found) == sorted(entry.loc or "" for entry in kept)
    assert len(report.files) > 30
    for path in (tmp_path / "out").glob("sitemap-*"):
        assert len(read(path)) <= 10
        assert path.stat().st_size <= shards.FRAME_BYTES + 1000
