"""A state folder → which URLs Google has indexed, as far as `urlset engines index` has inspected them."""

from __future__ import annotations

from pathlib import Path

from urlset.submitting.store import FILE_NAME, EngineStore
from urlset.writing.sqlite_store import StateError


def index_states(state: Path) -> dict[str, bool]:
    """Empty where nothing was inspected, or where the state is in use."""
    if not (state / FILE_NAME).is_file():
        return {}
    try:
        with EngineStore(state) as store:
            return store.index_states()
    except StateError:
        return {}
