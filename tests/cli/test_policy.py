"""`[policy]` in the settings → findings P001 to P003, in one file and across files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.checking.declare import wrap

PAGE = "<url><loc>https://www.example.com/{}</loc><lastmod>2026-11-01</lastmod></url>"
STAGING = '[policy]\nforbid = ["/staging/*"]\nmessage = "not public"\nseverity = "warning"\n'


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    public = tmp_path / "public"
    public.mkdir()
    (public / "sitemap-a.xml").write_text(wrap(PAGE.format("") + PAGE.format("staging/home")))
    (public / "sitemap-b.xml").write_text(wrap(PAGE.format("contact/")))
    return tmp_path


def found(settings: str, *arguments: str, name: str = "urlset.toml") -> list[tuple[str, str, str]]:
    Path(name).write_text(settings)
    ran = run("check", "public/", "--select", "P", "--format", "json", *arguments)
    assert ran.code in (0, 1), ran.err
    return [(each["code"], each["severity"], each["message"]) for each in json.loads(ran.text)["findings"]]


def test_a_forbidden_url_is_reported_with_the_reason() -> None:
    told = [("P001", "warning", "the policy forbids '/staging/*': not public")]
    assert found(STAGING) == told
    Path("urlset.toml").unlink()
    assert found(STAGING.replace("[policy]", "[tool.urlset.policy]"), name="pyproject.toml") == told


def test_several_policies_each_with_its_severity() -> None:
    several = STAGING.replace("[policy]", "[[policy]]") + '[[policy]]\nonly = ["https://www.example.com/contact/*"]\n'
    assert sorted(each[:2] for each in found(several)) == [("P001", "warning"), ("P003", "error"), ("P003", "error")]


def test_what_is_required_may_be_in_any_file() -> None:
    required = '[policy]\nrequire = ["/contact/", "/", "/imprint/"]\n'
    assert [each[2] for each in found(required)] == ["no listed URL matches '/imprint/', which the policy requires"]
    Path("public/sitemap-b.xml").unlink()
    assert len(found(required)) == 2


def test_without_a_policy_nothing_is_looked_for() -> None:
    assert found("") == []


def test_a_policy_that_cannot_be_used_is_named() -> None:
    Path("urlset.toml").write_text('[policy]\nforbid = ["re:("]\n')
    ran = run("check", "public/")
    assert ran.code == 2
    assert "urlset.toml: policy: 're:(' is not a valid regular expression" in ran.err
