"""Settings: the nearer source wins, unknown keys are told with what was meant, origins are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from urlset.findings.card import Severity
from urlset.settings.convert import SettingsError
from urlset.settings.groups import SharedSettings
from urlset.settings.load import Loaded
from urlset.settings.load import load as load_settings
from urlset.settings.sources import find_file
from urlset.spec.engines import DEFAULT_ENGINES, Engine


def load(flags: dict[str, Any] | None = None, **more: Any) -> Loaded[SharedSettings]:
    return load_settings(SharedSettings, flags, **more)


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
        ('fail-on = "warn"', "'warn' is not one of error, warning, info"),
        ('engines = ["gogle"]', "'gogle' is not one of protocol, google"),
        ("jobs = -1", "jobs"),
        ("profile = 3", "profile"),
        ("profiles = 3", "profiles: expected a table"),
        ("[profiles]\nmine = 3", "profiles.mine: expected a table"),
        ('base-url = "example"', "base-url: 'example' is not a URL like https://www.example.com/"),
        ('[severity]\nL999 = "error"', "'L999'"),
        ('[severity]\nspace-in-lok = "error"', "did you mean 'space-in-loc'?"),
    ],
)
def test_a_bad_file_is_explained(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "urlset.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"urlset\.toml") as raised:
        load(start=tmp_path, environment={})
    assert said in str(raised.value)


def test_a_profile_that_is_asked_for_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "urlset.toml").write_text('fail-on = "error"\njobs = 2\n[profiles.mine]\nfail-on = "info"\n')
    for asked in (
        load(profile="mine", start=tmp_path, environment={}),
        load(start=tmp_path, environment={"URLSET_PROFILE": "mine"}),
    ):
        assert (asked.settings.fail_on, asked.settings.jobs) == (Severity.INFO, 2)
        assert asked.origin("fail-on") == "profile mine"
    over = load({"fail_on": "warning"}, profile="mine", start=tmp_path, environment={})
    assert over.settings.fail_on is Severity.WARNING


def test_a_profile_that_the_file_names_is_what_it_builds_on(tmp_path: Path) -> None:
    (tmp_path / "urlset.toml").write_text('profile = "strict"\nfail-on = "error"\n')
    settings = load(start=tmp_path, environment={}).settings
    assert (settings.fail_on, settings.show) == (Severity.ERROR, Severity.INFO)


def test_a_pyproject_with_something_else_in_our_place_is_explained(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[[tool.urlset]]\njobs = 1\n")
    with pytest.raises(SettingsError, match=r"tool\.urlset: expected a table"):
        load(start=tmp_path, environment={})


@pytest.mark.parametrize("table", ["", "[profiles.mine]\n"])
def test_paths_in_a_file_start_at_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    away = (tmp_path / "elsewhere" / "robots.txt").as_posix()
    (tmp_path / "urlset.toml").write_text(f'{table}root = "public/"\nbaseline = "known.json"\nrobots = "{away}"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    for folder, root in ((tmp_path, "public"), (below, "../../public")):
        monkeypatch.chdir(folder)
        settings = load(profile="mine" if table else None, environment={}).settings
        assert settings.root is not None
        assert Path(settings.root).as_posix() == root
        assert Path(settings.baseline or "").resolve() == tmp_path.resolve() / "known.json"
        assert Path(settings.robots or "").resolve() == Path(away).resolve()


def test_paths_from_elsewhere_stay_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "urlset.toml").write_text('root = "public"\n')
    (tmp_path / "a" / "out").mkdir(parents=True)
    (tmp_path / "a" / "r.txt").touch()
    monkeypatch.chdir(tmp_path / "a")
    assert load({"root": "out"}, environment={"URLSET_ROBOTS": "r.txt"}).settings.root == Path("out")
    assert load(environment={"URLSET_ROBOTS": "r.txt"}).settings.robots == Path("r.txt")


def test_severities_may_be_given_by_family_and_name(tmp_path: Path) -> None:
    (tmp_path / "urlset.toml").write_text('[severity]\nQ = "info"\nspace-in-loc = "warning"\n')
    assert load(start=tmp_path, environment={}).settings.severity == {
        "Q": Severity.INFO,
        "space-in-loc": Severity.WARNING,
    }


def test_an_unknown_profile_is_explained(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean 'strict'"):
        load(profile="strikt", start=tmp_path, environment={})


def test_an_unknown_variable_is_explained(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean 'URLSET_ENGINES'"):
        load(start=tmp_path, environment={"URLSET_ENGINE": "google"})
