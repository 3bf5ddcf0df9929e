"""A number of kills → commands that are killed that often, each time judged by what is left on disk.

python -m fuzz.kills --kills 1000

Build, rollback, fix, audit and crawl take turns. A run is killed before a change to the disk that is chosen by
chance, or from outside at a moment chosen by chance; most kills hit work that takes up what an earlier kill left.
After every kill the published files must be whole and old or new, files of others untouched, and the databases
intact. Now and then a run is left in peace: it must come to the result of one that was never disturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from fuzz.kill_judges import BrokenError, judge_databases, judge_foreign, judge_leftovers, judge_manifest, listed
from fuzz.killing import Killer, warm_up
from tests.servers.process import SiteProcess

BASE = "https://www.example.com/"
SITES = f"{Path(__file__).parents[1] / 'tests' / 'workflows'}"
LOOKALIKES = (
    *("sitemap-products.202401011200.xml", ".sitemap.xml.77.part", ".sitemap-a-1.xml.1.part", "photo.jpg"),
    *(".urlset-work-mine.txt", "sitemap-a-1.0123456789ab.xml"),
)
_MOST_CHANGES = 120
_IN_PEACE = 0.25


class Scenario(ABC):
    """One command on one folder."""

    name = ""
    quiet_exit: tuple[int, ...] = (0,)
    """exit codes of a run in peace"""

    def __init__(self, folder: Path, chance: Random) -> None:
        folder.mkdir(parents=True)
        self.folder, self.chance = folder, chance
        self.killer = Killer(folder)
        self.kills, self.runs = 0, 0
        self._duration = 0.5
        self._changes = _MOST_CHANGES
        self.foreign: dict[Path, bytes] = {}
        self.set_up()

    def plant(self, folder: Path) -> None:
        """Files that are not ours and look as if they were."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in LOOKALIKES:
            (folder / name).write_bytes(name.encode())
            self.foreign[folder / name] = name.encode()

    def step(self) -> None:
        """One run, killed or in peace, and judged."""
        arguments = self.arguments()
        if self.chance.random() < _IN_PEACE:
            started = time.perf_counter()
            code = self.killer.run(arguments)
            self._duration = time.perf_counter() - started
            self.runs += 1
            if code not in self.quiet_exit:
                raise BrokenError(f"exit code {code}: {(self.folder / 'stderr.txt').read_text()}")
            self.judge(finished=True)
            judge_leftovers(self.killer.temporary)
        else:
            killed = self._kill(arguments)
            self.kills += killed
            self.judge(finished=not killed)
        judge_foreign(self.foreign)

    def _kill(self, arguments: list[object]) -> bool:
        if self.chance.random() < 0.6:
            fuse = self.chance.randrange(self._changes)
            killed = self.killer.kill_at(arguments, fuse)
            if not killed:  # there are fewer changes than that
                self._changes = max(4, fuse)
            return killed
        return self.killer.kill_after(arguments, self._duration * self.chance.uniform(0.0, 1.0))

    @abstractmethod
    def set_up(self) -> None: ...

    @abstractmethod
    def arguments(self) -> list[object]: ...

    @abstractmethod
    def judge(self, *, finished: bool) -> None: ...


class Build(Scenario):
    name = "build"

    def set_up(self) -> None:
        self.out, self.state = self.folder / "public", self.folder / "state"
        self.sets: list[Counter[str]] = []
        self.known = 0
        self.plant(self.out)
        if self.killer.run(self.arguments()) != 0:
            raise BrokenError((self.folder / "stderr.txt").read_text())

    def arguments(self) -> list[object]:
        generation = len(self.sets)
        number = self.chance.choice([3, 40, 200])
        pages = [f"{'abcd'[(n + generation * (n % 3 == 0)) % 4]}/{n}" for n in range(number)]
        pages += [f"a/only-{generation}-{n}" for n in range(20)]
        source = self.folder / ("urls.jsonl" if generation % 2 else "urls.txt")
        rows = (f'{{"loc": "{BASE}{page}"}}' if generation % 2 else BASE + page for page in pages)
        source.write_text("".join(f"{row}\n" for row in rows))
        self.sets.append(Counter(BASE + page for page in pages))
        sections = [part for name in "abcd" for part in ("--section", f"{name}=/{name}/*")] if generation % 3 else []
        packed = ["--gzip"] if generation % 5 == 4 else []
        forced = [part for name in ("shrink", "section") for part in ("--force", name)]
        where = ("--base-url", BASE, "--out", self.out, "--state", self.state)
        return ["build", source, *where, *sections, *packed, *forced]

    def judge(self, *, finished: bool) -> None:
        found = listed(self.out)
        latest = len(self.sets) - 1
        # one that was decided on before it was killed is published by the run after it
        whose = [each for each in range(latest, self.known - 1, -1) if self.sets[each] == found]
        if not whose or (finished and whose[0] != latest):
            raise BrokenError(f"{len(found)} pages are listed: none of the sets {self.known} to {latest}")
        self.known = whose[0]
        judge_manifest(self.state, self.out)
        judge_databases(self.state)
        if finished:
            judge_leftovers(self.out, self.state)
            extra = {path.name for path in self.out.iterdir()} - set(LOOKALIKES)
            manifest = json.loads((self.state / "manifest.json").read_bytes())
            if extra != {file["name"] for file in manifest["files"]}:
                raise BrokenError(f"an orphan among {sorted(extra)}")


class Rollback(Build):
    name = "rollback"

    def set_up(self) -> None:
        super().set_up()
        self.killer.run(super().arguments())
        self.both = self.sets[-2:]
        self.last = self.both[1]

    def arguments(self) -> list[object]:
        return (
            ["publish", "rollback", self.out, "--state", self.state] if hasattr(self, "both") else super().arguments()
        )

    def judge(self, *, finished: bool) -> None:
        found = listed(self.out)
        if found not in self.both:
            raise BrokenError(f"{len(found)} pages are listed, as in neither set")
        judge_manifest(self.state, self.out)
        judge_databases(self.state)
        if finished:
            judge_leftovers(self.out, self.state)


class Fix(Scenario):
    name = "fix"
    quiet_exit = (0, 1)

    def set_up(self) -> None:
        self.site = self.folder / "site"
        self.plant(self.site)
        (self.site / "sitemap.xml.bak").write_bytes(b"an older backup")
        self.foreign[self.site / "sitemap.xml.bak"] = b"an older backup"
        root = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        entries = "".join(f"<url><loc>{BASE}{n} x?a=1&b={n}</loc></url>\n" for n in range(30))
        self.original = {"sitemap.xml": f"{root}{entries}</urlset>\n".encode(), "b.xml": f"{root}{entries}".encode()}
        self._lay_out()
        if self.killer.run(self._fix()) not in self.quiet_exit:
            raise BrokenError((self.folder / "stderr.txt").read_text())
        self.result = {name: (self.site / name).read_bytes() for name in self.original}
        if self.result == self.original:
            raise BrokenError("there is nothing to fix")
        self._lay_out()

    def _lay_out(self) -> None:
        for path in self.site.glob("*.bak.*"):
            path.unlink()
        (self.site / "b.xml.bak").unlink(missing_ok=True)
        for name, data in self.original.items():
            (self.site / name).write_bytes(data)

    def _fix(self) -> list[object]:
        return ["fix", *(self.site / name for name in self.original), "--backup"]

    def arguments(self) -> list[object]:
        if all((self.site / name).read_bytes() == data for name, data in self.result.items()):
            self._lay_out()
        return self._fix()

    def judge(self, *, finished: bool) -> None:
        for name, data in self.original.items():
            found = (self.site / name).read_bytes()
            if found != self.result[name] and (finished or found != data):
                raise BrokenError(f"{name} is neither the original nor the result")
            if found == self.result[name] and not any(
                path.read_bytes() == data for path in self.site.glob(f"{name}.bak*")
            ):
                raise BrokenError(f"{name} was replaced without a backup")
        for path in self.site.glob("*.bak*"):
            if path.read_bytes() not in (*self.original.values(), b"an older backup"):
                raise BrokenError(f"{path.name} is half of a backup")
        if finished:
            judge_leftovers(self.site)


class Live(Scenario):
    """Commands that ask a server and resume."""

    factory = ""
    pages = 24
    progress: tuple[str, int, bool]
    calm: Any

    def set_up(self) -> None:
        self.state, self.report = self.folder / "state", self.folder / "report.json"
        self.plant(self.folder / "state")
        self.plant(self.folder)
        self.site = SiteProcess(self.factory, count=self.pages).start()
        if self.killer.run(self.arguments()) not in self.quiet_exit:
            raise BrokenError((self.folder / "stderr.txt").read_text())
        self.calm = self.lines()
        self._forget()

    def judge(self, *, finished: bool) -> None:
        judge_databases(self.state)
        before, self.progress = self.progress, self._progress()
        if finished:
            self.judge_report()
        if before[0] == self.progress[0] and self.progress[1] < before[1]:
            raise BrokenError(f"{before[1]} answers were written down, and now there are {self.progress[1]}")
        if finished:
            judge_leftovers(self.folder, self.state)
        if finished or self.progress[2]:
            self._forget()  # what follows is a first run again

    def _forget(self) -> None:
        for path in self.state.rglob("*.db*"):
            path.unlink()
        self.progress = ("", 0, False)

    def _progress(self) -> tuple[str, int, bool]:
        """Which run it is, how many answers are written down, and whether these are all."""
        for path in self.state.rglob("*.db"):
            with closing(sqlite3.connect(path)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
                if "meta" not in tables:
                    continue  # killed before it had any
                meta = dict(connection.execute("SELECT name, value FROM meta"))
                run = str(meta.get("run", meta.get("started", "")))
                column = " WHERE run = ?" if "run" in meta else ""
                sql = f"SELECT count(*) FROM visits{column}"
                answers = connection.execute(sql, (run,) if column else ()).fetchone()[0]
                return run, answers, meta.get("stage") == "done" or meta.get("ended") == "done"
        return "", 0, False

    def judge_report(self) -> None:
        if self.lines() != self.calm:
            raise BrokenError("the report is not that of a run that was never killed")

    @abstractmethod
    def lines(self) -> Any: ...

    def close(self) -> None:
        self.site.stop()


class Audit(Live):
    name, factory, quiet_exit = "audit", f"{SITES}/audit_sites.py:many", (0, 1)

    def arguments(self) -> list[object]:
        where = ("--state", self.state, "--format", "json", "--output", self.report)
        return ["audit", self.site.url("/sitemap.xml"), "--allow-private", "--concurrency", "8", *where]

    def lines(self) -> Any:
        report = json.loads(self.report.read_bytes())
        for page in report["pages"]:
            page["seconds"] = page["first_byte"] = 0
        report.pop("speeds")
        return report

    def judge_report(self) -> None:
        """A page at which a run was killed twice is not asked a third time, and the report says so."""
        calm, lines = self.calm["pages"], self.lines()["pages"]
        spared = [page["url"] for page in lines if page["reason"].startswith("urlset was killed")]
        if not spared:
            super().judge_report()
        elif [page for page in calm if page["url"] not in spared] != [
            page for page in lines if page["url"] not in spared
        ]:
            raise BrokenError("the pages are not those of a run that was never killed")


class Crawl(Live):
    name, factory = "crawl", f"{SITES}/crawl_process.py:large"

    def arguments(self) -> list[object]:
        where = ("--state", self.state, "--out", self.report.with_suffix(".jsonl"))
        return ["crawl", self.site.url("/"), "--allow-private", "--concurrency", "4", *where]

    def lines(self) -> Any:
        rows = [json.loads(line) for line in self.report.with_suffix(".jsonl").read_bytes().splitlines()]
        for row in rows:
            for key in ("seconds", "asked"):
                row.pop(key, None)
        return rows


SCENARIOS: tuple[type[Scenario], ...] = (Build, Rollback, Fix, Audit, Crawl)


def run(kills: int, seed: int, chosen: tuple[str, ...] = (), folder: Path | None = None) -> Counter[str]:
    """How often each command was killed; raises BrokenError."""
    warm_up()
    home = folder or Path(tempfile.mkdtemp(prefix="kills-"))
    chance = Random(seed)
    scenarios = [each(home / each.name, chance) for each in SCENARIOS if not chosen or each.name in chosen]
    lines = time.monotonic()
    try:
        while sum(each.kills for each in scenarios) < kills:
            scenario = min(scenarios, key=lambda each: each.kills)
            try:
                scenario.step()
            except BrokenError as error:
                raise BrokenError(f"{scenario.name}, kill {scenario.kills}, seed {seed}, {home}: {error}") from error
            if time.monotonic() - lines > 30:
                lines = time.monotonic()
                sys.stderr.write(f"{ {each.name: (each.kills, each.runs) for each in scenarios} }\n")
        for scenario in scenarios:
            while True:
                before = scenario.runs
                scenario.step()
                if scenario.runs > before:
                    break
    finally:
        for scenario in scenarios:
            if isinstance(scenario, Live):
                scenario.close()
    counts = Counter({each.name: each.kills for each in scenarios})
    counts.update({f"{each.name} in peace": each.runs for each in scenarios})
    if folder is None:
        shutil.rmtree(home)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=os.getpid())
    parser.add_argument("--only", action="append", default=[], choices=[each.name for each in SCENARIOS])
    given = parser.parse_args()
    counts = run(given.kills, given.seed, tuple(given.only))
    sys.stdout.write("".join(f"{name}: {count}\n" for name, count in counts.items()))


if __name__ == "__main__":
    main()
