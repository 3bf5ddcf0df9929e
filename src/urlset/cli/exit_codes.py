"""What the exit code of every command means."""

from __future__ import annotations

OK = 0
FINDINGS = 1
BROKEN = 2
NOTHING = 3
INTERRUPTED = 130
TERMINATED = 143

MEANINGS = {
    OK: "all went well",
    FINDINGS: "findings at or above --fail-on",
    BROKEN: "wrong usage, or something could not be read (the rest was)",
    NOTHING: "nothing to list or to check: no URL was found, or none matched",
    INTERRUPTED: "interrupted from the keyboard",
    TERMINATED: "told to end (SIGTERM), and ended as if interrupted",
}
