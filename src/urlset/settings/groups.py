"""Options that several commands share, declared once; each class is a section of their help."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from urlset.checking.context import Policy, Thresholds
from urlset.execution.workers import Where, Workers
from urlset.findings.card import Severity
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, ONLY_IN_FILES, Opt, Options, StrPath, opt, refused
from urlset.spec.engines import DEFAULT_ENGINES, Engine

if TYPE_CHECKING:
    from datetime import datetime

    from urlset.web.access import SiteAccess
    from urlset.web.options import WebOptions


ROOT = Opt("Folder that holds the site's files", "DIR|URL", exists="folder", or_storage=True)
DATE_CHANGES = Opt("Parts of a page whose change moves its lastmod", "PARTS", split=True)


class RunSettings(Options, heading="General", in_library=False):
    """Every command."""

    quiet: bool = opt(False, "Print results only: no progress, no notes", short="-q")
    verbose: bool = opt(False, "Print settings, steps and timing to stderr", short="-v")


class WorkerSettings(Options, heading="Workers"):
    """Where the work of a command that reads many files or pages is done."""

    jobs: int = opt(0, "Worker processes; 0 is one per core", least=0)
    executor: Where = opt(Where.AUTO, "Where files and pages are processed")
    ray_address: str | None = opt(None, "Ray cluster for --executor ray", "ADDRESS", default="start one")

    @property
    def workers(self) -> Workers:
        return Workers(self.executor, self.jobs, self.ray_address)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.ray_address is not None and self.executor is not Where.RAY:
            yield "ray_address", "needs --executor ray"
        if self.executor is Where.RAY and find_spec("ray") is None:
            yield "executor", "ray is not installed: pip install 'urlset[scale]'"


class PartsSettings(Options, heading="Parts"):
    """Commands that keep finished parts."""

    parts: StrPath | None = opt(
        None, "Keep results there; a killed run resumes", "DIR|URL", scope=NOT_IN_FILES, or_storage=True
    )


class RuleSettings(Options, heading="Rules"):
    select: tuple[str, ...] = opt(
        (), "Run only these rules: codes, families, names", "RULES", split=True, complete="rules"
    )
    ignore: tuple[str, ...] = opt((), "Skip these rules", "RULES", split=True, complete="rules")
    engines: tuple[Engine, ...] = opt(
        DEFAULT_ENGINES, "Search engines to check for", "ENGINES", flag="--engine", split=True
    )
    severity: dict[str, Severity] = opt({}, "Change the severity of a rule", "RULE=LEVEL")
    thresholds: Thresholds = opt(Thresholds(), "Change a threshold", "NAME=VALUE", flag="--threshold")
    policy: tuple[Policy, ...] = opt((), "Forbid or require URL patterns", "TABLE", scope=ONLY_IN_FILES)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.policy:
            from urlset.building.patterns import compile_pattern

            yield from refused("policy", compile_pattern, *(each for policy in self.policy for each in policy.patterns))
        if self.severity:
            from urlset.checking.select import select
            from urlset.rules.catalogue import all_rules

            rules, engines = all_rules(), tuple(self.engines)
            yield from refused("severity", lambda it: select(rules, engines, chosen=(it,)), *self.severity)


class SiteSettings(Options, heading="Site"):
    root: StrPath | None = opt(None, ROOT)
    base_url: str | None = opt(None, "URL that --root is served at", "URL", is_url=True)
    robots: StrPath | None = opt(None, "robots.txt of the site", "FILE", exists="file")


class JudgeSettings(RuleSettings, SiteSettings):
    """Which rules, for which site: what every command that runs rules needs."""

    now: datetime | None = None
    """the time of the check, instead of the clock"""


class AccessSettings(Options, heading="Access"):
    """Every command that fetches. Without `ORIGIN=`, a credential goes to the origins of the targets only."""

    headers: tuple[str, ...] = opt(
        (), "Send a header to the site", "[ORIGIN=]NAME: VALUE", flag="--header", scope=NOT_IN_FILES, secret=True
    )
    cookies: tuple[str, ...] = opt(
        (), "Send a cookie to the site", "[ORIGIN=]NAME=VALUE", flag="--cookie", scope=NOT_IN_FILES, secret=True
    )
    auth: tuple[str, ...] = opt(
        (), "Sign in with basic authentication", "[ORIGIN=]USER:PASSWORD", scope=NOT_IN_FILES, secret=True
    )
    netrc: bool = opt(False, "Sign in with credentials from .netrc", scope=NOT_IN_FILES)
    maps: tuple[str, ...] = opt(
        (), "Send requests for ORIGIN to SERVER", "ORIGIN=SERVER", flag="--map", scope=NOT_IN_FILES
    )
    resolve: tuple[str, ...] = opt((), "Use this IP address for HOST and PORT", "HOST:PORT:ADDRESS", scope=NOT_IN_FILES)
    proxy: str | None = opt(None, "HTTP proxy for all other requests", "URL", scope=NOT_IN_FILES, secret=True)

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

        yield from refused("headers", access.header_of, *self.headers)
        yield from refused("cookies", access.cookie_of, *self.cookies)
        yield from refused("auth", access.auth_of, *self.auth)
        yield from refused("maps", access.mapping_of, *self.maps)
        yield from refused("resolve", access.pin_of, *self.resolve)
        yield from refused("proxy", access.proxy_of, self.proxy or None)
        yield from refused("netrc", lambda _: access.read_netrc(), "" if self.netrc else None)


class FetchSettings(AccessSettings, heading="Fetching"):
    """How URLs are fetched."""

    user_agent: str | None = opt(None, "Override the User-Agent header", "TEXT", default="urlset/VERSION")
    concurrency: int = opt(4, "Parallel requests per host", least=1, most=64)
    delay: float = opt(0.0, "Pause after each response, one request at a time", "SECONDS", least=0)
    timeout: float = opt(60.0, "Time limit for one response", "SECONDS", least=0.1)
    allow_private: bool = opt(False, "Fetch the given hosts even on private networks", scope=NOT_IN_FILES)
    private_hosts: tuple[str, ...] = opt(
        (), "Also fetch from this private host", "HOST[:PORT]", flag="--private-host", scope=NOT_IN_FILES
    )
    insecure: bool = opt(False, "Accept any TLS certificate", scope=NOT_IN_FILES)
    ca_file: StrPath | None = opt(None, "Extra trusted certificates (PEM)", "FILE", exists="file")
    record: StrPath | None = opt(None, "Save every response to FILE", "FILE", scope=ONE_RUN)
    replay: StrPath | None = opt(None, "Read responses from FILE, fetch nothing", "FILE", exists="file", scope=ONE_RUN)

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


class SitemapFetchSettings(FetchSettings, heading="Fetching"):
    """[web] in a settings file; the commands that follow indexes have all of it, others what they need."""

    max_files: int = opt(MAX_FILES, "Fetch at most N sitemaps", least=1)


class ExitSettings(Options, heading="Report", in_library=False):
    """What fails a run that reports findings."""

    fail_on: Severity = opt(Severity.ERROR, "Minimum severity that fails the run")
    show: Severity | None = opt(None, "Minimum severity shown in text formats", default="warning")
    baseline: StrPath | None = opt(None, "Ignore findings recorded in FILE", "FILE")
    exit_zero: bool = opt(False, "Exit with 0 even if there are findings")
    statistics: bool = opt(False, "Print the number of findings per rule")


class BaselineSettings(Options, heading="Report", in_library=False):
    """Accepting the findings that there are."""

    write_baseline: StrPath | None = opt(None, "Record all current findings in FILE", "FILE", scope=ONE_RUN)
    reason: str = opt("", "With --write-baseline: why they are accepted", scope=ONE_RUN)
    expires: str | None = opt(None, "With --write-baseline: last day they are ignored", "DATE", scope=ONE_RUN)

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


class LlmSettings(Options, heading="Report", in_library=False):
    """Commands with the format for language models."""

    max_tokens: int = opt(2_000, "With --format llm: most tokens, of 4 characters", least=100)


class ReportSettings(LlmSettings, heading="Report", in_library=False):
    """Findings in any format, to any number of places."""

    format: str | None = opt(
        None,
        "Format of standard output",
        "FORMAT",
        choices=report_formats,
        default="text",
        unique="write each file as --output FORMAT:FILE",
    )
    outputs: tuple[str, ...] = opt(
        (), "Write a report to FILE; repeatable", "[FORMAT:]FILE", flag="--output", short="-o"
    )


class FindingSettings(ExitSettings, ReportSettings, BaselineSettings, WorkerSettings, PartsSettings, RunSettings):
    """A command that reports findings, and may take long."""


class TextOrJson(Options, in_library=False):
    """Every command with one result."""

    format: Literal["text", "json"] = opt("text", "Output format")


class SharedSettings(JudgeSettings, ExitSettings, WorkerSettings, RunSettings):
    """The top level of a settings file: keys for every command that has the option."""


def _path(given: StrPath | None) -> Path | None:
    return None if given is None else Path(given)
