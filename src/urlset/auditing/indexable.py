"""A visit and robots.txt → whether an engine can index the page under its listed address, and what to do if not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec

from urlset.model.address import Address, key_of
from urlset.model.document import expired
from urlset.model.page import NOINDEX, join
from urlset.model.shown import few
from urlset.model.visit import State, Visit, agreed_canonical, conflicting
from urlset.reading.host_robots import Access, HostRobots
from urlset.spec.engines import ENGINES, Engine

Verdict = tuple[bool | None, tuple[str, ...]]

_EXPIRY = "unavailable_after:"
# Types that no engine reads as a page; everything else that is text, or a document, may be.
_NOT_READ = ("image/", "video/", "audio/", "font/", "application/zip", "application/gzip", "application/octet-stream")


def indexable_by(
    visit: Visit, engines: Sequence[Engine], robots: HostRobots | None, now: datetime | None = None
) -> list[Verdict]:
    """For each engine: None if unknown, as the request was blocked, or the host did not answer.

    What holds for all engines is looked at once. `now` is in UTC; default: the present.
    """
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


# A visit → what to do about the entry that lists it: drop it, list another address instead, or leave it.

Find = Callable[[str], Visit | None]


class Remedy(msgspec.Struct, frozen=True):
    action: Literal["drop", "replace", "keep"]
    code: str = ""
    """the rule that asks for it; empty for "keep" """
    why: str = ""
    to: str | None = None


KEEP = Remedy("keep")
_HOME = re.compile(r"/?(?:index|default|home|start)?(?:\.\w{2,5})?/?|/[a-z]{2,3}(?:[-_][a-z]{2,4})?/?", re.IGNORECASE)
"""paths of a home page, also that of a language"""


def remedy(visit: Visit, *, find: Find = lambda _url: None, now: datetime | None = None) -> Remedy:
    """Only what is certain: a page that blocked the crawler, failed, or was not asked stays as it is.

    `find` gives the visit of another address, where one was made.
    """
    if visit.state is State.GONE:
        return Remedy("drop", "A001", visit.reason)
    if visit.state not in (State.OK, State.REDIRECTED) or visit.status != 200:
        return KEEP
    banned = _banned(visit, now or datetime.now(UTC))
    return banned or _canonical(visit, find) if visit.state is State.OK else _redirected(visit, banned, find)


def is_extra_target(visit: Visit) -> str | None:
    """What may have to be listed in its place and was not seen on the way: its canonical, or where it refreshes to.

    None also where it would not be listed whatever it answers.
    """
    if (
        visit.state not in (State.OK, State.REDIRECTED)
        or visit.status != 200
        or not NOINDEX.isdisjoint(visit.directives_for())
    ):
        return None
    target = canonical_elsewhere(visit) or sent_on_to(visit)
    if target is None or not may_list(visit.url, target):
        return None
    return target if Address.parse(target).key != Address.parse(visit.final_url or visit.url).key else None


def may_list(url: str, target: str) -> bool:
    """Whether a sitemap that may list `url` may list `target`: the same host, with and without www."""
    return _host(target).removeprefix("www.") == _host(url).removeprefix("www.")


def _banned(visit: Visit, now: datetime) -> Remedy | None:
    """Kept out of every engine: what is said to one bot alone leaves the page to the others."""
    reported = visit.directives_for()
    word = next((each for each in reported if each in NOINDEX), None)
    if word is not None:
        code = noindex_code(visit, frozenset({word}))
        return Remedy("drop", "A008" if word == "none" and code in ("A006", "A007") else code or "A007", word)
    expired = expired_on(reported, now)
    return Remedy("drop", "A009", f"unavailable after {expired}") if expired is not None else None


def noindex_code(visit: Visit, words: frozenset[str]) -> str | None:
    """The rule that reports one of these directives for all bots, by where it is."""
    by_rule = {"A006": visit.robots, "A007": visit.header_robots, "A039": visit.rendered and visit.rendered.robots}
    for code, said in by_rule.items():
        if any(each.bot == "robots" and not words.isdisjoint(each.directives) for each in said or ()):
            return code
    return None


def _redirected(visit: Visit, banned: Remedy | None, find: Find) -> Remedy:
    target = visit.final_url
    if banned is not None:
        return Remedy("drop", banned.code, f"redirects to a page with {banned.why}")
    if visit.soft_404 is not None:
        return KEEP
    canonical = agreed_canonical(visit)
    if canonical is not None and Address.parse(canonical).key != Address.parse(target).key:
        if not _is_sound(canonical, visit.url, find):
            return KEEP
        target = canonical
    return _replaced(visit.url, target, "A003", visit.reason)


def _canonical(visit: Visit, find: Find) -> Remedy:
    target = canonical_elsewhere(visit)
    if target is None or names_home(visit.url, target) or not _is_sound(target, visit.url, find):
        return KEEP
    code = "A012" if any(each.in_head for each in visit.canonicals) else "A013"
    return _replaced(visit.url, target, code, f"canonical is {target}")


def names_home(url: str, target: str) -> bool:
    """A page inside the site names the home page as canonical: a mistake of its template, not of the sitemap."""
    there, here = Address.parse(target), Address.parse(url)
    return there.path in ("", "/") and not there.query and _HOME.fullmatch(here.path) is None


def _is_sound(target: str, origin: str, find: Find) -> bool:
    """Whether the target can be listed: no error, no noindex, no canonical to another page.

    One that was to be looked at and could not be is not put in the place of a page that answers.
    """
    if not Address.parse(target).is_web:
        return False
    there = find(target)
    if there is None:
        return True
    if there.state is not State.OK:
        return there.state is State.BLOCKED  # as much as is known of any page behind bot protection
    beyond = canonical_elsewhere(there)
    if beyond is not None and Address.parse(beyond).key == Address.parse(origin).key:
        return False  # each names the other
    return (
        there.status == 200 and NOINDEX.isdisjoint(there.directives_for()) and beyond is None and there.soft_404 is None
    )


def _replaced(url: str, target: str, code: str, why: str) -> Remedy:
    target = target.partition("#")[0]
    there = Address.parse(target)
    if there.key == Address.parse(url).key or not there.is_web:
        return KEEP
    if not may_list(url, target):
        return Remedy("drop", code, f"{why}, on a host this sitemap cannot list")
    return Remedy("replace", code, why, target)


def _host(url: str) -> str:
    address = Address.parse(url)
    port = address.port_effective
    host = address.host_ascii or ""
    return host if port in (80, 443, None) else f"{host}:{port}"
