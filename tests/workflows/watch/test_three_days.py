"""Three simulated days with forty planted events and ten kills: each is reported once, and nothing else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.watch.simulated import Story
from tests.workflows.watch.simulation import KILLS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.network,
    pytest.mark.skipif(os.environ.get("URLSET_SCANNER") == "python", reason="the same with any scanner"),
]


def test_each_event_is_reported_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.workflows.watch.simulation", str(tmp_path), "1"]
    path = os.pathsep.join(each or str(Path.cwd()) for each in sys.path)
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert len(Story.of(1).events) == 40
    assert sum(found["killed"].values()) == KILLS
    assert found["received"] == found["expected"]
