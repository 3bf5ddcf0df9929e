"""The URL of a sitemap or site → what every crawler meets there and in the child sitemaps, and a diagnosis."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from urlset.auditing.robots_gate import BotTally
from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.live_page import moment_of
from urlset.model.address import key_of
from urlset.model.answer import Answer, Failure, FailureKind
from urlset.model.document import Kind
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.page import join
from urlset.model.shown import Shown, amount
from urlset.reading.host_robots import Access, HostRobots, origin_of
from urlset.reading.limits import REMOTE_CAP
from urlset.reading.read import read
from urlset.rules.fetch_state import challenged, said
from urlset.settings.engines import DoctorSettings
from urlset.spec.engines import CRAWLERS, Crawler, Engine, Purpose
from urlset.spec.recipes import platforms_of
from urlset.spec.submission import GOOGLE_READ_SCOPE
from urlset.submitting.engine import Refused, SecretError
from urlset.submitting.google import EngineSitemap, Google, GoogleTokens, load_credentials, most_specific
from urlset.web.api import Api, is_loopback
from urlset.web.client import Client
from urlset.web.failures import certificate_of
from urlset.web.guard import PrivateHosts, Reach, host_of, reach
from urlset.web.loop import run
from urlset.web.options import USER_AGENT, WebOptions
from urlset.workflows.check_file import CheckedFile, Task, check_file
from urlset.workflows.doctor_causes import LET_IN, MAIN, STUCK, Diagnosis, Observations, diagnose, of_others, together
from urlset.workflows.live.discover import Vouching, complete, discover
from urlset.workflows.live.harvest import Arrival, Harvest
from urlset.workflows.submit import named_loopback
from urlset.writing.files import work_folder

MAX_CHILDREN = 50
"""child sitemaps that are fetched; of more, a sample"""
MAX_PAGES = 10_000
"""listed pages that are compared with robots.txt"""
_OTHERS = {
    "browser": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36",
    "urlset": USER_AGENT,
}
"""sent for comparison"""
TRIED = tuple(each for each in CRAWLERS if each.agent)
"""crawlers whose name is sent; a server that verifies crawlers by IP address still treats these requests differently"""
_NOT_THERE = "/urlset-doctor-no-such-file.xml"
_HEAD = 4096
_CAP = 1 << 16
_PAUSE = 0.3
"""seconds between names: fewer would run into limits that no crawler meets"""
_PATIENCE = 2.0
"""seconds for one response, up to which all names are tried"""
_GRACE = timedelta(days=3)
"""engines take days to read a new sitemap"""
_WAIT = 'Search Console can show "Couldn\'t fetch" or pending for days after a submission: wait a few days first.'


class CrawlerAccess(msgspec.Struct, frozen=True):
    """What one crawler may fetch by robots.txt, and what the server answers to its name."""

    crawler: str
    operator: str
    purpose: Purpose
    sitemap_allowed: bool
    pages_allowed: int
    pages: int
    """listed pages that were compared with robots.txt"""
    sitemap_answer: str = ""
    """empty where it was not requested"""
    page_answer: str = ""

    @property
    def robots(self) -> str:
        """What robots.txt allows."""
        if not self.pages:
            return "allows the sitemap" if self.sitemap_allowed else "disallows the sitemap"
        some = f"{self.pages_allowed:,} of {self.pages:,} pages" if self.pages_allowed else "none of the pages"
        every = "its only page" if self.pages == 1 else f"all {self.pages:,} pages"
        share = every if self.pages_allowed == self.pages else some
        if self.sitemap_allowed:
            return f"allows the sitemap and {share}"
        return f"disallows the sitemap, allows {share}" if self.pages_allowed else "disallows everything"

    @property
    def answers(self) -> str:
        if not self.sitemap_answer:
            return "not requested"
        answered = f"sitemap {self.sitemap_answer}" + (f", page {self.page_answer}" if self.page_answer else "")
        refused = [each for each in (self.sitemap_answer, self.page_answer) if each[:3] in ("401", "403", "429")]
        return f"{answered}: the server refuses what robots.txt allows" if refused else answered


class DoctorReport(Shown, Tabular, msgspec.Struct, frozen=True):
    """Why an engine cannot fetch a sitemap, the most likely cause first."""

    url: str
    causes: tuple[Diagnosis, ...]
    looked_at: tuple[str, ...]
    sitemap: str = ""
    """the sitemap that was diagnosed; another URL where that of a site was given, empty where none was found"""
    children: int = 0
    """child sitemaps of an index, and other sitemaps that robots.txt names"""
    children_fetched: int = 0
    crawlers: tuple[CrawlerAccess, ...] = ()
    platforms: tuple[str, ...] = ()
    """servers and hosts that the headers name"""

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
        return f"No problem found with {looked}. {_WAIT} {renaming(self.sitemap or self.url)}"

    def crawler_lines(self) -> list[tuple[str, str]]:
        """What robots.txt allows and the server answers, and the crawlers with that result, by purpose."""
        groups: dict[tuple[str, str], dict[str, list[str]]] = {}
        for each in self.crawlers:
            groups.setdefault((each.robots, each.answers), {}).setdefault(each.purpose.value, []).append(each.crawler)
        return [
            (
                f"robots.txt {robots}; {answers}",
                "; ".join(f"{purpose}: {', '.join(names)}" for purpose, names in found.items()),
            )
            for (robots, answers), found in groups.items()
        ]

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: causes, crawlers."""
        return {
            "causes": lambda: table_of(Diagnosis, lambda: self.causes),
            "crawlers": lambda: table_of(CrawlerAccess, lambda: self.crawlers),
        }


def renaming(url: str) -> str:
    """How to get around a failure that Search Console does not forget."""
    parts = urlsplit(url)
    folder, _, name = parts.path.rpartition("/")
    stem, dot, ending = name.partition(".")
    numbered = re.fullmatch(r"(.*-)(\d+)", stem)
    stem = f"{numbered[1]}{int(numbered[2]) + 1}" if numbered else f"{stem}-2"
    new = parts._replace(path=f"{folder}/{stem}{dot}{ending}", query="", fragment="").geturl()
    return (
        "If it stays, Search Console keeps an old failure for this URL: publish the same file under a new name and "
        f"submit that: `urlset submit {new} --to google`."
    )


def doctor(
    settings: DoctorSettings,
    *,
    environment: Mapping[str, str] = os.environ,
    notify: Callable[[str], None] = lambda _line: None,
) -> DoctorReport:
    """Never raises for what a server does. `notify` receives the number of requests before they are sent."""
    url = settings.url or ""
    options = named_loopback(settings.fetching, [url])
    options = msgspec.structs.replace(options, tries=2, user_agent=TRIED[0].agent)
    with work_folder() as folder, Harvest(options, Path(folder) / "files", named=[url]) as harvest:
        own = {"your user agent": settings.user_agent} if settings.user_agent else {}
        return _Examination(url, options, harvest, environment, notify, own).report()


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
        self,
        url: str,
        options: WebOptions,
        harvest: Harvest,
        environment: Mapping[str, str],
        notify: Callable[[str], None],
        agents: Mapping[str, str],
    ) -> None:
        self._agents = {**_OTHERS, **agents}
        self._url, self._options, self._harvest = url, options, harvest
        self._environment, self._notify = environment, notify
        self._vouching = Vouching(harvest)
        self._numbers = 0
        self._pages: list[str] = []
        """listed pages of the host, for the crawlers"""

    def report(self) -> DoctorReport:
        found = discover(self._harvest, self._url)
        if not found.leads:
            # no sitemap to diagnose: the site itself may say why
            seen, _, lines = self._examined(self._url, self._harvest.fetch(self._url), None)
            reasons = [] if seen.main.ok else diagnose(seen)
            if not found.refused:
                reasons.append(Diagnosis("no-sitemap", found.note or "robots.txt lists no sitemap", _NAME_IT))
            elif not reasons:  # only the sitemaps are refused
                reasons.append(Diagnosis("forbidden", found.note, LET_IN))
            return DoctorReport(self._url, tuple(reasons), tuple(lines), platforms=tuple(seen.platforms))
        main, *others = found.leads
        arrival = main.arrival or self._harvest.fetch(main.url)
        checked = self._checked(main.url, arrival, ())
        named = self._fetched(_sample([lead.url for lead in others]), ())
        listed = [*_listed(main.url, checked), *(url for urls in named.listed.values() for url in urls)]
        below = list({key_of(url): url for url in listed}.values())
        children = self._fetched(_sample(below), (main.url,))
        for index in children.listed:
            children.causes[index].append(_NESTED)
        causes, fetched = named.causes | children.causes, len(named.causes) + len(children.causes)
        seen, crawlers, lines = self._examined(main.url, arrival, checked)
        more = len(others) + len(below)
        if more:
            bad = sum(map(bool, causes.values()))
            lines.append(f"other sitemaps: {fetched:,} of {more:,} fetched, {bad:,} with a problem")
        skipped = (named.skipped + children.skipped)[:1]
        diagnoses = together(diagnose(seen), [*of_others(causes, fetched), *skipped])
        return DoctorReport(
            self._url, tuple(diagnoses), tuple(lines), main.url, more, fetched, crawlers, tuple(seen.platforms)
        )

    def _examined(
        self, url: str, arrival: Arrival, checked: CheckedFile | None
    ) -> tuple[Observations, tuple[CrawlerAccess, ...], list[str]]:
        """As every crawler sees it, and what was looked at as lines."""
        robots, main = arrival.robots, arrival.answer
        page = self._pages[0] if self._pages and main.ok else None
        wanted = [
            each for each in _tried(main) if robots.access is Access.NOTHING or robots.match(each.token, url).allowed
        ]
        on_page = [each for each in wanted if page is not None and robots.match(each.token, page).allowed]
        others = {} if _is_unreachable(main) else self._agents
        on_sitemap = len(wanted) - (TRIED[0] in wanted) + len(others)
        if on_sitemap:
            also = f" and {page} as {len(on_page)}" if on_page else ""
            self._notify(
                f"{amount(on_sitemap + len(on_page), 'more request')} to {host_of(url) or url}, one at a time: "
                f"{url} as {on_sitemap} user agents{also}"
            )
        agents = {each.token: each.agent for each in wanted} | others
        answers, pages, reached, (account, line) = run(self._asked(url, agents, page, {each.token for each in on_page}))
        answers = {MAIN: main, **answers}
        is_page = checked is not None and checked.summary is not None and checked.summary.kind is Kind.HTML
        fallback = self._harvest.fetch(f"{robots.origin}{_NOT_THERE}") if is_page and not main.hops else None
        replies = [*answers.values(), *([robots.answer] if robots.answer is not None else [])]
        platforms = platforms_of((header for each in replies for header in each.headers), arrival.head(_HEAD))
        seen = Observations(
            url=url,
            answers=answers,
            robots=robots,
            reach=tuple(reached),
            checked=checked,
            fallback=None if fallback is None else fallback.answer,
            platforms=platforms,
            account=account,
        )
        matrix = tuple(_crawlers(url, robots, self._pages, answers, pages)) if main.ok else ()
        return seen, matrix, [*_looked_at(seen), *self._certificate(url), line]

    async def _asked(
        self, url: str, agents: Mapping[str, str], page: str | None, on_page: Collection[str]
    ) -> tuple[dict[str, Answer], dict[str, Answer], list[Reach], tuple[Diagnosis | None, str]]:
        """The sitemap and one page in the name of crawlers, one request at a time."""
        answers: dict[str, Answer] = {}
        pages: dict[str, Answer] = {}
        for name, agent in agents.items():
            options = msgspec.structs.replace(self._options, user_agent=agent, concurrency=1)
            async with Client(options, named=[self._url]) as client:
                if name != MAIN:
                    answers[name] = await client.get(url, cap=_CAP)
                if page is not None and name in on_page:
                    pages[name] = await client.get(page, cap=_CAP)
            await asyncio.sleep(0.0 if is_loopback(url) else _PAUSE)
            if 429 in (each.status for replies in (answers, pages) for each in replies.values()):
                break  # more requests would only add to it
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        reached = await reach(host_of(url) or "", port, PrivateHosts(self._options, [self._url], []).gate)
        return answers, pages, reached, await _account(url, self._environment)

    def _certificate(self, url: str) -> list[str]:
        access = self._options.access
        if urlsplit(url).scheme != "https" or access.views or access.proxy is not None:
            return []
        found = certificate_of(url, self._options)
        if isinstance(found, Failure):
            return [f"TLS: {found}"]
        versions = "HTTP/1.1 and HTTP/2" if found.http2 else "HTTP/1.1, no HTTP/2"
        return [f"{found.tls}: certificate of {found.issuer}, valid until {found.until:%Y-%m-%d}; {versions}"]

    def _fetched(self, urls: Sequence[str], lineage: tuple[str, ...]) -> _Fetched:
        """Other sitemaps, as Googlebot sees them."""
        found = _Fetched({}, {}, [])
        for url, number in [(url, self._harvest.request(url)) for url in urls]:
            arrival = self._harvest.wait_for(number)
            answer = arrival.answer
            if answer.tries:
                checked = self._checked(url, arrival, lineage)
                platforms = platforms_of(answer.headers, arrival.head(_HEAD))
                seen = Observations(url, {MAIN: answer}, arrival.robots, checked=checked, platforms=platforms)
                found.causes[url] = diagnose(seen)
                if listed := _listed(url, checked):
                    found.listed[url] = listed
            else:
                found.skipped.append(Diagnosis("not-requested", f"sitemap {url}: {said(answer)}", _AGAIN))
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
        if done.summary is not None and done.summary.kind.lists_pages and len(self._pages) < MAX_PAGES:
            # listed pages of the host whose robots.txt is known
            most = MAX_PAGES - len(self._pages)
            listed = (loc.strip() for loc in read(arrival.path, cap=REMOTE_CAP).columns.locs if loc)
            self._pages += [loc for loc in listed if origin_of(loc) == arrival.robots.origin][:most]
        vouched = self._vouching.sites(done.foreign, (url, *lineage, final)) if done.foreign else frozenset()
        if not vouched:
            return done
        context = msgspec.structs.replace(context, vouched=vouched)
        return check_file(msgspec.structs.replace(task, context=context))


_NESTED = Diagnosis("nested-index", "an index inside an index, which engines do not follow", "list sitemaps only")
_NAME_IT = "publish a sitemap and name it in robots.txt: `Sitemap: https://…`"
_AGAIN = "find out why the host refuses requests, then run the command again"


def _tried(main: Answer) -> tuple[Crawler, ...]:
    """Fewer where the sitemap did not arrive or is slow: enough to see whether it depends on the name."""
    if main.ok and main.seconds < _PATIENCE:
        return TRIED
    return () if _is_unreachable(main) else tuple(each for each in TRIED if each.purpose is Purpose.SEARCH)


def _is_unreachable(answer: Answer) -> bool:
    """No connection was made, so no name was sent."""
    return answer.failure is not None and (answer.failure.kind in _NO_CONNECTION or answer.failure.kind.is_tls)


_NO_CONNECTION = frozenset(
    {
        FailureKind.DNS,
        FailureKind.REFUSED,
        FailureKind.UNREACHABLE,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.FORBIDDEN_ADDRESS,
        FailureKind.BAD_ADDRESS,
        FailureKind.NOT_RECORDED,
    }
)


def _crawlers(
    url: str, robots: HostRobots, listed: Sequence[str], answers: Mapping[str, Answer], pages: Mapping[str, Answer]
) -> Iterator[CrawlerAccess]:
    tally = BotTally(lambda _url: robots)
    for each in listed:
        tally.add(each)
    allowed = {row.bot: (row.allowed, row.listed) for row in tally.rows()}
    for crawler in CRAWLERS:
        count, compared = allowed.get(crawler.token, (0, 0))
        yield CrawlerAccess(
            crawler.token,
            crawler.operator,
            crawler.purpose,
            robots.match(crawler.token, url).allowed,
            count,
            compared,
            _short(answers.get(crawler.token)),
            _short(pages.get(crawler.token)),
        )


def _short(answer: Answer | None) -> str:
    if answer is None:
        return ""
    block = challenged(answer)
    return f"{answer.status} with {block.shows}" if block is not None else str(answer.failure or answer.status)


def _listed(url: str, checked: CheckedFile | None) -> list[str]:
    """The child sitemaps of an index that can be fetched."""
    summary = checked.summary if checked is not None else None
    if summary is None or not summary.kind.lists_sitemaps:
        return []
    found = (complete(loc, summary.url or url) for loc in summary.listed if loc)
    return [each for each in found if each is not None]


def _sample(urls: Sequence[str]) -> list[str]:
    """All, or as many as are fetched, from the first to the last at equal distances."""
    if len(urls) <= MAX_CHILDREN:
        return list(urls)
    return [urls[round(number * (len(urls) - 1) / (MAX_CHILDREN - 1))] for number in range(MAX_CHILDREN)]


async def _account(url: str, environment: Mapping[str, str]) -> tuple[Diagnosis | None, str]:
    """What is wrong in Search Console, and what was looked at there as a line."""
    try:
        info = load_credentials(environment)
        async with Api(tries=1) as api:
            tokens = GoogleTokens(api, info, GOOGLE_READ_SCOPE, environment=environment)
            google = Google(api, tokens, environment=environment)
            properties = await google.properties()
            found = most_specific(url, properties)
            if found is not None:
                return _stuck(url, found.name, await google.sitemap(found.name, url))
    except SecretError:
        return None, "Search Console: not checked, no Google credentials (`urlset engines login`)"
    except Refused as refused:
        return None, f"Search Console: not checked, {refused}"
    missing = Diagnosis(
        "no-property",
        f"no verified Search Console property of {tokens.account or 'this account'} contains this sitemap",
        "verify the exact scheme and host, or a domain property, and submit it there",
    )
    return missing, f"Search Console: {amount(len(properties), 'property', 'properties')}, none contains the sitemap"


def _stuck(url: str, name: str, known: EngineSitemap | None) -> tuple[Diagnosis | None, str]:
    """Submitted days ago, and never read: with a healthy file, Search Console keeps an old failure."""
    if known is None:
        return None, f"Search Console property {name}: the sitemap is not submitted there"
    submitted = moment_of(known.submitted)
    line = f"Search Console property {name}: " + (
        f"last read {known.last_read[:10]}"
        if known.last_read
        else f"submitted {(known.submitted or '?')[:10]}, never read"
    )
    if known.last_read or submitted is None or clock.now() - submitted < _GRACE:
        return None, line
    days = (clock.now() - submitted).days
    evidence = f"the file is healthy, but Search Console has not read it in the {days:,} days since it was submitted"
    return Diagnosis(STUCK, evidence, renaming(url)), line


def _way(answer: Answer) -> list[str]:
    """Every URL of a chain of redirects; it ends with the target also where that was not followed, as in a loop."""
    if not answer.hops:
        return []
    last = answer.hops[-1]
    is_followed = answer.final_url != last.url
    end = answer.final_url if is_followed else join(last.url, last.location) or last.location
    return [*(hop.url for hop in answer.hops), end]


def _looked_at(seen: Observations) -> list[str]:
    answer = seen.main
    lines = [seen.url]
    lines += [f"{each.family} {each.address}: {each.problem or 'connected'}" for each in seen.reach]
    grouped: dict[str, list[str]] = {}
    for name, each in seen.answers.items():
        grouped.setdefault(_short(each), []).append(name)
    lines += [f"requested as {', '.join(names)}: {answered}" for answered, names in grouped.items()]
    lines.append(f"robots.txt: {_short(seen.robots.answer) or 'not requested'}")
    lines.append(f"redirects: {' → '.join(_way(answer)) or 'none'}")
    if answer.ok:
        encoding = answer.header("content-encoding")
        packed = f", Content-Encoding {encoding}" if encoding else ", no Content-Encoding"
        lines.append(
            f"{answer.wire_bytes:,} bytes, first byte after {answer.first_byte:.1f} s, all after {answer.seconds:.1f} s"
        )
        lines.append(f"Content-Type {answer.media_type or 'missing'}{packed}")
    if tags := answer.all("x-robots-tag"):  # plugins send noindex with every sitemap, and Google reads it all the same
        lines.append(f"X-Robots-Tag {', '.join(tags)}: about the index, harmless for reading the sitemap")
    if seen.checked is not None and seen.checked.summary is not None and seen.checked.envelope is not None:
        summary, envelope = seen.checked.summary, seen.checked.envelope
        listed = f" with {amount(summary.entries, 'entry', 'entries')}" if summary.kind.reader else ""
        lines.append(f"{summary.kind.noun}{listed}, {envelope.size:,} bytes unpacked")
        lines.append(f"{len(seen.checked.rules):,} rules on XML, namespaces, entries, URLs and hosts")
    if seen.platforms:
        lines.append(f"served by {', '.join(seen.platforms)}")
    return lines
