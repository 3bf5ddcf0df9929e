"""The options of the commands that talk to search engines: submit, engines status, engines index, doctor."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from urlset.settings.declare import ONE_RUN, Opt, Options, StrPath
from urlset.settings.groups import FetchSettings, LlmSettings, RunSettings, TextOrJson
from urlset.spec.protocol import GSC_INSPECTIONS_PER_DAY
from urlset.writing.files import STATE_ROOT


class PropertySettings(Options):
    property: Annotated[str | None, Opt("Search Console property to use", "NAME")] = None


class EngineReport(Options):
    in_library: ClassVar[bool] = False

    format: Annotated[Literal["text", "json", "csv", "html"], Opt("Output format")] = "text"


class SubmitSettings(TextOrJson, PropertySettings, FetchSettings, RunSettings):
    sitemaps: Annotated[
        tuple[str, ...],
        Opt("Public URLs of sitemaps", "SITEMAP_URL...", positional=True, required="the URL of a sitemap"),
    ] = ()
    to: Annotated[tuple[str, ...], Opt("Engines to submit to", "ENGINES", split=True)] = ("google", "bing", "indexnow")
    all: Annotated[bool, Opt("Send every URL on the first run", scope=ONE_RUN)] = False
    only_if_published: Annotated[bool, Opt("Do nothing until the built set is live")] = False
    key_location: Annotated[str | None, Opt("URL of the IndexNow key file", "URL", is_url=True)] = None
    state: Annotated[StrPath, Opt("Folder for receipts", "DIR")] = STATE_ROOT
    dry_run: Annotated[bool, Opt("Print what would be sent", scope=ONE_RUN)] = False


class StatusSettings(EngineReport, PropertySettings, FetchSettings, RunSettings):
    target: Annotated[
        str | None, Opt("Site or sitemap", "SITE|SITEMAP", positional=True, required="a site or a sitemap URL")
    ] = None
    to: Annotated[tuple[str, ...], Opt("Engines to query", "ENGINES", split=True, default="all with credentials")] = ()


class IndexSettings(EngineReport, PropertySettings, FetchSettings, RunSettings):
    target: Annotated[
        str | None, Opt("Site or sitemap", "SITE|SITEMAP", positional=True, required="a site or a sitemap URL")
    ] = None
    sample: Annotated[int, Opt("URLs to inspect", least=1)] = GSC_INSPECTIONS_PER_DAY
    exports: Annotated[tuple[StrPath, ...], Opt("Search Console download to use", "FILE", flag="--export")] = ()
    impressions: Annotated[bool, Opt("Use Search Analytics as a lower bound")] = False
    audit: Annotated[StrPath | None, Opt("JSON report of `urlset audit` to compare with", "FILE")] = None
    state: Annotated[StrPath, Opt("Folder for responses and quota", "DIR")] = STATE_ROOT


class DoctorSettings(LlmSettings, FetchSettings, RunSettings):
    url: Annotated[
        str | None, Opt("Public URL of the sitemap", "SITEMAP_URL", positional=True, required="the URL of a sitemap")
    ] = None
    format: Annotated[Literal["text", "json", "llm"], Opt("Output format", command_only=True)] = "text"
