"""A check of one clean file → the calls from `main` to the first rule, and the modules of urlset that it loads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.house.test_quick_help import SITEMAP, loaded_by

MOST_CALLS = 10
"""from `main` to the first rule: command, workflow, read, engine"""
MOST_MODULES = 116
"""of urlset"""

FIRST_RULE = """
import json, sys
from pathlib import Path
import urlset.cli.main

HOME = str(Path(urlset.__file__).parent)
path = []

def trace(frame, event, argument):
    if event != "call" or path:
        return
    place = Path(frame.f_code.co_filename)
    if place.parts[len(Path(HOME).parts):][:1] != ("rules",) or frame.f_back.f_code.co_name != "judge":
        return
    while frame is not None:
        if frame.f_code.co_filename.startswith(HOME):
            path.append(f"{Path(frame.f_code.co_filename).relative_to(HOME)}:{frame.f_code.co_name}")
        frame = frame.f_back

sys.setprofile(trace)
urlset.cli.main.main(["check", "sitemap.xml"])
sys.setprofile(None)
print(json.dumps(path[::-1]), file=sys.stderr)
"""


def way_to_first_rule(folder: Path) -> list[str]:
    (folder / "sitemap.xml").write_text(SITEMAP)
    command = [sys.executable, "-c", FIRST_RULE]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    found: list[str] = json.loads(run.stderr.splitlines()[-1])
    return found


def test_the_way_to_the_first_rule_is_short(tmp_path: Path) -> None:
    path = way_to_first_rule(tmp_path)
    assert path[0] == "cli/main.py:main"
    assert path[-1].startswith("rules/")
    assert len(path) - 1 <= MOST_CALLS, path


def test_few_modules_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    loaded = loaded_by("check", "sitemap.xml", folder=tmp_path)
    ours = [name for name in loaded if name.partition(".")[0] == "urlset"]
    assert len(ours) <= MOST_MODULES, f"{len(ours)} modules"
