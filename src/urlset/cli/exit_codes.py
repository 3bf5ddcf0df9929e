"""What the exit code of every command means."""

from __future__ import annotations

OK = 0
FINDINGS = 1
BROKEN = 2
NOTHING = 3
INTERRUPTED = 130
TERMINATED = 143

MEANINGS = {
    OK: "success",
    FINDINGS: "findings at or above --fail-on; a target is not a sitemap; a safety check refused",
    BROKEN: "usage error, or something could not be read (the rest was)",
    NOTHING: "nothing to do: no sitemap or URL found, or none matched",
    INTERRUPTED: "interrupted from the keyboard",
    TERMINATED: "terminated (SIGTERM); state is saved as after an interrupt",
}
