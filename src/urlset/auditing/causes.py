"""What is wrong with many pages → the few causes that explain most of it: "986 redirects: missing trailing slash".

Pages are counted as they come, nothing of them is kept but a few examples. Pages with the same symptom have one cause,
across folders and sitemaps. Where the symptom does not tell why (404, noindex), a part of the site that has it as a
whole has another cause than pages here and there, if that makes the description shorter (`sections.whole_sections`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

import msgspec

from urlset.auditing import symptoms
from urlset.auditing.sections import WHOLE, CauseScope, scopes, section_of, whole_sections
from urlset.auditing.symptoms import ANOTHER, HOME, LOGIN, PREFIX, UNSPECIFIC, Difference, Symptom
from urlset.spec.generators import EXCLUDE, Generator

MOST_SIGNATURES = 4000
MOST_SECTIONS = 1000
EXAMPLES = 3
SEVERAL = 3
"""so many pages with one symptom are not an accident; fewer are ordinary findings"""
_SIBLINGS = 3
"""more targets of one shape than this that several pages share are one habit of the site, not so many causes"""
_NUMBERED = re.compile(r"[\d._-]+")
_LOST, _ERROR, _WARNING, _NOTE = 1.0, 0.2, 0.1, 0.02
"""damage of one page: it is lost; it is not, with an error, a warning, a note on it"""

Signature = tuple[str, tuple[Difference, ...]]
"""kind and features"""
Cell = tuple[str, str]
"""section, and sitemap without numbers"""


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Many findings explained at once."""

    kind: str
    """what they have in common: redirected, not canonical, gone …"""
    code: str
    """the rule whose findings these mostly are; empty if no rule reports it"""
    title: str
    count: int
    of: int
    """how many there are of that kind"""
    lost: int = 0
    """pages of it that no engine can index"""
    codes: dict[str, int] = {}
    """all rules with findings on these pages"""
    consequences: dict[str, int] = {}
    """rule → findings on other pages that go away with this cause"""
    where: tuple[CauseScope, ...] = ()
    sitemaps: tuple[tuple[str, int], ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    """the listed address, and what it should be, which may be empty"""
    is_rest: bool = False
    """pages of a kind that share nothing else, so they have no rank among the causes"""
    weight: int | None = None
    """for findings on whole files: their number, where `count` is that of the entries in them"""

    @property
    def affected(self) -> int:
        return self.count + sum(self.consequences.values())

    def damage(self, rank: int) -> float:
        """`rank` of the severity of its rule: 0 for an error, 1 for a warning."""
        each = (_ERROR, _WARNING)[rank] if rank < 2 else _NOTE
        return self.lost * _LOST + ((self.affected if self.weight is None else self.weight) - self.lost) * each

    def __str__(self) -> str:
        return f"{self.count} of {self.of} {self.kind}: {self.title}"


class _Group:
    """Pages of one signature in one cell."""

    __slots__ = ("codes", "consequences", "count", "examples", "lost", "number", "sitemaps")

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.count = self.lost = 0
        self.codes: Counter[str] = Counter()
        self.consequences: Counter[str] = Counter()
        self.sitemaps: Counter[str] = Counter()
        self.examples: list[tuple[str, str]] = []

    def join(self, other: _Group) -> None:
        self.count += other.count
        self.lost += other.lost
        self.codes += other.codes
        self.consequences += other.consequences
        self.sitemaps += other.sitemaps
        self.examples = [*self.examples, *other.examples][:EXAMPLES]


class Causes:
    """Fed with every listed page, in any order; asked at the end, then for the cause of single pages."""

    def __init__(self, most: int = MOST_SIGNATURES) -> None:
        self._most = most
        self._groups: dict[Signature, dict[Cell, _Group]] = {}
        self._made = 0
        self._names: dict[str, str] = {}
        self._listed: Counter[Cell] = Counter()
        self._primary: dict[str, Counter[str]] = defaultdict(Counter)
        """kind → its codes"""
        self._follows: Counter[tuple[Signature, str, str]] = Counter()
        """signature, section, rule"""
        self.cause_of: dict[int, int] = {}
        """group → the place of its cause in what `found` gave"""

    def listed(self, url: str, source: str) -> Cell:
        """Every page, faulty or not."""
        cell = self._cell(url, source)
        self._listed[cell] += 1
        return cell

    def add(self, symptom: Symptom, url: str, source: str, codes: Iterable[str] = ()) -> int:
        """A page with its symptom and all rules with a finding on it; gives the number of its group."""
        cell = self._cell(url, source)
        cells = self._groups.setdefault(self._signature(symptom), {})
        if cell not in cells:
            cells[cell] = _Group(self._made)
            self._made += 1
        group = cells[cell]
        group.count += 1
        group.lost += symptom.lost
        group.codes.update(codes)
        group.sitemaps[source] += 1
        self._primary[symptom.kind].update(set(codes) & set(symptom.codes))
        if len(group.examples) < EXAMPLES:
            group.examples.append((url, symptom.target))
        return group.number

    def follows(self, symptom: Symptom, section: str, code: str) -> None:
        """A finding on another page, by rule `code`, that comes from a page in `section` with this symptom."""
        self._follows[self._signature(symptom), section, code] += 1

    def _cell(self, url: str, source: str) -> Cell:
        if source not in self._names:
            self._names[source] = _NUMBERED.sub("", source.rstrip("/").rpartition("/")[2].removesuffix(".gz"))
        cell = section_of(url), self._names[source]
        return cell if cell in self._listed or len(self._listed) < MOST_SECTIONS else ("/", "")

    def _signature(self, symptom: Symptom) -> Signature:
        """If there are too many: without what tells one page from the next."""
        signature = symptom.kind, symptom.features
        if signature in self._groups or len(self._groups) < self._most:
            return signature
        last = symptom.features[-1]
        if last.family == ANOTHER:
            rough = symptom.kind, (Difference(last.words, ANOTHER, last.before),)
            if rough in self._groups or len(self._groups) < 2 * self._most:
                return rough
        return symptom.kind, (Difference("other"),)

    # the end

    def found(self) -> list[Cause]:
        """In no order; pages that share their symptom with next to no other are one rest for each kind."""
        # to the pages in the same section; a target that is not listed has no group
        for (signature, section, code), count in self._follows.items():
            cells = self._groups.get(signature, {})
            near = next((group for cell, group in cells.items() if cell[0] == section), None)
            if near is not None:
                near.consequences[code] += count
        self._follows.clear()
        totals: Counter[str] = Counter()
        for (kind, _), cells in self._groups.items():
            totals[kind] += sum(group.count for group in cells.values())
        made: list[Cause] = []
        for kind in dict.fromkeys(kind for kind, _ in self._groups):
            for name, signatures in self._explained(kind):
                for part in self._divided(kind, signatures):
                    if sum(self._groups[signature][cell].count for signature, cell in part) >= SEVERAL:
                        self._place(part, len(made))
                        made.append(self._cause(kind, name, part, totals[kind]))
        for kind in dict.fromkeys(kind for kind, _ in self._groups):
            rest = [
                (signature, cell)
                for signature, cells in self._groups.items()
                for cell, group in cells.items()
                if signature[0] == kind and group.number not in self.cause_of
            ]
            if rest:
                self._place(rest, len(made))
                whole = self._cause(kind, str(rest[0][0][1][0]), rest, totals[kind])
                alike = len({signature for signature, _ in rest}) == 1
                title = whole.title if alike else NO_PATTERN
                made.append(msgspec.structs.replace(whole, is_rest=True, title=title))
        return made

    def _place(self, cells: Iterable[tuple[Signature, Cell]], place: int) -> None:
        self.cause_of.update((self._groups[signature][cell].number, place) for signature, cell in cells)

    def _explained(self, kind: str) -> Iterator[tuple[str, list[Signature]]]:
        """The feature that most pages of a kind share explains them; then the one that most of the others share."""
        of_kind = ((each, cells.values()) for each, cells in self._groups.items() if each[0] == kind)
        counts = {each: sum(group.count for group in groups) for each, groups in of_kind}
        keys = _Keys(counts)
        having: defaultdict[str, set[Signature]] = defaultdict(set)
        shared: Counter[str] = Counter()
        for signature, count in counts.items():
            for key in {keys.of(each) for each in signature[1]}:
                having[key].add(signature)
                shared[key] += count
        queue = [(-count, key) for key, count in shared.items()]
        heapify(queue)
        while queue:
            count, key = heappop(queue)
            if -count < SEVERAL:
                return
            if -count != shared[key]:  # some of its pages were explained by another feature
                heappush(queue, (-shared[key], key))
                continue
            taken = sorted(having[key])
            yield key, taken
            for signature in taken:
                for other in {keys.of(each) for each in signature[1]}:
                    having[other].discard(signature)
                    shared[other] -= counts[signature]

    def _divided(self, kind: str, signatures: list[Signature]) -> Iterator[list[tuple[Signature, Cell]]]:
        every = [(signature, cell) for signature in signatures for cell in self._groups[signature]]
        if kind not in UNSPECIFIC:
            yield every
            return
        faulty: Counter[Cell] = Counter()
        for signature, cell in every:
            faulty[cell] += self._groups[signature][cell].count
        whole = whole_sections(faulty, self._listed)
        broken = [each for each in every if each[1] in whole]
        names = {cell[1] for _, cell in broken}
        if len(names) > _SIBLINGS:
            yield broken
        else:  # whole sections of different sitemaps are written by different code
            yield from ([each for each in broken if each[1][1] == name] for name in sorted(names))
        rest = [each for each in every if each[1] not in whole]
        if rest:
            yield rest

    def _cause(self, kind: str, name: str, cells: list[tuple[Signature, Cell]], of: int) -> Cause:
        whole = _Group()
        features: Counter[tuple[Difference, ...]] = Counter()
        faulty: Counter[str] = Counter()
        for signature, cell in cells:
            group = self._groups[signature][cell]
            whole.join(group)
            features[signature[1]] += group.count
            faulty[cell[0]] += group.count
        listed: Counter[str] = Counter()
        for (section, _), count in self._listed.items():
            listed[section] += count
        where = scopes(faulty, listed)
        codes = [code for code, _ in whole.codes.most_common() if code in self._primary[kind]]
        title, lost = title_of(kind, name, features, where, whole.count)
        if kind in UNSPECIFIC and where == (CauseScope("/", whole.count, listed["/"]),) and len(whole.sitemaps) == 1:
            title = f"{title} in {next(iter(whole.sitemaps)).rstrip('/').rpartition('/')[2]}"
        return Cause(
            kind=kind,
            code=codes[0] if codes else "",
            title=title,
            count=whole.count,
            of=of,
            lost=whole.count if lost else whole.lost,
            codes=dict(whole.codes.most_common()),
            consequences=dict(whole.consequences.most_common()),
            where=where,
            sitemaps=tuple(whole.sitemaps.most_common()),
            examples=tuple(whole.examples),
        )


class _Keys:
    """What two features must share to be explained by one cause."""

    def __init__(self, signatures: dict[Signature, int]) -> None:
        self._parent: dict[str, str] = {}
        targets: Counter[tuple[str, str]] = Counter()
        for (_, features), count in signatures.items():
            for each in features:
                if each.family == PREFIX:
                    self._parent[self._root(f"from {each.before}")] = self._root(f"to {each.after}")
                elif each.family == ANOTHER and each.after:
                    targets[each.before, each.after] += count
        shared = {target: count for target, count in targets.items() if count >= SEVERAL}
        siblings = Counter(shape for shape, _ in shared)
        self._shared = {target for target in shared if siblings[target[0]] <= _SIBLINGS}

    def _root(self, name: str) -> str:
        while (parent := self._parent.get(name, name)) != name:
            name = parent
        return name

    def of(self, feature: Difference) -> str:
        if feature.family == PREFIX:
            return f"{PREFIX} {self._root(f'to {feature.after}')}"
        if feature.family == ANOTHER:
            return feature.after if (feature.before, feature.after) in self._shared else feature.words
        return feature.family or feature.words


# The features and places of pages with one cause → its title, and whether one other page replaces them all.

_NEARLY_ALL = 0.9
_SHOWN = 3
ONE_TARGET = "many pages point to"
NO_PATTERN = "no shared pattern"

Features = Counter[tuple[Difference, ...]]


def title_of(kind: str, name: str, features: Features, where: tuple[CauseScope, ...], count: int) -> tuple[str, bool]:
    """`name` is what the pages share. The second value is True if many pages are replaced by a single other one."""
    if kind == LOGIN:
        return f"{LOGIN}{_below(where, count)}", False
    if name.startswith(("http://", "https://")):
        return f"{ONE_TARGET} {name}", True
    # every feature that nearly all pages have, in the order of an address
    families: dict[str, Counter[Difference]] = {}
    for several, pages in features.items():
        for each in several:
            families.setdefault(each.family or each.words, Counter())[each] += pages
    common = {family: found for family, found in families.items() if found.total() >= _NEARLY_ALL * count}
    if not common:
        best = max(families, key=lambda family: families[family].total())
        common = {best: families[best]}
    said = " and ".join(_worded(family, found) for family, found in common.items())
    return (f"{said}{_below(where, count)}" if kind in UNSPECIFIC else said), name == HOME


def _worded(family: str, found: Counter[Difference]) -> str:
    if len(found) == 1:
        return next(iter(found)).words
    if family == PREFIX:
        return _prefix(found)
    if family in (ANOTHER, HOME):
        return found.most_common(1)[0][0].words
    names: Counter[str] = Counter()
    for each, pages in found.items():
        for name in (each.before or each.after or each.words).split(","):
            names[name] += pages
    said = _first([name for name, _ in names.most_common()])
    return f"{family}s {said}" if family.endswith("parameter") else f"{family} ({said})"


def _first(names: Sequence[str]) -> str:
    """`a, b, c, and 2 more`."""
    return f"{', '.join(names[:_SHOWN])}{f', and {len(names) - _SHOWN} more' if len(names) > _SHOWN else ''}"


def _prefix(found: Counter[Difference]) -> str:
    before, after = {each.before for each in found}, {each.after for each in found}
    if len(after) == 1:
        folders = _first([each.before or "/" for each, _ in found.most_common()])
        to = next(iter(after))
        return f"path prefix changed to {to}, from {folders}" if to else f"superfluous folder {folders}"
    folders = _first([each.after or "/" for each, _ in found.most_common()])
    of = next(iter(before)) if len(before) == 1 else None
    if of == "":
        return f"missing folder {folders}"
    return f"path prefix {of} changed to {folders}" if of is not None else f"path prefix changed, now {folders}"


def _below(where: tuple[CauseScope, ...], count: int) -> str:
    """` below /shop/*`; nothing where the pages are in many parts of the site."""
    if not where or (len(where) == 1 and where[0].section == "/"):
        return ""
    listed = sum(each.listed for each in where)
    share = f" ({count:,} of {listed:,} pages)" if count >= WHOLE * listed else ""
    if count == listed:
        share = f" (all {count:,} pages)"
    return f" below {_first([f'{each.section}*' for each in where])}{share}"


# A cause, and the programs that wrote the sitemap → what to do about it, the most direct way first.

_ACTIONS = {
    symptoms.REDIRECTED: "list the final URLs",
    symptoms.NOT_CANONICAL: "list the canonical URLs, or correct the canonical if these pages are meant to be indexed",
    symptoms.GONE: "remove the entries, or restore the pages",
    symptoms.FAILED: "correct the server error; keep the entries",
    symptoms.NOINDEXED: "remove the noindex if these pages are meant to be indexed, otherwise remove the entries",
    symptoms.SOFT_404: "return 404 for missing pages, and remove the entries",
    symptoms.LOGIN: "remove the entries, or open the pages to all",
    symptoms.DISALLOWED: "remove the line from robots.txt, or the entries if these pages are not meant to be indexed",
    symptoms.NOT_ALLOWED: "allow urlset in robots.txt, or audit your own site with --ignore-robots",
    symptoms.THIN: "add content, or remove the entries",
    symptoms.SCRIPTED: "send the content in the HTML",
    "sitemaps not read": "make these sitemaps available; `urlset doctor` on one of them says what is wrong",
    "A004": "list the final URLs, and redirect to them in one step",
    "A009": "remove the entries, or the unavailable_after date if these pages are meant to stay",
    "A010": "remove the noindex for that engine, or the entries if it is intended for all",
    "A014": "keep one canonical per page",
    "A015": "move the canonical into the head; an element that may only be in the body ends the head early",
    "A018": "remove the fragment from the canonicals",
    "A020": "send the content, or return 404 and remove the entries",
    "A024": "replace the refresh with a redirect, and list the final URLs",
    "A025": "write the date of the last change of the page into lastmod, or omit it",
    "A026": "make these pages smaller: move scripts, styles and data out of the HTML",
    "A027": "list the https URLs, and redirect http to https",
    "A029": "remove the line from robots.txt so Google can see the noindex, and remove the entries",
    "A033": "list the same language versions in page and sitemap, or in only one of them",
    "A034": "remove these entries: list pages and documents, not files",
    "A035": "list these pages, or set noindex if they are not meant to be found",
    "A036": "link to these pages, or remove the entries if they are obsolete",
    "A039": "remove the script that adds noindex, or remove the entries",
    "A040": "set one canonical in the HTML and do not change it by script",
    "A041": "put the links into the HTML",
    "A042": "render these pages on the server, or send their content in the HTML",
    "A043": "keep one page of each group: set the canonical of the others to it, and remove their entries",
    "A044": "give each page its own text, or set the canonical of the others to one, and remove their entries",
    "A045": "list each page on one host with https, and redirect the other URLs to it",
    "A046": "find out what makes these pages slow, and cache them",
    "A047": "find out why the server failed: its log has the first request of each page",
    "A048": "link to these pages from pages higher up",
    "A049": "link to these pages from related pages",
    "A050": "remove the entries, unless people should find tag archives in search",
    "A051": "remove the entries, unless people should find author archives in search",
    "A052": "remove the entries, unless people should find date archives in search",
    "A053": "remove the entries, and set noindex on internal search results",
    "A054": "remove the entries: these pages are for one visitor",
    "A055": "remove the entries: search engines find these pages by their links",
    "A056": "remove the entries, and set the canonical of filtered lists to the list without filters",
    "A057": "remove the entries, or redirect expired products to their successors",
    "A058": "remove the entries of past events",
    "D028": "write the date of the last change of each page into lastmod, or omit it",
    "D029": "change lastmod when the content of a page changes",
    "H023": "use the same URL for a language in page and sitemap",
    "H024": "link to the indexable URL of each language version, or remove the link",
    "H033": "add the alternate of each page to the language versions that lack it",
    "I010": "restore the sitemap, or remove it from the index",
    "M007": "allow Googlebot-Image in robots.txt, or remove the images from the sitemap",
    "M013": "correct the image URLs, or remove them from the sitemap",
    "Q020": "keep the lastmod of pages whose content is the same",
    "R004": "restore the sitemap, or remove its line from robots.txt",
    "V032": "correct the video URLs, or remove the videos from the sitemap",
    "V033": "use a thumbnail of a supported type and size",
}
_COPIES = "remove the canonical to that page: search engines drop all pages that point to it"
_OTHER_HOST = "correct the canonicals: they are on a host that this sitemap cannot list"
_HOME = "remove the entries, or redirect each page to its successor instead of the home page"
_FIXED = frozenset({symptoms.REDIRECTED, symptoms.NOT_CANONICAL, symptoms.GONE, symptoms.NOINDEXED})
"""kinds that `urlset fix --using` changes entries for"""
_LISTING = frozenset({*_FIXED, symptoms.SOFT_404, symptoms.LOGIN, symptoms.DISALLOWED, symptoms.THIN, "A035"})
"""kinds that a change of what is listed removes"""
_NAMES = {"A035": "unlisted page"}


def action_for(code: str) -> str:
    """What to do about the findings of a rule; empty where its messages say it."""
    kind = next((kind for kind, codes in symptoms.CODES.items() if code in codes), code)
    return _ACTIONS.get(code) or _ACTIONS.get(kind, "")


def advice(cause: Cause, generators: Sequence[Generator], file: str | None) -> tuple[str, ...]:
    """`file` is the sitemap on disk, if there is one."""
    action = _ACTIONS.get(cause.kind, "")
    if cause.kind == symptoms.NOT_CANONICAL and cause.lost == cause.count:
        action = _COPIES if cause.title.startswith(ONE_TARGET) else _OTHER_HOST
    elif cause.title.startswith(symptoms.HOME):
        action = _HOME
    said = [action] if action else []
    if file is not None and cause.kind in _FIXED:
        said.append(f"urlset fix {file} --using audit.json --unsafe")
    if cause.kind in _LISTING:
        kind = _NAMES.get(cause.kind, cause.kind)
        for each in generators[:1]:
            otherwise = None if kind in _NAMES.values() else each.settings.get(EXCLUDE)
            said += [f"{each.name}: {text}" for text in (each.settings.get(kind) or otherwise,) if text]
    return tuple(said)
