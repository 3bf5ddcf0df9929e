"""One contender in a process of its own: a line on standard input → one round, answered with a line of JSON.

Started by bench.measure as  python -m bench.worker rounds|memory MODULE:FACTORY FILE
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

TINY = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    b"  <url>\n    <loc>https://www.example.com/</loc>\n    <lastmod>2025-06-01</lastmod>\n"
    b"    <changefreq>daily</changefreq>\n    <priority>0.5</priority>\n  </url>\n</urlset>\n"
)
"""Read once before anything is measured: what a package imports late belongs to its import."""


def main(mode: str, factory: str, file: str) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a contender that prints must not disturb the conversation
    module, _, name = factory.partition(":")
    contender = getattr(import_module(module), name)()
    contender.read(TINY)
    if mode == "memory":
        print(json.dumps(memory(contender, Path(file))), file=answers, flush=True)
        return
    body = Path(file).read_bytes()
    for _ in sys.stdin:
        print(json.dumps(one_round(contender, body)), file=answers, flush=True)


def one_round(contender: Any, body: bytes) -> dict[str, Any]:
    gc.collect()
    start = process_time()
    result = contender.read(body)
    seconds = process_time() - start
    return {"cpu": seconds, "counts": contender.count(result)}


def memory(contender: Any, file: Path) -> dict[str, Any]:
    """What reading adds at its height, the file's own bytes included, to what importing had cost."""
    gc.collect()
    base = resident()
    result = contender.read(file.read_bytes())
    peak = highest()
    return {"base": base, "peak": peak, "counts": contender.count(result)}


def resident() -> int:
    """Bytes of memory in use now, or the most so far where the system does not tell."""
    return _status("VmRSS") or highest()


def highest() -> int:
    """The most bytes of memory this process has used.

    Linux hands ru_maxrss down from the process that started this one, so its own count is asked for first.
    """
    scale = 1 if sys.platform == "darwin" else 1024
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def _status(field: str) -> int:
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith(field)), 0)


if __name__ == "__main__":
    main(*sys.argv[1:4])
