"""Changed URLs → a command that purges a CDN; what a killed publish did not purge is purged by the next one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence

import msgspec

from urlset.storage.store import Store

PENDING = ".urlset/purge.json"


def pending(store: Store) -> list[str]:
    held = store.read(PENDING)
    try:
        return msgspec.json.decode(held[0], type=list[str]) if held is not None else []
    except msgspec.DecodeError:
        return []


def note_pending(store: Store, urls: Iterable[str]) -> None:
    """Before anything changes: an unnecessary purge does no harm."""
    store.write(PENDING, msgspec.json.encode(sorted(set(urls))), {"Content-Type": "application/json"})


def purge(store: Store, command: Sequence[str], urls: Iterable[str]) -> str | None:
    """Run the command; why it failed, or None. The URLs are forgotten only when it succeeded."""
    try:
        done = subprocess.run(command, input="".join(f"{url}\n" for url in urls), text=True, check=False)  # noqa: S603 - the user's own
    except OSError as error:
        return f"the purge command could not be started: {error.strerror or error}"
    if done.returncode:
        return f"the purge command ended with exit code {done.returncode}; the next publish runs it again"
    store.delete([PENDING])
    return None
