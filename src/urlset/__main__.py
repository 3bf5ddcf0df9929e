"""`urlset` and `python -m urlset` → the command; quiet also where it is interrupted before it has begun."""

from __future__ import annotations

import os
import sys

from urlset.cli.exit_codes import INTERRUPTED


def main() -> int:
    try:
        import signal

        usual = signal.getsignal(signal.SIGINT)
        if usual is signal.default_int_handler:  # where it is ignored, as for a job in the background, it stays so
            # an exception in the middle of an import is not always handed on: it may be printed, or become another
            signal.signal(signal.SIGINT, _leave)
        from urlset.cli.main import main as run

        signal.signal(signal.SIGINT, usual)
        return run()
    except KeyboardInterrupt:  # a moment before or after the command looks out for it
        return INTERRUPTED


def _leave(*_: object) -> None:
    os.write(2, b"\n")  # the prompt goes below ^C, as it does later
    os._exit(INTERRUPTED)  # nothing was opened or written yet


if __name__ == "__main__":
    sys.exit(main())
