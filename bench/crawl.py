"""A site of 2,000 pages on a local nginx → what following all its links costs, beside Scrapy.

python -m bench.crawl            measure, print, and keep .bench/results/crawl.json
python -m bench.crawl --check    the same; exit 1 if a promise is missed

Scrapy keeps its queue in memory. urlset keeps every address and every answer on disk, so that a kill costs nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.live import Task, count_lines, main


def _command(origin: str, folder: Path) -> list[str]:
    return ["crawl", f"{origin}/", "--state", str(folder), "--out", str(folder / CRAWL.out)]


CRAWL = Task("urlset crawl", _command, "pages.jsonl", count_lines, times_scrapy=0.25)

if __name__ == "__main__":
    sys.exit(main(CRAWL, sys.argv[1:]))
