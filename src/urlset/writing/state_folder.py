"""A folder for state → made, and kept out of version control where it is urlset's own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

STATE_ROOT = ".urlset"
"""the default home of all state, in the working folder"""


def make_state_folder(folder: Path) -> None:
    """Raises OSError. `.urlset` gets a .gitignore; a folder that the user named is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for home in (folder, *folder.parents):
        if home.name == STATE_ROOT:
            ignore = home / ".gitignore"
            with suppress(OSError):  # a convenience, not worth a failure
                if not ignore.exists():
                    ignore.write_text("# Written by urlset.\n*\n", encoding="utf-8")
            return
