"""What a generator hears when its sitemaps cannot be built: one sentence, whatever was the cause."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from urlset.integrations.generators import SiteBuildError, build_site
from urlset.workflows.build.result import LEDGER


def damaged(ledger: Path) -> None:
    ledger.write_bytes(b"no database" * 1_000)


def other(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger)) as database:
        database.execute("CREATE TABLE precious (value)")


@pytest.mark.parametrize(("spoil", "message"), [(damaged, "damaged"), (other, "not a urlset database")])
def test_state_that_cannot_be_used(tmp_path: Path, spoil: Callable[[Path], None], message: str) -> None:
    site, state = tmp_path / "site", tmp_path / "state"
    site.mkdir()
    state.mkdir()
    (site / "index.html").write_text("<title>Home</title><p>Welcome.")
    spoil(state / LEDGER)
    with pytest.raises(SiteBuildError, match=f"could not build the sitemap: .*{message}"):
        build_site(site, "https://example.com/", tmp_path, {"index.html": None}, logging.getLogger(), state=state)
    assert not (site / "sitemap.xml").exists()
