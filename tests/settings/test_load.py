"""Settings: the nearer source wins, unknown keys are told with what was meant, origins are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.findings.severity import Severity
from urlset.settings.load import SettingsError, find_file, load
from urlset.spec.engines import DEFAULT_ENGINES, Engine


def test_defaults(tmp_path: Path) -> None:
    loaded = load(start=tmp_path, environment={})
    assert loaded.settings.engines == DEFAULT_ENGINES
    assert loaded.origin("engines") == "default"


def test_the_nearer_source_wins(tmp_path: Path) -> None:
    file = tmp_path / "urlset.toml"
    file.write_text('fail-on = "warning"\nshow = "info"\njobs = 3\n[thresholds]\nstale-days = 30\n')
    environment = {"URLSET_SHOW": "error", "URLSET_JOBS": "2", "URLSET_ENGINES": "google, yandex"}
    loaded = load({"jobs": 1}, start=tmp_path, environment=environment)
    settings = loaded.settings
    assert (settings.fail_on, settings.show, settings.jobs) == (Severity.WARNING, Severity.ERROR, 1)
    assert settings.engines == (Engine.GOOGLE, Engine.YANDEX)
    assert settings.thresholds.stale_days == 30
    assert settings.thresholds.nearly_full_share == 0.9
    origins = [loaded.origin(key) for key in ("fail-on", "show", "jobs", "thresholds.stale-days", "select")]
    assert origins == [str(file), "environment", "command line", str(file), "default"]


def test_pyproject_and_parents(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.urlset]\nignore = ["Q"]\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_file(below) == tmp_path / "pyproject.toml"
    assert load(start=below, environment={}).settings.ignore == ("Q",)


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_file(tmp_path) != tmp_path / "pyproject.toml"


def test_profiles(tmp_path: Path) -> None:
    (tmp_path / "urlset.toml").write_text('[profiles.mine]\nfail-on = "info"\n')
    assert load(profile="mine", start=tmp_path, environment={}).settings.fail_on is Severity.INFO
    strict = load(profile="strict", start=tmp_path, environment={})
    assert Engine.XSD_STRICT in strict.settings.engines
    assert strict.origin("engines") == "profile strict"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('failon = "error"', "did you mean 'fail-on'?"),
        ('fail_on = "error"', "did you mean 'fail-on'?"),
        ('fail-on = "fatal"', "fail-on"),
        ("jobs = 'many'", "jobs"),
        ("[thresholds]\nstale-dayz = 3", "did you mean 'stale-days'?"),
        ('engines = ["gogle"]', "gogle"),
        ("a = = b", "not valid TOML"),
    ],
)
def test_a_bad_file_is_explained(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "urlset.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"urlset\.toml") as raised:
        load(start=tmp_path, environment={})
    assert said in str(raised.value)


def test_an_unknown_profile_is_explained(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean 'strict'"):
        load(profile="strikt", start=tmp_path, environment={})


def test_an_unknown_variable_is_explained(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean 'engines'"):
        load(start=tmp_path, environment={"URLSET_ENGINE": "google"})
