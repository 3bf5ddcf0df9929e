"""The validator in Chromium → seconds and memory until it is ready, and for files of several sizes.

    make docs-site && .venv/bin/python bench/validator.py

CPU is that of all processes of the browser. Memory is the heap of Python in WebAssembly, and the resident size of the
largest process of the browser.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
TICK = os.sysconf("SC_CLK_TCK")


def entries(count: int) -> str:
    return "".join(
        f"<url><loc>https://www.nordliving.shop/products/lamp-{n}</loc>"
        f"<lastmod>2026-{1 + n % 10:02}-{1 + n % 28:02}</lastmod></url>\n"
        for n in range(count)
    )


def files(folder: Path) -> dict[str, Path]:
    """Name → file."""
    texts = {f"{count:,} entries": f"{HEAD}{entries(count)}</urlset>\n" for count in (100, 10_000, 50_000)}
    broken = entries(48_000).replace("lamp-", "lamp&").replace("</loc>", "</lok>")
    texts["5 MB, every entry broken"] = f"{HEAD}{broken}"
    texts["50 MB"] = f"{HEAD}{entries(450_000)}</urlset>\n"
    for name, text in texts.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.xml" for name in texts}


def family() -> list[int]:
    """The processes below this one."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, waiting = [], [os.getpid()]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def used() -> tuple[float, int]:
    """CPU seconds of the browser, and the resident bytes of its largest process."""
    seconds, largest = 0.0, 0
    for number in family():
        try:
            if "chrom" not in Path(f"/proc/{number}/cmdline").read_text():
                continue
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        seconds += (int(fields[11]) + int(fields[12])) / TICK
        largest = max(largest, int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
    return seconds, largest


def measured(page: Page, file: Path) -> str:
    cpu, begun = used()[0], time.monotonic()
    page.locator("input[type=file]").set_input_files(file)
    page.wait_for_selector("body[data-state=done], body[data-state=failed]", timeout=300_000)
    wall = time.monotonic() - begun
    after, resident = used()
    heap = int(page.evaluate("document.body.dataset.heap || 0"))
    said = page.locator("#status").inner_text()[:90]
    memory = f"heap {heap / 1e6:,.0f} MB, largest process {resident / 1e6:,.0f} MB"
    return f"{wall:.1f} s, {after - cpu:.1f} s of CPU, {memory}: {said}"


def main() -> int:
    sys.path.insert(0, str(ROOT))
    from tests.browser import FLAGS, executable

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS), headless=True)
        page = browser.new_context(offline=True).new_page()
        cpu, begun = used()[0], time.monotonic()
        page.goto((ROOT / "build/site/validator/index.html").as_uri())
        page.wait_for_selector("body[data-state=ready]", timeout=120_000)
        print(f"ready: {time.monotonic() - begun:.1f} s, {used()[0] - cpu:.1f} s of CPU")
        for name, file in files(Path(folder)).items():
            print(f"{name} ({file.stat().st_size / 1e6:.1f} MB): {measured(page, file)}", flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
