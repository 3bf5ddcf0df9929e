"""The kind of a job → the function that does it, loaded when it is needed."""

from __future__ import annotations

from importlib import import_module

from urlset.watching.store import LookResult
from urlset.workflows.watch.site import JobKind, Look


def look_at(kind: JobKind, ask: Look) -> LookResult:
    """One run of a job, `check_look.look` and so on; raises what the job raises."""
    found: LookResult = import_module(f"urlset.workflows.watch.{kind}_look").look(ask)
    return found
