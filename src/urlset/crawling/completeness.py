"""A frontier when a crawl has ended → whether everything was seen that may be seen, and if not, why."""

from __future__ import annotations

import msgspec

from urlset.crawling.found import Fate, Via
from urlset.crawling.frontier import Frontier
from urlset.crawling.loop import Ended
from urlset.crawling.scope import Limits
from urlset.model.visit import State


class Completeness(msgspec.Struct, frozen=True):
    complete: bool
    """nothing that may be followed was left out: what was not found is not linked"""
    reasons: tuple[str, ...] = ()
    """why it is not complete"""
    apart: tuple[str, ...] = ()
    """what was left out on purpose or by order of the site; complete apart from that"""


def completeness_of(frontier: Frontier, ended: Ended, limits: Limits) -> Completeness:
    reasons = [*_of_ending(frontier, ended, limits), *_of_answers(frontier), *_of_addresses(frontier)]
    return Completeness(not reasons, tuple(reasons), tuple(_apart(frontier)))


def _of_ending(frontier: Frontier, ended: Ended, limits: Limits) -> list[str]:
    reasons = []
    left, deeper = frontier.left(), frontier.left_found()
    if ended is Ended.STOPPED:
        reasons.append(f"stopped with {_pages(left)} still to ask")
    elif ended is Ended.KEPT_OUT:
        reasons.append(
            f"given up with {_pages(left)} still to ask: too often in a row the site kept us out or was not reached"
        )
    elif left:
        reasons.append(f"the limit of {limits.max_pages:,} pages was reached with {_pages(left)} still to ask")
    if deeper and ended is Ended.LIMIT and not left:
        reasons.append(f"{_pages(deeper)} deeper than {limits.max_depth} clicks were not asked")
    return reasons


def _of_answers(frontier: Frontier) -> list[str]:
    reasons = []
    states = frontier.states()
    for state, said in (
        (State.BLOCKED, "kept us out"),
        (State.ERROR, "failed"),
        (State.UNKNOWN, "gave no answer worth a verdict"),
    ):
        if count := states.get(state):
            row = frontier.example(state)
            example = f", such as {row.url} ({row.visit.reason})" if row is not None and row.visit else ""
            reasons.append(f"{_pages(count)} {said}, and their links are unknown{example}")
    cut = frontier.incomplete_pages()
    if cut:
        reasons.append(f"{_pages(cut)} too large to be read to the end")
    if frontier.visited() == 1 and State.OK in states and not frontier.counts().get(Fate.ASK, 0) > 1:
        reasons.append(
            "the start page has no link into the site; links that a script makes in the browser are not seen"
        )
    return reasons


def _of_addresses(frontier: Frontier) -> list[str]:
    counts = frontier.counts()
    reasons = []
    if trapped := counts.get(Fate.TRAPPED):
        reasons.append(f"{_addresses(trapped)} not asked because they look endless")
    if no_rules := counts.get(Fate.NO_RULES):
        reasons.append(f"{_addresses(no_rules)} not asked because robots.txt could not be read")
    reasons.extend(_of_start(frontier))
    return reasons


def _of_start(frontier: Frontier) -> list[str]:
    start = next(frontier.rows("p.via = ?", (Via.START,)), None)
    if start is None:
        return []
    if start.fate is Fate.FORBIDDEN:
        return ["robots.txt forbids the start page"]
    visit = start.visit
    if visit is not None and visit.state is State.GONE:
        return [f"the start page is not there ({visit.reason})"]
    if visit is not None and visit.state is State.REDIRECTED and State.OK not in frontier.states():
        return [f"the start page redirects to {visit.final_url}, where nothing could be read"]
    return []


def _apart(frontier: Frontier) -> list[str]:
    counts = frontier.counts()
    said = {
        Fate.FORBIDDEN: "forbidden by robots.txt",
        Fate.EXCLUDED: "left out by --include and --exclude",
        Fate.OUTSIDE: "not below --prefix",
    }
    found = [f"{_addresses(counts[fate])} {words}" for fate, words in said.items() if counts.get(fate)]
    if unfollowed := frontier.unfollowed():
        found.append(f"{_addresses(unfollowed)} named only by nofollow links")
    return found


def _pages(count: int) -> str:
    return f"{count:,} page{'s' if count != 1 else ''}"


def _addresses(count: int) -> str:
    return f"{count:,} address{'es' if count != 1 else ''}"
