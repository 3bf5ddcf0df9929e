"""A page on offer → its section, and whether it is listed; if not, the first reason found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import unquote

import msgspec

from urlset.building.candidate import Candidate, Decision, PolicyReason
from urlset.building.patterns import Pattern, PatternError, Patterns, compile_pattern
from urlset.building.sources.cells import LocError, to_loc
from urlset.building.spool import KeySet, Spool
from urlset.model.address import Address, private_part
from urlset.model.document import Robots, expired
from urlset.model.page import NOINDEX, SURELY_OVER, Lifetime, ended
from urlset.reading.robots import RobotsMatcher, matcher_for
from urlset.reading.signals import loc_judge
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
    ARCHIVE_ENDINGS,
    ASSET_ENDINGS,
    FACET_PARAMETERS,
    FACET_PREFIXES,
    FEED_FILE,
    FEED_PARAMETER,
    LANGUAGE_SEGMENT,
    PAGE_IN_PATH,
    PAGE_NAMES_LIKE_ASSETS,
    PAGE_PARAMETERS,
    RETURN_PARAMETERS,
    SEARCH_PARAMETERS_AT_ROOT,
    SESSION_IN_PATH,
    SESSION_PARAMETERS,
    SESSION_PREFIXES,
    SESSION_VALUE,
    SIGN_IN_PAGE,
    SITEMAP_FILE,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
)
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_kinds import KIND_SIGNS
from urlset.spec.protocol import LOC_LENGTH_BELOW, ROBOTS_PLACE
from urlset.spec.signals import Signal

NEVER_KEPT = frozenset(
    {
        PolicyReason.LISTED,
        PolicyReason.BAD_ADDRESS,
        PolicyReason.DUPLICATE,
        PolicyReason.OWN_OUTPUT,
        PolicyReason.OTHER_HOST,
    }
)
"""No setting lists these: the file would be wrong. Pages of other hosts are let in by naming the host."""

DEFAULT_AGENT = "googlebot"
_KINDS = {f"re:{each.pattern}": each.kind for each in KIND_SIGNS}
"""patterns of the kinds of pages that show in the URL"""
_EXPIRY = "unavailable_after:"


class SectionPolicy(msgspec.Struct, frozen=True):
    """What is different in one section."""

    keep: frozenset[PolicyReason] = frozenset()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class _Wanted:
    """The patterns and kept verdicts of the site or of a section, made ready."""

    def __init__(self, include: Iterable[str], exclude: Iterable[str], keep: Collection[PolicyReason]) -> None:
        self.include = Patterns(include)
        self.exclude = Patterns(exclude)
        if refused := sorted(NEVER_KEPT.intersection(keep)):
            raise ValueError(f"{refused[0].value} cannot be kept")
        self.keep = frozenset(keep)

    def refuses(self, loc: str) -> tuple[PolicyReason, str] | None:
        if self.exclude and (pattern := self.exclude.find(loc)):
            return PolicyReason.EXCLUDED, _KINDS.get(pattern.written, pattern.written)
        if self.include and not self.include.find(loc):
            return PolicyReason.NOT_INCLUDED, "no include pattern matches"
        return None


class SeenKeys(Protocol):
    """A set of keys of addresses."""

    def add(self, key: str) -> bool:
        """True when the key is new."""
        ...


class ListingPolicy:
    """Decides candidate by candidate, remembering only which addresses were listed."""

    def __init__(  # noqa: PLR0913 - one parameter per setting of a build
        self,
        base_url: str,
        *,
        robots: Robots | None = None,
        agent: str = DEFAULT_AGENT,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        exclude_kinds: Iterable[str] = (),
        keep: Collection[PolicyReason] = (),
        hosts: Iterable[str] = (),
        own_output: Iterable[str] = (),
        sections: SectionRules | None = None,
        per_section: Mapping[str, SectionPolicy] | None = None,
        now: datetime | None = None,
    ) -> None:
        """`hosts` are further origins that may be listed; `own_output` addresses this build writes itself.

        Of `exclude_kinds` those count that a page shows by what it says; for the others exclude their addresses.
        `now` is the time by which an `unavailable_after` or an event has passed; None for the present.

        Raises PatternError for a pattern, ValueError for a base address or a verdict that cannot be.
        """
        base = Address.parse(base_url)
        if not base.is_web or base.whatwg is None:
            raise ValueError(f"{base_url!r} is not an http or https URL")
        self._origins = {base.origin, *(Address.parse(each).origin for each in hosts)}
        self._base = base
        root = Address.parse(base.key[: base.key.find("/", base.key.find("//") + 2) + 1])
        self._head = root.raw[:-1] if root.key == root.raw and root.illegal is None and root.userinfo is None else ""
        self._below = base.path[: base.path.rfind("/") + 1] or "/"
        self._robots = matcher_for(robots, agent) if robots is not None else None
        self._wanted = _Wanted(include, exclude, keep)
        self._own = frozenset(Address.parse(each).key for each in own_output)
        self._sections = sections or SectionRules()
        self._per_section = {
            name: _Wanted(each.include, each.exclude, each.keep) for name, each in (per_section or {}).items()
        }
        self._exclude_kinds = frozenset(exclude_kinds)
        self._now = now or datetime.now(UTC)
        self._seen: SeenKeys = KeySet()
        self._chosen = bool(
            self._own or self._per_section or self._below != "/" or self._wanted.include or self._wanted.exclude
        )
        self._signals = loc_judge()
        self.chooses = bool(
            self._per_section or self._wanted.include or self._wanted.exclude or self._robots is not None
        )
        """whether it may leave out a page whose address is in order"""

    @property
    def below(self) -> str:
        """The path that the pages of the site lie below."""
        return self._below

    def head_of(self, raw: bytes) -> tuple[bytes, bytes, bool, bool] | None:
        """See `compiled_pages.Speller`."""
        try:
            address = Address.parse(to_loc(f"{raw.decode()}/", self._base.raw))
        except (LocError, UnicodeDecodeError):
            return None
        listed = self._wrong_address(address) is None
        return address.raw[:-1].encode(), address.key[:-1].encode(), listed, address.origin == self._base.origin

    def share_seen(self, seen: SeenKeys) -> None:
        """Use a set of keys that others fill too."""
        self._seen = seen

    @property
    def has_sections(self) -> bool:
        """Whether the address of a page decides on its section."""
        return bool(self._sections.named) or self._sections.by != "none"

    def section_of(self, candidate: Candidate) -> str:
        """What the source says, else what the rules say."""
        return candidate.section or self.section_of_address(candidate.loc, candidate.language)

    def section_of_address(self, loc: str, language: str | None = None) -> str:
        if not self.has_sections:
            return DEFAULT_SECTION
        return assign_section(loc, self._sections, language=language)

    def refusal_of(self, loc: str, key: str, section: str, *, suspect: bool) -> tuple[PolicyReason, str] | None:
        """Why a page of the site is not listed for its address alone; None where that is in order.

        `suspect` says that `variants_of` may find something.
        """
        wanted = self._per_section.get(section) if self._per_section else None
        keep = self._wanted.keep | wanted.keep if wanted else self._wanted.keep
        found = self._unwanted(loc, key, wanted) if self._chosen else None
        if found is None and self._robots is not None and PolicyReason.DISALLOWED not in keep:
            line = forbidding_line(self._robots, loc)
            found = None if line is None else (PolicyReason.DISALLOWED, line)
        if found is None and suspect:
            found = next((each for each in variants_of(Address.parse(loc)) if each[0] not in keep), None)
        return found

    def decide(self, candidate: Candidate) -> Decision:
        loc = candidate.entry.loc or ""
        address = Address.parse(loc)
        key = address.key
        found = self._refusal(candidate, loc, key, address)
        if found is None:
            if self._seen.add(key):
                return Decision(loc, PolicyReason.LISTED, "", candidate.origin)
            found = PolicyReason.DUPLICATE, key if key != loc else ""
        return Decision(loc, found[0], found[1], candidate.origin)

    def _refusal(self, candidate: Candidate, loc: str, key: str, address: Address) -> tuple[PolicyReason, str] | None:
        found = self._wrong_address(address)
        keep = self._wanted.keep
        if found is None and self._chosen:
            section = self._per_section.get(self.section_of(candidate)) if self._per_section else None
            keep = keep | section.keep if section else keep
            found = self._unwanted(loc, key, section)
        if found is None and (candidate.redirects_to or candidate.directives or candidate.canonical):
            found = self._said_by_page(candidate, key, keep)
        if found is None and (candidate.error or candidate.not_indexable or candidate.thin):
            found = _not_worth_listing(candidate, keep)
        if found is None and self._exclude_kinds and candidate.lifetime is not None:
            found = self._over(candidate.lifetime)
        if found is None and not candidate.is_page and PolicyReason.ASSET not in keep:
            found = PolicyReason.ASSET, ""
        if found is None and (self._robots is not None or candidate.disallowed) and PolicyReason.DISALLOWED not in keep:
            line = candidate.disallowed if self._robots is None else forbidding_line(self._robots, loc)
            found = None if line is None else (PolicyReason.DISALLOWED, line)
        # whether there may be something to find
        if found is None and (self._signals is None or loc != key or bool(self._signals.batch([loc])[0] & SUSPICIOUS)):
            found = next((each for each in variants_of(address) if each[0] not in keep), None)
        if found is None and candidate.endless is not None and PolicyReason.ENDLESS not in keep:
            found = PolicyReason.ENDLESS, candidate.endless
        return found

    def _over(self, lifetime: Lifetime) -> tuple[PolicyReason, str] | None:
        over = ended(lifetime, self._now)
        if over is None or over.kind not in self._exclude_kinds or over.certainty < SURELY_OVER:
            return None
        return PolicyReason.EXCLUDED, f"{over.kind}: {over.evidence}"

    def _unwanted(self, loc: str, key: str, section: _Wanted | None) -> tuple[PolicyReason, str] | None:
        """The options of the build; the patterns of the section come after those of the site."""
        if key in self._own:
            return PolicyReason.OWN_OUTPUT, ""
        if self._below != "/":
            address = Address.parse(loc)
            if address.origin == self._base.origin and not address.path.startswith(self._below):
                return PolicyReason.NOT_INCLUDED, f"outside {self._base.raw}"
        return self._wanted.refuses(loc) or (section.refuses(loc) if section else None)

    def _wrong_address(self, address: Address) -> tuple[PolicyReason, str] | None:
        raw = address.raw
        if raw == address.key and self._head and raw.startswith(f"{self._head}/") and len(raw) < LOC_LENGTH_BELOW:
            return None  # one that is its own key is spelled as it should be
        illegal = address.illegal
        if illegal is not None:
            return PolicyReason.BAD_ADDRESS, f"{illegal.text!r}: {illegal.reason.value}"
        if not address.is_web or address.whatwg is None:
            return PolicyReason.BAD_ADDRESS, "not an http or https URL"
        if address.userinfo is not None:
            return PolicyReason.BAD_ADDRESS, "contains a user name"
        if len(address.raw) >= LOC_LENGTH_BELOW:
            return PolicyReason.BAD_ADDRESS, f"{len(address.raw):,} characters, {LOC_LENGTH_BELOW - 1:,} are allowed"
        if address.origin not in self._origins:
            origin = address.origin
            return PolicyReason.OTHER_HOST, f"{origin.scheme}://{origin.host}" if origin else ""
        return None

    def _has_expired(self, directive: str) -> bool:
        return directive.startswith(_EXPIRY) and expired(directive.removeprefix(_EXPIRY).strip(), self._now)

    def _said_by_page(
        self, candidate: Candidate, key: str, keep: frozenset[PolicyReason]
    ) -> tuple[PolicyReason, str] | None:
        target = candidate.redirects_to
        if target and PolicyReason.REDIRECT not in keep and Address.parse(target).key != key:
            return PolicyReason.REDIRECT, target
        if PolicyReason.NOINDEX not in keep:
            reported = NOINDEX.intersection(candidate.directives)
            if reported:
                return PolicyReason.NOINDEX, min(reported)
            passed = next((word for word in candidate.directives if self._has_expired(word)), None)
            if passed is not None:
                return PolicyReason.NOINDEX, passed
        canonical = candidate.canonical
        if canonical and PolicyReason.NOT_CANONICAL not in keep and canonical != candidate.loc:
            address = Address.parse(canonical)
            if address.is_web and address.key != key:
                return PolicyReason.NOT_CANONICAL, canonical
        return None


def forbidding_line(robots: RobotsMatcher, loc: str) -> str | None:
    """The line of robots.txt that forbids the address, or None; empty where it is forbidden without a line."""
    slash = loc.find("/", loc.find("//") + 2)
    match = robots.match(loc[slash:] if slash != -1 else "/")
    if match.allowed:
        return None
    line = match.line
    return f"robots.txt:{line.number} {line.written}: {line.value}" if line else ""


def _not_worth_listing(candidate: Candidate, keep: frozenset[PolicyReason]) -> tuple[PolicyReason, str] | None:
    if candidate.error is not None and PolicyReason.ERROR_PAGE not in keep:
        return PolicyReason.ERROR_PAGE, candidate.error
    if candidate.not_indexable is not None and PolicyReason.NOT_INDEXABLE not in keep:
        return PolicyReason.NOT_INDEXABLE, candidate.not_indexable
    if candidate.thin is not None and PolicyReason.THIN not in keep:
        return PolicyReason.THIN, candidate.thin
    return None


# `NAME=PATTERN` rules, the language, or the first folder of the path → the section a page belongs to.

DEFAULT_SECTION = ""
"""that of a site without sections"""

By = Literal["none", "path", "language"]

_PATH = lazy_pattern(r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*([^?#]*)", re.IGNORECASE)
_NAME = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


class SectionRules(msgspec.Struct, frozen=True):
    """The named patterns are tried first, in their order; `by` decides for addresses that match none."""

    named: tuple[tuple[str, Pattern], ...] = ()
    by: By = "none"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.named))


def section_rules(written: Iterable[str] = (), *, by: By = "none") -> SectionRules:
    """From `products=/p/*` and the like. Raises PatternError."""
    return SectionRules(tuple(_rule(each) for each in written), by)


def _rule(written: str) -> tuple[str, Pattern]:
    name, equals, pattern = written.partition("=")
    if not equals or not pattern.strip():
        raise PatternError(f"{written!r} is not a section: write NAME=PATTERN, such as products=/p/*")
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise PatternError(f"{name!r} is not a valid section name: use up to 40 lowercase letters, digits and hyphens")
    return name, compile_pattern(pattern)


def assign_section(loc: str, rules: SectionRules, *, language: str | None = None) -> str:
    for name, pattern in rules.named:
        if pattern.matches(loc):
            return name
    match = _PATH.match(loc)
    segments = match[1].split("/")[1:] if match else []
    found = None
    if rules.by == "path" and len(segments) > 1 and segments[1]:  # `/about/` is a page, not a folder of one
        found = unquote(segments[0]).lower()
    elif rules.by == "language" and language:
        found = language.lower()
    elif rules.by == "language" and segments and LANGUAGE_SEGMENT.fullmatch(segments[0]):
        found = segments[0].lower()
    return found or DEFAULT_SECTION


# An address → why it is not a page to list: a cart, a session, tracking, a page number, a facet, a file type.

SUSPICIOUS = (
    (Signal.SESSION | Signal.AMBIGUOUS_SESSION | Signal.TRACKING | Signal.PAGED | Signal.FACET | Signal.SEARCH)
    | (Signal.PAGE_SEGMENT | Signal.FEED | Signal.ASSET | Signal.DOWNLOAD | Signal.RETURNING)
    | Signal.PRIVATE_PATH
)
"""`variants_of` finds nothing in an address that raises none of them, and no build writes such a file"""
_NUMBER = lazy_pattern(r"0*([0-9]{1,6})")


def variants_of(address: Address) -> Iterator[tuple[PolicyReason, str]]:
    """Every reason not to list the address for what it looks like, with the part that tells."""
    path = address.path
    query = address.query or ""
    asset = _asset(path, query)
    if asset:
        yield PolicyReason.ASSET, asset
    in_path = SESSION_IN_PATH.search(path)
    if in_path:
        yield PolicyReason.SESSION, in_path[0]
    page = PAGE_IN_PATH.search(path)
    if page and int(page[1]) > 1:
        yield PolicyReason.PAGINATED, page[0]
    if query:
        yield from _in_query(query, path)
    private = private_part(path)
    if private:
        yield PolicyReason.NOT_FOR_SEARCH, f"{private.what}, by {path[private.start : private.end]!r}"


def _in_query(query: str, path: str) -> Iterator[tuple[PolicyReason, str]]:
    at_root = path in ("", "/")
    for piece in query.split("&"):
        written, _, value = piece.partition("=")
        name = written.lower().replace("%5b", "[")
        if _is_session(name, value):
            yield PolicyReason.SESSION, piece
        elif name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES):
            yield PolicyReason.TRACKING, piece
        elif name in PAGE_PARAMETERS:
            number = _NUMBER.fullmatch(value)
            if number and int(number[1]) > 1:
                yield PolicyReason.PAGINATED, piece
        elif (
            name in FACET_PARAMETERS
            or name.startswith(FACET_PREFIXES)
            or (at_root and value and name in SEARCH_PARAMETERS_AT_ROOT)
        ):
            yield PolicyReason.FACET, piece
        elif value and name in RETURN_PARAMETERS and SIGN_IN_PAGE.search(path):
            yield PolicyReason.RETURN_ADDRESS, piece


def _is_session(name: str, value: str) -> bool:
    if name in AMBIGUOUS_SESSION_PARAMETERS:
        return SESSION_VALUE.fullmatch(value) is not None
    return bool(value) and (name in SESSION_PARAMETERS or name.startswith(SESSION_PREFIXES))


def _asset(path: str, query: str) -> str | None:
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    ending = ending.lower() if stem and dot else ""
    if path == ROBOTS_PLACE:
        return "robots.txt"
    if ending and SITEMAP_FILE.fullmatch(f"/{name}"):
        return f"{name} is a sitemap"
    if FEED_FILE.fullmatch(path) or FEED_PARAMETER.search(query):
        return "a feed"
    if ending in ARCHIVE_ENDINGS:
        return f"a .{ending} file"
    if ending in ASSET_ENDINGS and not PAGE_NAMES_LIKE_ASSETS.search(path):
        return f"{ASSET_ENDINGS[ending]} (.{ending})"
    return None


# Pages that name another as canonical → those that go in a circle, and the one of each circle that is listed.
#
# Two pages that name each other, or a page whose canonical redirects back to it: each sends search engines to the
# other, and none would be listed. One is: the one that most pages name, else the shorter address, else the first.


class CanonicalRings:
    """Holds what is not listed for its canonical until every page is known."""

    def __init__(self, path: Path) -> None:
        self._held = Spool(path, Candidate)
        self._next: dict[int, int] = {}
        """hashes of keys: from a page to where it sends on"""
        self._describe: list[tuple[str, str]] = []

    def hold(self, candidate: Candidate) -> None:
        self._held.append(candidate)
        self._next[_key(candidate.loc)] = _key(candidate.canonical or "")

    def redirects(self, loc: str, target: str) -> None:
        self._next[_key(loc)] = _key(target)

    def settle(self, policy: ListingPolicy) -> Iterator[tuple[Decision, Candidate]]:
        """What is decided on each page that was held, in order."""
        rings = _rings(self._next)
        chosen = self._chosen(policy, rings) if rings else {}
        for candidate in self._held:
            decision = chosen.pop(candidate.loc, None)
            if decision is None:
                decision = Decision(
                    candidate.loc, PolicyReason.NOT_CANONICAL, candidate.canonical or "", candidate.origin
                )
            yield decision, candidate

    def notes(self) -> Iterator[str]:
        """When all is settled."""
        if not self._describe:
            return
        listed, other = self._describe[0]
        if len(self._describe) == 1:
            yield f"canonicals form a loop: {listed} is listed, {other} is not"
        else:
            yield (
                f"canonicals form {len(self._describe):,} loops; one page of each is listed, "
                f"such as {listed} and not {other}"
            )

    def _chosen(self, policy: ListingPolicy, rings: dict[int, int]) -> dict[str, Decision]:
        """By address: the first of each ring that has no other reason for exclusion."""
        named = Counter(target for target in self._next.values() if target in rings)
        members: dict[int, list[Candidate]] = {}
        for candidate in self._held:
            ring = rings.get(_key(candidate.loc))
            if ring is not None:
                members.setdefault(ring, []).append(candidate)
        chosen: dict[str, Decision] = {}
        for some in members.values():
            for page in sorted(some, key=lambda each: (-named[_key(each.loc)], len(each.loc))):
                decision = policy.decide(msgspec.structs.replace(page, canonical=None))
                if decision.verdict is PolicyReason.LISTED:
                    chosen[page.loc] = decision
                    self._describe.append((page.loc, page.canonical or ""))
                if decision.verdict in (PolicyReason.LISTED, PolicyReason.DUPLICATE):
                    break
        return chosen


def _rings(following: dict[int, int]) -> dict[int, int]:
    """Each that comes back to itself, with a number for its circle."""
    rings: dict[int, int] = {}
    seen: dict[int, int] = {}
    for number, start in enumerate(following):
        at = start
        while at in following and at not in seen:
            seen[at] = number
            at = following[at]
        if seen.get(at) != number or at in rings:
            continue
        while at not in rings:
            rings[at] = number
            at = following[at]
    return rings


def _key(loc: str) -> int:
    return hash(Address.parse(loc).key)
