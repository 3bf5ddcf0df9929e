"""The whole configuration, typed and documented field by field."""

from __future__ import annotations

from typing import Annotated

import msgspec

from urlset.checking.context import Thresholds
from urlset.checking.policy import Policy
from urlset.findings.severity import Severity
from urlset.spec.engines import DEFAULT_ENGINES, Engine


def described(text: str) -> msgspec.Meta:
    return msgspec.Meta(description=text)


class Web(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How addresses are fetched, under [web]; unset means what `urlset check --help` says."""

    user_agent: Annotated[str | None, described("what servers are told; unset: urlset/VERSION")] = None
    concurrency: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=64)] | None, described("requests at one host at a time; unset: 4")
    ] = None
    delay: Annotated[
        Annotated[float, msgspec.Meta(ge=0)] | None, described("pause in seconds after each answer of a host")
    ] = None
    timeout: Annotated[
        Annotated[float, msgspec.Meta(ge=0.1)] | None, described("seconds that one answer may take; unset: 60")
    ] = None
    max_files: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None, described("sitemaps that one run fetches at most; unset: 50001")
    ] = None


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One field for each key of urlset.toml; the words beside it are what `urlset config` prints."""

    engines: Annotated[tuple[Engine, ...], described("whose rules count")] = DEFAULT_ENGINES
    select: Annotated[tuple[str, ...], described("rules to run: codes, family letters or names; empty means all")] = ()
    ignore: Annotated[tuple[str, ...], described("rules not to run")] = ()
    severity: Annotated[dict[str, Severity], described("severity by code or name, instead of the rule's own")] = {}
    fail_on: Annotated[Severity, described("the least severity that makes the exit code 1")] = Severity.ERROR
    show: Annotated[
        Severity | None,
        described("the least severity that text formats print; unset: warning (full: info), or fail-on if milder"),
    ] = None
    root: Annotated[
        str | None, described("folder that holds the site's files; in a file, paths start at its folder")
    ] = None
    base_url: Annotated[str | None, described("address that `root` is served at")] = None
    robots: Annotated[str | None, described("robots.txt file of the site")] = None
    baseline: Annotated[str | None, described("file of known findings that are not reported again")] = None
    jobs: Annotated[int, msgspec.Meta(ge=0, description="worker processes; 0 means one for each core")] = 0
    thresholds: Annotated[Thresholds, described("numbers that are judgements, not norms")] = Thresholds()
    policy: Annotated[
        Policy | tuple[Policy, ...], described("patterns that listed URLs must, must not or may only match")
    ] = ()
    web: Annotated[Web, described("how addresses are fetched")] = Web()

    @property
    def policies(self) -> tuple[Policy, ...]:
        """One table in the file, or several."""
        return (self.policy,) if isinstance(self.policy, Policy) else self.policy


PROFILES: dict[str, dict[str, object]] = {
    "strict": {"engines": ["protocol", "google", "bing", "xsd-strict"], "fail-on": "warning", "show": "info"},
    "google": {"engines": ["protocol", "google"]},
    "bing": {"engines": ["protocol", "bing"]},
    "yandex": {"engines": ["protocol", "yandex"]},
    "everyone": {"engines": [engine.value for engine in Engine if engine is not Engine.XSD_STRICT]},
}
"""Built-in sets of settings for --profile; a file may add its own under [profiles.NAME]."""
