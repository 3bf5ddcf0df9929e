"""What the exit code of every command means."""

from __future__ import annotations

OK = 0
BROKEN = 2
NOTHING = 3
INTERRUPTED = 130

MEANINGS = {
    OK: "all went well",
    BROKEN: "wrong usage, or something could not be read (the rest was)",
    NOTHING: "nothing to list: no URL was found, or none matched",
    INTERRUPTED: "interrupted from the keyboard",
}
