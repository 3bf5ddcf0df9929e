"""A report on a made-up shop → the pictures of docs/report.md; needs Chromium.

PYTHONPATH=src:. .venv/bin/python docs/report_pictures.py
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.browser import FLAGS, executable
from tests.reports.audited_shop import SHOP, shop
from urlset.reports import audit_html
from urlset.reports.format import ReportOptions
from urlset.spec.engines import DEFAULT_ENGINES

IMAGES = Path(__file__).parent / "images"
PICTURES: dict[str, tuple[dict[str, Any], str]] = {
    "report-light": ({"viewport": {"width": 1180, "height": 980}}, ""),
    "report-table": ({"viewport": {"width": 1180, "height": 820}}, "all"),
    "report-dark": ({"viewport": {"width": 1180, "height": 980}, "color_scheme": "dark"}, ""),
    "report-phone": ({"viewport": {"width": 390, "height": 844}, "is_mobile": True}, ""),
}
"""name → how it is opened, and the heading that it starts at"""


def main() -> None:
    from playwright.sync_api import sync_playwright

    made = datetime(2026, 11, 16, 3, tzinfo=UTC)
    options = ReportOptions(command="audit", target=(SHOP,), engines=DEFAULT_ENGINES, made=made)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "audit.html"
        path.write_text("".join(audit_html.render(shop(20_000), options)), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        for name, (how, heading) in PICTURES.items():
            context = browser.new_context(**how)
            page = context.new_page()
            page.goto(path.as_uri())
            if heading:
                page.select_option("select[data-filter-by=state]", "redirected")
                page.evaluate(f"document.getElementById('{heading}').scrollIntoView()")
            page.screenshot(path=IMAGES / f"{name}.png", timeout=120_000)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
