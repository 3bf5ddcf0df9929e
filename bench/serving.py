"""A million rows in PostgreSQL → what an index and a sitemap of 50,000 URLs cost, beside django.contrib.sitemaps.

python -m bench.serving            measure, print, and keep .bench/results/serving.json
python -m bench.serving --check    the same; exit 1 if a promise is missed
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from bench import peers
from bench.measure import MEGABYTE, WorkerFailedError, note
from bench.report import Result, Row, Target, parsed

ROWS = 1_000_000
QUICK_ROWS = 600_000
ROUNDS = 3
TIMES_INDEX = 20.0
TIMES_PAGE = 8.0
MEMORY_MB = 120.0
DJANGO = "django.contrib.sitemaps"
UNTOUCHED = "urlset, Django's class untouched"
FILL = """
insert into djangosite_article (slug, updated, live)
select 'an-article-about-number-' || n, timestamptz '2026-01-01 00:00:00+00' + n * interval '10 seconds', true
from generate_series(1, {rows}) n
"""


def prepare(database: str, rows: int) -> None:
    _python("-c", f"from tests.integrations.djangosite.project import configure; configure({database!r})")
    code = (
        "import sys, psycopg\n"
        "with psycopg.connect(sys.argv[1], autocommit=True) as c:\n"
        "    c.execute(sys.argv[2])\n"
        "    c.execute('vacuum analyze djangosite_article')\n"
    )
    _python("-c", code, database.replace("+psycopg", ""), FILL.format(rows=rows))


def _python(*arguments: str) -> str:
    command = [str(peers.python()), *arguments]
    ran = subprocess.run(command, env=peers.environment(), capture_output=True, text=True, check=False)
    if ran.returncode:
        raise WorkerFailedError(f"{' '.join(arguments[1:3])} ended with {ran.returncode}:\n{ran.stderr[-2000:]}")
    return ran.stdout


def measured(database: str, contender: str, task: str, rounds: int) -> dict[str, Any]:
    note(f"serving: {task}, {contender}")
    found: dict[str, Any] = json.loads(_python("-m", "bench.served", contender, task, database, str(rounds)))
    return found


def main(arguments: Sequence[str]) -> int:
    from bench.served import CONTENDERS
    from tests.workflows.postgresql import server

    options = parsed(arguments, __doc__ or "", ROUNDS)
    rows: list[Row] = []
    targets: list[Target] = []
    with server() as database:
        prepare(database, QUICK_ROWS if options.quick else ROWS)
        for task, wanted in (("index", TIMES_INDEX), ("page", TIMES_PAGE)):
            found = {
                name: measured(database, name, task, 1 if name == DJANGO else options.rounds) for name in CONTENDERS
            }
            rows += _rows(task, found)
            slowest = min(found[DJANGO]["seconds"])
            for name, ran in found.items():
                if name in (DJANGO, UNTOUCHED):
                    continue
                times = slowest / min(ran["seconds"])
                targets.append(Target(f"{task}: CPU of {DJANGO} in times of {name}", wanted, times))
                peak = ran["peak"] / MEGABYTE
                targets.append(Target(f"{task}: MB of memory of {name}", MEMORY_MB, peak, at_most=True))
    return options.finish(Result("serving", tuple(rows), tuple(targets), options.rounds, options.quick))


def _rows(task: str, found: dict[str, dict[str, Any]]) -> list[Row]:
    best = min(min(ran["seconds"]) for ran in found.values())
    rows = []
    for name, ran in found.items():
        seconds = sorted(ran["seconds"])
        size = f"{ran['bytes'] / MEGABYTE:.1f} MB" if task == "page" else f"{ran['bytes']:,} bytes"
        plan = f"; {ran['first']:.3f} s when the plan is made first" if task == "index" and name != DJANGO else ""
        middle = seconds[len(seconds) // 2]
        rows.append(Row(task, name, seconds[0], middle, seconds[0] / best, ran["peak"] / MEGABYTE, size + plan))
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
