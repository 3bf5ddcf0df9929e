"""A baseline silences what it knows, as often as it knows it, until the day it expires."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from tests.checking.made_up_rules import FILE, MORE_ROWS, ROWS, context, document, urls
from urlset.checking.baseline import Baseline, BaselineError, Known, fingerprint
from urlset.checking.engine import check
from urlset.findings.verdict import Suppressed, Verdict

RULES = (ROWS, MORE_ROWS, FILE)


def verdict(*names: str, before: str = "") -> Verdict:
    return check(document(before + urls(*names)), RULES, context())


def day(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}T12:00:00").replace(tzinfo=UTC)


def test_written_and_read_again(tmp_path: Path) -> None:
    written = Baseline.of(verdict("a", "b"), reason="until the relaunch", expires="2027-01-31")
    written.save(tmp_path / "baseline.json")
    again = Baseline.load(tmp_path / "baseline.json")
    assert again == written
    assert len(again.findings) == 5
    assert {(each.reason, each.expires) for each in again.findings} == {("until the relaunch", "2027-01-31")}
    assert (tmp_path / "baseline.json").read_bytes().endswith(b"\n")


def test_a_disk_that_is_full_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "baseline.json"
    known = Baseline.of(verdict("a"), reason="", expires=None)
    known.save(path)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        Baseline.of(verdict("a", "b"), reason="", expires=None).save(path)
    assert Baseline.load(path) == known
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_what_is_known_is_silent() -> None:
    known = Baseline.of(verdict("a", "b"), reason="", expires=None)
    quiet = known.apply(verdict("a", "b"), day("2030-01-01"))
    assert quiet.findings == ()
    assert (quiet.counts, quiet.severity_counts, quiet.fixable) == ({}, {}, 0)
    assert set(quiet.suppressed) == {
        Suppressed("L901", "sitemap.xml", 2, "the baseline"),
        Suppressed("D901", "sitemap.xml", 2, "the baseline"),
        Suppressed("X901", "sitemap.xml", 1, "the baseline"),
    }


def test_lines_added_elsewhere_change_nothing() -> None:
    known = Baseline.of(verdict("a", "b"), reason="", expires=None)
    assert known.apply(verdict("a", "b", before="\n\n<!-- hello -->\n\n"), day("2026-11-15")).findings == ()


def test_what_is_new_is_told() -> None:
    known = Baseline.of(verdict("a"), reason="", expires=None)
    left = known.apply(verdict("a", "b"), day("2026-11-15"))
    assert [(each.code, each.subject) for each in left.findings] == [
        ("D901", "https://example.com/#b"),
        ("L901", "https://example.com/#b"),
    ]
    assert left.counts == {"D901": 1, "L901": 1}
    assert left.severity_counts == {"error": 1, "warning": 1}


def test_the_same_finding_more_often_than_known_is_told() -> None:
    known = Baseline.of(verdict("a"), reason="", expires=None)
    left = known.apply(verdict("a", "a", "a"), day("2026-11-15"))
    assert left.counts == {"D901": 2, "L901": 2}
    known_twice = Baseline.of(verdict("a", "a"), reason="", expires=None)
    assert {each.count for each in known_twice.findings if each.code == "L901"} == {2}
    assert known_twice.apply(verdict("a", "a"), day("2026-11-15")).findings == ()


@pytest.mark.parametrize(("today", "silent"), [("2027-01-30", True), ("2027-01-31", True), ("2027-02-01", False)])
def test_after_its_day_a_finding_counts_again(today: str, silent: bool) -> None:
    known = Baseline.of(verdict("a"), reason="", expires="2027-01-31")
    assert (known.apply(verdict("a"), day(today)).findings == ()) is silent


def test_what_is_mended_leaves_no_trace() -> None:
    known = Baseline.of(verdict("a", "b"), reason="", expires=None)
    left = known.apply(verdict("b"), day("2026-11-15"))
    assert left.findings == ()
    assert sum(each.count for each in left.suppressed) == 3


def test_another_file_is_another_matter() -> None:
    known = Baseline.of(verdict("a"), reason="", expires=None)
    other = check(document(urls("a"), name="other.xml"), RULES, context())
    assert len(known.apply(other, day("2026-11-15")).findings) == 3
    assert fingerprint(other.findings[0]) != fingerprint(verdict("a").findings[0])


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site below the folder that the check is started in, and a baseline beside it."""
    for name in ("site", "ci", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def of_file(name: str) -> Verdict:
    return check(document(urls("a"), name=name), RULES, context())


@pytest.mark.posix
def test_a_file_is_known_however_its_path_is_written(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folders / "ci" / "known.json"
    Baseline.of(of_file("site/sitemap.xml"), reason="", expires=None).save(Path("ci/known.json"))
    assert {known.source for known in msgspec.json.decode(path.read_bytes(), type=Baseline).findings} == {
        "../site/sitemap.xml"
    }
    (folders / "linked").symlink_to(folders / "site")
    names = ["site/sitemap.xml", "./ci/../site/sitemap.xml", "linked/sitemap.xml", str(folders / "site/sitemap.xml")]
    for name in names:
        assert Baseline.load(path).apply(of_file(name), day("2026-11-15")).findings == (), name
    monkeypatch.chdir(folders / "elsewhere")
    for name in ("../site/sitemap.xml", str(folders / "site/sitemap.xml")):
        assert Baseline.load(Path("../ci/known.json")).apply(of_file(name), day("2026-11-15")).findings == (), name


def test_another_file_of_the_same_name_is_another_matter(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folders / "ci" / "known.json"
    Baseline.of(of_file("ci/sitemap.xml"), reason="", expires=None).save(path)
    assert len(Baseline.load(path).apply(of_file("sitemap.xml"), day("2026-11-15")).findings) == 3
    monkeypatch.chdir(folders / "ci")
    assert Baseline.load(path).apply(of_file("sitemap.xml"), day("2026-11-15")).findings == ()


@pytest.mark.parametrize("name", ["https://example.com/a//b/../sitemap.xml", "<stdin>", ""])
def test_what_is_no_path_stays_as_it_is(name: str, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folders / "ci" / "known.json"
    Baseline.of(of_file(name), reason="", expires=None).save(path)
    assert {known.source for known in msgspec.json.decode(path.read_bytes(), type=Baseline).findings} == {name}
    monkeypatch.chdir(folders / "elsewhere")
    assert Baseline.load(path).apply(of_file(name), day("2026-11-15")).findings == ()


def test_older_baselines_know_a_file_by_its_path_as_it_was_typed(folders: Path) -> None:
    found = of_file("site/sitemap.xml").findings
    older = Baseline(1, tuple(Known(each.code, each.source, fingerprint(each)) for each in found))
    path = folders / "ci" / "known.json"
    path.write_bytes(msgspec.json.encode(older))
    assert Baseline.load(path).apply(of_file("site/sitemap.xml"), day("2026-11-15")).findings == ()
    assert len(Baseline.load(path).apply(of_file("ci/sitemap.xml"), day("2026-11-15")).findings) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a valid baseline"),
        ("[]", "not a valid baseline"),
        ('{"schema": 1}', "not a valid baseline"),
        ('{"schema": 2, "findings": []}', "schema 2, but this version supports 1"),
    ],
)
def test_a_file_that_is_no_baseline(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(BaselineError, match=words):
        Baseline.load(path)


def test_no_file() -> None:
    with pytest.raises(BaselineError, match="not a valid baseline"):
        Baseline.load(Path("no-such-file.json"))
