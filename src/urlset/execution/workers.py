"""Options → where tasks run and how many at once."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.execution.cores import usable_cores


class Where(StrEnum):
    AUTO = "auto"
    """in this process, or in worker processes when there is enough to do"""
    LOCAL = "local"
    PROCESS = "process"
    RAY = "ray"


class Workers(msgspec.Struct, frozen=True):
    """Where tasks run. Results never depend on it."""

    where: Where = Where.AUTO
    jobs: int = 1
    """tasks at the same time; 0 is one per core"""
    address: str | None = None
    """of a running Ray cluster; without it a cluster is started on this machine"""

    @property
    def count(self) -> int:
        return 1 if self.where is Where.LOCAL else self.jobs or usable_cores()

    def pays(self, *, enough: bool) -> bool:
        """Whether to leave this process, where `enough` says that worker processes are worth their start."""
        if self.where is Where.AUTO:
            return enough and self.count > 1
        return self.where is not Where.LOCAL
