"""A page on offer → whether it is listed, and if not, why: the first reason found is the one given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Protocol

import msgspec

from urlset.building.candidate import Candidate, Decision, PolicyReason
from urlset.building.patterns import Patterns
from urlset.building.sections import SectionRules, assign_section
from urlset.building.seen import HashSet
from urlset.building.variants import SUSPICIOUS, variants_of
from urlset.model.address import Address
from urlset.model.lifetime import SURELY_OVER, Lifetime, ended
from urlset.model.page import NOINDEX
from urlset.model.robots import Robots, expired
from urlset.reading.robots_match import RobotsMatcher, matcher_for
from urlset.reading.signals import loc_judge
from urlset.spec.page_kinds import KIND_SIGNS
from urlset.spec.protocol import LOC_LENGTH_BELOW

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
        self.keep = _keepable(keep)

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
        self._seen: SeenKeys = HashSet()
        self._chosen = bool(
            self._own or self._per_section or self._below != "/" or self._wanted.include or self._wanted.exclude
        )
        self._signals = loc_judge()
        self.chooses = bool(
            self._per_section or self._wanted.include or self._wanted.exclude or self._robots is not None
        )
        """whether it may leave out a page whose address is in order"""

    @property
    def site(self) -> tuple[str, str]:
        """Scheme and host of the base, where they are spelled as in a key, and the path its pages lie below."""
        return self._head, self._below

    def share_seen(self, seen: SeenKeys) -> None:
        """Use a set of keys that others fill too."""
        self._seen = seen

    @property
    def has_sections(self) -> bool:
        """Whether the address of a page decides on its section."""
        return bool(self._sections.named) or self._sections.by != "none"

    @property
    def default_section(self) -> str:
        return self._sections.default

    def section_of(self, candidate: Candidate) -> str:
        """What the source says, else what the rules say."""
        return candidate.section or self.section_of_address(candidate.loc, candidate.language)

    def section_of_address(self, loc: str, language: str | None = None) -> str:
        if not self.has_sections:
            return self._sections.default
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
        if found is None and self._may_vary(loc, key):
            found = next((each for each in variants_of(address) if each[0] not in keep), None)
        if found is None and candidate.endless is not None and PolicyReason.ENDLESS not in keep:
            found = PolicyReason.ENDLESS, candidate.endless
        return found

    def _may_vary(self, loc: str, key: str) -> bool:
        """Whether `variants_of` may find something."""
        return self._signals is None or loc != key or bool(self._signals.batch([loc])[0] & SUSPICIOUS)

    def _over(self, lifetime: Lifetime) -> tuple[PolicyReason, str] | None:
        over = ended(lifetime, self._now)
        if over is None or over.kind not in self._exclude_kinds or over.certainty < SURELY_OVER:
            return None
        return PolicyReason.EXCLUDED, f"{over.kind}: {over.evidence}"

    def _unwanted(self, loc: str, key: str, section: _Wanted | None) -> tuple[PolicyReason, str] | None:
        """The options of the build; the patterns of the section come after those of the site."""
        if key in self._own:
            return PolicyReason.OWN_OUTPUT, ""
        if self._below != "/" and not self._is_below(loc):
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

    def _is_below(self, loc: str) -> bool:
        address = Address.parse(loc)
        return address.origin != self._base.origin or address.path.startswith(self._below)

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


def _keepable(keep: Collection[PolicyReason]) -> frozenset[PolicyReason]:
    refused = sorted(NEVER_KEPT.intersection(keep))
    if refused:
        raise ValueError(f"{refused[0].value} cannot be kept")
    return frozenset(keep)
