"""Search Console from nothing to the first report: the steps, a check of each, a dry run with simulated engines."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from urlset.spec.submission import GOOGLE_READ_SCOPE
from urlset.submitting.engine import Refused, SecretError
from urlset.submitting.google import Google, GoogleTokens, Property, folded, load_credentials, token_file
from urlset.web.api import Api, ApiRequest


class SetupStep(msgspec.Struct, frozen=True):
    """One thing to do in a browser."""

    title: str
    address: str
    do: tuple[str, ...]
    see: str
    """what is there afterwards"""
    wrong: str
    """what goes wrong most often"""


PROJECT = SetupStep(
    "Create a Cloud project",
    "https://console.cloud.google.com/projectcreate",
    ("Name it, for example urlset. No billing account is needed.",),
    "The project selector at the top of the console shows the name of the project.",
    "The selector still shows another project: choose the new one before you go on.",
)
API = SetupStep(
    "Turn on the Search Console API",
    "https://console.cloud.google.com/apis/library/searchconsole.googleapis.com",
    ("Check the project at the top, then press Enable.",),
    'The page shows "API Enabled".',
    '"accessNotConfigured" or "API is off" later: it was enabled in another project than the credentials\' one.',
)
CONSENT = SetupStep(
    "Fill in the consent screen",
    "https://console.cloud.google.com/auth/overview",
    (
        'Press "Get started": any app name, your mail address, audience External.',
        'Under Audience, add the Google account that you sign in with as a test user, or press "Publish app".',
    ),
    "Audience shows your address under Test users, or the publishing status In production.",
    '"Error 403: access_denied" at sign-in: the account is not a test user. While the status is Testing, a login ends '
    "after 7 days.",
)
CLIENT = SetupStep(
    "Create an OAuth client",
    "https://console.cloud.google.com/auth/clients",
    ("Create client, application type Desktop app, then Download JSON.",),
    "A file like client_secret_….json.",
    'Type "Web application" does not accept the address that urlset listens on.',
)
SERVICE_ACCOUNT = SetupStep(
    "Create a service account and a key",
    "https://console.cloud.google.com/iam-admin/serviceaccounts",
    ("Create service account: a name is enough, skip the roles.", "Open it, Keys, Add key, Create new key, JSON."),
    "A file like urlset-1a2b3c.json with a client_email in it.",
    '"Service account key creation is disabled": a policy of the organization; use your Google account instead.',
)
USER = SetupStep(
    "Add the account to the property",
    "https://search.google.com/search-console/users",
    ("Choose the property, Settings, Users and permissions, Add user.", "Permission: Full."),
    "The address is in the list with the permission Full.",
    "Restricted is not enough for sitemaps and URL inspection. Only an owner can add users.",
)
BY_PERSON = (PROJECT, API, CONSENT, CLIENT)
BY_SERVICE = (PROJECT, API, SERVICE_ACCOUNT, USER)


# Credentials → what works, step by step, until something does not.


class AccessCheck(msgspec.Struct, frozen=True):
    step: str
    ok: bool
    said: str
    advice: str = ""
    """what to do where it is not ok"""


_FULL = frozenset({"siteowner", "sitefulluser"})
_NAMED = 5


async def check_access(
    api: Api, environment: Mapping[str, str] = os.environ
) -> tuple[list[AccessCheck], list[Property]]:
    """Each step that could be checked, the failing one last; the properties that can be used."""
    done: list[AccessCheck] = []
    try:
        info = load_credentials(environment)
    except SecretError as error:
        return [AccessCheck("credentials", False, str(error), "run `urlset engines login`")], []
    by = "the service account" if info["type"] == "service_account" else "your Google account"
    tokens = GoogleTokens(api, info, GOOGLE_READ_SCOPE, environment=environment)
    done.append(AccessCheck("credentials", True, f"{by}{f' {tokens.account}' if tokens.account else ''}"))
    try:
        await tokens.token()
        done.append(AccessCheck("sign-in", True, "Google accepts the credentials"))
        found = await Google(api, tokens, environment=environment).properties()
    except SecretError as error:
        return [*done, AccessCheck("sign-in", False, str(error), "download the key file again")], []
    except Refused as refused:
        step, advice = "sign-in", "run `urlset engines login` again with a new file"
        if len(done) > 1:
            step, advice = "Search Console API", f"{API.address} (check the project at the top)"
        return [*done, AccessCheck(step, False, str(refused), advice)], []
    done.append(AccessCheck("Search Console API", True, "enabled"))
    return [*done, *_of_properties(found, tokens.account or "the account you signed in with")], found


def _of_properties(found: list[Property], account: str) -> Iterator[AccessCheck]:
    usable = [each for each in found if folded(each.permission) in _FULL]
    names = ", ".join(each.name for each in usable[:_NAMED]) + (" …" if len(usable) > _NAMED else "")
    if usable:
        yield AccessCheck("property", True, names)
        return
    restricted = [each.name for each in found if each.verified]
    said = f"only restricted access to {restricted[0]}" if restricted else "the account sees no verified property"
    yield AccessCheck("property", False, said, f"add {account} as a Full user: {USER.address}")


def file_problem(path: Path, *, client: bool) -> str:
    """Why a downloaded file is not the wanted one; empty where it is."""
    try:
        body = json.loads(path.expanduser().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return f"{path} does not exist"
    except (OSError, ValueError):
        return f"{path} is not a JSON file"
    kind = body.get("type") if isinstance(body, dict) else None
    parts: dict[str, Any] = body if isinstance(body, dict) else {}
    if client:
        if kind == "service_account":
            return f"{path} is the key of a service account; choose 2, or download the JSON of an OAuth client"
        if "web" in parts:
            return f"{path} is an OAuth client of type Web application; create one of type Desktop app"
        return "" if "installed" in parts else f"{path} is not the JSON of an OAuth client"
    if "installed" in parts or "web" in parts:
        return f"{path} is an OAuth client; choose 1, or create a key of a service account"
    if kind != "service_account" or not parts.get("client_email") or not parts.get("private_key"):
        return f"{path} is not the key of a service account"
    return ""


# A dry run: the same steps with engines of this machine, and a browser that agrees at once.

SAMPLE = "https://www.example.com"
"""the simulated site: its requests go to a server of this machine"""


class DryRun(msgspec.Struct, frozen=True):
    server: str
    """that answers for the site"""
    client: Path
    """the JSON of an OAuth client"""
    state: Path
    environment: dict[str, str]

    def shown(self, text: str) -> str:
        """As it would look with a real home folder."""
        return text.replace(str(token_file(self.environment)), "~/.config/urlset/google.json")


@contextmanager
def dry_run(folder: Path) -> Iterator[DryRun]:
    """A site with two sections and engines that know it; nothing leaves this machine."""
    from urlset.testing import PageAnswer, Request, Site
    from urlset.workflows.demo.fake_engines import FakeEngines

    def answer(request: Request) -> PageAnswer | None:
        body = pages.get(request.path)
        return None if body is None else PageAnswer(body=body, type="application/xml")

    made = {"/robots.txt": f"User-agent: *\nAllow: /\nSitemap: {SAMPLE}/sitemap.xml\n"}
    children = ""
    for section, count, _ in _SECTIONS:
        rows = "".join(f"<url><loc>{SAMPLE}/{section}/{number + 1}</loc></url>" for number in range(count))
        made[f"/{section}.xml"] = f'<urlset xmlns="{_SPACE}">{rows}</urlset>'
        children += f"<sitemap><loc>{SAMPLE}/{section}.xml</loc></sitemap>"
    pages = made | {"/sitemap.xml": f'<sitemapindex xmlns="{_SPACE}">{children}</sitemapindex>'}
    with FakeEngines() as engines, Site(answer) as site:
        home = f"{SAMPLE}/"
        engines.google.properties = {home: "siteOwner"}
        engines.google.sitemaps[home] = {f"{home}sitemap.xml": _known(f"{home}sitemap.xml", 0)}
        engines.google.children[f"{home}sitemap.xml"] = [
            _known(f"{home}{name}.xml", size) for name, size, _ in _SECTIONS
        ]
        for name, size, indexed in _SECTIONS:
            for number in range(size):
                state = _INDEXED if number < indexed else _NOT_INDEXED
                engines.google.pages[f"{home}{name}/{number + 1}"] = state
        client = folder / "client_secret.json"
        client.write_text(json.dumps({"installed": {"client_id": "simulated", "client_secret": "simulated"}}))
        environment = {
            **{name: value for name, value in engines.endpoints().items() if "GOOGLE" in name},
            "URLSET_GOOGLE_TOKEN_ENDPOINT": engines.site.url("/token"),
            "URLSET_CONFIG_HOME": str(folder / "config"),
        }
        yield DryRun(site.origin, client, folder / "state", environment)


_SECTIONS = (("products", 40, 31), ("articles", 12, 12))
_INDEXED = {"verdict": "PASS", "coverageState": "Submitted and indexed", "lastCrawlTime": "2026-11-10T08:00:00Z"}
_NOT_INDEXED = {"verdict": "NEUTRAL", "coverageState": "Crawled - currently not indexed"}
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def _known(url: str, count: int) -> dict[str, Any]:
    """As the API describes a sitemap that it reads daily."""
    from urlset.checking import clock

    day = clock.now().date().isoformat()
    known: dict[str, Any] = {"path": url, "lastSubmitted": "2026-11-01T08:00:00Z", "lastDownloaded": f"{day}T04:00:00Z"}
    known |= {"errors": "0", "warnings": "0", "isPending": False, "isSitemapsIndex": not count}
    return known | ({"contents": [{"type": "web", "submitted": str(count)}]} if count else {})


def agreeing_browser(show: Callable[[str], None]) -> Callable[[str], None]:
    """Shows the address of the consent page, and comes back from it as a browser would."""
    tasks: set[asyncio.Task[None]] = set()

    async def visit(address: str) -> None:
        asked = parse_qs(urlsplit(address).query)
        back = f"{asked['redirect_uri'][0]}?{urlencode({'state': asked['state'][0], 'code': 'simulated'})}"
        async with Api(tries=1) as api:
            await api.call(ApiRequest("GET", back))

    def opened(address: str) -> None:
        show(address)
        task = asyncio.get_running_loop().create_task(visit(address))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return opened
