"""How one check runs: rules, site, clock and workers in one value; settings files and flags end here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context, Thresholds
from urlset.checking.declare import AnyRule
from urlset.checking.policy import Policy
from urlset.execution.workers import Workers
from urlset.findings.severity import Severity
from urlset.model.address import Address
from urlset.model.robots import Robots
from urlset.reading.read import read
from urlset.settings.declare import StrPath
from urlset.settings.groups import JudgeSettings
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.storage.paths import file_at
from urlset.workflows.check.task import CheckPlan, chosen_rules
from urlset.workflows.check.task import overrides as severities_by_code

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath
    from urlset.workflows.live.setup import Live


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a check depends on other than its targets."""

    engines: tuple[Engine, ...] = DEFAULT_ENGINES
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = {}
    thresholds: Thresholds = Thresholds()
    policies: tuple[Policy, ...] = ()
    """what the site's own settings forbid and require"""
    root: StrPath | None = None
    """folder of the site: children of an index are found in it by their path"""
    base_url: str | None = None
    """address that `root` is served at"""
    robots: Robots | None = None
    """robots.txt of the site; without it, the one in `root` or on the host"""
    at: str | None = None
    """address of a single file"""
    now: datetime = msgspec.field(default_factory=clock.now)
    workers: Workers = Workers()
    parts: StrPath | None = None
    """folder for the result of each file: a run that was killed resumes"""
    live: Live | None = None
    """how addresses are fetched, unless by default"""
    progress: Callable[[int, int], None] | None = None
    """called with the number of files checked and known"""

    @classmethod
    def of(cls, settings: JudgeSettings, **more: Any) -> CheckOptions:
        """`more` are fields that no setting has. Raises OSError for a robots.txt that cannot be read."""
        robots = read(settings.robots).robots if settings.robots else None
        shared = {
            "engines": settings.engines,
            "select": settings.select,
            "ignore": settings.ignore,
            "severity": settings.severity,
            "thresholds": settings.thresholds,
            "policies": settings.policy,
            "root": settings.root,
            "base_url": settings.base_url,
            "robots": robots,
        }
        return cls(**{**shared, **more})

    def rules(self, *, on_disk: bool) -> tuple[AnyRule, ...]:
        """Raises UnknownSelectorError."""
        return chosen_rules(self, on_disk=on_disk)

    @property
    def overrides(self) -> dict[str, Severity]:
        return severities_by_code(self.severity)

    def report(self, done: int, known: int) -> None:
        if self.progress is not None:
            self.progress(done, known)

    def context(self, *, on_disk: bool) -> Context:
        """On disk, the robots.txt in `root` counts as the one of the site."""
        robots = self.robots or (self._robots_in_root() if on_disk else None)
        return Context(self.now, self.engines, self.thresholds, robots, self.base_url, policies=self.policies)

    def plan(self, context: Context, hash_dir: FilePath | None) -> CheckPlan:
        """The part that travels to worker processes."""
        folder = None if hash_dir is None else str(hash_dir)
        return CheckPlan(self.engines, self.select, self.ignore, self.severity, context, folder, self.parts is not None)

    def _robots_in_root(self) -> Robots | None:
        """None where `root` is only a part of its host: robots.txt counts at the root of a host."""
        if self.root is None or (self.base_url and Address.parse(self.base_url).path.strip("/")):
            return None
        try:
            found = file_at(self.root) / "robots.txt"
            return read(found).robots if found.is_file() else None  # reading a pipe might never end
        except OSError:  # missing or unreadable: the rules that need it are reported as not checked
            return None
