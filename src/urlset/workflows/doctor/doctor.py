"""The address of a sitemap → what every crawler meets there, and a diagnosis."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.select import select
from urlset.model.answer import Answer
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.host_robots import HostRobots
from urlset.reading.limits import REMOTE_CAP
from urlset.reading.read import read
from urlset.rules.catalogue import file_rules
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
from urlset.web.reach import reach
from urlset.workflows.check.document import judge
from urlset.workflows.doctor.diagnosis import Diagnosis, Observations, diagnose
from urlset.workflows.submit.live_set import named_loopback
from urlset.writing.work_folder import work_folder

AGENTS = {
    "googlebot": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "browser": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36",
    "urlset": USER_AGENT,
}
"""sent to see whether a server treats them differently; servers that verify bots by IP address still block this one"""

HEALTHY = (
    'Nothing is wrong on your side. Search Console can show "Couldn\'t fetch" or pending for days after a submission. '
    "Wait a few days; if it stays, remove the sitemap there and submit it again."
)


class DoctorReport(Shown, Tabular, msgspec.Struct, frozen=True):
    url: str
    causes: tuple[Diagnosis, ...]
    looked_at: tuple[str, ...]

    @property
    def healthy(self) -> bool:
        return not self.causes

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: causes."""
        return {
            "causes": lambda: table_of(Diagnosis, lambda: self.causes),
        }


def doctor(url: str, *, web: WebOptions | None = None, environment: Mapping[str, str] = os.environ) -> DoctorReport:
    """Never raises for what a server does."""
    options = named_loopback(web or WebOptions(), [url])
    options = msgspec.structs.replace(options, tries=2)
    with work_folder() as folder:
        seen = run(_look(url, options, Path(folder), environment))
        return DoctorReport(url, tuple(diagnose(seen)), _looked_at(seen))


async def _look(url: str, options: WebOptions, folder: Path, environment: Mapping[str, str]) -> Observations:
    answers: dict[str, Answer] = {}
    robots = HostRobots.unrestricted("")
    for name, agent in AGENTS.items():
        async with Client(msgspec.structs.replace(options, user_agent=agent), named=[url]) as client:
            path = folder / name
            answers[name] = await client.get(url, cap=REMOTE_CAP if name == "googlebot" else 1 << 16, spool=path)
            if name == "googlebot":
                robots = await client.robots(url)
                answers[name] = _with_beginning(answers[name], path)
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = await reach(host_of(url) or "", port, PrivateHosts(options, [url], []).gate)
    seen = Observations(url, answers, robots, tuple(found), property_missing=await _property(url, environment))
    return _with_document(seen, folder / "googlebot")


def _with_beginning(answer: Answer, path: Path) -> Answer:
    """With enough of the body to recognise a challenge page."""
    with path.open("rb") as file:
        return msgspec.structs.replace(answer, body=file.read(1 << 18))


def _with_document(seen: Observations, path: Path) -> Observations:
    answer = seen.main
    if not answer.ok:
        return seen
    document = read(path, name=seen.url, url=answer.final_url or seen.url, cap=REMOTE_CAP)
    engines = (Engine.PROTOCOL, Engine.GOOGLE)
    verdict = judge(document, select(file_rules(), engines), Context(now=clock.now(), engines=engines))
    return msgspec.structs.replace(seen, document=document, verdict=verdict)


async def _property(url: str, environment: Mapping[str, str]) -> str | None:
    """The account without a fitting property; None where there is one, or no account, or no answer."""
    try:
        info = load_credentials(environment)
        async with Api(tries=1) as api:
            tokens = GoogleTokens(api, info, GOOGLE_READ_SCOPE, environment=environment)
            properties = await Google(api, tokens, environment=environment).properties()
    except (SecretError, Refused):
        return None
    if most_specific(url, properties) is not None:
        return None
    return tokens.account or "this account"


def _looked_at(seen: Observations) -> tuple[str, ...]:
    answer = seen.main
    lines = [f"{name}: {each.failure or each.status}" for name, each in seen.answers.items()]
    lines += [f"{each.family} {each.address}: {each.problem or 'connected'}" for each in seen.reach]
    if answer.ok:
        lines.append(f"{answer.wire_bytes:,} bytes in {answer.seconds:.1f} s, {answer.media_type or 'no type'}")
    if seen.document is not None:
        lines.append(f"{seen.document.kind.value} with {len(seen.document):,} entries")
    return tuple(lines)
