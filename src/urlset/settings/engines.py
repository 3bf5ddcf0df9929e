"""The options of the commands that talk to search engines: submit, engines status, engines index, doctor."""

from __future__ import annotations

from typing import Literal

from urlset.settings.declare import ONE_RUN, Options, StrPath, argument, opt
from urlset.settings.groups import FetchSettings, LlmSettings, RunSettings, TextOrJson
from urlset.spec.protocol import GSC_INSPECTIONS_PER_DAY
from urlset.writing.files import STATE_ROOT


class PropertySettings(Options):
    property: str | None = opt(None, "Search Console property to use", "NAME")


class EngineReport(Options, in_library=False):
    format: Literal["text", "json", "csv", "html"] = opt("text", "Output format")


class SubmitSettings(TextOrJson, PropertySettings, FetchSettings, RunSettings):
    sitemaps: tuple[str, ...] = argument((), "Public URLs of sitemaps", "SITEMAP_URL...", "the URL of a sitemap")
    to: tuple[str, ...] = opt(("google", "bing", "indexnow"), "Engines to submit to", "ENGINES", split=True)
    all: bool = opt(False, "Send every URL on the first run", scope=ONE_RUN)
    only_if_published: bool = opt(False, "Do nothing until the built set is live")
    key_location: str | None = opt(None, "URL of the IndexNow key file", "URL", is_url=True)
    state: StrPath = opt(STATE_ROOT, "Folder for receipts", "DIR")
    dry_run: bool = opt(False, "Print what would be sent", scope=ONE_RUN)


class StatusSettings(EngineReport, PropertySettings, FetchSettings, RunSettings):
    target: str | None = argument(None, "Site or sitemap", "SITE|SITEMAP", "a site or a sitemap URL")
    to: tuple[str, ...] = opt((), "Engines to query", "ENGINES", split=True, default="all with credentials")


class IndexSettings(EngineReport, PropertySettings, FetchSettings, RunSettings):
    target: str | None = argument(None, "Site or sitemap", "SITE|SITEMAP", "a site or a sitemap URL")
    sample: int = opt(GSC_INSPECTIONS_PER_DAY, "URLs to inspect", least=1)
    exports: tuple[StrPath, ...] = opt((), "Search Console download to use", "FILE", flag="--export")
    impressions: bool = opt(False, "Use Search Analytics as a lower bound")
    audit: StrPath | None = opt(None, "JSON report of `urlset audit` to compare with", "FILE")
    state: StrPath = opt(STATE_ROOT, "Folder for responses and quota", "DIR")


class DoctorSettings(LlmSettings, FetchSettings, RunSettings):
    url: str | None = argument(None, "Public URL of the sitemap", "SITEMAP_URL", "the URL of a sitemap")
    format: Literal["text", "json", "llm"] = opt("text", "Output format", command_only=True)
