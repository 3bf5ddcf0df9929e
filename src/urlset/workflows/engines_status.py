"""A site → each of its sitemaps as every engine reports it, with findings where the two differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlsplit

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.live_page import SubmittedSitemap
from urlset.checking.placing import ProblemCollector
from urlset.findings.verdict import Checked, Verdict
from urlset.model.address import key_of
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.settings.engines import StatusSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.spec.engines import Engine
from urlset.spec.submission import Channel
from urlset.submitting.engine import Refused, Status
from urlset.submitting.google import EngineSitemap
from urlset.submitting.webmasters import Accounts, open_accounts
from urlset.web.api import Api
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.submit import bing_site, channels, named_loopback, property_name


class SitemapStatus(msgspec.Struct, frozen=True):
    """One row: a sitemap at one engine."""

    engine: str
    url: str
    submitted: str | None
    last_read: str | None
    pending: bool
    errors: int | None
    warnings: int | None
    their_count: int | None
    our_count: int | None
    known: bool = True


class StatusReport(Shown, Tabular, msgspec.Struct, frozen=True):
    """The sitemaps of a site as engines report them."""

    verdict: Verdict
    sitemaps: tuple[SitemapStatus, ...]
    unreachable: tuple[str, ...] = ()
    """engines that gave no report, with the reason"""
    notes: tuple[str, ...] = ()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: sitemaps, findings."""
        return {
            "sitemaps": lambda: table_of(SitemapStatus, lambda: self.sitemaps, times=("submitted", "last_read")),
            "findings": lambda: self.verdict.table("findings"),
        }


class _Ours(msgspec.Struct):
    entries: int
    newest: str | None
    parent: bool
    """an index"""
    children: tuple[str, ...] = ()


def status(settings: StatusSettings, *, environment: Mapping[str, str] = os.environ) -> StatusReport:
    """Raises SecretError where credentials are missing, and ChannelError for an unknown engine."""
    assert settings.target is not None  # required
    target = settings.target
    web = named_loopback(settings.fetching, [target])
    wanted = channels(settings.to) if settings.to else ()
    ours: dict[str, _Ours] = {}
    documents: list[Checked] = []
    tree = LiveTree([target], SitemapFetchSettings(web=web))
    for document in tree:
        url = document.url or document.name
        is_index = not document.kind.lists_pages
        dates = [text.strip() for text in document.columns.different("lastmods") if text]
        children = tuple((loc or "").strip() for loc in document.columns.locs) if is_index else ()
        ours[url] = _Ours(len(document), max(dates, default=None), is_index, children)
        documents.append(Checked(url, url, document.kind, document.envelope.size, len(document), ""))
    troubled = [f"{missing.loc}: {missing.reason}" for missing in tree.missing]
    subjects, unreachable, notes = run(_ask(settings, target, web, wanted, environment, ours))
    rows = tuple(msgspec.convert(each, SitemapStatus, from_attributes=True) for each in subjects)
    return StatusReport(_verdict(subjects, documents, troubled), rows, unreachable, notes)


async def _ask(
    settings: StatusSettings,
    target: str,
    web: WebOptions,
    wanted: tuple[Channel, ...],
    environment: Mapping[str, str],
    ours: dict[str, _Ours],
) -> tuple[list[SubmittedSitemap], tuple[str, ...], tuple[str, ...]]:
    """Each sitemap at each engine, the engines that could not be asked, and notes."""
    unreachable: list[str] = []
    subjects: list[SubmittedSitemap] = []
    async with Api() as api:
        accounts = open_accounts(api, wanted, environment)
        for engine in (Engine.GOOGLE, Engine.BING, Engine.YANDEX):
            try:
                theirs = await _listed(engine, accounts, target, settings.property)
            except Refused as refused:
                unreachable.append(f"{engine}: {api.redact(str(refused))}")
                continue
            if theirs is not None:
                subjects += await _joined(engine, theirs, ours, target, web)
    return subjects, tuple(unreachable), accounts.notes


async def _listed(
    engine: Engine, accounts: Accounts, target: str, name_of_property: str | None
) -> list[EngineSitemap] | None:
    """None where there is no account."""
    if engine is Engine.GOOGLE and accounts.google is not None:
        google = accounts.google
        name = await property_name(google, target, name_of_property)
        if name is None:
            raise _no_site(target)
        found = await google.sitemaps(name)
        for each in [each for each in found if each.is_index]:
            found += [
                child for child in await google.sitemaps(name, each.url) if child.url not in {x.url for x in found}
            ]
        return found
    if engine is Engine.BING and accounts.bing is not None:
        return await accounts.bing.feeds(await bing_site(accounts.bing, target))
    if engine is Engine.YANDEX and accounts.yandex is not None:
        host = await accounts.yandex.host_of(target)
        if host is None:
            raise _no_site(target)
        return await accounts.yandex.sitemaps(host)
    return None


def _no_site(target: str) -> Refused:
    return Refused(Status.REFUSED, f"the account has no verified site that contains {target}")


async def _joined(
    engine: Engine, theirs: list[EngineSitemap], ours: dict[str, _Ours], target: str, web: WebOptions
) -> list[SubmittedSitemap]:
    context = Context(now=clock.now(), engines=(engine,))
    known = {key_of(each.url): each for each in theirs}
    mine = {key_of(url): (url, each) for url, each in ours.items()}
    spellings = {_spelling(each.url): each.url for each in theirs}
    below = {key_of(child) for _, each in mine.values() if each.parent for child in each.children}
    subjects = []
    for key, (url, each) in mine.items():
        report = known.get(key)
        other = spellings.get(_spelling(url))
        subject = SubmittedSitemap(
            context=context,
            engine=engine,
            url=url,
            known=report is not None,
            below_index=key in below,
            our_count=None if each.parent else each.entries,
            newest=each.newest,
            other_spelling=other if report is None and other is not None and key_of(other) != key else None,
        )
        subjects.append(subject if report is None else _with(subject, report))
    for key, report in known.items():
        if key not in mine:
            # a sitemap that the site does not name, and that may be gone
            async with Client(web, named=[target]) as client:
                answer = await client.get(report.url, cap=1 << 16)
            gone = str(answer.status) if answer.status is not None and answer.status >= 400 else None
            subjects.append(_with(SubmittedSitemap(context=context, engine=engine, url=report.url, gone=gone), report))
    return subjects


def _with(subject: SubmittedSitemap, report: EngineSitemap) -> SubmittedSitemap:
    return msgspec.structs.replace(
        subject,
        submitted=report.submitted,
        last_read=report.last_read,
        pending=report.pending,
        errors=report.errors,
        warnings=report.warnings,
        their_count=report.urls,
    )


def _spelling(url: str) -> str:
    """The same for http and https, with www and without."""
    parts = urlsplit(url)
    return f"{(parts.hostname or '').removeprefix('www.')}{parts.path}?{parts.query}"


def _verdict(subjects: list[SubmittedSitemap], documents: list[Checked], troubled: list[str]) -> Verdict:
    rules = [rule for rule in all_rules() if rule.on is SubmittedSitemap]
    engines = tuple(dict.fromkeys(subject.engine for subject in subjects)) or (Engine.GOOGLE,)
    gathering = ProblemCollector(Context(now=clock.now(), engines=engines), {}, {})
    for subject in subjects:
        for rule in rules:
            if subject.engine in rule.card.severities:
                gathering.judge(rule, partial(rule.check, subject), subject.url)
    found = gathering.verdict(rules, read)
    return msgspec.structs.replace(found, documents=tuple(documents), troubled=tuple(troubled))
