"""A build that is killed was recorded as a whole or not at all; and a million pages fit in little memory."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from urlset.building.ledger import Ledger

KILLS = 12

# Each build lists another number of pages, all marked with the build, and says so after the commit.
BUILDER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from urlset.building.candidate import Decision, PolicyReason
from urlset.building.ledger import Ledger, LedgerRow, ShardRow
now = datetime(2026, 3, 10, tzinfo=UTC)
with Ledger.open(Path(sys.argv[1])) as ledger:
    print("open", flush=True)
    while True:
        with ledger.record(base_url="", host="", started=now) as recording:
            number, pages = recording.build, 2000 + recording.build % 7 * 300
            recording.put(LedgerRow(f"https://example.com/{i}", "all", str(number), "x" * 200) for i in range(pages))
            recording.decide(Decision(f"https://example.com/{i}", PolicyReason.FACET, str(number)) for i in range(500))
            recording.set_shards([ShardRow(str(number), "all", pages, 0, "")])
            recording.finish(finished=now)
        print(number, flush=True)
"""


def test_killed_at_any_moment_it_holds_exactly_the_last_build(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    random_ = random.Random(7)
    said = 0
    window = 0.25
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", BUILDER, str(path)], stdout=subprocess.PIPE, env=_with_source()
        )
        assert process.stdout is not None
        assert process.stdout.readline().rstrip() == b"open"
        time.sleep(random_.uniform(0, window))
        process.kill()
        lines = process.stdout.read().split(b"\n")[:-1]
        process.wait()
        process.stdout.close()
        said = max([said, *map(int, lines)])
        # other work on the machine must not decide which moments are tried
        window *= 0.9 if len(lines) > 4 else 1.3 if not lines else 1.0
        said = _check(path, said)
    assert said > KILLS // 2


def _check(path: Path, said: int) -> int:
    """The last build, which a killed process may have committed without saying so."""
    with Ledger.open(path) as ledger:
        assert ledger._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        last = ledger.last_build()
        if last is None:
            assert said == 0
            assert list(ledger.pages()) == []
            return 0
        # the kill can fall between the commit and the word about it
        assert last.id in {said, said + 1}
        pages = 2000 + last.id % 7 * 300
        assert last.counts == {"listed": pages, "facet": 500}
        assert {(page.shard, page.changed) for page in ledger.pages()} == {(str(last.id), last.id)}
        assert len(list(ledger.pages())) == pages
        assert {decision.detail for decision in ledger.decisions()} == {str(last.id)}
        assert [(shard.name, shard.count) for shard in ledger.shards()] == [(str(last.id), pages)]
        assert [build.id for build in ledger.builds()] == list(range(last.id, 0, -1))
        return last.id


MEASURE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from urlset.building.ledger import Ledger, LedgerRow
now = datetime(2026, 3, 10, tzinfo=UTC)
count = int(sys.argv[2])
def rows(lastmod):
    for i in range(count):
        j = i * 7919 % count
        yield LedgerRow(f"https://www.example.com/products/{j % 97}/an-item-with-a-name-{j}.html", "products",
                        f"sitemap-products-{i // 45000}.xml", "urls.jsonl", lastmod, "given", None, None, j)
with Ledger.open(Path(sys.argv[1])) as ledger:
    for lastmod in ("2026-01-01", "2026-02-02"):
        with ledger.record(base_url="", host="", started=now) as recording:
            recording.put(rows(lastmod))
            recording.finish(finished=now)
    assert sum(1 for _ in ledger.pages()) == count
# ru_maxrss is handed down from the process that started this one
status = Path('/proc/self/status').read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith('VmHWM')))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the most memory used")
def test_memory_is_flat(tmp_path: Path) -> None:
    def peak(pages: int) -> float:
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(tmp_path / f"{pages}.db"), str(pages)],
            env=_with_source(), capture_output=True, check=True, text=True,
        )  # fmt: skip
        return int(done.stdout) / 1024

    # from the second size on the cache is full, and no page more costs memory
    peak_of_few, peak_of_many = peak(100_000), peak(200_000)
    assert peak_of_many < 100
    assert peak_of_many - peak_of_few < 10


def _with_source() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
