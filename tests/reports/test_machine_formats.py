"""What programs read: JSON and SARIF against their schemas, and the values in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.house.source_tree import PACKAGE
from tests.oracles import oracle
from tests.reports.verdicts import NASTY, ONLY_TROUBLE, ORDINARY, VERDICTS, fragment, space
from tests.reports.written import written
from urlset.findings.verdict import Verdict
from urlset.reports.sarif import fingerprinted
from urlset.storage.paths import uri_of

SCHEMA = PACKAGE / "reports" / "schema" / "check-1.json"
SARIF_SUBSET = json.loads((Path(__file__).parent / "sarif_subset.json").read_text(encoding="utf-8"))


def complaints(schema: Any, value: Any) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema", exc_type=ImportError)  # Wine lacks what its Windows build needs
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    return [f"{error.json_path}: {error.message}" for error in checker(schema).iter_errors(value)]


def sarif_run(verdict: Verdict) -> Any:
    return json.loads(written("sarif", verdict))["runs"][0]


@pytest.mark.parametrize("case", VERDICTS)
def test_json_obeys_its_published_schema(case: str) -> None:
    assert complaints(json.loads(SCHEMA.read_bytes()), json.loads(written("json", VERDICTS[case]))) == []


def test_the_schema_names_every_field_that_is_written() -> None:
    schema = json.loads(SCHEMA.read_bytes())
    value = json.loads(written("json", ORDINARY))
    assert list(value) == schema["required"] == list(schema["properties"])
    assert list(value["findings"][0]) == schema["$defs"]["finding"]["required"]
    assert list(value["documents"][0]) == schema["$defs"]["document"]["required"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("findings", 0, "severity"), "fatal"),
        (("findings", 0, "line"), 0),
        (("findings", 0, "fix", "safety"), "maybe"),
        (("summary", "error"), -1),
        (("schema",), 2),
    ],
)
def test_the_schema_bites(path: tuple[Any, ...], value: Any) -> None:
    document = json.loads(written("json", ORDINARY))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert complaints(json.loads(SCHEMA.read_bytes()), document) != []


def test_json_holds_values_unchanged() -> None:
    value = msgspec.json.decode(written("json", NASTY))
    assert value["findings"][0]["message"] == NASTY.findings[0].message
    assert value["findings"][1]["excerpt"]["text"] == "<loc>https://example.com/\u202egnp.exe\u2066</loc>"
    assert "\\ud800 half" in value["findings"][17]["message"], "half a character cannot be written"
    assert value["summary"] == {"error": 30, "warning": 1, "info": 1, "documents": 7, "entries": 21, "fixable": 1}


@pytest.mark.parametrize("case", VERDICTS)
def test_sarif_obeys_the_standard(case: str) -> None:
    assert complaints(SARIF_SUBSET, json.loads(written("sarif", VERDICTS[case]))) == []


@pytest.mark.parametrize("case", VERDICTS)
def test_sarif_obeys_the_official_schema(case: str) -> None:
    schema = json.loads(oracle("sarif-2.1.0.schema.json").read_text(encoding="utf-8-sig"))
    assert complaints(schema, json.loads(written("sarif", VERDICTS[case]))) == []


@pytest.mark.parametrize("case", sorted(VERDICTS))
def test_sarif_carries_only_the_rules_with_results_and_the_home_page(case: str) -> None:
    run = sarif_run(VERDICTS[case])
    driver = run["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == sorted({result["ruleId"] for result in run["results"]})
    assert driver["informationUri"].startswith("https://")


@pytest.mark.parametrize("case", ["ordinary", "nasty"])
def test_sarif_indexes_point_at_what_they_name(case: str) -> None:
    run = sarif_run(VERDICTS[case])
    rules, artifacts = run["tool"]["driver"]["rules"], run["artifacts"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert artifacts[location["index"]]["location"]["uri"] == location["uri"]
    for notice in run["invocations"][0]["toolExecutionNotifications"]:
        rule = notice.get("associatedRule", {})
        assert "index" not in rule or rules[rule["index"]]["id"] == rule["id"]


def test_sarif_says_where_in_characters_and_bytes() -> None:
    run = sarif_run(ORDINARY)
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 5,
        "startColumn": 31,
        "endLine": 5,
        "endColumn": 32,
        "byteOffset": 126,
        "byteLength": 1,
    }
    assert [result["level"] for result in run["results"]][-3:] == ["error", "note", "error"]
    assert run["results"][-2]["occurrenceCount"] == 4812


def test_sarif_says_whether_the_run_went_well() -> None:
    assert sarif_run(ORDINARY)["invocations"][0]["executionSuccessful"] is True
    broken = sarif_run(ONLY_TROUBLE)["invocations"][0]
    assert broken["executionSuccessful"] is False
    assert broken["toolExecutionNotifications"][0]["message"]["text"] == "gone.xml: no such file"


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("public/sitemap.xml", "public/sitemap.xml"),
        ("./a b.xml", "a%20b.xml"),
        ("c:d?e#f.xml", "c%3Ad%3Fe%23f.xml"),
        ("100%.xml", "100%25.xml"),
        ("日.xml", "%E6%97%A5.xml"),
        pytest.param("caf\udce9.xml", "caf%E9.xml", marks=pytest.mark.posix),
        ("", "-"),
        ("/srv/a.xml", "file:///srv/a.xml"),
        ("https://example.com/a b?x=%20", "https://example.com/a%20b?x=%20"),
    ],
)
def test_a_source_becomes_a_uri(source: str, uri: str) -> None:
    assert uri_of(source) == uri


def test_fingerprints_outlive_moved_lines_and_tell_twins_apart() -> None:
    before = [space("/a b", 5), space("/a b", 9), fragment("x", 12)]
    after = [space("/a b", 50), space("/a b", 90), fragment("x", 120), fragment("y", 7)]
    old = [mark for _, mark in fingerprinted(before)]
    new = [mark for _, mark in fingerprinted(after)]
    assert old == new[:3]
    assert len(set(new)) == 4
    assert old[0] not in [mark for _, mark in fingerprinted([space("/a b", 5, source="other.xml")])]
