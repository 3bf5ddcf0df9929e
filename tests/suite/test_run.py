"""Adapters that behave and misbehave → the score of suite/run.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SUITE = Path(__file__).resolve().parents[2] / "suite"
GOOD = [{"loc": "https://example.com/a", "lastmod": "2026-11-15"}, {"loc": "https://example.com/b"}]
DATE = {"text": "2026-11-15", "instant": "2026-11-15T00:00:00Z", "precision": "day"}
CASES: dict[str, dict[str, Any]] = {
    "xml/y_pages": {"kind": "urlset", "urls": [{"loc": GOOD[0]["loc"], "lastmod": DATE}, GOOD[1]]},
    "xml/n_broken": {
        "kind": "urlset",
        "urls": GOOD,
        "keep": ["https://example.com/a"],
        "defects": [{"line": 3, "text": "a bare &"}],
    },
    "xml/i_policy": {"kind": "urlset", "urls": [], "never": ["secret"]},
}
RIGHT: dict[str, Any] = {
    "xml/y_pages": {"urls": GOOD, "kind": "urlset", "defects": []},
    "xml/n_broken": {"urls": GOOD, "error": None, "defects": [{"line": 3, "text": "&"}]},
    "xml/i_policy": {"urls": []},
}
START = "import json, sys, time\nANSWERS = json.loads({answers!r})\n"
START += "for line in sys.stdin:\n    case = json.loads(line)['case']\n"
PRINT = "    print(json.dumps({'case': case, **ANSWERS[case]}))\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases" / "xml").mkdir(parents=True)
    rows = []
    for name, case in CASES.items():
        path = tmp_path / "cases" / f"{name}.xml"
        path.write_text("<urlset/>", encoding="utf-8")
        path.with_name(f"{path.name}.json").write_text(json.dumps(case), encoding="utf-8")
        rows.append(json.dumps({"case": name, "path": f"cases/{name}.xml"}))
    (tmp_path / "cases.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, body: str = PRINT, *, changed: dict[str, Any] | None = None, timeout: str = "5") -> Any:
    adapter = folder / "adapter.py"
    answers = {name: {**answer, **(changed or {}).get(name, {})} for name, answer in RIGHT.items()}
    adapter.write_text(START.format(answers=json.dumps(answers)) + body, encoding="utf-8")
    command = [sys.executable, str(SUITE / "run.py"), "--suite", str(folder), "--format", "json", "--timeout", timeout]
    done = subprocess.run(
        [*command, "--adapter", f"'{sys.executable}' '{adapter}'"], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    assert done.returncode == (1 if report["failures"] else 0) or done.returncode == 2
    return report


def problems(report: Any) -> dict[str, list[str]]:
    return {each["case"]: [problem["what"] for problem in each["problems"]] for each in report["failures"]}


def test_right_answers_pass(folder: Path) -> None:
    report = run(folder)
    assert problems(report) == {}
    assert (report["total"]["scored"], report["total"]["passed"]) == (2, 2)


@pytest.mark.parametrize(
    ("case", "answer", "expected"),
    [
        ("xml/y_pages", {"urls": GOOD[:1]}, ["lost URL"]),
        ("xml/y_pages", {"urls": [*GOOD, {"loc": "https://example.com/c"}]}, ["invented URL"]),
        ("xml/y_pages", {"urls": [{**GOOD[0], "lastmod": "2026-11-14"}, GOOD[1]]}, ["wrong date"]),
        ("xml/y_pages", {"urls": [{**GOOD[0], "lastmod": None}, {**GOOD[1], "lastmod": "2026"}]}, ["wrong date"] * 2),
        ("xml/y_pages", {"urls": [{**GOOD[0], "lastmod": "2026-11-15T02:00:00+02:00"}, GOOD[1]]}, []),
        ("xml/y_pages", {"urls": [{**GOOD[0], "lastmod": 1794700800}, GOOD[1]]}, []),
        ("xml/y_pages", {"urls": [{**GOOD[0], "loc": "HTTPS://EXAMPLE.com:443/a"}, GOOD[1]]}, []),
        ("xml/y_pages", {"kind": "rss"}, ["wrong kind"]),
        ("xml/y_pages", {"defects": [{"line": 2, "text": "no"}]}, ["false defect"]),
        ("xml/y_pages", {"defects": [{"line": 2, "text": "hm", "severity": "warning"}]}, []),
        ("xml/y_pages", {"urls": [], "error": "cannot read"}, ["lost URL"]),
        ("xml/y_pages", {"error": "cannot read"}, ["false defect"]),
        ("xml/y_pages", {"urls": [{"url": "x"}]}, ["bad answer"]),
        ("xml/y_pages", {"case": "xml/other"}, ["bad answer"]),
        ("xml/n_broken", {"defects": []}, ["missed defect"]),
        ("xml/n_broken", {"defects": [{"line": 9, "text": "other"}]}, ["missed defect"]),
        ("xml/n_broken", {"defects": [], "error": "not well-formed"}, []),
        ("xml/n_broken", {"defects": [], "urls": GOOD[1:]}, ["lost URL", "missed defect"]),
        ("xml/i_policy", {"urls": [{"loc": "https://example.com/secret"}]}, ["invented URL"]),
        ("xml/i_policy", {"error": "refused"}, []),
    ],
)
def test_each_failure_has_its_name(folder: Path, case: str, answer: dict[str, Any], expected: list[str]) -> None:
    body = PRINT.replace("'case': case, **ANSWERS[case]", "**{'case': case}, **ANSWERS[case]")
    found = problems(run(folder, body, changed={case: answer}))
    assert found == ({case: expected} if expected else {})


def test_a_reader_without_defects_is_not_scored_on_them(folder: Path) -> None:
    body = "    ANSWERS[case].pop('defects', None)\n" + PRINT
    assert problems(run(folder, body)) == {}


def test_a_reader_without_dates_is_not_scored_on_them(folder: Path) -> None:
    body = "    [url.pop('lastmod', None) for url in ANSWERS[case]['urls']]\n" + PRINT
    assert problems(run(folder, body)) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("    if case.endswith('pages'): sys.exit('boom')\n", "crash"),
        ("    if case.endswith('pages'): time.sleep(60)\n", "hang"),
        ("    if case.endswith('pages'): print('{not json')\n", "bad answer"),
    ],
)
def test_an_adapter_is_started_again(folder: Path, body: str, what: str) -> None:
    report = run(folder, body + PRINT, timeout="1")
    assert problems(report) == {"xml/y_pages": [what]}


def test_what_a_library_prints_is_skipped(folder: Path) -> None:
    assert problems(run(folder, "    print('loading ...'); print('x' * 100000, file=sys.stderr)\n" + PRINT)) == {}


@pytest.mark.slow
def test_an_adapter_that_answers_at_the_end_of_its_input_is_run_case_by_case(folder: Path) -> None:
    body = "    held = globals().setdefault('held', []); held.append(case)\n"
    body += "for case in held: print(json.dumps({'case': case, **ANSWERS[case]}))\n"
    assert problems(run(folder, body, timeout="1")) == {}


def test_a_command_that_does_not_exist_is_reported(folder: Path) -> None:
    command = [sys.executable, str(SUITE / "run.py"), "--suite", str(folder), "--adapter", "no-such-adapter"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no usable answer from the adapter" in done.stderr
