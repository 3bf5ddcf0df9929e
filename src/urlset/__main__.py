"""`urlset` and `python -m urlset` → the command, which ends quietly when it is interrupted or told to end."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from urlset.cli.exit_codes import INTERRUPTED, TERMINATED
from urlset.storage.system import prepare_streams

_MADE_BETWEEN_COLLECTIONS = 50_000


def main() -> int:
    _fill_closed_streams()
    prepare_streams()
    try:
        import signal

        usual = signal.getsignal(signal.SIGINT)
        if usual is signal.default_int_handler:  # where it is ignored, as for a job in the background, it stays so
            # an exception in the middle of an import is not always handed on: it may be printed, or become another
            signal.signal(signal.SIGINT, _leave)
        gc.disable()
        from urlset.cli.main import main as run

        _collect_seldom()
        signal.signal(signal.SIGINT, usual)
        reported = _end_like_an_interrupt()
        code = run()
    except KeyboardInterrupt:  # a moment before or after the command looks out for it
        return INTERRUPTED
    return TERMINATED if reported and code == INTERRUPTED else code


def _fill_closed_streams() -> None:
    """After `>&-` the first file that is opened would be standard output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - until the end


def _collect_seldom() -> None:
    """Loaded modules stay, and looking for garbage among them took an eighth of a short run."""
    gc.set_threshold(_MADE_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    gc.enable()
    atexit.register(_skip_last_collections)


def _skip_last_collections() -> None:
    """When everything goes anyway they are the longest; DuckDB counts what they leave as leaked, and says so."""
    if "_duckdb" not in sys.modules:
        gc.freeze()


def _end_like_an_interrupt() -> list[int]:
    """What ends a command tidily ends it so when a scheduler asks for it, too; the list says whether one did."""
    import signal

    reported: list[int] = []
    process = os.getpid()

    def end(number: int, _frame: object) -> None:
        if os.getpid() != process:  # a worker that was made from this process has nothing to tidy up
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        reported.append(number)
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as for a job in the background
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)
    return reported


def _leave(*_: object) -> None:
    os.write(2, b"\n")  # the prompt goes below ^C, as it does later
    os._exit(INTERRUPTED)  # nothing was opened or written yet


if __name__ == "__main__":
    sys.exit(main())
