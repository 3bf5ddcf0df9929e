"""Git evidence on real repositories: what dates a page, what does not, and when history is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from urlset.building.candidate import EvidenceKind
from urlset.building.git_evidence import GitDates, GitRefused, git_dates

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

DAY = 86_400
START = 1_700_000_000


class Repository:
    """A repository whose commits are a day apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.days = 0
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        date = f"{START + self.days * DAY} +0200"
        environment = os.environ | {
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
            "GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.com", "GIT_COMMITTER_DATE": date,
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, **files: str) -> int:
        """Write `name` to `name.md` and commit everything; the number of the day."""
        for name, text in files.items():
            self.write(f"{name}.md", text)
        self.days += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"day {self.days}")
        return self.days

    def days_of(self, folder: str = ".") -> dict[str, int]:
        found = git_dates(self.folder / folder)
        assert isinstance(found, GitDates), found
        return {path: _day(commit.lastmod) for path, commit in found.commits.items()}


def _day(lastmod: str) -> int:
    return round((datetime.fromisoformat(lastmod).timestamp() - START) / DAY)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "site")


def test_each_file_has_the_commit_that_last_changed_it(repository: Repository) -> None:
    first = repository.commit(a="one", b="one", c="one")
    second = repository.commit(b="two")
    repository.commit()
    assert repository.days_of() == {"a.md": first, "b.md": second, "c.md": first}


def test_evidence_names_the_commit_and_the_committer_date_in_utc(repository: Repository) -> None:
    repository.commit(a="one")
    found = git_dates(repository.folder)
    assert isinstance(found, GitDates)
    evidence = found.evidence("a.md")
    assert evidence is not None
    assert (evidence.kind, evidence.lastmod) == (EvidenceKind.GIT, "2023-11-15T22:13:20Z")
    assert evidence.detail == f"commit {repository.git('rev-parse', 'HEAD')[:12]}"
    assert found.evidence("none.md") is None


def test_a_revert_counts_as_a_change(repository: Repository) -> None:
    repository.commit(a="one")
    repository.commit(a="two")
    third = repository.commit(a="one")
    assert repository.days_of() == {"a.md": third}


def test_a_move_without_a_change_keeps_the_date(repository: Repository) -> None:
    first = repository.commit(a="text of a", b="text of b")
    (repository.folder / "posts").mkdir()
    repository.git("mv", "a.md", "posts/a.md")
    repository.commit()
    repository.git("mv", "posts/a.md", "posts/again.md")
    repository.commit()
    assert repository.days_of() == {"b.md": first, "posts/again.md": first}
    assert repository.days_of("posts") == {"again.md": first}, "followed out of the folder asked about"


def test_a_move_with_a_change_is_a_change(repository: Repository) -> None:
    repository.commit(a="line\n" * 40)
    repository.git("mv", "a.md", "b.md")
    second = repository.commit(b="line\n" * 40 + "more\n")
    assert repository.days_of() == {"b.md": second}


def test_two_files_that_swap_names(repository: Repository) -> None:
    first = repository.commit(a="text of a")
    second = repository.commit(b="text of b")
    repository.git("mv", "a.md", "c.md")
    repository.git("mv", "b.md", "a.md")
    repository.git("mv", "c.md", "b.md")
    third = repository.commit()
    # git pairs moves by content only where the new name is free, so a swap may look like two changes
    assert repository.days_of() in ({"b.md": first, "a.md": second}, {"a.md": third, "b.md": third})


def _branches(repository: Repository) -> tuple[int, int]:
    """main and side both changed `a`, in different lines; each has a file of its own."""
    repository.commit(a="top\n" + "same\n" * 9 + "end\n")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit(a="top\n" + "same\n" * 9 + "side\n", s="side")
    repository.git("checkout", "-q", "main")
    main = repository.commit(a="main\n" + "same\n" * 9 + "end\n", m="main")
    repository.days += 1
    return side, main


def test_a_merge_dates_what_it_made_and_nothing_else(repository: Repository) -> None:
    side, main = _branches(repository)
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert repository.days_of() == {"a.md": repository.days, "s.md": side, "m.md": main}


def test_the_losing_side_of_a_merge_dates_nothing(repository: Repository) -> None:
    repository.commit(b="kept")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(b="lost", s="lost too")
    repository.git("checkout", "-q", "main")
    repository.commit(m="main")
    repository.days += 1
    repository.git("merge", "-q", "-s", "ours", "-m", "merge", "side")
    assert repository.days_of() == {"b.md": 1, "m.md": 3}


def test_files_that_differ_from_the_commit_have_no_evidence(repository: Repository) -> None:
    first = repository.commit(clean="1", modified="1", staged="1", deleted="1")
    repository.write("modified.md", "2")
    repository.write("staged.md", "2")
    repository.git("add", "staged.md")
    (repository.folder / "deleted.md").unlink()
    repository.write("untracked.md", "1")
    repository.write("added.md", "1")
    repository.git("add", "added.md")
    found = git_dates(repository.folder)
    assert isinstance(found, GitDates)
    assert repository.days_of() == {"clean.md": first}
    assert found.uncommitted == {"modified.md", "staged.md", "deleted.md", "added.md"}


NAMES = ["with space.md", "umlaut-ä.md", 'quote".md', "tab\t.md", "new\nline.md", ":colon.md", "\x01mark.md", "*.md"]


def test_names_of_every_kind_in_a_folder_of_every_kind(repository: Repository) -> None:
    for name in NAMES:
        repository.write(f"an odd [folder]/{name}", name)
    first = repository.commit(outside="x")
    assert repository.days_of("an odd [folder]") == dict.fromkeys(NAMES, first)
    repository.write(f"an odd [folder]/{NAMES[4]}", "changed")
    assert repository.days_of("an odd [folder]") == dict.fromkeys(sorted({*NAMES} - {NAMES[4]}), first)


def test_settings_of_the_repository_change_nothing(repository: Repository, tmp_path: Path) -> None:
    first = repository.commit(a="one", b="two")
    repository.git("mv", "a.md", "c.md")
    repository.commit()
    ran = tmp_path / "ran"
    for name, value in {
        "diff.renames": "false", "log.showRoot": "false", "log.showSignature": "true", "log.follow": "true",
        "color.ui": "always", "core.quotePath": "true", "log.diffMerges": "off", "status.relativePaths": "true",
        "core.fsmonitor": f"touch {ran}", "diff.external": f"touch {ran}", "core.pager": f"touch {ran}",
    }.items():  # fmt: skip
        repository.git("config", name, value)
    assert repository.days_of() == {"c.md": first, "b.md": first}
    assert not ran.exists()


def test_a_hook_of_another_repository_does_not_mislead(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = repository.commit(a="one")
    other = Repository(tmp_path / "other")
    other.commit(z="one")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    assert repository.days_of() == {"a.md": first}


def test_impossible_dates_are_no_evidence(repository: Repository) -> None:
    repository.write("a.md", "one")
    repository.git("add", "-A")
    tree = repository.git("write-tree")
    raw = f"tree {tree}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 99999999999999 +0000\n\nfar\n"
    (repository.folder / ".git" / "far").write_text(raw, encoding="ascii")
    made = repository.git("hash-object", "-t", "commit", "-w", "--literally", ".git/far")
    repository.git("update-ref", "HEAD", made)
    assert repository.days_of() == {}


# refusals


def test_a_shallow_clone_is_refused_and_unshallowing_helps(repository: Repository, tmp_path: Path) -> None:
    first = repository.commit(a="one")
    second = repository.commit(b="two")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(clone))
    refused = git_dates(clone)
    assert isinstance(refused, GitRefused)
    assert "shallow" in refused.reason
    assert "git fetch --unshallow" in refused.remedy
    assert "fetch-depth: 0" in refused.remedy
    repository.git("-C", str(clone), "fetch", "-q", "--unshallow")
    found = git_dates(clone)
    assert isinstance(found, GitDates)
    assert {path: _day(commit.lastmod) for path, commit in found.commits.items()} == {"a.md": first, "b.md": second}


def test_a_clone_without_blobs_is_enough(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    first = repository.commit(a="one")
    repository.git("mv", "a.md", "b.md")
    repository.commit()
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(clone))
    found = git_dates(clone)
    assert isinstance(found, GitDates)
    assert {path: _day(commit.lastmod) for path, commit in found.commits.items()} == {"b.md": first}


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    refused = git_dates(tmp_path)
    assert isinstance(refused, GitRefused)
    assert "not in a git repository" in refused.reason


def test_no_commits(repository: Repository) -> None:
    refused = git_dates(repository.folder)
    assert isinstance(refused, GitRefused)
    assert refused.reason == "the repository has no commits"


def test_no_working_tree(repository: Repository) -> None:
    repository.commit(a="one")
    refused = git_dates(repository.folder / ".git")
    assert isinstance(refused, GitRefused)
    assert "not in a working tree" in refused.reason


def test_no_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(a="one")
    monkeypatch.setenv("PATH", "")
    refused = git_dates(repository.folder)
    assert isinstance(refused, GitRefused)
    assert refused.reason == "git is not installed"


def test_no_folder(tmp_path: Path) -> None:
    assert isinstance(git_dates(tmp_path / "none"), GitRefused)


def test_a_broken_repository(repository: Repository) -> None:
    repository.commit(a="one", b="one")
    repository.commit(a="two")
    old = repository.git("rev-parse", "HEAD~1")
    (repository.folder / ".git" / "objects" / old[:2] / old[2:]).unlink()
    refused = git_dates(repository.folder)
    assert isinstance(refused, GitRefused)
    assert refused.reason.startswith("git failed in")
    assert "repair the repository" in refused.remedy
