"""Random pairs of branches, merged by git with and without conflicts → the next run repairs the lock, dates and all."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from tests.workflows.dates.built_site import BuiltSite, day
from urlset.building.lock import read_lock

PAIRS = int(os.environ.get("MERGED_PAIRS", "16"))
"""of branches; each takes a fifth of a second of CPU"""
pytestmark = [pytest.mark.slow]


class MergedSite(BuiltSite):
    """Pages are committed with their lock, one sentence on each line, as sources would be."""

    def git(self, *words: str, check: bool = True) -> str:
        command = ["git", "-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", *words]
        done = subprocess.run(command, cwd=self.folder, check=check, capture_output=True, text=True, timeout=60)
        return done.stdout

    def load(self) -> None:
        """The pages as they are in the working tree."""
        self.texts = {
            path.stem.removeprefix("home"): path.read_text(encoding="utf-8")
            for path in sorted((self.folder / "content").glob("*.txt"))
        }

    def save(self) -> None:
        content = self.folder / "content"
        content.mkdir(exist_ok=True)
        for path in content.glob("*.txt"):
            path.unlink()
        for name, text in self.texts.items():
            (content / f"{name or 'home'}.txt").write_text(text, encoding="utf-8")

    def release(self, number: int, message: str) -> None:
        self.save()
        self.write()
        self.date(day(number), first_seen=True, allow_shrink=True)
        self.git("add", "-A")
        self.git("commit", "-qm", message)


def text_of(name: str) -> str:
    return "".join(f"Sentence {number} of {name or 'home'} is here.\n" for number in range(12))


def edited(text: str, row: int, word: str) -> str:
    lines = text.splitlines(keepends=True)
    lines[row] = f"Sentence {row} was edited as {word}.\n"
    return "".join(lines)


def branch(site: MergedSite, name: str, number: int, chance: random.Random) -> tuple[set[str], set[str], set[str]]:
    """Edit, add and remove some pages; each branch edits other lines of a page."""
    site.git("checkout", "-qb", f"{name}-{number}", "base")
    site.load()
    known = sorted(site.texts)
    changed = set(chance.sample(known, chance.randint(1, 4)))
    removed = {each for each in chance.sample(known, 1) if chance.random() < 0.3 and each} - changed
    added = {f"new-{name}-{each}" for each in range(chance.randint(0, 2))}
    row = 1 if name == "left" else 10
    for each in changed:
        site.texts[each] = edited(site.texts[each], row, f"{name} {number}")
    for each in removed:
        del site.texts[each]
    for each in added:
        site.texts[each] = text_of(f"{each} {number}")
    return changed, removed, added


@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_pairs_of_branches(tmp_path: Path, style: str) -> None:
    chance = random.Random(style)
    site = MergedSite(tmp_path, {name: text_of(name) for name in ("", *"abcdefgh")})
    site.git("init", "-q", "-b", "base")
    site.git("config", "merge.conflictStyle", style)
    (tmp_path / ".gitignore").write_text("public/\n.urlset/\n", encoding="utf-8")
    site.release(1, "base")
    for name in site.texts:
        site.texts[name] = edited(site.texts[name], 5, "base")
    site.release(2, "all pages have a date")
    conflicts = 0
    for number in range(PAIRS // 2):
        left = branch(site, "left", number, chance)
        site.release(3, "left")
        right = branch(site, "right", number, chance)
        site.release(4, "right")
        site.git("merge", "-q", "--no-edit", f"left-{number}", check=False)
        for path in site.git("diff", "--name-only", "--diff-filter=U").split():
            if path.endswith(".txt"):  # edited here and removed there
                site.git("add", path)
        conflicted = "<<<<<<<" in site.lock.read_text(encoding="utf-8")
        conflicts += conflicted
        site.load()
        site.write()
        report = site.date(day(9), first_seen=True, allow_shrink=True)
        expected = {}
        for name in site.texts:
            days = [2 for _ in (1,) if not name.startswith("new")]
            days += [3] * (name in left[0] | left[2]) + [4] * (name in right[0] | right[2])
            expected[f"/{name}/" if name else "/"] = f"2026-03-{max(days):02}"
        assert site.dates() == expected, (number, report.notes)
        lines = site.lock.read_text(encoding="utf-8").splitlines()
        assert not any(line.startswith(("<", "=", ">", "|")) for line in lines)
        assert lines[3:] == sorted(lines[3:])
        assert not conflicted or any("resolved" in note for note in report.notes)
        assert read_lock(site.lock).conflicts == {}
        site.git("add", "-A")
        site.git("commit", "-qm", "merged", check=False)
    assert conflicts > PAIRS // 10
