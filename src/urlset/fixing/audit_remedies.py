"""The JSON report of an audit → rules whose fixes remove missing pages and list the right URLs instead.

    using = load(path)
    for document in every document that will be fixed:
        using.note(document)
    rules = using.rules(cards)

`note` prevents duplicates: if the replacement URL is already listed, in one of the documents or, according to the
audit, in another sitemap, the entry is removed instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec

from urlset.checking.declare import AnyRule, Rule
from urlset.checking.subjects import ListedPage, Sitemap
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Fix, Problem, Safety
from urlset.fixing.markup import remove_entries, with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document, Has, Kind, kinds_with
from urlset.model.errors import ArgumentValueError
from urlset.model.place import Place
from urlset.spec.engines import Engine
from urlset.writing.xml import Unwritable, escaped, escaped_attribute

_KINDS = kinds_with(Has.URL_ELEMENTS | Has.LINES)
_QUOTED = 80
_SURE = 0.8
"""certainty from which a page is removed by --drop"""


class AuditRemediesError(ArgumentValueError):
    """A file that is not an audit report; the message says what is wrong and what to do."""


class AuditFix(msgspec.Struct, frozen=True):
    """The recommended change for one page, and the rule behind it."""

    action: Literal["drop", "replace"]
    code: str
    why: str = ""
    to: str | None = None


class _Kind(msgspec.Struct, frozen=True):
    kind: str
    certainty: float
    evidence: str = ""


class _Page(msgspec.Struct, frozen=True):
    url: str
    source: str = ""
    remedy: AuditFix | None = None
    soft_404: float | None = None
    thin: float | None = None
    kind: _Kind | None = None

    def fix(self, drop: Collection[str]) -> AuditFix | None:
        """The remedy of the audit; otherwise removal, if the page is surely of a kind that is to be dropped."""
        if self.remedy is not None:
            return self.remedy
        for name, certainty in (("soft-404", self.soft_404), ("thin", self.thin)):
            if name in drop and certainty is not None and certainty >= _SURE:
                return AuditFix("drop", "A019", f"{name}, {certainty:.0%} certain")
        kind = self.kind
        if kind is not None and kind.kind in drop and kind.certainty >= _SURE:
            return AuditFix("drop", kind.kind, f"{kind.kind}, {kind.certainty:.0%} certain: {kind.evidence}")
        return None


class _Report(msgspec.Struct, frozen=True):
    schema: int
    command: str
    pages: list[_Page] | None = None


def load(path: Path, drop: Collection[str] = ()) -> AuditRemedies:
    """`drop` names kinds of pages to remove, such as thin. Raises AuditRemediesError, also for a missing file."""
    try:
        report = msgspec.json.decode(path.read_bytes(), type=_Report)
    except OSError as error:
        raise AuditRemediesError(f"could not read {path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AuditRemediesError(
            f"{path} is not an audit report ({error}); create one with `urlset audit TARGET --format json`"
        ) from error
    if report.command != "audit" or report.pages is None:
        raise AuditRemediesError(
            f"{path} is a report of `urlset {report.command}`, not of an audit;"
            " create one with `urlset audit TARGET --format json`"
        )
    remedies = {page.url: fix for page in report.pages if (fix := page.fix(drop)) is not None}
    targets = {remedy.to for remedy in remedies.values()}
    sources = {page.url: page.source for page in report.pages if page.url not in remedies and page.url in targets}
    return AuditRemedies(remedies, len(report.pages), sources)


class AuditRemedies:
    """The remedies of one audit, by listed URL.

    `sources` are the sitemaps with replacement URLs, according to the audit.
    """

    def __init__(
        self, remedies: Mapping[str, AuditFix], audited: int, sources: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._remedies = remedies
        self.wanted = len(remedies)
        """the number of pages to change"""
        self.audited = audited
        self._sources = sources
        self._noted: set[str] = set()
        """the given documents by URL and path; their current content takes precedence"""
        self._noted_names: set[str] = set()
        """file names, if no URL is known"""
        self._targets = {remedy.to for remedy in remedies.values() if remedy.to is not None}
        self._listed: set[str] = set()
        """replacement URLs that a document already lists"""
        self._claims: dict[str, str] = {}
        """replacement URL → the one listed URL that it replaces"""
        self._met: set[str] = set()

    @property
    def unmet(self) -> int:
        """Those that no document listed: the audit is outdated, or of other files."""
        return self.wanted - len(self._met)

    def note(self, document: Document) -> None:
        """Record what each document lists, before any fix."""
        if document.kind not in _KINDS:
            return
        if document.url is None:
            self._noted_names.add(_file_name(document.name))
        else:
            self._noted |= {document.url, document.name}
        for raw in document.columns.locs:
            loc = (raw or "").strip()
            if loc in self._targets and loc not in self._remedies:
                self._listed.add(loc)
            remedy = self._remedies.get(loc)
            if remedy is not None:
                self._met.add(loc)
                if remedy.to is not None:
                    self._claims.setdefault(remedy.to, loc)

    def rules(self, cards: Mapping[str, Card]) -> tuple[AnyRule, ...]:
        """One for each code with a remedy; `cards` are from the catalog."""
        codes = sorted({remedy.code for remedy in self._remedies.values()})
        return tuple(self._rule(code, cards.get(code)) for code in codes)

    def _rule(self, code: str, card: Card | None) -> AnyRule:
        said = card or Card(
            code=code,
            name="audited",
            summary="Recommended by the audit.",
            rationale="",
            severities=dict.fromkeys(Engine, Severity.WARNING),
            cites=(),
            fixable=True,
        )
        check: Callable[[Sitemap], Iterator[Problem]] = lambda sitemap: self._problems(sitemap, code)  # noqa: E731
        rule: Rule[Sitemap] = Rule(said, Sitemap, check, (), (), kinds=_KINDS)
        return rule

    def _problems(self, sitemap: Sitemap, code: str) -> Iterator[Problem]:
        remedies, columns = self._remedies, sitemap.columns
        for row, raw in enumerate(columns.locs):
            loc = (raw or "").strip()
            remedy = remedies.get(loc)
            if remedy is not None and remedy.code == code:
                document = sitemap.document
                target = self._instead(loc, remedy)
                place = ListedPage(sitemap, row).locate_whole()
                if target is not None:
                    fix = _replacement(document, place, target)
                else:
                    title = "remove the entry"
                    if remedy.to is not None:
                        elsewhere = self._listed_elsewhere(remedy.to)
                        where = f"listed in {_quoted(elsewhere)}" if elsewhere else "already listed"
                        title = f"remove the entry: {_quoted(remedy.to)} is {where}"
                    fix = remove_entries(document, [row], title, Safety.REVIEW)
                yield Problem(place, f"{_quoted(loc)}: {remedy.why}", fix, subject=loc)
            if columns.marks[row] & Mark.EXTENDED and (remedy is None or self._instead(loc, remedy) is not None):
                yield from self._links(sitemap, row, code)

    def _instead(self, loc: str, remedy: AuditFix) -> str | None:
        """The URL to list instead; None if the entry is removed."""
        if remedy.action != "replace" or remedy.to is None or remedy.to in self._listed:
            return None
        if self._claims.get(remedy.to, loc) != loc or self._listed_elsewhere(remedy.to):
            return None
        return remedy.to

    def _listed_elsewhere(self, target: str) -> str | None:
        """The sitemap that lists it according to the audit, unless it is given: then its content takes precedence."""
        source = self._sources.get(target)
        if not source or source in self._noted or _file_name(source) in self._noted_names:
            return None
        return source

    def _links(self, sitemap: Sitemap, row: int, code: str) -> Iterator[Problem]:
        """Alternates of a page that was removed or has another URL now."""
        document = sitemap.document
        if not any((link.href or "").strip() in self._remedies for link in document.media(row).alternates):
            return
        for element in ListedPage(sitemap, row).links.elements:
            href = element.attribute("href")
            address = href.value.text.strip() if href is not None else ""
            remedy = self._remedies.get(address)
            if href is None or remedy is None or remedy.code != code:
                continue
            lead = len(href.value.text) - len(href.value.text.lstrip())
            place = href.value.locate(lead, len(address))
            if remedy.to is not None:
                fix = _replacement(document, place, remedy.to, attribute=True)
            else:
                gone = with_its_line(document.data, element.place)
                fix = Fix("remove the link", (Edit(gone, b""),), Safety.REVIEW)
            yield Problem(place, f"alternate {_quoted(address)}: {remedy.why}", fix, subject=address)


def _replacement(document: Document, place: Place, target: str, *, attribute: bool = False) -> Fix | None:
    if document.kind is Kind.TEXT:
        written = target if target.isprintable() and " " not in target else None
    else:
        try:
            written = escaped_attribute(target) if attribute else escaped(target)
        except Unwritable:
            written = None
    if written is None:
        return None
    return Fix(f"list {_quoted(target)} instead", (Edit(place, written.encode()),), Safety.REVIEW)


def _file_name(source: str) -> str:
    """A path or a URL may refer to the same file, here and in the audit; compressed or not."""
    return source.partition("?")[0].replace("\\", "/").rpartition("/")[2].removesuffix(".gz")


def _quoted(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"
