"""Runs of check and build, killed at random → proof that only time is lost.

python -m bench.kills --kills 200    kill workers and drivers, compare each result with an undisturbed run; exit 1 on
                                     a difference
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BASE = "https://www.example.com/"
FILES, ROWS = 24, 2_000


def made(folder: Path) -> Path:
    """Sitemaps with duplicates across files and a broken entry in each."""
    folder.mkdir()
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    for file in range(FILES):
        rows = "".join(
            f"<url><loc>{BASE}{'shared' if row % 500 == 0 else f'p{file}'}-{row}</loc></url>\n" for row in range(ROWS)
        )
        broken = f"<url><loc>{BASE}a b</loc></url>\n"
        (folder / f"{file}.xml").write_text(f'<urlset xmlns="{namespace}">\n{rows}{broken}</urlset>\n')
    children = "".join(f"<sitemap><loc>{BASE}{file}.xml</loc></sitemap>\n" for file in range(FILES))
    (folder / "sitemap.xml").write_text(f'<sitemapindex xmlns="{namespace}">\n{children}</sitemapindex>\n')
    return folder


class Killer:
    def __init__(self, seed: int, wanted: int) -> None:
        self.chance, self.wanted = random.Random(seed), wanted
        self.kills: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return sum(count for what, count in self.kills.items() if not what.endswith("resumed"))

    def run(self, name: str, arguments: list[str], output: Path) -> int:
        """One run; sometimes its driver is killed, more often its workers. Its exit code."""
        with output.open("wb") as stream:
            driver = subprocess.Popen(
                [sys.executable, "-m", "urlset", *arguments], stdout=stream, stderr=subprocess.DEVNULL
            )
            while driver.poll() is None:
                time.sleep(self.chance.uniform(0.02, 0.4))
                workers = list(_children(driver.pid))
                if self.total >= self.wanted:
                    continue
                if self.chance.random() < (0.15 if workers else 0.01):
                    driver.kill()
                    self.kills[f"{name} driver"] += 1
                elif workers:
                    try:
                        os.kill(self.chance.choice(workers), signal.SIGKILL)
                    except ProcessLookupError:
                        continue
                    self.kills[f"{name} worker"] += 1
                    time.sleep(self.chance.uniform(0.5, 2.0))  # else no task could ever finish
            return driver.wait()


def _children(parent: int) -> Iterator[int]:
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            yield from map(int, task.read_text().split())
        except OSError:  # it has just ended
            return


def _content(folder: Path) -> str:
    files = sorted(path for path in folder.glob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in files)).hexdigest()


def check(site: Path, work: Path, killer: Killer, *, undisturbed: bool) -> str:
    arguments = ["check", str(site / "sitemap.xml"), "--root", str(site), "--executor", "process", "--jobs", "2"]
    arguments += ["--format", "json", "--parts", str(work / "parts")]
    code = _until_finished(killer, "check", arguments, work / "out", undisturbed=undisturbed)
    found = json.loads((work / "out").read_bytes())
    assert code == 1, code
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def build(site: Path, work: Path, killer: Killer, *, undisturbed: bool) -> str:
    out, state = work / "public", work / "state"
    for folder in (out, state):
        shutil.rmtree(folder, ignore_errors=True)
    arguments = ["build", str(site / "sitemap.xml"), "--base-url", BASE, "--gzip", "--out", str(out)]
    arguments += ["--state", str(state), "--sections-by", "none", "--executor", "process", "--jobs", "2"]
    _until_finished(killer, "build", arguments, work / "report", undisturbed=undisturbed)
    return _content(out)


def _until_finished(killer: Killer, name: str, arguments: list[str], output: Path, *, undisturbed: bool) -> int:
    if undisturbed:
        killer = Killer(0, 0)
    # 2: a file whose worker was killed at every try was set aside and reported; the next run tries it again
    while (code := killer.run(name, arguments, output)) < 0 or code == 2:
        killer.kills[f"{name} resumed"] += 1
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=19)
    given = parser.parse_args()
    killer = Killer(given.seed, given.kills)
    wrong = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        site, work = made(Path(folder) / "site"), Path(folder) / "work"
        work.mkdir()
        wanted = {work_on: work_on(site, work, killer, undisturbed=True) for work_on in (check, build)}
        while killer.total < given.kills:
            for work_on, result in wanted.items():
                runs += 1
                wrong += work_on(site, work, killer, undisturbed=False) != result
    print(f"{killer.total} kills in {runs} finished runs: {dict(killer.kills)}; {wrong} different results")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
