"""A stage for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.engines import FakeEngines
from tests.workflows.submit.engine_sites import Stage
from urlset.testing import Site


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with FakeEngines() as engines, Site({}) as site:
        yield Stage(engines, site, tmp_path)
