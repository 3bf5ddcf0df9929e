"""Every bad behaviour of tests/servers → the right answer from the real client, in bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise

import msgspec
import pytest

from tests.auditing.visits import visit_of
from tests.servers.bad_tls import FAULTS, TlsSites, bad_tls_sites
from tests.servers.behaviour import FINE, Behaviour
from tests.servers.misbehave import BEHAVIOURS, bad_site
from tests.servers.process import SiteProcess
from urlset.auditing.facts import seen_of
from urlset.auditing.soft404 import ErrorProbe, probe_of, probe_urls
from urlset.model.answer import Answer, FailureKind
from urlset.model.visit import State
from urlset.testing.exchange import Request
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

OPTIONS = WebOptions(
    allow_addresses=frozenset({"127.0.0.1"}),
    tries=2,
    backoff=0.02,
    connect_timeout=10.0,
    read_timeout=10.0,
    total_timeout=10.0,
    max_retry_after=4.0,
    max_body=2 << 20,
)
IMPATIENT = msgspec.structs.replace(OPTIONS, tries=1, connect_timeout=2.0, read_timeout=1.0, total_timeout=2.0)
"""for what may end with a timeout only"""
TIMEOUTS = frozenset({FailureKind.READ_TIMEOUT, FailureKind.TOTAL_TIMEOUT})
LONGEST = 25.0
"""seconds for one behaviour, on a busy machine"""
AT_ONCE = 24
LEFT_ALONE = ("pause-a-day",)
"""hosts that a polite client does not ask again for a while"""
ALONE = ("continue-flood",)
"""keeps client and server so busy that others in the same process would run out of time"""


class Met(msgspec.Struct, frozen=True):
    answer: Answer
    afterwards: Answer | None
    """a good page, asked of the same client: nothing of the bad answer may stick to it"""
    between: list[float] = []
    """the pauses that the server saw between two requests for that path"""
    probe: ErrorProbe | None = None
    """what the host says to addresses that cannot exist, where that matters"""


async def meet(site: SiteProcess, behaviour: Behaviour) -> Met:
    # a client each: what one page asks for, a pause above all, holds for its whole host
    may_hang = any(each.failure in TIMEOUTS for each in behaviour.outcomes)
    async with Client(IMPATIENT if may_hang else OPTIONS) as client:
        answer = await asyncio.wait_for(client.get(site.url(behaviour.at)), LONGEST)
        left_alone = behaviour.name in LEFT_ALONE
        afterwards = None if left_alone else await asyncio.wait_for(client.get(site.url("/fine")), LONGEST)
        probe = None
        if behaviour.name.startswith(("soft-", "hard-")):
            probe = probe_of([await client.get(url) for url in probe_urls(site.url(behaviour.at))])
    return Met(answer, afterwards, probe=probe)


async def meet_all(site: SiteProcess) -> dict[str, Met]:
    turn = asyncio.Semaphore(AT_ONCE)
    met: dict[str, Met] = {}

    async def one(behaviour: Behaviour) -> None:
        async with turn:
            met[behaviour.name] = await meet(site, behaviour)

    async with asyncio.TaskGroup() as group:
        for behaviour in BEHAVIOURS.values():
            if behaviour.name not in ALONE:
                group.create_task(one(behaviour))
    for name in ALONE:
        await one(BEHAVIOURS[name])
    return met


def pauses(log: list[Request], path: str) -> list[float]:
    """Seconds between the end of each answer and the next request for the same path."""
    asked = sorted((each for each in log if each.path == path), key=lambda each: each.started)
    return [later.started - (earlier.ended or later.started) for earlier, later in pairwise(asked)]


@pytest.fixture(scope="module")
def met() -> dict[str, Met]:
    # in a process of its own: what keeps the server busy shall not keep the client busy
    with SiteProcess("tests.servers.misbehave:bad_routes") as site:
        found = run(meet_all(site))
        log = site.log
    return {
        name: msgspec.structs.replace(each, between=pauses(log, BEHAVIOURS[name].at)) for name, each in found.items()
    }


def named(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", names)


@named(*BEHAVIOURS)
def test_answer_and_state_are_among_the_right_ones(name: str, met: dict[str, Met]) -> None:
    behaviour, answer = BEHAVIOURS[name], met[name].answer
    got = (answer.status, answer.failure.kind if answer.failure else None, answer.truncated)
    assert got in {(each.status, each.failure, each.truncated) for each in behaviour.outcomes}, answer.failure
    if behaviour.hops is not None:
        assert len(answer.hops) == behaviour.hops
    assert answer.tries >= behaviour.least_tries
    assert len(answer.body) <= OPTIONS.max_body
    fitting = [
        each
        for each in behaviour.outcomes
        if (each.status, each.failure) == (answer.status, answer.failure.kind if answer.failure else None)
    ]
    visit = visit_of(answer)
    assert visit.state in {state for each in fitting for state in each.states}, visit.reason
    assert visit.reason


@named(*(name for name, each in BEHAVIOURS.items() if each.waits))
def test_the_pause_asked_for_is_kept(name: str, met: dict[str, Met]) -> None:
    assert met[name].between
    assert min(met[name].between) >= BEHAVIOURS[name].waits - 0.01


@named(*(name for name, each in BEHAVIOURS.items() if each.title is not None))
def test_the_title_can_be_read(name: str, met: dict[str, Met]) -> None:
    assert visit_of(met[name].answer).title == BEHAVIOURS[name].title


@named(*(name for name in BEHAVIOURS if name.startswith(("soft-", "hard-"))))
def test_error_pages_with_status_200_are_suspected_and_others_are_not(name: str, met: dict[str, Met]) -> None:
    # what two other pages of the site have in common is not part of the page
    frame = set(seen_of(met["hard-list"].answer).blocks) & set(seen_of(met["open-cloudflare"].answer).blocks)
    suspicion = visit_of(met[name].answer, baseline=met[name].probe, boilerplate=frame).soft_404
    assert (suspicion is not None) is BEHAVIOURS[name].soft_404, suspicion


@pytest.mark.parametrize("name", [name for name in BEHAVIOURS if name not in LEFT_ALONE])
def test_the_next_answer_is_not_touched(name: str, met: dict[str, Met]) -> None:
    afterwards = met[name].afterwards
    assert afterwards is not None
    assert (afterwards.status, afterwards.body, afterwards.failure) == (200, FINE, None)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_who_wants_to_be_left_alone_is_asked_once(name: str, met: dict[str, Met]) -> None:
    assert met[name].between == []


@named("zstd-bomb", "brotli-bomb", "encoding-unasked")
def test_an_encoding_that_was_not_asked_for_is_named_and_not_unpacked(name: str, met: dict[str, Met]) -> None:
    answer = met[name].answer
    assert answer.failure is not None
    assert answer.failure.detail.endswith(", which was not requested")
    assert answer.body == b""
    assert answer.seconds < 2.0


def test_the_private_address_is_named_in_the_refusal(met: dict[str, Met]) -> None:
    answer = met["redirect-private-metadata"].answer
    assert answer.failure is not None
    assert answer.final_url.startswith("http://169.254.169.254/")
    assert [hop.location for hop in answer.hops] == ["http://169.254.169.254/latest/meta-data/"]


def test_loopback_itself_is_refused_unless_allowed() -> None:
    async def ask(url: str) -> Answer:
        async with Client(msgspec.structs.replace(OPTIONS, allow_addresses=frozenset())) as client:
            return await client.get(url)

    with bad_site() as site:
        answer = run(ask(site.url("/fine")))
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.FORBIDDEN_ADDRESS
    assert site.log == []


@pytest.fixture(scope="module")
def tls_sites() -> Iterator[TlsSites]:
    with bad_tls_sites() as sites:
        yield sites


@pytest.mark.parametrize("name", FAULTS)
def test_tls_faults_are_told_apart(name: str, tls_sites: TlsSites) -> None:
    async def ask() -> Answer:
        async with Client(msgspec.structs.replace(OPTIONS, ca_file=tls_sites.ca_file, connect_timeout=1.0)) as client:
            return await asyncio.wait_for(client.get(tls_sites.urls[name]), LONGEST)

    answer = run(ask())
    if not FAULTS[name]:
        assert (answer.status, answer.body, answer.failure) == (200, FINE, None)
        assert visit_of(answer).state is State.OK
        return
    assert answer.status is None
    assert answer.failure is not None
    assert answer.failure.kind in FAULTS[name], answer.failure
    assert visit_of(answer).state in {State.ERROR, State.UNKNOWN, State.BLOCKED}
