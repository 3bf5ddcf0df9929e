"""An audit report of 100,000 pages in Chromium → size, first paint, and the time of each kind of filter.

PYTHONPATH=src:. .venv/bin/python bench/report_page.py [PAGES]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser import FLAGS, executable
from tests.reports.audited_shop import SHOP, shop
from urlset.reports import audit_html
from urlset.reports.format import ReportOptions
from urlset.spec.engines import DEFAULT_ENGINES

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROUNDS = 3
STEPS = {
    "filter by state": "choose('state', 'gone')",
    "filter by section": "choose('section', '/lamps/')",
    "filter by rule": "choose('codes', 'A003')",
    "search for one word": "search('velvet')",
    "search for two words": "search('oak lamp')",
    "sort by URL (first time)": "sort('url')",
    "sort by size (first time)": "sort('bytes')",
    "next page": "document.getElementById('next').click()",
}
HANDS = """
const change = (element, value, kind) => { element.value = value; element.dispatchEvent(new Event(kind)); };
window.choose = (name, value) => change(document.querySelector(`select[data-filter-by=${name}]`), value, 'change');
window.search = (text) => change(document.getElementById('search'), text, 'input');
window.sort = (name) => {
  for (const box of document.querySelectorAll(`[data-column=${name}]`)) if (!box.checked) box.click();
  document.querySelector(`button[data-sort=${name}]`).click();
};
window.timed = async (step) => {
  const start = performance.now();
  step();
  const typed = document.getElementById('search').value;
  while (typed && !location.hash.includes('q=')) await new Promise((done) => setTimeout(done, 1));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
};
"""


def written(pages: int, folder: Path) -> tuple[Path, float]:
    path = folder / "audit.html"
    options = ReportOptions(command="audit", target=(SHOP,), engines=DEFAULT_ENGINES, made=datetime.now(UTC))
    start = time.process_time()
    with path.open("w", encoding="utf-8") as file:
        file.writelines(audit_html.render(shop(pages), options))
    return path, time.process_time() - start


def times_of(page: Page, path: Path) -> dict[str, tuple[float, float]]:
    """Step → milliseconds of the clock, and of CPU in the thread of the page."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cpu() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    page.goto(path.as_uri(), wait_until="load")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    found = {"first paint": (paint, 0.0), "table ready": (ready, cpu())}
    page.evaluate(f"() => {{ {HANDS} }}")
    for name, step in STEPS.items():
        page.evaluate("() => { const all = document.getElementById('clear'); if (!all.hidden) all.click(); }")
        before = cpu()
        clock = page.evaluate(f"timed(() => {step})")
        found[name] = (clock, cpu() - before)
    return found


def main() -> None:
    from playwright.sync_api import sync_playwright

    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path, seconds = written(pages, Path(folder))
        print(f"{pages:,} pages: {path.stat().st_size / 1e6:.1f} MB, written in {seconds:.1f} s of CPU")
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        rounds = []
        for _ in range(ROUNDS):
            context = browser.new_context()
            rounds.append(times_of(context.new_page(), path))
            context.close()
        browser.close()
    for name in rounds[0]:
        clock, cpu = ([each[name][at] for each in rounds] for at in (0, 1))
        median = statistics.median
        print(
            f"{name:28} {median(clock):7.0f} ms (best {min(clock):.0f}), CPU {median(cpu):.0f} ms (best {min(cpu):.0f})"
        )


if __name__ == "__main__":
    main()
