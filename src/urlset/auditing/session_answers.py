"""An answer, and what was known of its page → what is kept of it, and whether to ask once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from urlset.auditing.facts import renewed, seen_of
from urlset.auditing.second_look import SecondLook, with_rendered
from urlset.auditing.session_writer import pack_text
from urlset.auditing.soft404 import ErrorProbe
from urlset.auditing.store import PendingUrl, Result, What
from urlset.model.answer import FailureKind
from urlset.model.visit import State, Visit
from urlset.web.validators import Validators

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
