"""Options → where actors live."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from urlset.execution.actor import Actors
from urlset.execution.workers import Where, Workers


def actors_on(workers: Workers) -> AbstractAsyncContextManager[Actors]:
    """Each is loaded when it is used. They end with the block, and when this process is killed."""
    if workers.where is Where.RAY:
        from urlset.execution.ray_actors import RayActors

        return RayActors(workers)
    from urlset.execution.process_actors import ProcessActors

    return ProcessActors(workers)
