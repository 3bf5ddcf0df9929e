"""Settings and the environment → the sites to watch, their schedules, and the channels of their alerts."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from urlset.model.frames import NotInstalledError
from urlset.settings.convert import with_scheme
from urlset.settings.groups import JudgeSettings, RuleSettings
from urlset.settings.watch import SCHEDULES, SiteTable, WatchSettings
from urlset.snapshots.parquet import require
from urlset.submitting.secrets import find_secret
from urlset.watching.channels import AlertChannel, Chat, CommandChannel, Mail, Stdout, Webhook
from urlset.watching.schedule import Schedule, parse_duration
from urlset.watching.signals import Alert
from urlset.watching.tracker import Rules
from urlset.web.smtp import Mailbox
from urlset.workflows.live_set import named_loopback
from urlset.workflows.watch.site import JobKind, WatchedSite
from urlset.writing.files import make_state_folder

SECRET = "URLSET_WEBHOOK_SECRET"
PASSWORD = "URLSET_SMTP_PASSWORD"
_KEY_FILE = "webhook.key"
_JOBS = {
    "check": JobKind.CHECK,
    "audit": JobKind.AUDIT,
    "snapshot": JobKind.SNAPSHOT,
    "engine_reports": JobKind.ENGINES,
}
_DEBOUNCE = timedelta(minutes=2)
_SMTP_PORT = 25


def zone_of(settings: WatchSettings) -> tzinfo:
    local = datetime.now().astimezone().tzinfo
    assert local is not None
    return ZoneInfo(settings.timezone) if settings.timezone else local


def rules_of(settings: WatchSettings) -> Rules:
    usual = timedelta(0) if settings.once else _DEBOUNCE
    return Rules(debounce=usual if settings.debounce is None else parse_duration(settings.debounce), fall=settings.fall)


def sites_of(settings: WatchSettings) -> tuple[WatchedSite, ...]:
    """Those of the command line, or else all of the settings file."""
    tables = {with_scheme(table.url): table for table in settings.sites}
    urls = [with_scheme(target) for target in settings.targets] or list(tables)
    judge = JudgeSettings(**settings.values(RuleSettings))
    found = []
    for url in dict.fromkeys(urls):
        table = tables.get(url, SiteTable(url))
        given = {name: getattr(table, name) or getattr(settings, name) for name in SCHEDULES}
        found.append(
            WatchedSite(
                url=url,
                schedules={_JOBS[name]: _schedule(name, given[name]) for name in SCHEDULES},
                judge=judge,
                web=named_loopback(settings.fetching, [url]),
                max_files=settings.max_files,
                pages_per_day=settings.pages_per_day if table.pages_per_day is None else table.pages_per_day,
                keep=settings.keep,
                property=table.property,
                always=frozenset(_JOBS[name] for name in ("check", "audit") if given[name] is None),
            )
        )
    return tuple(found)


def _schedule(name: str, text: str | None) -> Schedule:
    if name == "snapshot" and text is None:
        try:
            require("snapshots")
        except NotInstalledError:
            return Schedule.parse("off")
    return Schedule.parse(text or SCHEDULES[name])


def channels_of(
    settings: WatchSettings, show: Callable[[Alert], None], environment: Mapping[str, str] = os.environ
) -> tuple[AlertChannel, ...]:
    """Raises SecretError and OSError."""
    return (Stdout(show), *_linked(settings, environment), *_mail(settings, environment), *_commands(settings))


def _linked(settings: WatchSettings, environment: Mapping[str, str]) -> Iterator[AlertChannel]:
    links = [(kind, url) for kind in ("webhook", "slack", "teams") for url in getattr(settings, kind)]
    for text in settings.channels:
        kind, _, variable = text.partition(":")
        found = find_secret(variable, environment)
        if found is not None:
            links.append((kind, found.reveal()))
    for kind, url in dict.fromkeys(links):
        yield Webhook(url, _signing_key(settings, environment)) if kind == "webhook" else Chat(kind, url)


def _signing_key(settings: WatchSettings, environment: Mapping[str, str]) -> str:
    """As given, or made once: receivers can check every request."""
    given = find_secret(SECRET, environment)
    if given is not None:
        return given.reveal()
    path = Path(settings.state) / _KEY_FILE
    make_state_folder(path.parent)
    if not path.is_file():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    return path.read_text(encoding="ascii").strip()


def _mail(settings: WatchSettings, environment: Mapping[str, str]) -> Iterator[AlertChannel]:
    if not settings.mail:
        return
    user, _, server = settings.smtp.rpartition("@")
    host, _, port = server.partition(":")
    password = find_secret(PASSWORD, environment)
    mailbox = Mailbox(
        host,
        int(port) if port.isdigit() else _SMTP_PORT,
        settings.mail_from or settings.mail[0],
        user,
        password.reveal() if password is not None else "",
    )
    for address in dict.fromkeys(settings.mail):
        yield Mail(mailbox, address)


def _commands(settings: WatchSettings) -> Iterator[AlertChannel]:
    for text in dict.fromkeys(settings.command):
        yield CommandChannel(shlex.split(text))
