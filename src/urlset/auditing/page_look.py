"""An answer, and what was known of its page → what is kept of it, and whether to ask once more."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from urlset.auditing.facts import renewed, seen_of
from urlset.auditing.page_text import pack_text
from urlset.auditing.second_look import SecondLook, with_rendered
from urlset.auditing.soft404 import ErrorProbe
from urlset.auditing.store import AuditStore, PendingUrl, Result, What
from urlset.model.answer import FailureKind
from urlset.model.visit import State, Visit
from urlset.spec.generators import GENERATORS, Generator
from urlset.web.cache import Validators

if TYPE_CHECKING:
    from urlset.model.answer import Answer


FAILED = (State.ERROR, State.UNKNOWN)
_PASSING = frozenset(
    {
        FailureKind.RESET,
        FailureKind.CUT_SHORT,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.READ_TIMEOUT,
        FailureKind.TOTAL_TIMEOUT,
    }
)


def failure_of(visit: Visit) -> str | None:
    """How the page failed, without what is said of this one only; None where it did not."""
    if visit.state not in FAILED:
        return None
    return visit.failure.kind.value if visit.failure is not None else str(visit.status)


def deserves_another_try(visit: Visit) -> bool:
    """Blocks may pass; of failures those that the client did not try again by itself, and that may pass."""
    if visit.state not in FAILED or visit.tries != 1:
        return visit.state is State.BLOCKED
    return (visit.status or 0) >= 500 if visit.failure is None else visit.failure.kind in _PASSING


def understood(
    page: PendingUrl,
    answer: Answer,
    known: tuple[Visit, bytes | None] | None,
    probe: ErrorProbe | None,
    *,
    in_full: bool,
) -> Result:
    """What is kept of an answer; of one that says "not modified", what was known."""
    try:
        if answer.not_modified and known is not None:
            return Result(page.id, renewed(known[0], answer), known[1])
        seen = seen_of(answer, baseline=probe, in_full=in_full, facets=page.kind is What.PAGE)
    except Exception as error:  # noqa: BLE001 - one page that breaks the reader must not end the audit
        reason = f"cannot read the response: {type(error).__name__}: {error}"
        return Result(page.id, Visit(url=page.url, state=State.UNKNOWN, reason=reason, status=answer.status))
    if page.kind is What.PAGE:
        return Result(page.id, seen.visit, pack_text(seen.blocks, seen.words))
    if page.kind is What.EXTRA_TARGET:
        return Result(page.id, seen.visit)
    return Result(page.id, seen.visit, msgspec.msgpack.encode(msgspec.structs.replace(answer, body=b"")))


async def rendered(look: SecondLook, result: Result, answer: Answer, probe: ErrorProbe | None) -> Result:
    """The same result after a second look by a browser, if the page needs one; its text is that of the browser."""
    shown = await look.at(answer, result.visit)
    if shown is None:
        return result
    if shown.answer is None:
        return result._replace(visit=with_rendered(result.visit, shown.page, None))
    try:
        seen = seen_of(shown.answer, baseline=probe, facets=True)
    except Exception:  # noqa: BLE001 - what a browser made of a page must not end the audit
        return result
    visit = with_rendered(result.visit, shown.page, seen.visit)
    return result._replace(visit=visit, text=pack_text(seen.blocks, seen.words))


def validators_of(visit: Visit) -> Validators | None:
    """Only for a page that answered by itself: after a redirect they belong to another address."""
    if visit.status != 200 or visit.hops or visit.state is not State.OK or visit.failure is not None:
        return None
    asked = Validators(visit.etag, visit.last_modified)
    return asked or None


# Answers and marks of one turn of the loop → one commit.


class AnswerWriter:
    """Received answers and the pages requested next; both are on disk before the next request."""

    def __init__(self, store: AuditStore) -> None:
        self._store = store
        self._results: list[Result] = []
        self._asking: list[int] = []
        self._put_back: list[int] = []
        self._written: asyncio.Future[None] | None = None

    def add(self, result: Result) -> None:
        """Written with the next page that is marked, or by `flush`."""
        self._results.append(result)

    async def mark(self, page: int) -> None:
        """Comes back when it is on disk that the page is requested."""
        self._asking.append(page)
        if self._written is None:
            loop = asyncio.get_running_loop()
            self._written = loop.create_future()
            loop.call_soon(self.flush)
        await asyncio.shield(self._written)

    def put_back(self, page: int) -> None:
        self._put_back.append(page)

    def flush(self) -> None:
        results, asking, put_back = self._results, self._asking, self._put_back
        self._results, self._asking, self._put_back = [], [], []
        written, self._written = self._written, None
        try:
            if results or asking or put_back:
                self._store.save(results, asking, put_back)
        except BaseException as error:
            if written is None or written.cancelled():
                raise
            written.set_exception(error)
        else:
            if written is not None and not written.cancelled():
                written.set_result(None)


# Sitemaps, pages and headers → the programs that made them, by the signs they leave.

MOST_BYTES = 65_536
"""of a page or sitemap that are searched: signs are in the head, or in a comment at either end"""
_END = 2_048


class GeneratorSigns:
    """Counts signs; any number of texts may be shown."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._found: Counter[str] = Counter(known)

    def sitemap(self, name: str, data: bytes | None) -> None:
        text = _ends(data) if data else ""
        for each in GENERATORS:
            if any(sign in text for sign in each.in_sitemap) or any(sign in name.lower() for sign in each.in_name):
                self._found[each.name] += 1

    def page(self, body: bytes, headers: Iterable[tuple[str, str]]) -> None:
        text = _ends(body)
        sent = "\n".join(f"{name}: {value}" for name, value in headers).lower()
        for each in GENERATORS:
            if any(sign in text for sign in each.in_page) or any(sign in sent for sign in each.in_headers):
                self._found[each.name] += 1

    def found(self) -> tuple[Generator, ...]:
        """In the order of the table, in which the more specific come first: Yoast before WordPress."""
        return tuple(each for each in GENERATORS if self._found[each.name])


def _ends(data: bytes) -> str:
    """Lowercase; what is between the ends of a large file is left out."""
    if len(data) <= MOST_BYTES:
        return data.decode("latin-1").lower()
    return (data[:MOST_BYTES] + data[-_END:]).decode("latin-1").lower()
