"""`urlset` itself → help, version, and failures that stay one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.cli.commands import run
from tests.house.test_cli_documented import COMMANDS as EVERY_COMMAND
from tests.house.test_cli_documented import options
from urlset.cli.exit_codes import TERMINATED
from urlset.cli.main import COMMANDS, cli
from urlset.version import __version__


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert all(f"\n  {name} " in ran.text for name in COMMANDS)


def test_no_short_help_is_cut() -> None:
    assert "..." not in run("--help").text.partition("Commands:")[2]


def test_version() -> None:
    assert run("--version").text in {f"urlset {__version__} ({name} scanner)\n" for name in ("python", "compiled")}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sl"], "unknown command 'sl'"),
        (["chekc"], "unknown command 'chekc'; did you mean 'check'?"),
        (["ls"], "missing argument"),
        (["ls", "--nonsense", "x"], "no such option"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith(f"urlset: {words}")
    assert "--help)" in ran.err


def test_a_file_in_place_of_a_command_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(b"")
    ran = run(path)
    assert (ran.code, f"try `urlset check {path}`" in ran.err) == (2, True)


def test_an_error_in_urlset_itself_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("oops\nand more")

    monkeypatch.setattr("urlset.workflows.spread_pages.list_pages", broken)
    monkeypatch.delenv("URLSET_DEBUG", raising=False)
    ran = run("ls", ".")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "RuntimeError: oops" in ran.err
    monkeypatch.setenv("URLSET_DEBUG", "1")
    with pytest.raises(RuntimeError):
        run("ls", ".")


def test_an_interruption_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("urlset.workflows.spread_pages.list_pages", interrupted)
    ran = run("ls", ".")
    assert (ran.code, ran.out) == (130, b"")


INTERRUPTED_BEFORE = """
import os, runpy, signal, sys
_, awaited, *sys.argv = sys.argv

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == awaited:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
runpy.run_module("urlset", run_name="__main__")
"""


@pytest.mark.posix
@pytest.mark.parametrize(
    "name", ["urlset.cli.main", "click", "urlset.cli.terminal", "urlset.cli.ls", "urlset.workflows.ls"]
)
def test_an_interruption_while_modules_are_loaded_is_silent_too(name: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://e.com/\n")
    command = [sys.executable, "-c", INTERRUPTED_BEFORE, name, "urlset", "ls", "list.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\n")


@pytest.mark.posix
def test_where_interruptions_are_ignored_they_stay_so(tmp_path: Path) -> None:
    """As for a job that a shell runs in the background."""
    (tmp_path / "list.txt").write_text("https://e.com/\n")
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{INTERRUPTED_BEFORE}"
    command = [sys.executable, "-c", ignoring, "click", "urlset", "ls", "list.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "https://e.com/\n", "")


@pytest.mark.parametrize(("old", "new"), [
    ("login", "engines login"), ("logout", "engines logout"),
    ("rules", "explain rules"), ("rollback", "publish rollback"),
])  # fmt: skip
def test_a_command_that_moved_is_named(old: str, new: str) -> None:
    ran = run(old)
    assert (ran.code, ran.err) == (2, f"urlset: unknown command {old!r}: use `urlset {new}`\n")
    assert run(*new.split(), "--help").code == 0


def test_options_follow_the_arguments_of_a_group(tmp_path: Path) -> None:
    """A group of click takes what follows its first argument for a sub-command."""
    ran = run("publish", tmp_path, "file:///nowhere", "--format", "yaml")
    assert (ran.code, "format" in ran.err) == (2, True)
    assert len(COMMANDS) <= 24


def test_every_command_is_found_by_its_name() -> None:
    context = click.Context(cli)
    assert [name for name in COMMANDS if (found := cli.get_command(context, name)) is None or found.name != name] == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("urlset che", "plain,check"),
        ("urlset check --form", "plain,--format"),
        ("urlset check --format sar", "plain,sarif"),
        ("urlset check pub", "file,pub"),
        ("urlset fix pub", "file,pub"),
        ("urlset ls pub", "file,pub"),
        ("urlset info pub", "file,pub"),
        ("urlset build pub", "file,pub"),
        ("urlset audit pub", "file,pub"),
        ("urlset check --output rep", "file,rep"),
    ],
)
def test_a_shell_can_complete_commands_options_and_files(
    words: str, offered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_URLSET_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert run().lines == [offered]


WAITING = """
import signal, sys
from urlset.__main__ import main
if sys.argv.pop(1) == "ignored":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.exit(main())
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
@pytest.mark.parametrize("interruptions", ["heard", "ignored"])
def test_told_to_end_it_tidies_up_first(interruptions: str, tmp_path: Path) -> None:
    pipe, temporary = tmp_path / "rows", tmp_path / "temporary"
    os.mkfifo(pipe)
    temporary.mkdir()
    command = [sys.executable, "-c", WAITING, interruptions, "build", str(pipe), "--base-url", "https://x.example/"]
    command += ["--out", str(tmp_path / "out"), "--state", str(tmp_path / "state")]
    with subprocess.Popen(
        command, env=os.environ | {"TMPDIR": str(temporary)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        with pipe.open("wb", buffering=0) as writer:  # opens when the other side does
            writer.write(b'{"loc": "/a"}\n')
            assert list(temporary.iterdir())
            process.terminate()
        assert process.wait(20) == TERMINATED
        assert process.stderr is not None
        assert process.stderr.read().strip() == b""
    assert not list(temporary.iterdir())


def shown_options(text: str) -> set[str]:
    """The long names at the beginning of a line."""
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE))


@pytest.mark.parametrize("path", [named.path for named in EVERY_COMMAND])
def test_help_shows_what_people_use_and_help_all_the_rest(path: str) -> None:
    words = path.split()[1:]
    brief, full = run(*words, "--help"), run(*words, "--help-all")
    assert (brief.code, full.code) == (0, 0)
    assert len(shown_options(brief.text)) <= 15
    named = next(each for each in EVERY_COMMAND if each.path == path)
    assert {max(option.opts, key=len) for option in options(named.command)} <= shown_options(full.text) | {"--help-all"}
    assert shown_options(brief.text) <= shown_options(full.text)


def test_there_are_few_commands() -> None:
    assert len(COMMANDS) <= 24
