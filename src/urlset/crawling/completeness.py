"""A frontier when a crawl has ended → whether everything was seen that may be seen, and if not, why."""

from __future__ import annotations

import msgspec

from urlset.crawling.found import Fate, TrapKind, Via
from urlset.crawling.frontier import CrawlFrontier
from urlset.crawling.loop import CrawlEnd
from urlset.crawling.scope import CrawlLimits
from urlset.model.visit import State


class Completeness(msgspec.Struct, frozen=True):
    complete: bool
    """nothing that may be followed was left out: every linked page was found"""
    reasons: tuple[str, ...] = ()
    """why it is not complete"""
    apart: tuple[str, ...] = ()
    """what was left out on purpose or by order of the site; complete apart from that"""
    cut_short: str | None = None
    """why it ended with addresses that it knew and did not ask for; None where it went on to its end"""
    unread: int = 0
    """known pages that were not read, so what they link to is unknown; addresses of crawler traps do not count"""
    read: int = 0
    """pages that were read"""


def completeness_of(frontier: CrawlFrontier, ended: CrawlEnd, limits: CrawlLimits) -> Completeness:
    early = _of_ending(frontier, ended, limits)
    reasons = [*early, *_of_answers(frontier), *_of_addresses(frontier)]
    cut_short = early[0] if early and frontier.left() else None
    return Completeness(
        not reasons,
        tuple(reasons),
        tuple(_apart(frontier)),
        cut_short,
        unread=_unread(frontier),
        read=frontier.states().get(State.OK, 0),
    )


def _unread(frontier: CrawlFrontier) -> int:
    states = frontier.states()
    failed = sum(states.get(state, 0) for state in (State.BLOCKED, State.ERROR, State.UNKNOWN))
    waiting = frontier.left() or frontier.left_found()
    return failed + waiting + frontier.counts().get(Fate.NO_RULES, 0) + frontier.incomplete_pages() + frontier.shells()


def _of_ending(frontier: CrawlFrontier, ended: CrawlEnd, limits: CrawlLimits) -> list[str]:
    reasons = []
    left, deeper = frontier.left(), frontier.left_found()
    if ended is CrawlEnd.STOPPED:
        reasons.append(f"stopped with {_pages(left)} left")
    elif ended is CrawlEnd.KEPT_OUT:
        reasons.append(f"gave up with {_pages(left)} left: the site repeatedly blocked the crawler or was unreachable")
    elif left:
        reasons.append(f"reached the limit of {limits.max_pages:,} pages with {_pages(left)} left")
    if deeper and ended is CrawlEnd.LIMIT and not left:
        clicks = f"{limits.max_depth} click{'s' if limits.max_depth != 1 else ''}"
        reasons.append(f"{_pages(deeper)} deeper than {clicks} {'were' if deeper != 1 else 'was'} not requested")
    return reasons


def _of_answers(frontier: CrawlFrontier) -> list[str]:
    reasons = []
    states = frontier.states()
    for state, said in (
        (State.BLOCKED, "blocked the crawler"),
        (State.ERROR, "failed"),
        (State.UNKNOWN, "gave no usable response"),
    ):
        if count := states.get(state):
            row = frontier.example(state)
            example = f", such as {row.url} ({row.visit.reason})" if row is not None and row.visit else ""
            whose = "its" if count == 1 else "their"
            reasons.append(f"{_pages(count)} {said}; {whose} links are unknown{example}")
    cut = frontier.incomplete_pages()
    if cut:
        reasons.append(f"{_pages(cut)} too large to read in full")
    alone = _has_no_links(frontier)
    if alone:
        reasons.append(f"{alone} has no links into the site; links created by JavaScript are not seen")
    elif shells := frontier.shells():
        verb = "is" if shells == 1 else "are"
        reasons.append(f"{_pages(shells)} without links {verb} rendered by JavaScript; their content is unknown")
    return reasons


def _has_no_links(frontier: CrawlFrontier) -> str | None:
    """The one page that was read, where it names no other; redirects on the way to it do not count."""
    states = frontier.states()
    redirected = states.get(State.REDIRECTED, 0)
    if states.get(State.OK) != 1 or frontier.visited() != 1 + redirected or frontier.unfollowed():
        return None
    if sum(frontier.counts().values()) != frontier.visited():
        return None
    return "the redirect target of the start page" if redirected else "the start page"


def _of_addresses(frontier: CrawlFrontier) -> list[str]:
    counts = frontier.counts()
    reasons = []
    # a page that was requested under one session is not requested under another, and nothing is missed by that
    if trapped := counts.get(Fate.TRAPPED, 0) - frontier.trapped(TrapKind.SESSION):
        reasons.append(f"{_addresses(trapped)} skipped as a crawler trap")
    if no_rules := counts.get(Fate.NO_RULES):
        why = frontier.meta("no_rules") or ""
        said = f"robots.txt could not be read{f' ({why})' if why else ''}, so nothing was fetched"
        alone = frontier.visited() == 0
        reasons.append(said if alone else f"{_addresses(no_rules)} not requested: {said}")
    reasons.extend(_of_start(frontier))
    return reasons


def _of_start(frontier: CrawlFrontier) -> list[str]:
    start = next(frontier.rows("p.via = ?", (Via.START,)), None)
    if start is None:
        return []
    if start.fate is Fate.FORBIDDEN:
        return ["robots.txt disallows the start page"]
    visit = start.visit
    if visit is not None and visit.state is State.GONE:
        return [f"the start page is missing ({visit.reason})"]
    if visit is not None and visit.state is State.REDIRECTED and State.OK not in frontier.states():
        return [f"the start page redirects to {visit.final_url}, where nothing could be read"]
    return []


def _apart(frontier: CrawlFrontier) -> list[str]:
    counts = frontier.counts()
    said = {
        Fate.FORBIDDEN: "disallowed by robots.txt",
        Fate.EXCLUDED: "excluded by --include and --exclude",
        Fate.OUTSIDE: "outside --prefix",
    }
    found = [f"{_addresses(counts[fate])} {words}" for fate, words in said.items() if counts.get(fate)]
    if closed := frontier.states().get(State.LOGIN):
        found.append(f"{_pages(closed)} behind a login")
    if again := frontier.trapped(TrapKind.SESSION):
        found.append(f"{_addresses(again)} of known pages with another session ID")
    if unfollowed := frontier.unfollowed():
        found.append(f"{_addresses(unfollowed)} linked only with nofollow")
    return found


def _pages(count: int) -> str:
    return f"{count:,} page{'s' if count != 1 else ''}"


def _addresses(count: int) -> str:
    return f"{count:,} address{'es' if count != 1 else ''}"
