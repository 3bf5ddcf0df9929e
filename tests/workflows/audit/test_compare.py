"""`urlset audit --compare LAST`: what is new, what is resolved, what stayed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from urlset.testing import PageAnswer, Site, redirect
from urlset.testing.exchange import Reply

pytestmark = pytest.mark.network

BEFORE: dict[str, Reply] = {
    "/fixed": PageAnswer(404),
    "/stays": PageAnswer(404),
    "/dropped": redirect("/stays-moved"),
    "/breaks": page("breaks"),
}
AFTER: dict[str, Reply] = {
    "/fixed": page("fixed"),
    "/stays": PageAnswer(404),
    "/breaks": page("breaks", '<meta name="robots" content="noindex">'),
    "/added": PageAnswer(410),
}


def serve(site: Site, pages: dict[str, Reply]) -> None:
    site.routes.clear()
    site.routes.update(pages)
    site.routes.update({"/stays-moved": page("x"), "/sitemap.xml": sitemap(f"{site.origin}{path}" for path in pages)})


def audited(site: Site, state: Path, *more: object) -> dict[str, Any]:
    ran = run(
        "audit", site.url("/sitemap.xml"), "--allow-private", "--state", state, "--format", "json", "--no-check", *more
    )
    assert ran.code in (0, 1), ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_new_resolved_and_unchanged_findings(tmp_path: Path) -> None:
    with Site({}) as site:
        serve(site, BEFORE)
        (tmp_path / "last.json").write_text(json.dumps(audited(site, tmp_path / "state")))
        (state,) = (tmp_path / "state").glob("audit-*.db")
        shutil.copy(state, tmp_path / "last.db")
        serve(site, AFTER)
        by_report = audited(site, tmp_path / "state", "--compare", tmp_path / "last.json")["changes"]
        by_state = audited(site, tmp_path / "state", "--compare", tmp_path / "last.db")["changes"]
        text = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path / "state", "--known",
                   "--compare", tmp_path / "last.json").text  # fmt: skip
    rules = {each["code"]: (each["new"], each["resolved"], each["unchanged"]) for each in by_report["rules"]}
    assert (rules["A001"], rules["A003"], rules["A006"]) == ((1, 1, 1), (0, 1, 0), (1, 0, 0))
    assert by_report["resolved_unlisted"] == 1
    assert by_report["rules"][0]["new_examples"][0].endswith("/added")
    same = {each["code"]: (each["new"], each["resolved"], each["unchanged"]) for each in by_state["rules"]}
    assert {code: same[code] for code in ("A001", "A003", "A006")} == {
        code: rules[code] for code in ("A001", "A003", "A006")
    }
    assert "2 new, 2 resolved (1 on pages no longer listed), 1 unchanged" in text
    assert "A001 page-gone: 1 new, 1 resolved, such as " in text


def test_a_file_that_is_no_audit(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"command": "check"}')
    (tmp_path / "y.json").write_text("<html>")
    for name, said in (("x.json", "not of an audit"), ("y.json", "is not an audit report"), ("z", "could not read")):
        ran = run("audit", "https://www.example.com/", "--compare", tmp_path / name)
        assert ran.code == 2
        assert said in ran.err
