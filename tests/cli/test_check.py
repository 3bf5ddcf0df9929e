"""`urlset check` → exit codes, reports in any number of formats, and errors that say what was meant."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.checking.declare import wrap
from urlset.reports.format import FORMATS, TEXT

BASE = "https://www.acmeltd.com"


def pages(*locs: str) -> str:
    return wrap("\n".join(f"<url><loc>{loc}</loc><lastmod>2026-11-01T10:00:00Z</lastmod></url>" for loc in locs))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, far from any settings, on a fixed day."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794744000")  # 2026-11-15
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("URLSET_FAIL_ON", "URLSET_PROFILE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "clean.xml").write_text(pages(f"{BASE}/a", f"{BASE}/b"))
    (tmp_path / "warned.xml").write_text(pages(f"{BASE}/a", f"{BASE}/b#c"))
    (tmp_path / "wrong.xml").write_text(pages(f"{BASE}/a", f"{BASE}/b c"))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["clean.xml"], 0),
        (["warned.xml"], 0),
        (["warned.xml", "--fail-on", "warning"], 1),
        (["clean.xml", "--fail-on", "info"], 0),
        (["wrong.xml"], 1),
        (["wrong.xml", "--ignore", "L007"], 0),
        (["wrong.xml", "--select", "D"], 0),
        (["clean.xml", "wrong.xml"], 1),
        (["wrong.xml", "nothing.xml"], 2),
        (["nothing.xml"], 2),
        ([], 2),
        (["clean.xml", "--engine", "nobody"], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int) -> None:
    assert run("check", *arguments).code == code


def test_nothing_to_check_is_an_exit_code_of_its_own(home: Path) -> None:
    (home / "empty").mkdir()
    assert run("check", "empty").code == 3


def test_what_a_person_sees() -> None:
    ran = run("check", "wrong.xml")
    assert ran.err == ""
    assert ran.lines[:5] == [
        "error[L007] space-in-loc: a URL contains whitespace",
        " --> wrong.xml:4:36",
        "  |",
        "4 | <url><loc>https://www.acmeltd.com/b c</loc><lastmod>2026-11-01T10:00:00Z</lastmod></url>",
        "  |" + " " * 36 + "^",
    ]
    assert ran.lines[-1] == "1 error in 1 file; 1 fixable with `urlset fix`"
    assert "skipped 6 rules" in ran.text


def test_the_last_line_sums_up_many_files() -> None:
    ran = run("check", "clean.xml", "warned.xml", "wrong.xml", "--ignore", "L021")
    assert "\n1 error, 1 warning in 2 of 3 files; 1 fixable with `urlset fix`" in ran.text


def test_several_reports_at_once(home: Path) -> None:
    wanted = [part for form in FORMATS for part in ("--output", f"{form}:report.{form}")]
    ran = run("check", "wrong.xml", *wanted)
    assert (ran.code, ran.text) == (1, "")
    for form in TEXT:
        assert "L007" in (home / f"report.{form}").read_text(encoding="utf-8")
    report = json.loads((home / "report.json").read_text())
    assert [finding["code"] for finding in report["findings"]] == ["L007"]


def test_the_last_report_may_go_to_the_screen(home: Path) -> None:
    ran = run("check", "wrong.xml", "--format", "concise", "--output", "r.json")
    assert ran.lines[0].startswith("wrong.xml:4:36: error[L007] space-in-loc: ")
    assert json.loads((home / "r.json").read_text())["counts"] == {"L007": 1}


def test_more_outputs_than_formats_is_a_mistake() -> None:
    ran = run("check", "wrong.xml", "--output", "a", "--output", "b")
    assert (ran.code, "--output a: unknown extension; name the format" in ran.err) == (2, True)


def test_an_output_that_cannot_be_written_is_told() -> None:
    ran = run("check", "wrong.xml", "--output", "no/such/folder/x.json")
    assert ran.code == 2
    assert ran.err.startswith("urlset: no/such/folder/x.json: cannot be written: ")


def test_machine_formats_tell_trouble_on_stderr() -> None:
    ran = run("check", "nothing.xml", "clean.xml", "--format", "json")
    assert (ran.code, ran.err) == (2, "urlset: nothing.xml: no such file\n")
    assert json.loads(ran.text)["troubled"] == ["nothing.xml: no such file"]


def test_the_address_of_the_sitemap() -> None:
    assert "L016" in run("check", "clean.xml", "--at", "http://www.acmeltd.com/s.xml").text
    assert "not checked" not in run("check", "clean.xml", "--at", f"{BASE}/s.xml").text
    ran = run("check", "clean.xml", "wrong.xml", "--at", f"{BASE}/s.xml")
    assert (ran.code, "--root and --base-url" in ran.err) == (2, True)


def test_standard_input(home: Path) -> None:
    ran = run("check", "-", "--format", "concise", stdin=(home / "wrong.xml").read_bytes())
    assert ran.code == 1
    assert ran.lines[0].startswith("<stdin>:4:36: error[L007]")


def test_a_whole_site(home: Path) -> None:
    children = f"<sitemap><loc>{BASE}/clean.xml</loc></sitemap><sitemap><loc>{BASE}/gone.xml</loc></sitemap>"
    (home / "index.xml").write_text(wrap(children, "sitemapindex"))
    ran = run("check", "index.xml", "--root", ".", "--base-url", f"{BASE}/", "--format", "concise")
    assert ran.code == 1
    assert "index.xml:3:" in ran.text
    assert "I010" in ran.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--select", "fragment-in-lok"], "unknown rule 'fragment-in-lok'; did you mean 'fragment-in-loc'?"),
        (["--ignore", "L007,spaces-in-loc"], "unknown rule 'spaces-in-loc'; did you mean 'space-in-loc'?"),
        (["--select", "nonsense"], "unknown rule 'nonsense'; run `urlset explain rules` for the list"),
        (["--engine", "gogle"], "'gogle' is not one of protocol, google, bing, "),
        (["--fail-on", "fatal"], "'fatal' is not one of error, warning, info"),
        (["--format", "xml"], "'xml' is not one of "),
        (["--profile", "strickt"], "unknown profile 'strickt'; did you mean 'strict'?"),
        (["--baseline", "no.json"], "--baseline: no such file: no.json"),
        (["--root", "no-folder"], "--root: no such folder: no-folder"),
        (["--config", "no.toml"], "--config: no such file: no.toml"),
        (["--write-baseline", "b.json", "--expires", "soon"], "--expires: 'soon' is not a date like 2027-01-31"),
    ],
)
def test_mistakes_are_told_with_what_was_meant(arguments: list[str], words: str) -> None:
    ran = run("check", "wrong.xml", *arguments)
    assert (ran.code, ran.text, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_settings_from_a_file(home: Path) -> None:
    (home / "urlset.toml").write_text('fail-on = "warning"\nignore = ["L007"]\n[severity]\nL013 = "error"\n')
    assert run("check", "wrong.xml").code == 0
    ran = run("check", "warned.xml")
    assert (ran.code, ran.lines[0]) == (1, "error[L013] fragment-in-loc: a page URL has a `#fragment`")
    assert run("check", "wrong.xml", "--ignore", "D").code == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fail_on = 'error'\n", "fail_on: unknown key; did you mean 'fail-on'?"),
        ("fail-on = 'fatal'\n", "fail-on"),
        ("[thresholds]\nstale-dais = 3\n", "thresholds: unknown key 'stale-dais'; did you mean 'stale-days'?"),
        ("fail-on\n", "not valid TOML"),
    ],
)
def test_wrong_settings_are_told(text: str, words: str, home: Path) -> None:
    (home / "urlset.toml").write_text(text)
    ran = run("check", "clean.xml")
    assert (ran.code, words in ran.err, "urlset.toml" in ran.err) == (2, True, True)


def test_a_setting_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSET_FAIL_ON", "warning")
    assert run("check", "warned.xml").code == 1
    assert run("check", "warned.xml", "--fail-on", "error").code == 0


def test_a_baseline_from_birth_to_end(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = run("check", "wrong.xml", "--write-baseline", "known.json", "--reason", "old", "--expires", "2026-12-31")
    assert (written.code, written.text.startswith("known.json: recorded 1 finding; use it with")) == (0, True)
    known = json.loads((home / "known.json").read_text())["findings"]
    assert [(item["code"], item["reason"], item["expires"]) for item in known] == [("L007", "old", "2026-12-31")]
    assert run("check", "wrong.xml", "--baseline", "known.json").code == 0
    (home / "wrong.xml").write_text(pages(f"{BASE}/a", f"{BASE}/b c", f"{BASE}/d e"))
    ran = run("check", "wrong.xml", "--baseline", "known.json", "--format", "concise")
    assert (ran.code, ran.lines[0].partition(" ")[0]) == (1, "wrong.xml:5:36:")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1798761601")  # 2027-01-01
    assert run("check", "wrong.xml", "--baseline", "known.json", "--format", "concise").text.count("L007") == 2
    (home / "known.json").write_text("{}")
    assert run("check", "wrong.xml", "--baseline", "known.json").code == 2


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert b"\x1b[" in run("check", "wrong.xml", terminal=True).out
    assert b"\x1b[" not in run("check", "wrong.xml").out
    assert b"\x1b[" not in run("check", "wrong.xml", "--output", "-", "--format", "json", terminal=True).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert b"\x1b[" not in run("check", "wrong.xml", terminal=True).out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert b"\x1b[" not in run("check", "wrong.xml", terminal=True).out


ATTACK = "\x1b]0;gotcha\x07\x1b[2J\x9b31m\u202etxt\r\x08"


@pytest.mark.parametrize("form", TEXT)
def test_escapes_in_content_never_reach_the_terminal(form: str, home: Path) -> None:
    """In an address, in a tag, in a comment, in the name of the file."""
    (home / "bad.xml").write_bytes(
        pages(f"{BASE}/a {ATTACK}b").encode()
        + f"<{ATTACK}>{ATTACK}<!-- {ATTACK} -->".encode()
        + pages(f"{BASE}/#{ATTACK}").encode()
    )
    (home / "list.txt").write_bytes(f"{BASE}/a\nhello {ATTACK}\n".encode())
    ran = run("check", "bad.xml", "list.txt", f"no{ATTACK}.xml", "--format", form)
    for shown in (ran.text, ran.err):
        assert [character for character in "\x1b\x07\x9b\u202e\x08" if character in shown] == []
        assert shown.replace("\r\n", "\n").count("\r") == 0
    assert ran.code == 2


def test_progress_is_shown_on_a_terminal_only() -> None:
    assert run("check", "clean.xml", "wrong.xml").err == ""


def test_notes_are_shown_on_request(home: Path) -> None:
    (home / "noted.xml").write_text(pages(f"{BASE}/a").replace('<?xml version="1.0" encoding="UTF-8"?>\n', ""))
    quiet = run("check", "noted.xml")
    assert "X004" not in quiet.text
    assert "1 note not shown" in quiet.text
    assert "info[X004]" in run("check", "noted.xml", "--show", "info").text
    assert "X004" in run("check", "noted.xml", "--format", "full").text
    assert run("check", "noted.xml", "--fail-on", "info").code == 1


def test_profiles(home: Path) -> None:
    (home / "odd.xml").write_text(wrap(f'<url id="1"><loc>{BASE}/a</loc></url>'))
    assert run("check", "odd.xml").code == 0
    strict = run("check", "odd.xml", "--profile", "strict")
    assert (strict.code, "S016" in strict.text) == (1, True)


def test_lists_feeds_and_robots(home: Path) -> None:
    (home / "sitemap.txt").write_text(f"{BASE}/a\n# mine\n")
    (home / "robots.txt").write_text("User-agent: *\nDisallow:\nSitemap: /sitemap.xml\n")
    (home / "feed.xml").write_text('<rss version="2.0"><channel><item><title>A</title></item></channel></rss>')
    ran = run("check", "sitemap.txt", "robots.txt", "feed.xml", "--format", "concise")
    for place in ("sitemap.txt:2:1: error[S030]", "robots.txt:3:10: error[R002]", "feed.xml:1:29: warning[S033]"):
        assert place in ran.text


def test_fix_mends_first_and_reports_what_is_left(home: Path) -> None:
    path = home / "mend.xml"
    text = (home / "wrong.xml").read_text()
    path.write_text(text)
    assert "L007" in run("check", "mend.xml", "--format", "concise").text
    ran = run("check", "mend.xml", "--fix", "--format", "concise")
    assert "L007" not in ran.text
    assert "%20" in path.read_text()
    assert run("check", "--fix", "-").code == 2


class TestWhatFailsTheRunIsShown:
    """An exit code of 1 beside "nothing found" leaves whoever reads the log of a CI in the dark."""

    def test_notes_are_shown_when_they_fail_the_run(self, home: Path) -> None:
        (home / "noted.xml").write_text(pages(f"{BASE}//b"))
        for form in ("text", "concise"):
            quiet = run("check", "noted.xml", "--format", form)
            assert (quiet.code, "L030" in quiet.text) == (0, False), form
            reported = run("check", "noted.xml", "--format", form, "--fail-on", "info")
            assert (reported.code, "L030" in reported.text) == (1, True), form

    def test_unless_they_are_not_wanted(self, home: Path) -> None:
        (home / "noted.xml").write_text(pages(f"{BASE}//b"))
        ran = run("check", "noted.xml", "--fail-on", "info", "--show", "error")
        assert (ran.code, "L030" in ran.text) == (1, False)

    @pytest.mark.parametrize("form", ["text", "full", "concise"])
    def test_what_cannot_be_read_is_told_when_the_report_goes_to_a_file(self, form: str) -> None:
        ran = run("check", "clean.xml", "nothing.xml", "--format", form, "--output", "report.txt")
        summary = "no problems found in 1 file with 2 entries, but not everything could be read"
        assert (ran.code, ran.out) == (2, b"")
        assert ran.err == f"urlset: nothing.xml: no such file\n{summary}\nwrote report.txt ({form})\n"
        quiet = run("check", "clean.xml", "nothing.xml", "--format", form, "--output", "report.txt", "-q")
        assert quiet.err == "urlset: nothing.xml: no such file\n"

    def test_and_once_only_when_it_does_not(self) -> None:
        ran = run("check", "nothing.xml", "--format", "text", "--output", "report.json")
        assert (ran.text.count("nothing.xml"), ran.err) == (1, "wrote report.json (json)\n")

    @pytest.mark.slow
    @pytest.mark.parametrize("command", [["check", "--format", "full"], ["fix", "--diff"]])
    def test_a_reader_that_leaves_early_does_not_make_it_a_success(self, home: Path, command: list[str]) -> None:
        (home / "long.xml").write_text(pages(*(f"{BASE}/a b{number}" for number in range(3_000))))
        line = [sys.executable, "-m", "urlset", command[0], "long.xml", "wrong.xml", *command[1:]]
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            complaints = process.stderr.read()
            assert process.wait() == 1
        assert b"Error" not in complaints
        assert command[0] == "check" or b"wrong.xml: 1 fix to apply" in complaints, "the other files are looked at"


@pytest.mark.parametrize("option", ["--at", "--base-url"])
def test_an_address_that_is_none_is_refused(option: str) -> None:
    """The rules that need it would be silent, as if they had found nothing."""
    for command in ("check", "fix"):
        ran = run(command, "clean.xml", option, "acmeltd")
        assert (ran.code, ran.out) == (2, b"")
        assert f"{option}: 'acmeltd' is not a URL like https://www.example.com/" in ran.err


def test_a_root_that_is_not_there_is_refused(home: Path) -> None:
    """Every child of an index would be reported as missing."""
    (home / "urlset.toml").write_text('root = "public"\n')
    for command in ("check", "fix"):
        ran = run(command, "clean.xml")
        assert (ran.code, ran.out, ran.err) == (2, b"", "urlset: root: no such folder: public\n")
    assert run("explain", "rules").code == 0, "what opens no file needs no folder"


def test_a_settings_file_means_the_same_from_every_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "public").mkdir()
    (home / "public" / "a.xml").write_text(pages(f"{BASE}/a"))
    index = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{}</loc></sitemap>'
    (home / "public" / "index.xml").write_text(f"{index.format(BASE + '/a.xml')}</sitemapindex>")
    (home / "urlset.toml").write_text(f'root = "public"\nbase-url = "{BASE}/"\n')
    assert run("check", "public/index.xml").code == 0
    monkeypatch.chdir(home / "public")
    assert run("check", "index.xml").code == 0
