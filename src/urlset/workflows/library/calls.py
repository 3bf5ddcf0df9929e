"""A call of the library → the workflow of a command, with the exceptions, words and event loop of a Python program."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import copy_context
from functools import wraps
from itertools import islice
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import msgspec

from urlset.model.errors import IncompleteError, UrlsetError, file_error
from urlset.settings.words import in_library_words
from urlset.web.caller import CALLER, Caller

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_AT_ONCE = 500

# Exceptions and words.

_ADVICE = frozenset(
    (
        *("troubled", "empty", "not_checked", "left", "reason", "reasons", "missing", "refusals", "refused", "text"),
        *("notes", "notices", "failures", "not_asked", "completeness", "traps", "verdict", "info", "remedies"),
    )
)
"""fields of results with texts that urlset wrote for people"""


def verb(work: F) -> F:
    """Everything that it raises on purpose is a UrlsetError, in words of the library; so is what it returns."""

    @wraps(work)
    def call(*given: Any, **named: Any) -> Any:
        with library_errors():
            return in_python(work(*given, **named))

    return cast("F", call)


@contextmanager
def library_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        made = file_error(_said(error))
        if made is error:
            raise
        raise made from None
    except (UrlsetError, ValueError, TypeError) as error:
        _said(error)
        raise


def _said(error: Any) -> Any:
    error.args = tuple(in_library_words(each) if isinstance(each, str) else each for each in error.args)
    return error


def in_python(value: T) -> T:
    """A result whose advice names keywords in place of flags."""
    if not isinstance(value, msgspec.Struct):
        return value
    changed = {}
    for name in value.__struct_fields__:
        if name in _ADVICE:
            old = getattr(value, name)
            new = _advice(old)
            if new is not old and new != old:
                changed[name] = new
    return msgspec.structs.replace(value, **changed) if changed else value


def _advice(value: Any) -> Any:
    if isinstance(value, str):
        return in_library_words(value) if type(value) is str else value
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(map(_advice, value))
    if isinstance(value, dict):
        return {_advice(key): item for key, item in value.items()}
    return in_python(value)


def complete(reasons: Iterable[str], result: T, *, strict: bool, close: Callable[[], object] | None = None) -> T:
    """The result; with `strict`, only if nothing is missing from it."""
    found = tuple(map(in_library_words, reasons))
    if found and strict:
        if close is not None:
            close()
        raise IncompleteError(found, result if close is None else None)
    return result


# Waiting on asyncio, which takes a third of the time of a small check to load, so only who awaits loads it.


async def awaited(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Run a verb for a caller on asyncio: what it requests runs on the caller's loop, the rest in a thread.

    A cancelled call ends its requests, stops at the next file or block of pages, and leaves nothing half written.
    """
    thread = CallThread("urlset-call")
    try:
        return await thread.call(lambda: work(*given, **named))
    finally:
        thread.close()


def on_asyncio(work: Callable[P, T], about: str) -> Callable[P, Coroutine[Any, Any, T]]:
    """The same verb with `_async` after its name, for callers on asyncio."""

    @wraps(work)
    async def call(*given: P.args, **named: P.kwargs) -> T:
        return await awaited(work, *given, **named)

    call.__name__ = call.__qualname__ = f"{call.__name__}_async"
    call.__doc__ = about
    return call


class CallThread:
    """The thread of one call, or of several that belong together; what one leaves under way, the next may cancel."""

    def __init__(self, name: str) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._context = copy_context()
        self._caller: Caller | None = None

    async def call(self, work: Callable[[], T]) -> T:
        import asyncio

        loop = asyncio.get_running_loop()
        if self._caller is None:
            self._caller = Caller(loop)
            self._context.run(CALLER.set, self._caller)
        self._caller.is_cancelled = False
        done = loop.run_in_executor(self._thread, self._context.run, work)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            self._caller.cancel()
            with suppress(BaseException):  # how it ended does not matter; only that nothing of it is left
                await asyncio.shield(done)
            raise

    def close(self) -> None:
        self._thread.shutdown(wait=False)


class AwaitedBlock(Generic[T]):
    """A result that is valid inside `async with`, and the rows that it reads from disk."""

    def __init__(self, block: AbstractContextManager[T], name: str) -> None:
        self._block, self._inside = block, CallThread(name)

    async def _enter(self) -> T:
        try:
            return await self._inside.call(self._block.__enter__)
        except BaseException:
            self._inside.close()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._inside.call(lambda: self._block.__exit__(None, None, None))
        finally:
            self._inside.close()

    async def _rows(self, rows: Callable[[], Iterator[Any]]) -> AsyncGenerator[Any]:
        found = await self._inside.call(rows)
        while some := await self._inside.call(lambda: list(islice(found, _AT_ONCE))):
            for row in some:
                yield row
