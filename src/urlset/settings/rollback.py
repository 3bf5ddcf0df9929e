"""The options of `urlset rollback`."""

from __future__ import annotations

from typing import Annotated

from urlset.settings.declare import Opt, StrPath
from urlset.settings.groups import RunSettings


class RollbackSettings(RunSettings):
    out: Annotated[
        StrPath | None, Opt("Output folder", "DIR", positional=True, exists="folder", required="the output folder")
    ] = None
    state: Annotated[StrPath | None, Opt("State folder of this output", "DIR", default="one per output in .urlset")] = (
        None
    )
