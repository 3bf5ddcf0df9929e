"""Bombs, floods and endless answers → memory that stays within a few times the cap."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.misbehave import BEHAVIOURS, bad_site
from urlset.testing.site import Site

ALLOWED = 24 << 20
"""the cap is 2 MB; the body, its pieces, the buffers of the library and the next size of the heap fit into this"""
ASKING = Path(__file__).with_name("memory_of_one_answer.py")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with bad_site() as site:
        yield site


HEAVY = [name for name, each in BEHAVIOURS.items() if each.heavy]


@pytest.mark.parametrize("name", HEAVY)
def test_memory_stays_bounded(name: str, site: Site) -> None:
    command = [sys.executable, str(ASKING), site.url("/fine"), site.url(BEHAVIOURS[name].at)]
    grown = int(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert grown < ALLOWED, f"{grown >> 20} MB"
