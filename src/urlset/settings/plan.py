"""The options of `urlset plan`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.settings.declare import StrPath, argument, opt
from urlset.settings.groups import ROOT, RunSettings, SitemapFetchSettings, TextOrJson
from urlset.spec.protocol import MAX_URLS
from urlset.writing.files import STATE_ROOT

_COUNT = re.compile(r"(\d[\d_, ]*(?:\.\d+)?(?:e\+?\d{1,2})?)\s*([kmgb]?)", re.IGNORECASE)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "b": 1_000_000_000}
MOST_URLS = 10**13


class PlanSettings(TextOrJson, RunSettings, in_library=False):
    urls: str | None = opt(None, "URLs to list, such as 26000000, 26M or 2.5e9", "N", required="--urls N")
    url_length: int = opt(70, "Average length of a URL", least=10, most=2048)
    languages: int = opt(0, "hreflang links per URL", least=0, most=500)
    images: int = opt(0, "Images per URL", least=0, most=1000)
    per_file: int = opt(MAX_URLS, "URLs per file", least=1, most=MAX_URLS)
    workers: int = opt(16, "Worker processes on all machines", least=1)
    base_url: str = opt("https://www.example.com/", "URL of the folder that holds the sitemaps", "URL", is_url=True)

    @property
    def count(self) -> int:
        """0 where `urls` is not a number."""
        found = _COUNT.fullmatch((self.urls or "").strip())
        if found is None:
            return 0
        return round(float(re.sub(r"[_, ]", "", found[1])) * _TIMES[found[2].lower()])

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.urls is not None and not 0 < self.count <= MOST_URLS:
            yield "urls", f"{self.urls!r} is not a number of URLs between 1 and {MOST_URLS:,}; examples: 26M, 2.5e9"


class PlanSectionsSettings(TextOrJson, SitemapFetchSettings, RunSettings, in_library=False):
    targets: tuple[str, ...] = argument((), "Sitemaps of the site", "URL|FILE|FOLDER...", "a URL, a file or a folder")
    state: StrPath = opt(STATE_ROOT, "Folder of snapshots, for update frequencies", "DIR")
    root: StrPath | None = opt(None, ROOT)
