"""Secrets come from the environment, a file or a command, and show up nowhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from urlset.submitting.engine import Secret, SecretError, find_secret, need_secret


def test_a_secret_never_prints_its_text() -> None:
    secret = Secret("hunter2-hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {[secret]}"
    assert secret.reveal() == "hunter2-hunter2"


def test_the_variable_wins_over_the_file_and_the_command(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(" from-file \n", encoding="utf-8")
    everything = {
        "KEY": "from-variable",
        "KEY_FILE": str(tmp_path / "key"),
        "KEY_COMMAND": f"{sys.executable} -c \"print('from-command')\"",
    }
    found = []
    for name in ("KEY", "KEY_FILE", "KEY_COMMAND"):
        found.append(need_secret("KEY", "key", everything).reveal())
        del everything[name]
    assert found == ["from-variable", "from-file", "from-command"]
    assert find_secret("KEY", everything) is None


@pytest.mark.parametrize(
    "environment",
    [
        {"KEY_FILE": "/nowhere/key"},
        {"KEY_COMMAND": "/nowhere/command"},
        {"KEY_COMMAND": f"{sys.executable} -c 'raise SystemExit(3)'"},
        {"KEY_COMMAND": f"{sys.executable} -c pass"},
        {},
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_variable(environment: dict[str, str]) -> None:
    with pytest.raises(SecretError, match="KEY"):
        need_secret("KEY", "key", environment)
