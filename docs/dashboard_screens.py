"""The simulated month of the demo → the screenshots of docs/dashboard.md, taken with an installed Chromium.

python docs/dashboard_screens.py [STATE]      STATE is the folder of an earlier simulation
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import FLAGS, executable
from tests.dashboard.served import served
from urlset.dashboard.sites import all_sites
from urlset.settings.serve import ServeSettings
from urlset.testing.site import Site
from urlset.workflows.demo.month import CANONICALS_BROKEN, RENAMED, simulate

OUT = Path(__file__).with_name("dashboard")
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


def main(state: Path) -> None:
    (site,) = all_sites(state)
    names = [taken.name for taken in site.taken]
    home = f"/sites/{site.id}"
    shots = {
        "overview": (home, WIDE, "light"),
        "overview-dark": (home, WIDE, "dark"),
        "overview-phone": (home, PHONE, "light"),
        "pages": (f"{home}/pages?code=A012&at={names[CANONICALS_BROKEN]}", WIDE, "light"),
        "changes": (f"{home}/diff?old={names[RENAMED - 2]}&new={names[RENAMED - 1]}", WIDE, "light"),
        "dates": (f"{home}/dates", WIDE, "light"),
    }
    OUT.mkdir(exist_ok=True)
    with served(ServeSettings(state=state)) as client, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        for name, (path, size, scheme) in shots.items():
            page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"{client.origin}{path}")
            page.wait_for_function("() => !document.querySelector('.pending')", timeout=60_000)
            page.screenshot(path=OUT / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder, Site({}) as shop:
            simulate(shop, Path(folder), datetime.now(UTC))
            main(Path(folder))
