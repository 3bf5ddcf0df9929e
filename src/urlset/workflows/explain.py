"""The address of a page → everything that audits and crawls in a state folder know about it, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice, zip_longest
from pathlib import Path

import msgspec

from urlset.auditing.store import AuditedUrl, AuditStore, ListedUrl, What
from urlset.building.git_evidence import GitFailedError, open_git
from urlset.building.ledger import Explanation, Ledger
from urlset.building.lock import LockedPage, LockError, LockPaths, lines_of, read_lock
from urlset.building.state_home import output_of, states_below
from urlset.checking import clock
from urlset.checking.context import Context
from urlset.crawling.find import linking
from urlset.crawling.found import NOT_REQUESTED, CrawledUrl, Via
from urlset.crawling.frontier import CrawlFrontier
from urlset.crawling.scope import address_of
from urlset.model.address import key_of
from urlset.reading.host_robots import HostRobots, origin_of
from urlset.reports.pages import PageRow
from urlset.rules.catalogue import find
from urlset.spec.engines import ENGINES, Engine
from urlset.workflows.audit.explained import Explainer, KnownCauses
from urlset.workflows.audit.rows import PageVerdict, ReportRows
from urlset.workflows.build.result import LEDGER
from urlset.workflows.crawl import FOLDER
from urlset.writing.sqlite_store import StateError

_ENGINES = tuple(engine for engine in Engine if engine is not Engine.PROTOCOL and ENGINES[engine].robots_tokens)
_LINKS = 10


def explain_url(state: Path, url: str, lock: Path | None = None) -> list[str]:
    """By the lock, builds, audits and crawls; nothing if none of them knows the page. Raises StateError."""
    locked = list(explain_date(lock, url)) if lock is not None else []
    built, audited, crawled = (list(by(state, url)) for by in (explain_page, explain_audited, explain_crawled))
    origin = origin_of(url)
    if audited and not crawled:
        for path in _crawls(state):
            with suppress(StateError), CrawlFrontier(path) as frontier:
                meta = frontier.all_meta()
                if origin_of(meta.get("url", "")) == origin:
                    crawled.append(f"{url} is not in {_named(meta)}: no crawled page links to it")
    if crawled and not audited and origin is not None:
        for path in _audits(state):
            with suppress(StateError), AuditStore(path) as store:
                if store.recall() and store.robots(origin) is not None:  # pages of the same host
                    crawled.append("  in none of the audited sitemaps")
                    break
    return [*locked, *built, *audited, *crawled]


# The address of a page → its date in the lock, and how that came to be, by the commits of the lock.

_MOST_VERSIONS = 20
_WHY = {
    "git": "the last commit that changed its source or the page",
    "page": "stated by the page or its source",
    "given": "given by the source",
    "observed": "its content changed between two runs",
    "first-seen": "the first run that saw it",
    "live": "as in the live sitemap",
    "http": "the Last-Modified header",
}


def explain_date(lock: Path, url: str) -> Iterator[str]:
    """Nothing where there is no lock, or it does not have the page."""
    try:
        found = read_lock(lock)
    except (LockError, OSError) as error:
        yield f"{lock}: {error}"
        return
    path = next((each for each in (key_of(url), LockPaths([url]).of(url)) if each in found.pages), None)
    if path is None:
        return
    page = found.pages[path]
    yield f"{url} in {lock}: {_dated(page)}"
    if path in found.conflicts:
        yield f"  the lock has {len(found.conflicts[path].sides)} lines for it; run `urlset dates` to repair it"
    place = next((name for name, data in found.files.items() if b"\n" + path.encode() + b" " in data), lock)
    versions = list(_versions(place, path))
    for (when, commit, line), older in zip_longest(versions, versions[1:]):
        if older is None:
            what = f"added, {_dated(line)}" if line is not None else "removed"
        elif line is None or older[2] is None:
            what = "removed" if line is None else f"added again, {_dated(line)}"
        elif line.lastmod != older[2].lastmod:
            what = f"{older[2].lastmod or 'no date'} → {_dated(line)}"
        else:
            what = "another fingerprint, the same date"
        yield f"  {when} {commit[:12]}: {what}"


def _dated(page: LockedPage) -> str:
    return "no date" if page.lastmod is None else f"{page.lastmod} ({page.token}: {_WHY.get(page.token, page.token)})"


def _versions(place: Path, path: str) -> Iterator[tuple[str, str, LockedPage | None]]:
    """Day, commit and line, the newest first, of the commits that changed the line; nothing outside of git."""
    git = open_git(place.absolute().parent)
    if git is None:
        return
    pattern = "^" + re.sub(r"([^A-Za-z0-9/_-])", r"[\1]", path).replace("[^]", "\\^") + " "
    try:
        listed = git.line("log", f"-{_MOST_VERSIONS}", "--format=%H %cs", "-G", pattern, "--", place.name)
        for commit, _, when in (each.partition(" ") for each in listed.splitlines()):
            try:
                data = git.line("show", f"{commit}:./{place.name}")
            except GitFailedError:
                data = ""  # the commit that removed the file
            yield when, commit, next((page for key, page in lines_of(data.encode()) if key == path), None)
    except (GitFailedError, OSError):
        return


def _crawls(state: Path) -> list[Path]:
    return sorted((state / FOLDER).glob("*.db"))


def _audits(state: Path) -> list[Path]:
    return sorted(state.glob("audit-*.db"))


def explain_audited(state: Path, url: str) -> Iterator[str]:
    """By every audit in the state folder that lists the page; nothing if none does."""
    for path in _audits(state):
        try:
            with AuditStore(path) as store:
                found = store.listed_page(url) if store.recall() else None
                if found is not None:
                    yield from _audited(store, found)
        except StateError as error:
            yield f"{path.name}: {error}"


def explain_crawled(state: Path, url: str) -> Iterator[str]:
    """By every crawl in the state folder that met the address."""
    address = address_of(url)
    if address is None:
        return
    for path in _crawls(state):
        try:
            with CrawlFrontier(path) as frontier:
                row = frontier.find(address)
                if row is not None:
                    yield from _crawled(frontier, row)
        except StateError as error:
            yield f"{path.name}: {error}"


def _audited(store: AuditStore, found: AuditedUrl) -> Iterator[str]:
    def robots(url: str) -> HostRobots | None:
        origin = origin_of(url)
        answer = store.robots(origin) if origin is not None else None
        return None if origin is None or answer is None else HostRobots.of(origin, answer)

    context = Context(clock.now(), _ENGINES)
    row = ReportRows(context, robots, store.find, "not requested", Explainer((), {}, store.find)).row(found)
    asked = store.meta("finished") or store.meta("started") or ""
    yield f"{row.url} in the audit of {asked[:19].replace('T', ' ')}"
    if found.listed.kind is What.PAGE:
        where = f", entry {row.entry:,}" if row.entry is not None else ""
        yield f"  listed in {row.source}{where}{f', lastmod {row.lastmod}' if row.lastmod else ''}"
    else:
        yield f"  in no sitemap; a page listed in {row.source} names it as its address"
    yield from _answered(row)
    yield from _engines(row, robots(row.url))
    for code in row.codes:
        rule = find(code)
        yield f"  {code} {f'{rule.name}: {rule.card.summary}' if rule is not None else ''}".rstrip()
    with suppress(msgspec.MsgspecError):  # an older version audited
        known = msgspec.json.decode(store.meta("causes") or "{}", type=KnownCauses)
        said = msgspec.msgpack.decode(found.verdict, type=PageVerdict) if found.verdict else PageVerdict()
        if (cause := known.of(said.group)) is not None:
            number, line, advice = cause
            yield f"  cause {number} of the audit: {line}"
            yield from (f"    to do: {each}" for each in advice)
    if row.remedy is not None:
        to = f" with {row.remedy.to}" if row.remedy.to else ""
        yield f"  fix: {row.remedy.action} the entry{to}: {row.remedy.why}"


def _answered(row: PageRow) -> Iterator[str]:
    yield f"  {row.state.value}: {row.reason}" if row.reason else f"  {row.state.value}"
    for hop in row.hops:
        yield f"    {hop.status} {hop.url} → {hop.location}"
    if row.title:
        yield f"  title: {row.title}"
    if row.canonical:
        yield f"  canonical: {row.canonical}"
    if row.media_type or row.bytes:
        yield f"  {row.media_type or 'no media type'}, {row.bytes or 0:,} bytes in {row.seconds or 0:.2f} s"
    if row.kind is not None:
        yield f"  {row.kind.kind} ({row.kind.certainty:.0%} certain: {row.kind.evidence})"
    for name, certainty in (("soft 404", row.soft_404), ("thin", row.thin)):
        if certainty is not None:
            yield f"  {name}: {certainty:.0%} certain"


def _engines(row: PageRow, robots: HostRobots | None) -> Iterator[str]:
    """What each engine will do, those that do the same on one line."""
    said: dict[str, list[str]] = {}
    for engine in _ENGINES:
        able = row.indexable.get(engine.value)
        token = ENGINES[engine].robots_tokens[0]
        if robots is not None and not robots.match(token, row.url).allowed:
            what = "will not fetch it: disallowed by robots.txt"
        elif able:
            what = "can index it (a sitemap does not guarantee that)"
        else:
            why = "; ".join(each for each in row.reasons if _is_about(each, engine))
            what = f"{'will not index it' if able is False else 'unknown'}{f': {why}' if why else ''}"
        said.setdefault(what, []).append(ENGINES[engine].title)
    for what, engines in said.items():
        yield f"  {', '.join(engines)}: {what}"


def _is_about(reason: str, engine: Engine) -> bool:
    """A reason that does not hold for all engines ends with their names."""
    names = reason.rpartition("(")[2].rstrip(")").split(", ") if reason.endswith(")") else []
    known = {each.value for each in _ENGINES}
    return not names or not known.issuperset(names) or engine.value in names


def _crawled(frontier: CrawlFrontier, row: CrawledUrl) -> Iterator[str]:
    meta = frontier.all_meta()
    yield f"{row.url} in {_named(meta)}"
    if row.visit is None:
        yield f"  not requested: {NOT_REQUESTED.get(row.fate, 'the crawl ended before')}"
    else:
        seen = AuditedUrl(0, ListedUrl(row.url, ""), row.visit, None, True, None)
        shown = ReportRows(Context(clock.now(), _ENGINES), lambda _url: None, lambda _url: None).row(seen)
        yield from _answered(shown)
        yield from _engines(shown, None)
    if row.via is Via.START:
        yield "  the start page"
    elif row.depth >= 0:
        yield f"  {row.depth} click{'s' if row.depth != 1 else ''} from the start page, found through a {row.via.shown}"
    pages = linking(frontier.links(), row.url)
    named = list(islice(pages, _LINKS))
    more = sum(1 for _ in pages)
    if not named:
        yield f"  first named by {row.found_on}" if row.found_on else "  no crawled page links to it"
        return
    count = len(named) + more
    yield f"  {count:,} page{'s' if count != 1 else ''} of the site link{'s' if count == 1 else ''} to it:"
    yield from (f"    {page}" for page in named)
    if more:
        yield f"    and {more:,} more"


def _named(meta: Mapping[str, str]) -> str:
    return f"the crawl of {meta.get('url', '')} on {meta.get('started', '')[:10]}"


# The address of a page → why the last build listed it or not, in words.


def explain_page(state: Path, url: str) -> Iterator[str]:
    """By the state folder of one output, or by those of all outputs in it; nothing when no build knows the page.

    Raises StateError.
    """
    folders = [folder for folder in states_below(state) if (folder / LEDGER).exists()]
    for folder in folders:
        with Ledger.open_to_read(folder / LEDGER) as ledger:
            found = ledger.explain(url)
        if found is not None:
            if len(folders) > 1:
                yield f"{output_of(folder) or folder}:"
            yield from _describe(found)


def _describe(found: Explanation) -> Iterator[str]:
    yield f"{found.url} is {'listed' if found.listed else 'not listed'} in the build of {found.build.finished}"
    for decision in found.decisions:
        where = f", found at {decision.origin}" if decision.origin else ""
        yield f"  {decision.verdict}{f': {decision.detail}' if decision.detail else ''}{where}"
    page = found.page
    if page is None:
        return
    if page.gone is not None:
        yield f"  not in any source since build {page.gone}; previously in {page.shard}"
        return
    yield f"  in {page.shard}, first seen in build {page.first_seen}, last changed in build {page.changed}"
    if page.evidence is None:
        yield "  no lastmod: the time of its last change is unknown"
    else:
        yield f"  lastmod {page.lastmod} from {page.evidence.kind}: {page.evidence.detail or 'as given'}"
