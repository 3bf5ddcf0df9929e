"""An address → its Answer, redirects followed by hand and every hop written down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.web.address import NotFetchableError, RequestTarget, target_of
from urlset.web.asking import Asker
from urlset.web.validators import Validators
from urlset.web.wire import REDIRECTS

Refusal = Callable[[str], Awaitable[str | None]]
"""why an address must not be requested; None where it may"""


async def follow(
    asker: Asker,
    url: str,
    *,
    cap: int,
    max_redirects: int,
    validators: Validators | None = None,
    spool: Path | None = None,
    refusal: Refusal | None = None,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Validators go to the one address that gave them. Every request answered by a redirect is a hop, also the last.

    `refusal` is called before each redirect is followed; the caller sees to the first address.
    `headers` go to the first address only.
    """
    try:
        first = target = target_of(url)
    except NotFetchableError as error:
        return Answer(url, final_url=url, failure=Failure(FailureKind.BAD_ADDRESS, str(error)), moment=_moment(0.0))
    giver = (validators.url or target.href) if validators else None
    seen = {target.href}
    hops: list[Hop] = []
    seconds = 0.0
    cookies = False
    while True:
        conditions = validators.headers() if validators and target.href == giver else None
        sent = {**(headers or {}), **(conditions or {})} if target is first else conditions
        exchange = await asker.ask(target, cap=cap, headers=sent or None, spool=spool)
        seconds += exchange.seconds
        failure = exchange.failure
        if exchange.status in REDIRECTS and (location := exchange.header("location")) is not None:
            hops.append(Hop(url if target is first else target.href, exchange.status or 0, location))
            cookies = cookies or exchange.header("set-cookie") is not None
            following = _next(location, target, seen, max_redirects, cookies=cookies)
            if isinstance(following, RequestTarget) and refusal is not None and (why := await refusal(following.href)):
                following = Failure(FailureKind.NOT_ALLOWED, f"{following.href}, {why}")
            if isinstance(following, RequestTarget):
                target = following
                seen.add(target.href)
                continue
            failure = following
        break
    return Answer(
        url=url,
        hops=tuple(hops),
        final_url=url if target is first else target.href,
        status=exchange.status,
        headers=exchange.headers,
        body=exchange.body,
        truncated=exchange.truncated,
        failure=failure,
        wire_bytes=exchange.wire_bytes,
        seconds=seconds,
        first_byte=exchange.first_byte,
        not_modified=conditions is not None and exchange.status == 304,
        tries=exchange.tries,
        moment=_moment(seconds),
    )


def _next(
    location: str, target: RequestTarget, seen: set[str], max_redirects: int, *, cookies: bool
) -> RequestTarget | Failure:
    """`cookies`: one was set on the way, which may be what the circle waits for."""
    if not location.strip():
        return Failure(FailureKind.BAD_REDIRECT, "the Location header is empty")
    try:
        following = target_of(location, target.href)
    except NotFetchableError as error:
        return Failure(FailureKind.BAD_REDIRECT, str(error))
    if following.href in seen:
        waits = "; a cookie was set on the way, and crawlers send none back" if cookies else ""
        return Failure(FailureKind.REDIRECT_LOOP, f"back to {following.href}{waits}")
    if len(seen) > max_redirects:
        return Failure(FailureKind.TOO_MANY_REDIRECTS, f"more than {max_redirects}")
    return following


def _moment(seconds_ago: float) -> str:
    asked = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    return asked.isoformat(timespec="milliseconds").replace("+00:00", "Z")
