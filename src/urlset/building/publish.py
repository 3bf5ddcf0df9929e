"""A state folder and an output folder → a stopped build finished, or the set before the last one back in place."""

from __future__ import annotations

from pathlib import Path

import msgspec

from urlset.building.journal import KEPT, PublishError
from urlset.building.manifest import PREVIOUS, load, sha256_of
from urlset.building.recovery import prepared
from urlset.building.staging import Changes, PublishResult, Staging

__all__ = ["Changes", "PublishError", "PublishResult", "Staging", "recover", "rollback"]


def recover(state_dir: Path, out_dir: Path) -> list[str]:
    """Finish what a killed run had decided and clean up what it had not; `Staging` does it by itself."""
    with prepared(out_dir, state_dir) as notes:
        return notes


def rollback(state_dir: Path, out_dir: Path) -> PublishResult:
    """Publish the set before the last one again, in the same careful way. A second rollback undoes the first."""
    if not state_dir.is_dir():
        raise PublishError(f"nothing was published to {out_dir} with the state in {state_dir}")
    notes = recover(state_dir, out_dir)
    previous = load(state_dir, PREVIOUS)
    if previous is None:
        raise PublishError("no earlier set to roll back to")
    kept = state_dir / KEPT
    lost = [file.name for file in previous.files if sha256_of(kept / file.sha256) != file.sha256]
    if lost:
        what = f"{', '.join(lost)} missing from {kept}, or changed there"
        raise PublishError(f"the earlier set is incomplete: {what}")
    with Staging(out_dir, state_dir, previous.base_url) as staging:
        for file in previous.files:
            staging.adopt(file, kept / file.sha256)
        outcome = staging.publish()
    return msgspec.structs.replace(outcome, notes=(*notes, *outcome.notes))
