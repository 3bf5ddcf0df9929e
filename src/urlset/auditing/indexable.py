"""A visit and robots.txt → whether one engine can index the page under its listed address, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from urlset.model.address import key_of
from urlset.model.canonicals import agreed_canonical, conflicting
from urlset.model.page import NOINDEX, join
from urlset.model.robots import expired
from urlset.model.shown import few
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import Access, HostRobots
from urlset.spec.engines import ENGINES, Engine

Verdict = tuple[bool | None, tuple[str, ...]]

_EXPIRY = "unavailable_after:"
# Types that no engine reads as a page; everything else that is text, or a document, may be.
_NOT_READ = ("image/", "video/", "audio/", "font/", "application/zip", "application/gzip", "application/octet-stream")


def indexable(visit: Visit, engine: Engine, robots: HostRobots | None, now: datetime | None = None) -> Verdict:
    """None if unknown: the request was blocked, or the host did not answer. `now` is in UTC; default: the present."""
    return indexable_by(visit, (engine,), robots, now)[0]


def indexable_by(
    visit: Visit, engines: Sequence[Engine], robots: HostRobots | None, now: datetime | None = None
) -> list[Verdict]:
    """For each engine; what holds for all of them is looked at once."""
    is_there = visit.state is State.OK
    at = now or datetime.now(UTC)
    for_all = _reasons_for_all(visit) if is_there else []
    open_questions = _open_questions(visit) if is_there else []
    found: list[Verdict] = []
    for engine in engines:
        reasons: list[str] = []
        unknown: list[str] = []
        robots_say = _disallowed(visit.url, engine, robots)
        if robots_say is not None:
            (unknown if robots_say[0] is None else reasons).append(robots_say[1])
        if visit.state in (State.BLOCKED, State.UNKNOWN):
            unknown.append(visit.reason or "not asked")
        elif not is_there:
            reasons.append(f"requires login: {visit.reason}" if visit.state is State.LOGIN else visit.reason)
        else:
            reasons += (*_reasons_of(visit, engine, at), *for_all)
            unknown += open_questions
        if reasons:
            found.append((False, tuple(reasons)))
        else:
            found.append((None, tuple(unknown)) if unknown else (True, ()))
    return found


def _disallowed(url: str, engine: Engine, robots: HostRobots | None) -> tuple[bool | None, str] | None:
    tokens = ENGINES[engine].robots_tokens
    if robots is None or not tokens:
        return None
    if robots.access is Access.NOTHING:
        return None, "robots.txt could not be fetched"
    match = robots.match(tokens[-1] if engine is Engine.YANDEX else tokens[0], url)
    if match.allowed:
        return None
    line = f': "{match.line.value.strip()[:80]}"' if match.line is not None else ""
    return False, f"disallowed by robots.txt{line}"


def _reasons_of(visit: Visit, engine: Engine, now: datetime) -> list[str]:
    """By its status, and by what it says to the bots of that engine."""
    reasons = [visit.reason] if visit.status is not None and visit.status != 200 else []
    # the bots of one engine for news or pictures do not decide about its web index
    own = ENGINES[engine].meta_tokens[:1]
    reported = visit.directives_for(*own)
    banned = next((word for word in reported if word in NOINDEX), None)
    if banned is not None:
        for_all = not NOINDEX.isdisjoint(visit.directives_for())
        reasons.append(banned if for_all else f"{banned} for {own[0]}")
    expired = expired_on(reported, now) if engine is Engine.GOOGLE else None
    if expired is not None:
        reasons.append(f"unavailable after {expired}")
    return reasons


def _reasons_for_all(visit: Visit) -> list[str]:
    reasons: list[str] = []
    canonical = canonical_elsewhere(visit)
    if canonical is not None:
        reasons.append(f"canonical is {canonical}")
    if visit.refresh is not None and sent_on_to(visit) is not None:
        reasons.append(f"meta refresh to {visit.refresh.target}")
    if visit.media_type is not None and visit.media_type.startswith(_NOT_READ):
        reasons.append(f"{visit.media_type} is not a page")
    if visit.status in (None, 200) and (is_empty(visit) or (visit.marks is not None and visit.marks.blank)):
        reasons.append("the page is empty")
    return reasons


def is_empty(visit: Visit) -> bool:
    """Success, and not a byte with it."""
    asked = bool(visit.moment) or visit.from_disk is not None
    return asked and visit.size == 0 and not (visit.unchanged or visit.truncated)


def _open_questions(visit: Visit) -> list[str]:
    """What the answer alone does not tell about a page that is there."""
    found: list[str] = []
    if canonicals := conflicting(visit):
        found.append(f"conflicting canonicals: {few(canonicals, 3)}")
    if visit.marks is not None and visit.marks.only_login:
        found.append("login form with little other content")
    if visit.marks is not None and visit.marks.only_scripts:
        found.append("content is rendered by JavaScript")
    return found


def expired_on(directives: tuple[str, ...], now: datetime) -> str | None:
    """The date of an `unavailable_after` that is over for certain; one that cannot be read counts for nothing."""
    for word in directives:
        if word.startswith(_EXPIRY):
            written = word.removeprefix(_EXPIRY).strip()
            if expired(written, now):
                return written
    return None


def canonical_elsewhere(visit: Visit) -> str | None:
    """The canonical, where it is another page than the listed address after both are normalised.

    None where the page names several that differ: engines then choose by themselves.
    """
    canonical = agreed_canonical(visit)
    if canonical is None or canonical == visit.url:
        return None
    return canonical if key_of(canonical) != key_of(visit.url) else None


def sent_on_to(visit: Visit) -> str | None:
    """Where a refresh leads at once, absolute; None where that is the page itself."""
    if visit.refresh is None or visit.refresh.seconds != 0:
        return None
    final = visit.final_url or visit.url
    base = join(final, visit.base_href) if visit.base_href else final
    there = join(base or final, visit.refresh.target)
    return there if there is not None and key_of(there) != key_of(visit.url) else None
