"""Runs of check, build, audit and crawl, killed at random → proof that only time is lost.

python -m bench.kills --kills 200          kill workers and drivers, compare each result with an undisturbed run;
                                           exit 1 on a difference
python -m bench.kills --of audit crawl     only these
"""

from __future__ import annotations

import argparse
import csv
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
from contextlib import contextmanager
from pathlib import Path

from tests.servers.process import SiteProcess

BASE = "https://www.example.com/"
FILES, ROWS = 24, 2_000
PAGES, DELAY = 240, 0.03
HOSTS = ("127.0.0.1", "127.0.0.2")


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
        self.port = 0
        self.most, self.gap = 0, 60.0
        """requests for one page in one run, and seconds from the end of an answer to the next request"""

    @property
    def at_the_server(self) -> str:
        return f"at the server: no page more than {self.most} times, no gap below {self.gap:.3f} s ({DELAY} wanted)"

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
                workers = list(children(driver.pid))
                if self.total >= self.wanted:
                    continue
                if self.chance.random() < (0.15 if workers else 0.01):
                    driver.kill()
                    self.kills[f"{name} driver"] += 1
                elif workers:
                    victim = self.chance.choice(workers)
                    try:
                        os.kill(victim, signal.SIGKILL)
                    except ProcessLookupError:
                        continue
                    self.kills[f"{name} worker"] += 1
                    time.sleep(self.chance.uniform(0.5, 2.0))  # else no task could ever finish
            return driver.wait()


def children(parent: int) -> Iterator[int]:
    """The worker processes of a command."""
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            for child in map(int, task.read_text().split()):
                if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes():
                    yield child
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


def audit(site: Path, work: Path, killer: Killer, *, undisturbed: bool) -> str:
    del site
    out = work / "audit.json"
    with _served(work, "audit_sites.py:hosts", killer, names=HOSTS) as server:
        arguments = ["audit", server.url("/sitemap.xml"), "--format", "json", "--output", str(out)]
        arguments += [word for host in HOSTS for word in ("--private-host", f"{host}:{killer.port}")]
        arguments += [*_live(work), "--executor", "process", "--jobs", "2"]
        _until_finished(killer, "audit", arguments, work / "report", undisturbed=undisturbed)
    found = json.loads(out.read_bytes())
    found.pop("speeds", None)
    for page in found["pages"]:
        page["seconds"] = page["first_byte"] = 0
    killer.kills["pages given up after two kills resumed"] += out.read_text().count("was killed 2 times")
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def crawl(site: Path, work: Path, killer: Killer, *, undisturbed: bool) -> str:
    del site
    out = work / "crawl.csv"
    with _served(work, "crawl_process.py:large", killer) as server:
        arguments = ["crawl", server.url("/"), "--out", str(out), "--allow-private", *_live(work)]
        _until_finished(killer, "crawl", arguments, work / "report", undisturbed=undisturbed)
    with out.open(newline="") as file:
        rows = [{**row, "seconds": "", "asked": ""} for row in csv.DictReader(file)]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _live(work: Path) -> list[str]:
    return ["--delay", str(DELAY), "--state", str(work / "live")]


@contextmanager
def _served(work: Path, name: str, killer: Killer, **more: object) -> Iterator[SiteProcess]:
    """A server that saw no page more than twice, and no request too early, or the run counts as wrong."""
    shutil.rmtree(work / "live", ignore_errors=True)
    log = work / "requests.jsonl"
    log.unlink(missing_ok=True)
    factory = f"{Path(__file__).parents[1] / 'tests' / 'workflows' / name}"
    with SiteProcess(factory, log_file=log, port=killer.port, addresses=HOSTS, count=PAGES, **more) as server:
        killer.port = int(server.origin.rpartition(":")[2])  # the same for every run: it is in the report
        yield server
        # a sitemap is fetched for the list and for the check at the end, and again after a kill meanwhile
        others = ("/robots.txt", "/sitemap.xml", "/p6", "/p1")
        log_of_pages = [each for each in server.log if each.path not in others]
        counts = Counter((each.host, each.target) for each in log_of_pages)
        gap = min(min(server.gaps(host)) for host in HOSTS if len(server.seen(host=host)) > 1)
    killer.most, killer.gap = max(killer.most, *counts.values()), min(killer.gap, gap)


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
    parser.add_argument("--of", nargs="+", choices=sorted(WORKS), default=sorted(WORKS))
    given = parser.parse_args()
    killer = Killer(given.seed, given.kills)
    wrong = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        site, work = made(Path(folder) / "site"), Path(folder) / "work"
        work.mkdir()
        wanted = {WORKS[name]: WORKS[name](site, work, killer, undisturbed=True) for name in given.of}
        while killer.total < given.kills:
            for work_on, result in wanted.items():
                runs += 1
                wrong += work_on(site, work, killer, undisturbed=False) != result
                print(f"{killer.total} kills, {wrong} different results; {killer.at_the_server}", file=sys.stderr)
    print(f"{killer.total} kills in {runs} finished runs: {dict(killer.kills)}; {wrong} different results")
    if killer.most:
        print(killer.at_the_server)
    return 1 if wrong or killer.most > 2 or killer.gap < DELAY else 0


WORKS = {each.__name__: each for each in (check, build, audit, crawl)}


if __name__ == "__main__":
    sys.exit(main())
