"""A sitemap of 2,000 pages on a local nginx → what looking at each of them costs, beside Scrapy.

python -m bench.audit            measure, print, and keep .bench/results/audit.json
python -m bench.audit --check    the same; exit 1 if a promise is missed

Scrapy fetches the listed pages and writes down what an audit needs to know of each, no more. urlset does the same and
keeps it on disk as it comes, compares the texts of pages, judges every page by every rule, and writes the report.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.live import Task, count_pages, main


def _command(origin: str, folder: Path) -> list[str]:
    out = folder / AUDIT.out
    return ["audit", f"{origin}/sitemap.xml", "--state", str(folder), "--format", "json", "--output", str(out)]


AUDIT = Task("urlset audit", _command, "audit.json", count_pages, times_scrapy=0.3)

if __name__ == "__main__":
    sys.exit(main(AUDIT, sys.argv[1:]))
