"""Tasks → results on a Ray cluster; a lost worker or node costs nothing but time.

Ray is imported here and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from typing import Any

from urlset.execution.workers import ExecutionError, Failed, Finished, LostTask, Workers, described
from urlset.model.frames import library
from urlset.version import __version__

_AHEAD = 2
"""calls per core that wait at the cluster"""


class ClusterError(ExecutionError):
    """There is no cluster at the address, or it cannot run these tasks."""


class OnRay:
    shared_fate = False

    def __init__(self, function: Callable[[Any], Any], workers: Workers) -> None:
        self._ray = library("ray", "scale", "--executor ray")
        connect(self._ray, workers)
        # None where the cluster has none: it needs `ray[default]`. There is no public way to a connected cluster
        found: str | None = self._ray._private.worker.get_dashboard_url()  # noqa: SLF001
        self.dashboard = f"http://{found}" if found and "://" not in found else found or None
        self.slots = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        if workers.jobs:
            self.slots = min(self.slots, workers.jobs)
        self.ahead = self.slots * (_AHEAD - 1)
        # retries are counted by the executor: a task that kills every worker must not run for ever
        remote = self._ray.remote(num_cpus=1, max_retries=0)
        self._call = remote(_called)
        self._function = self._ray.put(function)

    def send(self, task: object) -> object:
        return self._call.remote(self._function, __version__, task)

    def wait(
        self, handles: Collection[object], timeout: float | None
    ) -> Iterator[tuple[object, Finished | Failed | LostTask]]:
        errors = self._ray.exceptions
        done, _ = self._ray.wait(list(handles), num_returns=1, timeout=timeout)
        if done:  # more may be ready
            done, _ = self._ray.wait(list(handles), num_returns=len(handles), timeout=0)
        for handle in done:
            try:
                yield handle, Finished(self._ray.get(handle))
            except errors.RayTaskError as error:
                yield handle, Failed(described(error.cause or error))
            except errors.RayError as error:
                yield handle, LostTask(f"the worker was lost on every attempt ({type(error).__name__})")

    def close(self, *, unfinished: bool) -> None:
        """The connection stays for the next stage; Ray ends it, and a cluster started for it, with this process."""
        del unfinished


def connect(ray: Any, workers: Workers) -> None:
    """Use the cluster this process is connected to, the one at the address, or a new one. Raises ClusterError."""
    if ray.is_initialized():
        return
    # Ray reports each worker that dies on stdout, where the report of the command goes, and has no option for it
    ray._private.worker.print_to_stdstream = lambda *_given, **_more: None  # noqa: SLF001
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    _need_listener(workers.address)
    try:
        if workers.address is not None:
            ray.init(address=workers.address, **quiet)
        else:
            # "local": without it, Ray takes a cluster that another command has started
            ray.init(address="local", num_cpus=workers.count, include_dashboard=False, **quiet)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        where = f"at {workers.address}" if workers.address else "on this machine"
        raise ClusterError(f"no Ray cluster {where}: {error}") from error


def _need_listener(address: str | None) -> None:
    """Ray retries for minutes where nothing listens."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # auto, or none
    import asyncio

    from urlset.web.guard import Gate, reach

    host = host.strip("[]")
    tried = asyncio.run(reach(host, int(port), Gate(any_private=True)))  # clusters are on private networks
    if tried and all(each.problem for each in tried):
        raise ClusterError(f"no Ray cluster at {address}: {tried[0].problem}")
    if not tried:
        raise ClusterError(f"no Ray cluster at {address}: the host name does not resolve")


def _called(function: Callable[[Any], Any], version: str, task: object) -> object:
    """Runs on a worker."""
    if version != __version__:
        raise ClusterError(f"this machine has urlset {__version__}, the driver {version}: install the same version")
    return function(task)
