"""`urlset fix` → files, diffs, reports, exit codes, and what it says when a disk is full."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.house.source_tree import ROOT
from tests.reading.sitemaps import HEAD, TAIL, url
from urlset.checking.declare import wrap
from urlset.cli.fix import Work
from urlset.reading.read import read
from urlset.settings.fix import FixSettings

DAY = b"<lastmod>2026-01-01T10:00:00Z</lastmod>"
SOUND = HEAD + url("a", DAY) + TAIL
BROKEN = HEAD + url("a b", DAY) + url("c?d=1&e=2", DAY) + TAIL
FIXED = HEAD + url("a%20b", DAY) + url("c?d=1&amp;e=2", DAY) + TAIL


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sitemap.xml").write_bytes(BROKEN)
    return tmp_path / "sitemap.xml"


def test_a_file_is_mended_in_place(path: Path) -> None:
    ran = run("fix", "sitemap.xml")
    assert (ran.code, ran.err) == (0, "")
    assert path.read_bytes() == FIXED
    assert ran.lines == [
        "sitemap.xml: 2 fixes",
        "  L007 space-in-loc: write it as %20",
        "    3:32  ' ' → %20",
        "  X010 bare-ampersand: write &amp;",
        "    4:36  & → &amp;",
    ]
    assert sorted(each.name for each in path.parent.iterdir()) == ["sitemap.xml"]


def test_a_second_run_changes_nothing(path: Path) -> None:
    run("fix", "sitemap.xml")
    before = path.stat().st_mtime_ns
    ran = run("fix", "sitemap.xml")
    assert (ran.code, ran.lines) == (0, ["sitemap.xml: nothing to fix"])
    assert path.stat().st_mtime_ns == before


def test_a_diff_is_shown_and_nothing_written(path: Path) -> None:
    ran = run("fix", "sitemap.xml", "--diff")
    assert ran.code == 1
    assert path.read_bytes() == BROKEN
    assert ran.lines[0] == "--- sitemap.xml"
    assert f"-{url('a b', DAY).decode().strip()}" in ran.lines
    assert f"+{url('a%20b', DAY).decode().strip()}" in ran.lines
    assert ran.err.startswith("sitemap.xml: 2 fixes to apply\n"), "the report does not get into the patch"


@pytest.mark.skipif(shutil.which("patch") is None, reason="no patch tool")
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sitemap.xml", (b"", b"")),
        ("sitemap.xml", (b"\n", b"\r\n")),
        ("sitemap.xml", (b"\n", b"\r")),
        ("sitemap.xml", (b"<url>", b"\t<url>")),
        ("sitemap.xml", (b"</urlset>\n", b"</urlset>")),
        ("my sitemap.xml", (b"", b"")),
    ],
    ids=["plain", "windows", "old-mac", "tabs", "last-line-without-end", "space-in-name"],
)
def test_the_diff_is_a_patch(path: Path, name: str, change: tuple[bytes, bytes]) -> None:
    file = path.with_name(name)
    file.write_bytes(BROKEN.replace(*change))
    patch = run("fix", name, "--diff").out
    tool = subprocess.run(["patch", "-p0"], input=patch, cwd=path.parent, capture_output=True, check=False)
    assert tool.returncode == 0, tool.stdout
    assert file.read_bytes() == FIXED.replace(*change)


def test_on_a_terminal_line_ends_of_windows_are_not_spelt_out(path: Path) -> None:
    path.write_bytes(BROKEN.replace(b"\n", b"\r\n").replace(b"<url>", b"\t<url>"))
    shown = run("fix", "sitemap.xml", "--diff", terminal=True).text
    assert "\\u000d" not in shown
    assert "\\t" not in shown
    assert "\t<url>" in shown


def test_a_diff_of_a_sound_file_is_empty(path: Path) -> None:
    path.write_bytes(SOUND)
    ran = run("fix", "sitemap.xml", "--diff")
    assert (ran.code, ran.out) == (0, b"")


def test_a_folder_takes_the_results(path: Path) -> None:
    ran = run("fix", "sitemap.xml", "--output", "out")
    assert ran.code == 0
    assert path.read_bytes() == BROKEN
    assert (path.parent / "out" / "sitemap.xml").read_bytes() == FIXED


def test_files_of_one_name_stay_apart(path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("elsewhere") / "deep"
    other.mkdir()
    (path.parent / "index.xml").write_bytes(
        b'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
        b"<loc>https://example.com/sitemap.xml</loc></sitemap></sitemapindex>"
    )
    (other / "sitemap.xml").write_bytes(BROKEN)
    ran = run("fix", "index.xml", other / "sitemap.xml", "--output", "out")
    assert ran.code == 0, "different folders stay different"
    assert len(list((path.parent / "out").rglob("sitemap.xml"))) == 2


def test_a_backup_is_kept(path: Path) -> None:
    run("fix", "sitemap.xml", "--backup")
    assert path.read_bytes() == FIXED
    assert (path.parent / "sitemap.xml.bak").read_bytes() == BROKEN


def test_only_some_rules(path: Path) -> None:
    ran = run("fix", "sitemap.xml", "--only", "x010")
    assert path.read_bytes() == BROKEN.replace(b"&e", b"&amp;e")
    assert "L007 space-in-loc: not selected with --only" in ran.text
    ran = run("fix", "sitemap.xml", "--only", "Z999")
    assert (ran.code, "unknown rule 'Z999'" in ran.err) == (2, True)


def test_rules_may_be_named(path: Path) -> None:
    run("fix", "sitemap.xml", "--only", "bare-ampersand,l007")
    assert path.read_bytes() == FIXED
    ran = run("fix", "sitemap.xml", "--only", "L")
    assert (ran.code, ran.err) == (2, "urlset: --only: unknown rule 'L' (`urlset explain rules` lists them)\n")


def test_standard_input_cannot_be_mended() -> None:
    ran = run("fix", "-", stdin=BROKEN)
    assert ran.code == 2
    assert ran.err.startswith("urlset: standard input cannot be fixed in place")


def test_unsafe_fixes_only_when_asked(path: Path) -> None:
    data = HEAD + url("a?b=1&amp;amp;c=2", DAY) + TAIL
    path.write_bytes(data)
    ran = run("fix", "sitemap.xml")
    assert path.read_bytes() == data
    assert "use --unsafe to apply it" in ran.text
    ran = run("fix", "sitemap.xml", "--unsafe")
    assert path.read_bytes() == data.replace(b"&amp;amp;", b"&amp;")
    assert "replaced: 1" in ran.text


def test_hints_are_dropped_only_when_named(path: Path) -> None:
    data = HEAD + url("a", DAY + b"<priority>0.5</priority>") + url("b", DAY + b"<priority>0.8</priority>") + TAIL
    path.write_bytes(data)
    run("fix", "sitemap.xml", "--unsafe")
    assert path.read_bytes() == data
    run("fix", "sitemap.xml", "--unsafe", "--only", "F009")
    assert b"priority" not in path.read_bytes()


def test_a_time_zone_is_taken(path: Path) -> None:
    path.write_bytes(HEAD + url("a", b"<lastmod>2026-01-01T10:00:00</lastmod>") + TAIL)
    assert "lastmod-time-without-offset: UTC offset" in run("fix", "sitemap.xml").text
    run("fix", "sitemap.xml", "--timezone", "+02:00")
    assert read(path).columns.lastmods == ["2026-01-01T10:00:00+02:00"]
    for wrong in ("2", "+2:00", "+15:00", "+14:30", "CET"):
        assert run("fix", "sitemap.xml", "--timezone", wrong).code == 2


def test_a_base_address_is_taken(path: Path) -> None:
    path.write_bytes(HEAD + b"<url><loc>/a?b=1&amp;c=2</loc></url>\n" + TAIL)
    assert "base URL unknown; set --base-url" in run("fix", "sitemap.xml").text
    run("fix", "sitemap.xml", "--base-url", "https://example.com/")
    assert read(path).columns.locs == ["https://example.com/a?b=1&c=2"]


def test_the_report_as_json(path: Path) -> None:
    (path.parent / "b.xml.gz").write_bytes(gzip.compress(SOUND))
    ran = run("fix", "sitemap.xml", "b.xml.gz", "--format", "json")
    report = json.loads(ran.out)
    assert (report["schema"], report["command"]) == (1, "fix")
    first, second = report["documents"]
    assert (first["source"], first["changed"], first["written"], first["refused"]) == ("sitemap.xml", True, True, None)
    assert first["files"] == [{"name": "sitemap.xml", "bytes": len(FIXED)}]
    assert first["applied"][0] == {
        "code": "L007", "name": "space-in-loc", "title": "write it as %20", "safety": "safe", "line": 3, "column": 32,
        "before": " ", "after": "%20", "subject": "https://example.com/a b",
    }  # fmt: skip
    assert (second["changed"], second["written"], second["applied"]) == (False, False, [])
    dry = json.loads(run("fix", "b.xml.gz", "--format", "json", "--diff").out)
    assert dry["documents"][0]["written"] is False


def test_mending_before_a_check(path: Path) -> None:
    path.write_bytes(HEAD + url("a b", DAY) + url("c", b"<lastmod>03/04/2026</lastmod>") + TAIL)
    ran = run("check", "sitemap.xml", "--fix", "--format", "concise")
    assert read(path).columns.locs == ["https://example.com/a%20b", "https://example.com/c"]
    assert ran.code == 1
    assert [line.partition("]")[0].rpartition("[")[2] for line in ran.lines if line.startswith("sitemap.xml:")] == [
        "D022"
    ]


@pytest.mark.parametrize(("form", "reported"), [("none", ""), ("brief", "1 of 1 file fixed, 2 fixes\n")])
def test_work_for_other_commands_says_little(
    path: Path, capsys: pytest.CaptureFixture[str], form: str, reported: str
) -> None:
    assert Work(FixSettings(targets=("sitemap.xml",)), form).run() == 0
    assert path.read_bytes() == FIXED
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", reported)


def test_many_changes_of_a_rule_are_one_group(path: Path) -> None:
    path.write_bytes(
        HEAD + b"".join(url(f"a{day}", f"<lastmod>202611{day}</lastmod>".encode()) for day in range(10, 15)) + TAIL
    )
    assert run("fix", "sitemap.xml").lines[1:] == [
        "  D021 lastmod-in-foreign-notation (5 times)",
        *[f"    {at}:49  202611{at + 7} → 2026-11-{at + 7}" for at in (3, 4, 5)],
        "    and 2 more (--format json lists all)",
    ]


def test_several_files_are_summed_up(path: Path) -> None:
    (path.parent / "b.xml").write_bytes(SOUND)
    assert run("fix", "sitemap.xml", "b.xml").lines[-1] == "1 of 2 files fixed, 2 fixes"


def test_what_cannot_be_read_is_told(path: Path) -> None:
    ran = run("fix", "gone.xml", "sitemap.xml")
    assert ran.code == 2
    assert "urlset: gone.xml: no such file" in ran.err
    assert path.read_bytes() == FIXED, "the rest is mended"


def test_a_folder_without_sitemaps_is_nothing_to_mend(path: Path) -> None:
    (path.parent / "empty").mkdir()
    ran = run("fix", "empty")
    assert (ran.code, ran.text, ran.err) == (3, "", "urlset: empty: no sitemap in this folder\n")
    assert run("fix", "empty", "sitemap.xml").code == 0
    assert path.read_bytes() == FIXED


def test_at_is_for_one_file(path: Path) -> None:
    (path.parent / "b.xml").write_bytes(SOUND)
    assert run("fix", "sitemap.xml", "b.xml", "--at", "https://example.com/s.xml").code == 2


def test_a_full_disk_leaves_the_original(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    ran = run("fix", "sitemap.xml")
    assert ran.code == 2
    assert "sitemap.xml: cannot be written: No space left on device; the original is unchanged" in ran.err
    assert path.read_bytes() == BROKEN
    assert sorted(each.name for each in path.parent.iterdir()) == ["sitemap.xml"]


@pytest.mark.posix
def test_a_limit_on_file_size_leaves_the_original(path: Path) -> None:
    from resource import RLIMIT_FSIZE, setrlimit

    """A real failure of write(2) half-way through the file."""
    large = HEAD + b"".join(url(f"{n} x", DAY) for n in range(2000)) + TAIL
    path.write_bytes(large)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "urlset", "fix", "sitemap.xml"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: setrlimit(RLIMIT_FSIZE, (50_000, 50_000)),
    )
    assert ran.returncode == 2
    assert "cannot be written" in ran.stderr
    assert path.read_bytes() == large
    assert sorted(each.name for each in path.parent.iterdir()) == ["sitemap.xml"]


@pytest.mark.posix
def test_an_output_that_cannot_be_made_is_told(path: Path) -> None:
    (path.parent / "file").write_bytes(b"")
    ran = run("fix", "sitemap.xml", "--output", "file/below")
    assert ran.code == 2
    assert "cannot be written: Not a directory; the original is unchanged" in ran.err
    assert path.read_bytes() == BROKEN


def test_control_characters_do_not_reach_the_terminal(path: Path) -> None:
    path.write_bytes(HEAD + url("a\x1b[31mb", DAY) + TAIL)
    ran = run("fix", "sitemap.xml", "--diff", terminal=True)
    assert "\x1b[31mb" not in ran.text
    assert "\\u001b[31mb" in ran.text


def test_a_large_file_becomes_parts(path: Path) -> None:
    path.write_bytes(HEAD + b"".join(url(str(n), DAY) for n in range(50_001)) + TAIL)
    ran = run("fix", "sitemap.xml", "--at", "https://example.com/sitemap.xml")
    assert ran.code == 0
    assert "  3 files:" in ran.lines
    assert len(read(path)) == 2
    assert run("check", "sitemap.xml", "--at", "https://example.com/sitemap.xml").code == 0


def test_quiet_leaves_only_the_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text(wrap("<url><loc>https://www.shop.com/?a=1&b=2</loc></url>"))
    loud, quiet = run("fix", "a.xml", "b.xml", "--diff"), run("fix", "a.xml", "b.xml", "--diff", "-q")
    assert loud.err
    assert (quiet.code, quiet.out, quiet.err) == (loud.code, loud.out, "")
