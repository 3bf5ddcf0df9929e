"""The options of `urlset crawl`, and those of every command that follows links or renders pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.crawling.found import TrapKind
from urlset.model.visit import RenderMode
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, Options, StrPath, argument, opt, refused
from urlset.settings.groups import FetchSettings, PartsSettings, RunSettings, TextOrJson
from urlset.writing.files import STATE_ROOT


class RenderSettings(Options, heading="Rendering"):
    """Every command that reads pages."""

    render: RenderMode = opt(RenderMode.NEVER, "Run scripts in a browser; auto: on script shells only")
    browser: StrPath | None = opt(None, "Chromium, Chrome or Edge to use", "PATH", scope=NOT_IN_FILES)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.render is not RenderMode.NEVER:
            from urlset.web.browser import find_browser

            yield from refused("render", lambda it: find_browser(Path(it) if it else None), str(self.browser or ""))


class CrawlLimitSettings(Options, heading="Crawling"):
    """Every command that follows links."""

    max_pages: int | None = opt(None, "Stop after N pages", least=1)
    max_depth: int | None = opt(None, "Follow links up to N clicks from the start", least=0)
    prefix: str | None = opt(None, "Crawl only below this path", "PATH")
    seed_sitemaps: bool = opt(False, "Also visit URLs listed in the site's sitemaps")
    fresh: bool = opt(False, "Start over instead of resuming", scope=ONE_RUN)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.prefix is not None and not self.prefix.startswith("/"):
            yield "prefix", f"{self.prefix!r} must start with a slash, for example /blog/"


class CrawlSettings(TextOrJson, CrawlLimitSettings, RenderSettings, FetchSettings, PartsSettings, RunSettings):
    url: str | None = argument(None, "Start page of the site", "URL", "a URL")
    out: StrPath | None = opt(
        None, "Write every URL: .csv .jsonl .parquet .xlsx .html", "FILE", short="-o", command_only=True
    )
    include: tuple[str, ...] = opt((), "Visit only matching URLs (glob or re:REGEX)", "PATTERN")
    exclude: tuple[str, ...] = opt((), "Skip matching URLs (glob or re:REGEX)", "PATTERN")
    follow_nofollow: bool = opt(False, "Follow nofollow links")
    ignore_robots: bool = opt(False, "Ignore robots.txt (your own site only)")
    ignore_traps: tuple[TrapKind, ...] = opt((), "Follow URL patterns that look endless", "KINDS", split=True)
    state: StrPath = opt(STATE_ROOT, "Folder for crawl state", "DIR")
