"""Actors on a Ray cluster; Ray restarts a killed one, on another machine where its own is gone."""

from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import Any, Self

from urlset.execution.actor import Actor, MakeActor
from urlset.execution.backend import ExecutionError, described
from urlset.execution.on_ray import ClusterError, connect
from urlset.execution.workers import Workers
from urlset.model.frames import library
from urlset.version import __version__

_CALLS = 1000
"""at once to one actor"""


class RayActors:
    def __init__(self, workers: Workers) -> None:
        self._workers, self.count = workers, workers.count
        self._handles: list[Any] = []

    async def __aenter__(self) -> Self:
        self._ray = library("ray", "ray", "--executor ray")
        await asyncio.get_running_loop().run_in_executor(None, connect, self._ray, self._workers)
        cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self.count = min(cores, self._workers.jobs) if self._workers.jobs else cores
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._handles:
            self._ray.kill(handle)

    def start(self, make: MakeActor, *, near: bool = False) -> RayCaller:
        where: dict[str, Any] = {"num_cpus": 1}
        if near:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            here = self._ray.get_runtime_context().get_node_id()
            where = {"num_cpus": 0, "scheduling_strategy": NodeAffinitySchedulingStrategy(here, soft=False)}
        name = f"urlset-{os.urandom(8).hex()}"
        options = {"name": name, "max_restarts": -1, "max_task_retries": 0, "max_concurrency": _CALLS, **where}
        handle = self._ray.remote(**options)(_Hosted).remote(make, __version__)
        self._handles.append(handle)
        return RayCaller(name, handle)


class RayCaller:
    """Sent to other actors by name: Ray would keep a handle in its object store, which may not survive a restart."""

    def __init__(self, name: str, handle: Any = None) -> None:
        self._name, self._handle = name, handle

    def __reduce__(self) -> tuple[Any, ...]:
        return RayCaller, (self._name,)

    async def call(self, data: bytes) -> bytes:
        import ray
        from ray import exceptions

        try:
            if self._handle is None:
                self._handle = ray.get_actor(self._name)
            return bytes(await self._handle.call.remote(data))
        except exceptions.RayTaskError as error:
            raise ExecutionError(described(error.cause or error)) from error
        except (exceptions.RayActorError, ValueError) as error:  # ValueError: there is no actor of that name
            raise ConnectionError(described(error)) from error


class _Hosted:
    """Lives on the cluster."""

    def __init__(self, make: MakeActor, version: str) -> None:
        if version != __version__:
            raise ClusterError(
                f"this machine has urlset {__version__}, the command {version}: install the same version"
            )
        import ray

        self._actor: Actor = make(bool(ray.get_runtime_context().was_current_actor_reconstructed))

    async def call(self, data: bytes) -> bytes:
        return await self._actor.handle(data)
