"""A visit → what to do about the entry that lists it: drop it, list another address instead, or leave it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Literal

import msgspec

from urlset.auditing.indexable import canonical_elsewhere, expired_on, sent_on_to
from urlset.model.address import Address
from urlset.model.canonicals import agreed_canonical
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit

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


def remedy(
    visit: Visit,
    *,
    hosts: Collection[str] | None = None,
    find: Find = lambda _url: None,
    now: datetime | None = None,
) -> Remedy:
    """Only what is certain: a page that blocked the crawler, failed, or was not asked stays as it is.

    `hosts` are those that entries may point to, as `example.com` or `example.com:8080`; None allows that of the
    entry, with and without www. `find` gives the visit of another address, where one was made.
    """
    if visit.state is State.GONE:
        return Remedy("drop", "A001", visit.reason)
    if visit.state not in (State.OK, State.REDIRECTED) or visit.status != 200:
        return KEEP
    banned = _banned(visit, now or datetime.now(UTC))
    allowed = hosts if hosts is not None else _own_hosts(visit.url)
    if visit.state is State.OK:
        return banned or _canonical(visit, allowed, find)
    return _redirected(visit, banned, allowed, find)


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
    return _host(target) in _own_hosts(url)


def _banned(visit: Visit, now: datetime) -> Remedy | None:
    """Kept out of every engine: what is said to one bot alone leaves the page to the others."""
    reported = visit.directives_for()
    word = next((each for each in reported if each in NOINDEX), None)
    if word is not None:
        return Remedy("drop", _code_of(word, visit), word)
    expired = expired_on(reported, now)
    return Remedy("drop", "A009", f"unavailable after {expired}") if expired is not None else None


def _code_of(word: str, visit: Visit) -> str:
    """The rule that reports the directive, by where it is."""
    by_rule = {"A006": visit.robots, "A007": visit.header_robots, "A039": visit.rendered and visit.rendered.robots}
    for code, reported in by_rule.items():
        if any(each.bot == "robots" and word in each.directives for each in reported or ()):
            return "A008" if word == "none" and code != "A039" else code
    return "A007"


def _redirected(visit: Visit, banned: Remedy | None, hosts: Collection[str], find: Find) -> Remedy:
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
    return _replaced(visit.url, target, "A003", visit.reason, hosts)


def _canonical(visit: Visit, hosts: Collection[str], find: Find) -> Remedy:
    target = canonical_elsewhere(visit)
    if target is None or names_home(visit.url, target) or not _is_sound(target, visit.url, find):
        return KEEP
    code = "A012" if any(each.in_head for each in visit.canonicals) else "A013"
    return _replaced(visit.url, target, code, f"canonical is {target}", hosts)


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


def _replaced(url: str, target: str, code: str, why: str, hosts: Collection[str]) -> Remedy:
    target = target.partition("#")[0]
    there = Address.parse(target)
    if there.key == Address.parse(url).key or not there.is_web:
        return KEEP
    if _host(target) not in hosts:
        return Remedy("drop", code, f"{why}, on a host this sitemap cannot list")
    return Remedy("replace", code, why, target)


def _own_hosts(url: str) -> frozenset[str]:
    own = _host(url)
    bare = own.removeprefix("www.")
    return frozenset({own, bare, f"www.{bare}"})


def _host(url: str) -> str:
    address = Address.parse(url)
    port = address.port_effective
    host = address.host_ascii or ""
    return host if port in (80, 443, None) else f"{host}:{port}"
