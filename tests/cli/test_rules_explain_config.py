"""`urlset explain rules`, `explain` and `config` → tables and pages about rules and settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.rules.catalogue import all_rules, find
from urlset.spec.citations import CITATIONS
from urlset.spec.engines import DEFAULT_ENGINES
from urlset.version import __version__


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("URLSET_FAIL_ON", "URLSET_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def codes(*arguments: str) -> list[str]:
    return [line.split()[0] for line in run("explain", "rules", *arguments).lines]


def test_the_table_lists_every_rule_that_runs() -> None:
    ran = run("explain", "rules")
    wanted = [rule for rule in all_rules() if rule.card.severity_for(DEFAULT_ENGINES) is not None]
    assert codes() == [rule.code for rule in wanted]
    assert ran.code == 0
    assert f"{len(wanted)} rules for protocol, google, bing" in ran.err
    (line,) = [line for line in ran.lines if line.startswith("L013")]
    assert line.split()[:4] == ["L013", "warning", "fragment-in-loc", "fix"]
    assert line.endswith("A page URL has a `#fragment`.")


def test_the_table_is_narrowed() -> None:
    assert {code[0] for code in codes("--select", "L,D")} == {"L", "D"}
    assert "L013" not in codes("--ignore", "L013")
    assert codes("fragment") == ["A018", "L013"]
    assert codes("page", "FRAGMENT") == ["L013"]
    assert codes("--engine", "baidu", "--select", "L036") == ["L036"]
    errors = codes("--level", "error")
    assert "L012" in errors
    assert "L013" not in errors
    fixable = codes("--fixable")
    assert "L013" in fixable
    assert "L015" not in fixable


def test_no_rule_left_is_an_exit_code() -> None:
    ran = run("explain", "rules", "no such words")
    assert (ran.code, ran.err) == (3, "urlset: no rule matches; `urlset explain rules` lists all rules\n")
    assert "1 rule for protocol" in run("explain", "rules", "--select", "L013").err
    ran = run("explain", "rules", "--select", "fragment-in-lok")
    assert (ran.code, "did you mean 'fragment-in-loc'?" in ran.err) == (2, True)


def test_the_table_for_programs() -> None:
    table = json.loads(run("explain", "rules", "--select", "L013", "--format", "json").text)
    assert (table["schema"], table["urlset"], table["command"]) == (1, __version__, "rules")
    (card,) = table["rules"]
    assert (card["code"], card["name"], card["fixable"]) == ("L013", "fragment-in-loc", True)
    assert card["severities"]["google"] == "warning"


@pytest.mark.parametrize("name", ["L013", "l013", "fragment-in-loc"])
def test_a_rule_is_explained(name: str) -> None:
    ran = run("explain", name)
    assert (ran.code, ran.lines[0]) == (0, "L013 fragment-in-loc")
    for words in (
        "A page URL has a `#fragment`.",
        "  warning for protocol, google",
        "Wrong",
        "Right",
        "Fixed",
        "Sources",
    ):
        assert words in ran.text
    assert "  <loc>https://example.com/guide«#setup»</loc>" in ran.lines


def test_every_rule_can_be_explained() -> None:
    for rule in all_rules():
        ran = run("explain", rule.code)
        assert (ran.code, ran.lines[0]) == (0, f"{rule.code} {rule.name}")
        assert rule.card.summary in " ".join(ran.text.split())
        assert all(character.isprintable() for line in ran.lines for character in line)


def test_every_source_is_an_address_that_can_be_followed() -> None:
    """A break at a hyphen would cut it in two."""
    urls = {citation.url for rule in all_rules() for key in rule.card.cites if (citation := CITATIONS[key]).url}
    text = run("explain", *(rule.code for rule in all_rules())).text
    assert [url for url in urls if url not in text] == []


def test_explanations_fit_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    words = run("explain", "L013").text.partition("Wrong")[0].splitlines()
    assert max(map(len, words)) <= 60


def test_meanings_of_settings_stand_in_a_column_whatever_their_origin(home: Path) -> None:
    (home / "urlset.toml").write_text('fail-on = "warning"\n')
    lines = run("config").lines
    meanings = ("Search engines to check for", "Minimum severity that fails the run")
    assert len({line.index(meaning) for meaning in meanings for line in lines if meaning in line}) == 1


def test_several_rules_are_explained_one_after_the_other() -> None:
    ran = run("explain", "L013", "D003")
    assert "\n\nD003 " in ran.text


def test_what_a_rule_needs_is_said() -> None:
    rule = find("L015")
    assert rule is not None
    assert rule.needs is not None
    assert "skipped if: sitemap URL unknown" in run("explain", "L015").text


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("fragment-in-lok", "did you mean 'fragment-in-loc'?"),
        ("nonsense", "`urlset explain` lists topics, `urlset explain rules` rules"),
    ],
)
def test_an_unknown_rule_is_told(name: str, hint: str) -> None:
    ran = run("explain", name)
    assert (ran.code, ran.text, ran.err) == (2, "", f"urlset: unknown rule, element or message {name!r}; {hint}\n")


def settings(*arguments: str) -> dict[str, tuple[str, str]]:
    report = json.loads(run("config", "--format", "json", *arguments).text)
    return {item["key"]: (item["value"], item["origin"]) for item in report["settings"]}


def test_every_setting_has_an_origin() -> None:
    found = settings()
    assert found["fail-on"] == ('"error"', "default")
    assert found["engines"] == ('["protocol", "google", "bing"]', "default")
    assert found["thresholds.stale-days"] == ("365", "default")
    assert {origin for _, origin in found.values()} == {"default"}


def test_origins_are_told_apart(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "urlset.toml").write_text('select = ["L"]\nfail-on = "info"\n[thresholds]\nstale-days = 3\n')
    monkeypatch.setenv("URLSET_FAIL_ON", "warning")
    monkeypatch.setenv("URLSET_CHECK_IGNORE", "L013")
    found = settings("--profile", "google")
    assert found["select"] == ('["L"]', str(home / "urlset.toml"))
    assert found["thresholds.stale-days"] == ("3", str(home / "urlset.toml"))
    assert found["thresholds.tiny-children"] == ("20", "default")
    assert found["fail-on"] == ('"warning"', "environment")
    assert found["ignore"] == ("[]", "default")
    assert settings("check")["check.ignore"] == ('["L013"]', "environment")
    assert found["engines"] == ('["protocol", "google"]', "profile google")


def test_the_table_of_settings_reads_well(home: Path) -> None:
    (home / "pyproject.toml").write_text('[tool.urlset]\nfail-on = "warning"\n')
    ran = run("config")
    (line,) = [line for line in ran.lines if line.startswith("fail-on")]
    assert line.split()[:2] == ["fail-on", '"warning"']
    assert "pyproject.toml" in line
    assert "Minimum severity that fails the run" in line


def test_a_wrong_setting_is_told(home: Path) -> None:
    (home / "urlset.toml").write_text("selekt = []\n")
    ran = run("config")
    assert (ran.code, "did you mean 'select'?" in ran.err) == (2, True)
