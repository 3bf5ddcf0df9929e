"""What people expect of a command line tool: quiet runs, colors, hints, formats by name, the same exit codes."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.cli.commands import run

BASE = "https://www.example.com"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "good.xml").write_text(f"{HEAD}<url><loc>{BASE}/a</loc></url>\n</urlset>\n")
    (tmp_path / "bad.xml").write_text(f"{HEAD}<url><loc>{BASE}/a b</loc></url>\n</urlset>\n")
    return tmp_path


def test_quiet_prints_results_only() -> None:
    assert run("check", "good.xml", "-q")[:3] == (0, b"", "")
    loud, quiet = run("explain", "rules", "--select", "L013"), run("explain", "rules", "--select", "L013", "-q")
    assert (loud.out, bool(loud.err), quiet.err) == (quiet.out, True, "")
    assert "L007" in run("check", "bad.xml", "--quiet").text


def test_verbose_says_where_settings_come_from(home: Path) -> None:
    (home / "urlset.toml").write_text('[check]\nshow = "error"\n')
    ran = run("check", "good.xml", "-v")
    assert f"settings file: {home / 'urlset.toml'}" in ran.err
    assert f"show = error ({home / 'urlset.toml'})" in ran.err
    assert re.search(r"finished in \d+\.\d\d s", ran.err)
    assert "hunter2" not in run("build", "-v", "--db", "postgresql://me:hunter2@127.0.0.1:1/x", "--out", "o").err


def test_exit_zero_and_statistics() -> None:
    assert (run("check", "bad.xml").code, run("check", "bad.xml", "--exit-zero").code) == (1, 0)
    ran = run("check", "bad.xml", "good.xml", "--statistics", "--format", "json")
    assert "1  L007  space-in-loc\n" in ran.err
    assert json.loads(ran.text)["counts"]["L007"] == 1


def test_colors_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"\x1b[" not in run("check", "bad.xml").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert b"\x1b[" in run("check", "bad.xml").out
    assert b"\x1b[" in run("explain", "L007").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert b"\x1b[" not in run("check", "bad.xml").out


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("validate", "use `urlset check`"),
        ("lint", "use `urlset check`"),
        ("generate", "use `urlset build`"),
        ("ping", "use `urlset submit`"),
        ("SUBMIT", "use `urlset submit`"),
        ("vallidate", "did you mean 'check'?"),
        ("none.xml", "there is no such file"),
    ],
)
def test_what_people_type_leads_to_the_command(word: str, hint: str) -> None:
    ran = run(word)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert hint in ran.err


def test_help_is_a_word_too() -> None:
    assert run("help").out == run("--help").out
    assert run("help", "check").out == run("check", "--help").out


def test_a_format_belongs_to_its_file() -> None:
    ran = run("check", "bad.xml", "--output", "r.json", "-o", "sarif:r.txt", "--format", "concise")
    assert (ran.code, ran.text.count("L007")) == (1, 1)
    assert json.loads(Path("r.json").read_text())["command"] == "check"
    assert json.loads(Path("r.txt").read_text())["version"] == "2.1.0"
    assert run("check", "bad.xml", "--format", "gitlab", "--output", "quality.json").out == b""
    assert json.loads(Path("quality.json").read_text())[0]["check_name"]
    twice = run("check", "bad.xml", "--format", "json", "--format", "text")
    assert (twice.code, "--output FORMAT:FILE" in twice.err) == (2, True)


def test_a_database_file_is_opened(home: Path) -> None:
    with sqlite3.connect(home / "shop.db") as database:
        database.execute("CREATE TABLE pages (url TEXT, colour TEXT)")
        database.execute("INSERT INTO pages VALUES (?, 'red')", (f"{BASE}/lamp",))
    database.close()
    assert "--sql" in run("build", "shop.db", "--out", "out").err
    ran = run("build", "shop.db", "--sql", "SELECT * FROM pages", "--out", "out")
    assert ran.code == 0
    assert f"base URL inferred from the sources: {BASE}/" in ran.text
    assert "shop.db: ignored column: colour" in ran.text
    assert f"{BASE}/lamp" in (home / "out" / "sitemap.xml").read_text()
    assert (home / ".urlset" / ".gitignore").read_text().endswith("*\n")


def test_a_base_url_is_inferred_only_where_all_rows_agree(home: Path) -> None:
    (home / "two.txt").write_text("https://a.example/x\nhttps://b.example/y\n")
    ran = run("build", "two.txt", "--out", "out")
    assert (ran.code, "several hosts (https://a.example, https://b.example)" in ran.err) == (2, True)
    assert "--base-url" in run("build", "-", "--out", "out", stdin=b"https://a.example/x\n").err


def test_a_bare_host_is_a_url(home: Path) -> None:
    from urlset.cli.targets import url_or_path

    (home / "example.com").mkdir()
    meant = {
        "www.example.com": "https://www.example.com",
        "www.example.com/sitemap.xml?a=1": "https://www.example.com/sitemap.xml?a=1",
        "localhost:8000/": "http://localhost:8000/",
        "127.0.0.1:8000": "http://127.0.0.1:8000",
        "example.com": "example.com",
        "example.com/sitemap.xml": "example.com/sitemap.xml",
        "sitemap.xml": "sitemap.xml",
        "public/sitemap.xml": "public/sitemap.xml",
        "http://a.example/": "http://a.example/",
        "-": "-",
    }
    assert {word: url_or_path(word) for word in meant} == meant
    ran = run("check", "good.xml", "--at", "www.example.com/good.xml", "--format", "json")
    assert json.loads(ran.text)["documents"][0]["url"] == f"{BASE}/good.xml"


def test_crawl_refuses_a_file_it_cannot_write() -> None:
    ran = run("crawl", "http://127.0.0.1:1/", "--out", "pages.ods")
    assert (ran.code, "unknown extension; use .csv, .jsonl, .ndjson, .parquet, .html, .xlsx" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("target", "code"), [("none.xml", 2), ("folder", 3), ("page.html", 1), ("empty.xml", 1), ("notes.json", 1)]
)
def test_the_same_fact_has_the_same_exit_code(home: Path, target: str, code: int) -> None:
    (home / "folder").mkdir()
    (home / "page.html").write_text("<!doctype html><title>A page</title>")
    (home / "empty.xml").touch()
    (home / "notes.json").write_text('{"a": 1}')
    assert [
        run(command, target, *more).code for command, *more in (("check",), ("ls",), ("audit", "--base-url", BASE))
    ] == [code] * 3


def test_settings_are_refused_with_a_path_and_a_suggestion(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, words in (
        ("[build]\ngzp = true\n", "build.gzp: unknown key; did you mean 'gzip'?"),
        ('[build]\nindexnow-key = "abcdefgh"\n', "build.indexnow-key: secrets are not read from settings files; set "),
        ('[submit]\nbing-key = "x"\n', "submit.bing-key: secrets are not read from settings files"),
        ("[chek]\njobs = 1\n", "chek: unknown key; did you mean 'check'?"),
        ("[build]\ndry-run = true\n", "build.dry-run: not read from a settings file"),
    ):
        (home / "urlset.toml").write_text(text)
        ran = run("check", "good.xml")
        assert (ran.code, words in ran.err) == (2, True), ran.err
    (home / "urlset.toml").write_text('[check]\nfail-on = "info"\n')
    assert run("check", "good.xml").code == 1
    monkeypatch.setenv("URLSET_CHECK_FAIL_ON", "error")
    assert run("check", "good.xml").code == 0
    assert run("check", "good.xml", "--fail-on", "info").code == 1
    monkeypatch.setenv("URLSET_CHECK_FIAL_ON", "error")
    assert "did you mean 'URLSET_CHECK_FAIL_ON'?" in run("check", "good.xml").err


def test_a_switch_of_the_file_can_be_turned_off(home: Path) -> None:
    (home / "urls.txt").write_text(f"{BASE}/a\n")
    (home / "urlset.toml").write_text('[build]\nsources = ["urls.txt"]\nout = "out"\nhuman-view = true\n')
    assert run("build", "--no-human-view").code == 0
    assert not (home / "out" / "sitemap.html").exists()
    assert run("build").code == 0
    assert (home / "out" / "sitemap.html").exists()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("urlset explain L01", "plain,L013"),
        ("urlset check --select L007,frag", "plain,L007,fragment-in-loc"),
        ("urlset check --profile str", "plain,strict"),
        ("urlset build --keep pag", "plain,paginated"),
    ],
)
def test_shells_complete_rules_choices_and_profiles(words: str, offered: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_URLSET_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert offered in run().lines


@pytest.mark.parametrize("command", ["check", "build", "audit", "crawl"])
def test_help_fits_80_columns(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run(command, "--help-all").text
    assert max(map(len, text.partition("Examples:")[0].splitlines())) <= 80
    assert all(f"\n{heading}:\n" in text for heading in ("Fetching", "General"))
