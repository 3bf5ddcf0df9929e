"""A site over some days, dated in three ways: `build` with its ledger, `build --lock` without any, `dates`."""

from __future__ import annotations

import random
import shutil
from datetime import datetime
from pathlib import Path

import pytest

import urlset
from tests.workflows.dates.built_site import BASE, BuiltSite, day, sitemap_dates
from urlset.building.lock import read_lock


class ThreeWays:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = BuiltSite(folder, {name: f"All about {name}, in a sentence." for name in "abcdefghij"})
        self.lock = folder / "build.lock"

    def build(self, name: str, now: datetime, *, is_locked: bool) -> dict[str, str | None]:
        out = self.folder / name
        state = self.folder / f"{name}-state"
        if is_locked:
            shutil.rmtree(out, ignore_errors=True)
            shutil.rmtree(state, ignore_errors=True)
        lock = self.lock if is_locked else None
        urlset.build(
            sources=[str(self.site.public)],
            out=out,
            base_url=f"{BASE}/",
            state=state,
            lock=lock,
            now=now,
            force=["shrink"],
        )
        return sitemap_dates(out / "sitemap.xml")

    def compare(self, number: int) -> dict[str, str | None]:
        self.site.write()
        by_ledger = self.build("ledger", day(number), is_locked=False)
        by_lock = self.build("locked", day(number), is_locked=True)
        self.site.date(day(number), allow_shrink=True)
        assert by_ledger == by_lock == self.site.dates()
        assert read_lock(self.lock).pages == read_lock(self.site.lock).pages
        return by_ledger


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_same_dates(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    ways = ThreeWays(tmp_path)
    site = ways.site
    known = ways.compare(1)
    assert set(known.values()) == {None}
    for number in range(2, 8):
        edited = chance.sample(sorted(site.texts), chance.randint(0, 3))
        for name in edited:
            site.texts[name] = f"On day {number}, {name} has another sentence."
        if chance.random() < 0.5:
            site.footer = f"© {2026 + number}"
        if chance.random() < 0.5:
            site.texts[f"new{number}"] = f"Page {number} is new, as all can see."
        if chance.random() < 0.3:
            gone = chance.choice(sorted(site.texts))
            del site.texts[gone]
            known.pop(f"/{gone}/", None)
        known = {path: date for path, date in known.items() if path.strip("/") in site.texts}
        known |= {f"/{name}/": f"2026-03-{number:02}" for name in edited if f"/{name}/" in known}
        known |= {f"/{name}/": None for name in site.texts if f"/{name}/" not in known}
        assert ways.compare(number) == known
