"""`import urlset` → exactly the names promised in public_names.txt, each of them really there."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import urlset
from urlset.version import __version__

LISTED = (Path(__file__).parent / "public_names.txt").read_text(encoding="utf-8").split()


def test_the_list_is_sorted_and_has_no_doubles() -> None:
    assert sorted(set(LISTED)) == LISTED


def test_all_is_the_list() -> None:
    assert sorted(urlset.__all__) == LISTED


def test_every_promised_name_is_there() -> None:
    assert [name for name in LISTED if not hasattr(urlset, name)] == []


def test_nothing_else_looks_public() -> None:
    # rooms (urlset.model …) turn up as attributes once something imports them; they are not promises
    seen = {
        name for name in dir(urlset) if not name.startswith("_") and not isinstance(getattr(urlset, name), ModuleType)
    }
    assert seen == {name for name in LISTED if not name.startswith("_")}


def test_the_version_has_one_source() -> None:
    assert urlset.__version__ == __version__
