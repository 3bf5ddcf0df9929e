"""The URL of a sitemap or site → what every crawler meets there and in the child sitemaps, and a diagnosis."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from urlset.checking.context import Context
from urlset.model.address import key_of
from urlset.model.answer import Answer, FailureKind
from urlset.model.document import Kind
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.host_robots import Access, HostRobots
from urlset.reading.limits import REMOTE_CAP
from urlset.rules.fetch_state import challenged, said
from urlset.settings.engines import DoctorSettings
from urlset.spec.engines import Engine
from urlset.spec.protocol import MAX_BYTES, MAX_URLS
from urlset.spec.submission import GOOGLE_READ_SCOPE
from urlset.submitting.engine import Refused, SecretError
from urlset.submitting.google import Google, GoogleTokens, load_credentials, most_specific
from urlset.web.api import Api
from urlset.web.client import Client
from urlset.web.guard import PrivateHosts, Reach, host_of, reach
from urlset.web.loop import run
from urlset.web.options import USER_AGENT, WebOptions
from urlset.workflows.check_file import CheckedFile, Task, check_file
from urlset.workflows.live.discover import Discovery, Vouching, complete, discover
from urlset.workflows.live.harvest import Arrival, Harvest
from urlset.workflows.submit import named_loopback
from urlset.writing.files import work_folder

# What was seen of a sitemap → the causes that keep an engine from reading it, most likely first.

SLOW = 10.0
"""seconds from which a fetch is at risk of being given up"""
_TLS = "fix the certificate; engines fetch only over connections they can trust"
_FAILURES = {
    FailureKind.DNS: ("dns", "check the DNS records of the host"),
    FailureKind.REFUSED: ("connection-refused", "start the server, or open the port in the firewall"),
    FailureKind.RESET: ("connection-reset", "look for a firewall or a crashing server that closes connections"),
    FailureKind.UNREACHABLE: ("unreachable", "check the network and the firewall of the server"),
    FailureKind.CONNECT_TIMEOUT: ("connect-timeout", "check the network and the firewall of the server"),
    FailureKind.READ_TIMEOUT: ("timeout", "make the sitemap faster, for example by writing it to a file"),
    FailureKind.TOTAL_TIMEOUT: ("timeout", "make the sitemap faster, for example by writing it to a file"),
    FailureKind.CUT_SHORT: ("cut-short", "look for a proxy or script limit that cuts the answer"),
    FailureKind.BAD_ENCODING: ("bad-encoding", "send the Content-Encoding that the body has, or none"),
    FailureKind.REDIRECT_LOOP: ("redirect-loop", "serve the sitemap at one address without redirects"),
    FailureKind.TOO_MANY_REDIRECTS: ("redirect-loop", "serve the sitemap at one address without redirects"),
    FailureKind.BAD_REDIRECT: ("bad-redirect", "fix the Location header"),
    FailureKind.FORBIDDEN_ADDRESS: ("private-address", "publish the host under a public address"),
}


class Diagnosis(msgspec.Struct, frozen=True):
    cause: str
    evidence: str
    advice: str
    sitemaps: tuple[str, ...] = ()
    """the sitemaps with it, where that is not the one that was diagnosed"""


class Observations(msgspec.Struct, frozen=True):
    """Everything that was looked at, of one sitemap."""

    url: str
    answers: dict[str, Answer]
    """by the name of the user agent; `googlebot` is always there"""
    robots: HostRobots
    reach: tuple[Reach, ...] = ()
    checked: CheckedFile | None = None
    """None where nothing was delivered"""
    property_missing: str | None = None
    """the account whose properties do not contain the sitemap"""

    @property
    def main(self) -> Answer:
        return self.answers["googlebot"]


def diagnose(seen: Observations) -> list[Diagnosis]:
    """The first is the one to look at; an empty list means that nothing wrong was found in what was looked at."""
    found = _access(seen)
    if found:  # nothing more can be said about a file that does not arrive
        return [*found, *_network(seen)]
    return [*_robots(seen), *_content(seen), *_delivery(seen), *_network(seen), *_account(seen)]


def _access(seen: Observations) -> list[Diagnosis]:
    answer = seen.main
    block = challenged(answer)
    if block is not None:
        who = f" ({block.vendor})" if block.vendor else ""
        return [Diagnosis("bot-protection", f"the answer is {block.shows}{who}", _LET_IN)]
    served = {name: each.status for name, each in seen.answers.items() if each.ok}
    if not answer.ok and served:
        others = ", ".join(sorted(served))
        return [
            Diagnosis("bot-protection", f"{_said(answer)} for Googlebot's user agent, but 200 for {others}", _LET_IN),
        ]
    if answer.failure is not None:
        cause, advice = _FAILURES.get(answer.failure.kind, ("fetch-failed", "look at the server's error log"))
        if answer.failure.kind.is_tls:
            cause, advice = "tls", _TLS
        return [Diagnosis(cause, f"{answer.final_url or seen.url}: {answer.failure}", advice)]
    status = answer.status or 0
    if status in (401, 407):
        return [Diagnosis("login", f"status {status}", "serve the sitemap without a login")]
    if status in (403, 429):
        return [Diagnosis("forbidden", f"status {status} for every user agent", _LET_IN)]
    if status >= 500:
        return [Diagnosis("server-error", f"status {status}", "look at the server's error log")]
    if status in (404, 410):
        return [
            Diagnosis("not-found", f"status {status}", "publish the sitemap at this address, or submit the right one")
        ]
    if not 200 <= status < 300:
        return [Diagnosis("bad-status", f"status {status}", "answer 200 with the sitemap")]
    return []


_LET_IN = "let verified search engine bots through the firewall or bot protection for this path"


def _said(answer: Answer) -> str:
    return str(answer.failure) if answer.failure is not None else f"status {answer.status}"


def _robots(seen: Observations) -> list[Diagnosis]:
    if seen.robots.access is Access.NOTHING:
        return [
            Diagnosis(
                "robots-unavailable",
                "robots.txt answers with a server error, which stops all crawling",
                "make /robots.txt answer 200 or 404",
            )
        ]
    match = seen.robots.match("Googlebot", seen.url)
    if match.allowed:
        return []
    line = f" ({match.line.written}: {match.line.value})" if match.line is not None else ""
    return [
        Diagnosis(
            "blocked-by-robots",
            f"robots.txt disallows the sitemap itself for Googlebot{line}",
            "allow the path of the sitemap in robots.txt",
        )
    ]


def _content(seen: Observations) -> list[Diagnosis]:
    answer = seen.main
    if seen.checked is None or seen.checked.summary is None or seen.checked.envelope is None:
        return []
    document, envelope = seen.checked.summary, seen.checked.envelope
    if document.kind is Kind.EMPTY:
        return [Diagnosis("empty", "the answer has no content", "publish the sitemap again")]
    if document.kind is Kind.HTML:
        where = f" at {answer.final_url}" if answer.hops else ""
        return [
            Diagnosis("html-instead", f"an HTML page is served{where}", "serve the XML; check rewrites and the CMS")
        ]
    if not document.kind.is_sitemap:
        return [Diagnosis("not-a-sitemap", f"the content is {document.kind.value}", "serve a sitemap at this address")]
    found = []
    encoding = (answer.header("content-encoding") or "").strip().lower()
    if envelope.layers > 1:
        found.append(Diagnosis("double-gzip", "the content is gzip inside gzip", _COMPRESS_ONCE))
    elif envelope.layers and encoding not in ("", "identity"):
        evidence = f"a gzip file is sent with Content-Encoding: {encoding}, so it is compressed twice"
        found.append(Diagnosis("double-gzip", evidence, _COMPRESS_ONCE))
    if not document.entries:
        what = "sitemap" if document.kind.lists_sitemaps else "URL"
        found.append(Diagnosis("no-urls", f"it lists no {what}", "list at least one, or remove the sitemap"))
    if envelope.size > MAX_BYTES or document.entries > MAX_URLS:
        size = f"{envelope.size:,} bytes and {document.entries:,} entries"
        found.append(Diagnosis("too-large", size, "split it: `urlset fix` writes parts and an index"))
    return found + _invalid(seen)


_COMPRESS_ONCE = "compress once: file or Content-Encoding"


def _invalid(seen: Observations) -> list[Diagnosis]:
    """Error-level findings, by what they are about."""
    if seen.checked is None:
        return []
    errors = [finding for finding in seen.checked.verdict.findings if finding.severity == "error"]
    groups = {
        "malformed": [each for each in errors if each.code.startswith("X")],
        "wrong-namespace": [each for each in errors if "namespace" in each.name],
        "host-mismatch": [each for each in errors if each.code in ("L015", "L017", "L018", "L019", "I006")],
    }
    known = {id(each) for group in groups.values() for each in group}
    groups["invalid"] = [each for each in errors if id(each) not in known]
    advice = {
        "malformed": "fix the XML: `urlset fix` repairs the usual damage",
        "wrong-namespace": "declare the namespace of the protocol: `urlset fix` does it",
        "host-mismatch": "list only URLs of the sitemap's own host and folder, or verify both hosts at the engine",
        "invalid": "run `urlset check` on the sitemap for every finding",
    }
    return [
        Diagnosis(name, f"{group[0].code}: {group[0].message}", advice[name]) for name, group in groups.items() if group
    ]


def _delivery(seen: Observations) -> list[Diagnosis]:
    answer = seen.main
    found = []
    if answer.hops:
        last = answer.final_url
        found.append(
            Diagnosis("redirect", f"{seen.url} redirects to {last}", f"submit {last}, or serve it without redirects")
        )
    if answer.seconds >= SLOW:
        found.append(
            Diagnosis("slow", f"the answer took {answer.seconds:.1f} s", "write the sitemap to a file or cache it")
        )
    differing = sorted(name for name, each in seen.answers.items() if not each.ok)
    if differing:
        others = ", ".join(f"{name}: {_said(seen.answers[name])}" for name in differing)
        found.append(Diagnosis("blocks-some-bots", others, _LET_IN))
    kind = answer.media_type
    if kind is not None and kind not in _TYPES and not kind.endswith(("+xml", "/xml")):
        found.append(Diagnosis("content-type", f"Content-Type is {kind}", "send application/xml"))
    robots = ", ".join(answer.all("x-robots-tag"))
    if "noindex" in robots.lower() or "none" in robots.lower().split(","):
        found.append(
            Diagnosis(
                "noindex-header",
                f"X-Robots-Tag: {robots}",
                "harmless for reading the sitemap according to Google; remove it to rule it out",
            )
        )
    return found


_TYPES = frozenset(
    {"text/plain", "application/gzip", "application/x-gzip", "application/octet-stream", "binary/octet-stream"}
)


def _network(seen: Observations) -> list[Diagnosis]:
    """One address family that fails while the other works: some crawlers meet it, some do not."""
    broken = [each for each in seen.reach if each.problem]
    if not broken or len(broken) == len(seen.reach):
        return []
    each = broken[0]
    return [
        Diagnosis(
            each.family.lower(),
            f"{each.address}: {each.problem}, while other addresses of the host answer",
            f"fix the {each.family} address of the host, or remove its DNS record",
        )
    ]


def _account(seen: Observations) -> list[Diagnosis]:
    if seen.property_missing is None:
        return []
    return [
        Diagnosis(
            "no-property",
            f"no verified Search Console property of {seen.property_missing} contains this sitemap",
            "verify the exact scheme and host, or a domain property, and submit it there",
        )
    ]


def of_others(causes: Mapping[str, Sequence[Diagnosis]], looked: int) -> list[Diagnosis]:
    """URL of another sitemap → its causes: one diagnosis for each cause, that of most sitemaps first."""
    groups: dict[str, list[tuple[str, Diagnosis]]] = {}
    for url, found in causes.items():
        for each in found:
            groups.setdefault(each.cause, []).append((url, each))
    return [
        Diagnosis(cause, _of_some(found, looked), found[0][1].advice, tuple(url for url, _ in found))
        for cause, found in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def _of_some(found: Sequence[tuple[str, Diagnosis]], looked: int) -> str:
    url, first = found[0]
    if len(found) == 1:
        return f"sitemap {url}: {first.evidence}"
    return f"{len(found):,} of {looked:,} other sitemaps, such as {url}: {first.evidence}"


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


def doctor(settings: DoctorSettings, *, environment: Mapping[str, str] = os.environ) -> DoctorReport:
    """Never raises for what a server does."""
    url = settings.url or ""
    options = named_loopback(settings.fetching, [url])
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
    summary = seen.checked.summary if seen.checked is not None else None
    if summary is None or not summary.kind.lists_sitemaps:
        return []
    found = (complete(loc, summary.url or seen.url) for loc in summary.listed if loc)
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
        summary = seen.checked.summary
        lines.append(f"{summary.kind.value} with {summary.entries:,} {'entry' if summary.entries == 1 else 'entries'}")
    return tuple(lines)


def _robots_said(robots: HostRobots) -> str:
    return said(robots.answer) if robots.answer is not None else "not requested"
