"""The URL of a sitemap or site → what every crawler meets there and in the child sitemaps, and a diagnosis."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from urlset.checking.context import Context
from urlset.model.address_key import key_of
from urlset.model.answer import Answer
from urlset.model.document import Kind
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.host_robots import HostRobots
from urlset.reading.limits import REMOTE_CAP
from urlset.rules.robots.fetch_state import said
from urlset.spec.engines import Engine
from urlset.spec.submission import GOOGLE_READ_SCOPE
from urlset.submitting.google import Google, GoogleTokens, load_credentials, most_specific
from urlset.submitting.receipt import Refused
from urlset.submitting.secrets import SecretError
from urlset.web.api import Api
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import USER_AGENT, WebOptions
from urlset.web.private_hosts import PrivateHosts, host_of
from urlset.web.reach import Reach, reach
from urlset.workflows.check_file import CheckedFile, Task, check_file
from urlset.workflows.doctor.diagnosis import Diagnosis, Observations, diagnose, of_others
from urlset.workflows.live.discover import Discovery, complete, discover
from urlset.workflows.live.harvest import Arrival, Harvest
from urlset.workflows.live.vouching import Vouching
from urlset.workflows.submit.live_set import named_loopback
from urlset.writing.files import work_folder

MAX_CHILDREN = 50
"""child sitemaps that are fetched; of more, a sample"""
_MAIN = "googlebot"
AGENTS = {
    _MAIN: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "browser": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36",
    "urlset": USER_AGENT,
}
"""sent to see whether a server treats them differently; servers that verify bots by IP address still block this one"""
_WAIT = (
    'Search Console can show "Couldn\'t fetch" or pending for days after a submission. '
    "Wait a few days; if it stays, remove the sitemap there and submit it again."
)


class DoctorReport(Shown, Tabular, msgspec.Struct, frozen=True):
    url: str
    causes: tuple[Diagnosis, ...]
    looked_at: tuple[str, ...]
    sitemap: str = ""
    """the sitemap that was diagnosed; another URL where that of a site was given, empty where none was found"""
    children: int = 0
    """child sitemaps of an index, and other sitemaps that robots.txt names"""
    children_fetched: int = 0

    @property
    def healthy(self) -> bool:
        """No cause was found, and everything that is listed was looked at or sampled."""
        return not self.causes

    @property
    def all_clear(self) -> str:
        """What was looked at without finding a cause, and what to do then."""
        looked = self.sitemap or self.url
        if self.children:
            sampled = self.children_fetched < self.children
            looked += f" and {f'a sample of {self.children_fetched:,} of ' if sampled else ''}{self.children:,}"
            looked += " other sitemap" if self.children == 1 else " other sitemaps"
        return f"No problem found with {looked}. {_WAIT}"

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: causes."""
        return {
            "causes": lambda: table_of(Diagnosis, lambda: self.causes),
        }


def doctor(url: str, *, web: WebOptions | None = None, environment: Mapping[str, str] = os.environ) -> DoctorReport:
    """Never raises for what a server does."""
    options = named_loopback(web or WebOptions(), [url])
    options = msgspec.structs.replace(options, tries=2, user_agent=AGENTS[_MAIN])
    with (
        work_folder() as folder,
        Harvest(options, Path(folder) / "files", named=[url]) as harvest,
    ):
        return _Examination(url, options, harvest, Path(folder), environment).report()


class _Fetched(NamedTuple):
    causes: dict[str, list[Diagnosis]]
    """by the URL of each sitemap that was requested"""
    listed: dict[str, list[str]]
    """the sitemaps that the indexes among them list"""
    skipped: list[Diagnosis]
    """what was not requested, because the host had refused too often"""


class _Examination:
    """One site or sitemap."""

    def __init__(
        self, url: str, options: WebOptions, harvest: Harvest, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._url, self._options, self._harvest, self._folder = url, options, harvest, folder
        self._environment = environment
        self._vouching = Vouching(harvest)
        self._numbers = 0

    def report(self) -> DoctorReport:
        found = discover(self._harvest, self._url)
        if not found.leads:
            return self._without_sitemap(found)
        main, *others = found.leads
        seen, account = self._examined(main.url, main.arrival or self._harvest.fetch(main.url))
        named = self._fetched(_sample([lead.url for lead in others]), ())
        below = _unique([*_listed(seen), *(url for urls in named.listed.values() for url in urls)])
        children = self._fetched(_sample(below), (main.url,))
        for index in children.listed:
            children.causes[index].append(_NESTED)
        causes, fetched = named.causes | children.causes, len(named.causes) + len(children.causes)
        lines = [*_looked_at(seen), account]
        more = len(others) + len(below)
        if more:
            bad = sum(map(bool, causes.values()))
            lines.append(f"other sitemaps: {fetched:,} of {more:,} fetched, {bad:,} with a problem")
        diagnoses = [*diagnose(seen), *of_others(causes, fetched), *(named.skipped + children.skipped)[:1]]
        return DoctorReport(self._url, tuple(diagnoses), tuple(lines), main.url, more, fetched)

    def _without_sitemap(self, found: Discovery) -> DoctorReport:
        """No sitemap to diagnose: the site itself may say why."""
        seen, account = self._examined(self._url, self._harvest.fetch(self._url))
        reasons = [] if seen.main.ok else diagnose(seen)
        missing = Diagnosis("no-sitemap", found.note or "robots.txt lists no sitemap", _NAME_IT)
        return DoctorReport(self._url, (*reasons, missing), (*_looked_at(seen), account))

    def _examined(self, url: str, arrival: Arrival) -> tuple[Observations, str]:
        """As every crawler sees it; what is known about the account as a line."""
        checked = self._checked(url, arrival, ())
        others, reached, (missing, account) = run(self._asked(url))
        answers = {_MAIN: arrival.answer, **others}
        return Observations(url, answers, arrival.robots, tuple(reached), checked, missing), account

    async def _asked(self, url: str) -> tuple[dict[str, Answer], list[Reach], tuple[str | None, str]]:
        answers = {}
        for name, agent in AGENTS.items():
            if name != _MAIN:
                options = msgspec.structs.replace(self._options, user_agent=agent)
                async with Client(options, named=[self._url]) as client:
                    answers[name] = await client.get(url, cap=1 << 16, spool=self._folder / name)
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        reached = await reach(host_of(url) or "", port, PrivateHosts(self._options, [self._url], []).gate)
        return answers, reached, await _property(url, self._environment)

    def _fetched(self, urls: Sequence[str], lineage: tuple[str, ...]) -> _Fetched:
        """Other sitemaps, as Googlebot sees them."""
        found = _Fetched({}, {}, [])
        for url, number in [(url, self._harvest.request(url)) for url in urls]:
            arrival = self._harvest.wait_for(number)
            if arrival.answer.tries:
                checked = self._checked(url, arrival, lineage)
                seen = Observations(url, {_MAIN: arrival.answer}, arrival.robots, (), checked)
                found.causes[url] = diagnose(seen)
                if listed := _listed(seen):
                    found.listed[url] = listed
            else:
                found.skipped.append(Diagnosis("not-requested", f"sitemap {url}: {said(arrival.answer)}", _AGAIN))
            arrival.discard()
        return found

    def _checked(self, url: str, arrival: Arrival, lineage: tuple[str, ...]) -> CheckedFile | None:
        """As `urlset check` judges it, with the robots.txt of its host and of the hosts it lists."""
        answer = arrival.answer
        if not answer.ok:
            return None
        final = answer.final_url or url
        context = Context(
            engines=(Engine.PROTOCOL, Engine.GOOGLE),
            robots=arrival.robots.robots,
            robots_origin=arrival.robots.origin,
            lineage=(url, *lineage),
        )
        self._numbers += 1
        task = Task(self._numbers, context, str(arrival.path), final, name=url, cap=REMOTE_CAP)
        done = check_file(task)
        vouched = self._vouching.sites(done.foreign, (url, *lineage, final)) if done.foreign else frozenset()
        if not vouched:
            return done
        context = msgspec.structs.replace(context, vouched=vouched)
        return check_file(msgspec.structs.replace(task, context=context))


_NESTED = Diagnosis("nested-index", "an index inside an index, which engines do not follow", "list sitemaps only")
_NAME_IT = "publish a sitemap and name it in robots.txt: `Sitemap: https://…`"
_AGAIN = "find out why the host refuses requests, then run the command again"


def _unique(urls: Sequence[str]) -> list[str]:
    return list({key_of(url): url for url in urls}.values())


def _listed(seen: Observations) -> list[str]:
    """The child sitemaps of an index that can be fetched."""
    leaf = seen.checked.summary if seen.checked is not None else None
    if leaf is None or leaf.kind is not Kind.SITEMAPINDEX:
        return []
    found = (complete(loc, leaf.url or seen.url) for loc in leaf.listed if loc)
    return [url for url in found if url is not None]


def _sample(urls: Sequence[str]) -> list[str]:
    """All, or as many as are fetched, from the first to the last at equal distances."""
    if len(urls) <= MAX_CHILDREN:
        return list(urls)
    return [urls[round(number * (len(urls) - 1) / (MAX_CHILDREN - 1))] for number in range(MAX_CHILDREN)]


async def _property(url: str, environment: Mapping[str, str]) -> tuple[str | None, str]:
    """The account without a fitting property, or None; and what was looked at, as a line."""
    try:
        info = load_credentials(environment)
        async with Api(tries=1) as api:
            tokens = GoogleTokens(api, info, GOOGLE_READ_SCOPE, environment=environment)
            properties = await Google(api, tokens, environment=environment).properties()
    except SecretError:
        return None, "Search Console properties: not checked, no Google credentials"
    except Refused as refused:
        return None, f"Search Console properties: not checked, {refused}"
    found = most_specific(url, properties)
    if found is not None:
        return None, f"Search Console property: {found.name}"
    return (
        tokens.account or "this account",
        f"Search Console properties: {len(properties):,}, none contains the sitemap",
    )


def _looked_at(seen: Observations) -> tuple[str, ...]:
    answer = seen.main
    lines = [seen.url, *(f"{name}: {each.failure or each.status}" for name, each in seen.answers.items())]
    lines += [f"{each.family} {each.address}: {each.problem or 'connected'}" for each in seen.reach]
    lines.append(f"robots.txt: {_robots_said(seen.robots)}")
    if answer.ok:
        lines.append(f"{answer.wire_bytes:,} bytes in {answer.seconds:.1f} s, {answer.media_type or 'no type'}")
    if seen.checked is not None and seen.checked.summary is not None:
        leaf = seen.checked.summary
        lines.append(f"{leaf.kind.value} with {leaf.entries:,} {'entry' if leaf.entries == 1 else 'entries'}")
    return tuple(lines)


def _robots_said(robots: HostRobots) -> str:
    return said(robots.answer) if robots.answer is not None else "not requested"
