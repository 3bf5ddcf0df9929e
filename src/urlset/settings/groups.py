"""Options that several commands share, declared once; each class is a section of their help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from urlset.checking.context import Policy, Thresholds
from urlset.execution.workers import Where, Workers
from urlset.findings.card import Severity
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, ONLY_IN_FILES, Opt, Options, StrPath
from urlset.spec.engines import DEFAULT_ENGINES, Engine

if TYPE_CHECKING:
    from datetime import datetime

    from urlset.web.access import SiteAccess
    from urlset.web.options import WebOptions


ROOT = Opt("Folder that holds the site's files", "DIR|URL", exists="folder", or_storage=True)
DATE_CHANGES = Opt("Parts of a page whose change moves its lastmod", "PARTS", split=True)


class RunSettings(Options):
    """Every command."""

    heading: ClassVar[str] = "General"
    in_library: ClassVar[bool] = False

    quiet: Annotated[bool, Opt("Print results only: no progress, no notes", short="-q")] = False
    verbose: Annotated[bool, Opt("Print settings, steps and timing to stderr", short="-v")] = False


class WorkerSettings(Options):
    """Where the work of a command that reads many files or pages is done."""

    heading: ClassVar[str] = "Workers"

    jobs: Annotated[int, Opt("Worker processes; 0 is one per core", least=0)] = 0
    executor: Annotated[Where, Opt("Where files and pages are processed")] = Where.AUTO
    ray_address: Annotated[str | None, Opt("Ray cluster for --executor ray", "ADDRESS", default="start one")] = None

    @property
    def workers(self) -> Workers:
        return Workers(self.executor, self.jobs, self.ray_address)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.ray_address is not None and self.executor is not Where.RAY:
            yield "ray_address", "needs --executor ray"
        if self.executor is Where.RAY and find_spec("ray") is None:
            yield "executor", "ray is not installed: pip install 'urlset[scale]'"


class PartsSettings(Options):
    """Commands that keep finished parts."""

    heading: ClassVar[str] = "Parts"

    parts: Annotated[
        StrPath | None, Opt("Keep results there; a killed run resumes", "DIR|URL", scope=NOT_IN_FILES, or_storage=True)
    ] = None


class RuleSettings(Options):
    heading: ClassVar[str] = "Rules"

    select: Annotated[
        tuple[str, ...], Opt("Run only these rules: codes, families, names", "RULES", split=True, complete="rules")
    ] = ()
    ignore: Annotated[tuple[str, ...], Opt("Skip these rules", "RULES", split=True, complete="rules")] = ()
    engines: Annotated[
        tuple[Engine, ...], Opt("Search engines to check for", "ENGINES", flag="--engine", split=True)
    ] = DEFAULT_ENGINES
    severity: Annotated[dict[str, Severity], Opt("Change the severity of a rule", "RULE=LEVEL")] = field(
        default_factory=dict
    )
    thresholds: Annotated[Thresholds, Opt("Change a threshold", "NAME=VALUE", flag="--threshold")] = Thresholds()
    policy: Annotated[tuple[Policy, ...], Opt("Forbid or require URL patterns", "TABLE", scope=ONLY_IN_FILES)] = ()

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.policy:
            from urlset.building.patterns import PatternError, compile_pattern

            try:
                for pattern in (each for policy in self.policy for each in policy.patterns):
                    compile_pattern(pattern)
            except PatternError as error:
                yield "policy", str(error)
        if self.severity:
            from urlset.checking.select import UnknownSelectorError, select
            from urlset.rules.catalogue import all_rules

            for selector in self.severity:
                try:
                    select(all_rules(), tuple(self.engines), chosen=(selector,))
                except UnknownSelectorError as error:
                    yield "severity", str(error)


class SiteSettings(Options):
    heading: ClassVar[str] = "Site"

    root: Annotated[StrPath | None, ROOT] = None
    base_url: Annotated[str | None, Opt("URL that --root is served at", "URL", is_url=True)] = None
    robots: Annotated[StrPath | None, Opt("robots.txt of the site", "FILE", exists="file")] = None


class JudgeSettings(RuleSettings, SiteSettings):
    """Which rules, for which site: what every command that runs rules needs."""

    now: datetime | None = None
    """the time of the check, instead of the clock"""


class AccessSettings(Options):
    """Every command that fetches. Without `ORIGIN=`, a credential goes to the origins of the targets only."""

    heading: ClassVar[str] = "Access"

    headers: Annotated[
        tuple[str, ...],
        Opt("Send a header to the site", "[ORIGIN=]NAME: VALUE", "--header", scope=NOT_IN_FILES, secret=True),
    ] = ()
    cookies: Annotated[
        tuple[str, ...],
        Opt("Send a cookie to the site", "[ORIGIN=]NAME=VALUE", "--cookie", scope=NOT_IN_FILES, secret=True),
    ] = ()
    auth: Annotated[
        tuple[str, ...],
        Opt("Sign in with basic authentication", "[ORIGIN=]USER:PASSWORD", scope=NOT_IN_FILES, secret=True),
    ] = ()
    netrc: Annotated[bool, Opt("Sign in with credentials from .netrc", scope=NOT_IN_FILES)] = False
    maps: Annotated[
        tuple[str, ...], Opt("Send requests for ORIGIN to SERVER", "ORIGIN=SERVER", "--map", scope=NOT_IN_FILES)
    ] = ()
    resolve: Annotated[
        tuple[str, ...], Opt("Use this IP address for HOST and PORT", "HOST:PORT:ADDRESS", scope=NOT_IN_FILES)
    ] = ()
    proxy: Annotated[str | None, Opt("HTTP proxy for all other requests", "URL", scope=NOT_IN_FILES, secret=True)] = (
        None
    )

    @property
    def access(self) -> SiteAccess:
        """Raises AccessError, which `problems` reports first."""
        from urlset.web.access import SiteAccess

        return SiteAccess.of(
            headers=self.headers,
            cookies=self.cookies,
            auth=self.auth,
            netrc=self.netrc,
            maps=self.maps,
            resolve=self.resolve,
            proxy=self.proxy,
        )

    def faults(self) -> Iterator[tuple[str, str]]:
        given = (self.headers, self.cookies, self.auth, self.maps, self.resolve, self.proxy, self.netrc)
        if not any(given):
            return
        from urlset.web import access  # most runs have no credentials

        parts: tuple[tuple[str, tuple[str, ...], Callable[[str], Any]], ...] = (
            ("headers", self.headers, access.header_of),
            ("cookies", self.cookies, access.cookie_of),
            ("auth", self.auth, access.auth_of),
            ("maps", self.maps, access.mapping_of),
            ("resolve", self.resolve, access.pin_of),
            ("proxy", (self.proxy,) if self.proxy else (), access.proxy_of),
        )
        for name, values, parse in parts:
            try:
                for value in values:
                    parse(value)
            except access.AccessError as error:
                yield name, str(error)
        if self.netrc:
            try:
                access.read_netrc()
            except access.AccessError as error:
                yield "netrc", str(error)


class FetchSettings(AccessSettings):
    """How URLs are fetched."""

    heading: ClassVar[str] = "Fetching"

    user_agent: Annotated[str | None, Opt("Override the User-Agent header", "TEXT", default="urlset/VERSION")] = None
    concurrency: Annotated[int, Opt("Parallel requests per host", least=1, most=64)] = 4
    delay: Annotated[float, Opt("Pause after each response, one request at a time", "SECONDS", least=0)] = 0.0
    timeout: Annotated[float, Opt("Time limit for one response", "SECONDS", least=0.1)] = 60.0
    allow_private: Annotated[bool, Opt("Fetch the given hosts even on private networks", scope=NOT_IN_FILES)] = False
    private_hosts: Annotated[
        tuple[str, ...],
        Opt("Also fetch from this private host", "HOST[:PORT]", flag="--private-host", scope=NOT_IN_FILES),
    ] = ()
    insecure: Annotated[bool, Opt("Accept any TLS certificate", scope=NOT_IN_FILES)] = False
    ca_file: Annotated[StrPath | None, Opt("Extra trusted certificates (PEM)", "FILE", exists="file")] = None
    record: Annotated[StrPath | None, Opt("Save every response to FILE", "FILE", scope=ONE_RUN)] = None
    replay: Annotated[
        StrPath | None, Opt("Read responses from FILE, fetch nothing", "FILE", exists="file", scope=ONE_RUN)
    ] = None

    web: WebOptions | None = None
    """everything about fetching at once, instead of the options above"""

    @property
    def fetching(self) -> WebOptions:
        if self.web is not None:
            return self.web
        from urlset.web.options import CONNECT_TIMEOUT, READ_TIMEOUT, USER_AGENT, WebOptions  # files do not need it

        return WebOptions(
            user_agent=self.user_agent or USER_AGENT,
            concurrency=self.concurrency,
            delay=self.delay,
            total_timeout=self.timeout,
            read_timeout=min(self.timeout, READ_TIMEOUT),
            connect_timeout=min(self.timeout, CONNECT_TIMEOUT),
            allow_private=self.allow_private,
            private_hosts=frozenset(self.private_hosts),
            verify_tls=not self.insecure,
            ca_file=_path(self.ca_file),
            access=self.access,
            record=_path(self.record),
            replay=_path(self.replay),
        )

    def faults(self) -> Iterator[tuple[str, str]]:
        agent = self.user_agent
        if agent is not None and not (agent.isprintable() and agent.strip()):
            yield "user_agent", f"{agent!r} is empty or contains control characters"
        for host in self.private_hosts:
            from urlset.web.guard import private_doors  # files do not need it

            if not private_doors(host):
                yield "private_hosts", f"{host!r} is not a host, or a host and a port"
        if self.record and self.replay:
            yield "record", "cannot be combined with --replay"


MAX_FILES = 50_001
"""fetched in one run: an index and as many children as it may list"""


class SitemapFetchSettings(FetchSettings):
    """[web] in a settings file; the commands that follow indexes have all of it, others what they need."""

    heading: ClassVar[str] = "Fetching"

    max_files: Annotated[int, Opt("Fetch at most N sitemaps", least=1)] = MAX_FILES


class ExitSettings(Options):
    """What fails a run that reports findings."""

    heading: ClassVar[str] = "Report"
    in_library: ClassVar[bool] = False

    fail_on: Annotated[Severity, Opt("Minimum severity that fails the run")] = Severity.ERROR
    show: Annotated[Severity | None, Opt("Minimum severity shown in text formats", default="warning")] = None
    baseline: Annotated[StrPath | None, Opt("Ignore findings recorded in FILE", "FILE")] = None
    exit_zero: Annotated[bool, Opt("Exit with 0 even if there are findings")] = False
    statistics: Annotated[bool, Opt("Print the number of findings per rule")] = False


class BaselineSettings(Options):
    """Accepting the findings that there are."""

    heading: ClassVar[str] = "Report"
    in_library: ClassVar[bool] = False

    write_baseline: Annotated[StrPath | None, Opt("Record all current findings in FILE", "FILE", scope=ONE_RUN)] = None
    reason: Annotated[str, Opt("With --write-baseline: why they are accepted", scope=ONE_RUN)] = ""
    expires: Annotated[str | None, Opt("With --write-baseline: last day they are ignored", "DATE", scope=ONE_RUN)] = (
        None
    )

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.expires is not None:
            from datetime import date

            try:
                date.fromisoformat(self.expires)
            except ValueError:
                yield "expires", f"{self.expires!r} is not a date like 2027-01-31"


def report_formats() -> tuple[str, ...]:
    from urlset.reports.format import FORMATS

    return tuple(FORMATS)


class LlmSettings(Options):
    """Commands with the format for language models."""

    heading: ClassVar[str] = "Report"
    in_library: ClassVar[bool] = False

    max_tokens: Annotated[int, Opt("With --format llm: most tokens, of 4 characters", least=100)] = 2_000


class ReportSettings(LlmSettings):
    """Findings in any format, to any number of places."""

    heading: ClassVar[str] = "Report"
    in_library: ClassVar[bool] = False

    format: Annotated[
        str | None,
        Opt(
            "Format of standard output",
            "FORMAT",
            choices=report_formats,
            default="text",
            unique="write each file as --output FORMAT:FILE",
        ),
    ] = None
    outputs: Annotated[
        tuple[str, ...], Opt("Write a report to FILE; repeatable", "[FORMAT:]FILE", flag="--output", short="-o")
    ] = ()


class TextOrJson(Options):
    """Every command with one result."""

    in_library: ClassVar[bool] = False

    format: Annotated[Literal["text", "json"], Opt("Output format")] = "text"


class SharedSettings(JudgeSettings, ExitSettings, WorkerSettings, RunSettings):
    """The top level of a settings file: keys for every command that has the option."""


def _path(given: StrPath | None) -> Path | None:
    return None if given is None else Path(given)
