"""What an audit or a crawl knows of one page: its state, its answer, what it says of itself, its canonicals."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import msgspec

from urlset.model.address import key_of
from urlset.model.answer import Failure, Hop
from urlset.model.entry import Alternate
from urlset.model.page import BotDirectives, Canonical, Lifetime, PageDate, Refresh, join
from urlset.model.shown import Shown


class State(StrEnum):
    """Kept apart with care: blocked is not broken, unknown is not wrong."""

    OK = "ok"
    REDIRECTED = "redirected"
    GONE = "gone"
    """404, 410 and the other 4xx that mean "no such page" to everyone"""
    ERROR = "error"
    """the server failed: 5xx, TLS, DNS, cut short, loops"""
    LOGIN = "requires login"
    """401, or a redirect to a login form: search engines have no account, so they cannot index the page"""
    BLOCKED = "blocked"
    """bot protection blocked the crawler: says nothing about the page"""
    UNKNOWN = "unknown"
    """not asked, or no answer worth a verdict: disallowed by robots.txt, private address, a timeout seen once"""


class Likelihood(msgspec.Struct, frozen=True):
    """A judgement with stated certainty, between 0 and 1, and its evidence."""

    certainty: float
    signs: tuple[str, ...] = ()


class Saying(msgspec.Struct, frozen=True, array_like=True):
    """A sentence of a page that error pages have."""

    text: str
    block: int | None
    """the hash of its block; None in title and heading"""
    weight: float
    words: int = 0
    """of that block"""


class PageMarks(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """What a missing or thin verdict needs in addition to the words, which are known only with the whole site."""

    error_phrases: tuple[Saying, ...] = ()
    error_markup: bool = False
    pictures: int = 0
    players: int = 0
    """films, maps, drawings; like pictures without those of the site's frame, as far as that is known"""
    fields: int = 0
    has_login: bool = False
    made_by_scripts: bool = False
    likeness: float | None = None
    """to the host's answer to an address that cannot exist, if that was requested"""
    likeness_weight: float = 0.0
    blank: bool = False
    """not a word, picture, player or field, and no script to bring them"""
    only_login: bool = False
    """a password field and next to no other text"""
    only_scripts: bool = False
    """scripts in the browser make what there is to see"""


class Visit(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One page, reduced to what rules and reports need; no bodies, so millions can be kept on disk.

    Addresses from the page are absolute where the field says so, otherwise as written.
    """

    url: str
    state: State
    reason: str = ""
    """the evidence for the state in a few words: "403 with a Cloudflare challenge page" """
    status: int | None = None
    failure: Failure | None = None
    hops: tuple[Hop, ...] = ()
    final_url: str = ""
    media_type: str | None = None
    size: int = 0
    """bytes of the body, unpacked; a lower bound where `truncated`"""
    truncated: bool = False
    seconds: float = 0.0
    first_byte: float = 0.0
    """seconds until the answer began; of the last request where it was redirected"""
    charset: str | None = None
    title: str | None = None
    language: str | None = None
    base_href: str | None = None
    canonicals: tuple[Canonical, ...] = ()
    """from the HTML, as written, with whether they are in the head"""
    qualified_canonicals: tuple[str, ...] = ()
    """canonicals that search engines ignore for their hreflang, lang, media or type attribute"""
    link_canonicals: tuple[str, ...] = ()
    """from Link headers, as written"""
    robots: tuple[BotDirectives, ...] = ()
    """from meta elements"""
    header_robots: tuple[BotDirectives, ...] = ()
    """from X-Robots-Tag headers"""
    alternates: tuple[Alternate, ...] = ()
    """hreflang from HTML and Link headers, as written"""
    refresh: Refresh | None = None
    """from a meta element or a Refresh header"""
    dates: tuple[PageDate, ...] = ()
    last_modified: str | None = None
    """the header as sent"""
    etag: str | None = None
    words: int = 0
    """words of the page's own text, without what the site repeats on many pages where that is known"""
    fingerprint: int | None = None
    """64 bits over the main text, see reading/fingerprint.py"""
    facets: tuple[int, ...] | None = None
    """32 bits over each of its facets, see reading/fingerprint.py; None where they were not read"""
    sketch: bytes = b""
    """a sample of its word sequences, see auditing/duplicates.py"""
    soft_404: Likelihood | None = None
    thin: Likelihood | None = None
    lifetime: Lifetime | None = None
    """what it says about the life of its product or event"""
    marks: PageMarks | None = None
    """None for a page whose own text is too long to ask"""
    complete: bool = True
    """False when the page was too large to be read whole"""
    moment: str = ""
    tries: int = 1
    retried: str = ""
    """how the first try failed, where there were several: a status, or a failure"""
    unchanged: bool = False
    """the server confirmed by 304 that the earlier facts still hold"""
    from_disk: str | None = None
    """the file of a build folder, if no server was used"""

    rendered: RenderedPage | None = None
    """what scripts make of it, where a browser looked; `words` and all that is judged by text are of that"""

    @property
    def first_status(self) -> int | None:
        """What the server answered at the listed URL: 301 for a redirect, whatever follows it."""
        return self.hops[0].status if self.hops else self.status

    def directives_for(self, *bots: str) -> tuple[str, ...]:
        """The directives of meta and header for all bots, and the additional ones for each named bot.

        Those that scripts add count too: restrictions add up.
        """
        if not self.robots and not self.header_robots and self.rendered is None:
            return ()
        by_scripts = self.rendered.robots if self.rendered is not None else ()
        wanted = {"robots", *(bot.lower() for bot in bots)}
        return tuple(
            dict.fromkeys(
                word
                for each in (*self.robots, *by_scripts, *self.header_robots)
                if each.bot in wanted
                for word in each.directives
            )
        )


# A page after its scripts ran: the HTML that a browser made, and what of it differs from the HTML that was sent.


class RenderMode(StrEnum):
    """Which pages a browser looks at."""

    NEVER = "never"
    AUTO = "auto"
    """pages whose HTML is a shell"""
    ALWAYS = "always"


class Rendering(msgspec.Struct, frozen=True, kw_only=True):
    """What a browser made of one page."""

    html: str = ""
    problem: str = ""
    """why there is no HTML"""
    moved_to: str | None = None
    """where a script tried to lead visitors"""
    requests: int = 0
    refused: int = 0
    """requests of its scripts that were not made, or failed"""
    truncated: bool = False
    in_time: bool = True
    """False where scripts or requests were still at work when the time was over"""


class RenderedPage(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What scripts make of a page, beside what was sent; addresses as written unless called absolute."""

    problem: str = ""
    """why it could not be rendered; nothing else is known then"""
    title: str | None = None
    base_href: str | None = None
    canonicals: tuple[Canonical, ...] = ()
    robots: tuple[BotDirectives, ...] = ()
    words_sent: int = 0
    words: int = 0
    words_added: int = 0
    """words that are not in the HTML as sent"""
    links_sent: int = 0
    """different pages of the same host that the HTML links to"""
    links_added: int = 0
    """further ones that are linked only after rendering"""
    new_links: tuple[str, ...] = ()
    """some of them, absolute"""
    moved_to: str | None = None
    """absolute: where a script leads visitors"""
    refused: int = 0
    in_time: bool = True


class Named(msgspec.Struct, frozen=True):
    """One canonical that search engines take notice of."""

    written: str
    target: str | None
    """absolute; None where it names no web address"""
    key: str
    """by which spellings of one address are the same; empty where it names none"""
    by_header: bool


def named_canonicals(visit: Visit) -> tuple[Named, ...]:
    """Those in the head of the page, then those of Link headers; one that a script adds counts if the HTML has none."""
    written, base_href = visit.canonicals, visit.base_href
    if not written and visit.rendered is not None:
        written, base_href = visit.rendered.canonicals, visit.rendered.base_href
    if visit.state not in (State.OK, State.REDIRECTED) or not (written or visit.link_canonicals):
        return ()
    here = visit.final_url or visit.url
    base = (join(here, base_href) if base_href else None) or here
    in_page = [_named(base, each.href, by_header=False) for each in written if each.in_head]
    in_header = [_named(here, href, by_header=True) for href in visit.link_canonicals]
    return (*in_page, *in_header)


def first_canonical(visit: Visit) -> str | None:
    """The first web address named, whatever the others say; None where the page names none."""
    return next((each.target for each in named_canonicals(visit) if each.target is not None), None)


def conflicting(visit: Visit) -> tuple[str, ...]:
    """The canonicals of a page that names several different ones: which one counts is not known."""
    named = {each.key: each.target for each in named_canonicals(visit) if each.target is not None}
    return tuple(named.values()) if len(named) > 1 else ()


def agreed_canonical(visit: Visit) -> str | None:
    """The canonical address without a fragment; None where the page names none, or several that differ."""
    named = [each for each in named_canonicals(visit) if each.target is not None]
    if not named or any(each.key != named[0].key for each in named):
        return None
    return (named[0].target or "").partition("#")[0]


def own_key(visit: Visit) -> str:
    """The page that speaks: the listed one, or where its redirects lead."""
    return key_of(visit.final_url or visit.url)


def elsewhere(visit: Visit) -> str | None:
    """The canonical address, where the page names one without contradicting itself and it is another page's."""
    keys = {each.key: each.target for each in named_canonicals(visit)}
    if len(keys) != 1:
        return None
    ((key, target),) = keys.items()
    return target if target is not None and key != own_key(visit) else None


@lru_cache(64)
def _named(base: str, href: str, *, by_header: bool) -> Named:
    """What a page names is needed a dozen times in a row."""
    target = join(base, href)
    if target is None or not target.startswith(("http://", "https://")):
        return Named(href, None, "", by_header)
    return Named(href, target, key_of(target), by_header)


NOT_ASKED = "not asked"
"""the state of an address that was not fetched; the others are those of a visit"""

NOT_YET = "not requested yet"
NO_RULES = "robots.txt could not be read"
EXCLUDED = "excluded"
OUTSIDE = "outside the prefix"
ENDLESS = "looks endless"
SAME_UNDER_ANOTHER_SESSION = f"{ENDLESS}: session-id"


class CrawlRow(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """None where it does not apply."""

    url: str
    state: str
    """ok, redirected, gone, error, blocked, unknown; `not asked` for an address that was not fetched"""
    reason: str
    status: int | None = None
    depth: int
    via: str
    found_on: str | None = None
    redirects_to: str | None = None
    """where the redirects end, as far as they were followed, or a `refresh` of the page leads"""
    canonical: str | None = None
    indexable: bool | None = None
    """answers with something, and sends no search engine away or to another address"""
    title: str | None = None
    language: str | None = None
    media_type: str | None = None
    size: int | None = None
    seconds: float | None = None
    last_modified: str | None = None
    """the header as sent"""
    asked: str | None = None
    """when"""
    robots: tuple[str, ...] | None = None
    """what the page and its headers tell every robot"""
    disallowed: str | None = None
    """the line of robots.txt that forbids the page to the robot a build asks for"""
    soft_404: str | None = None
    """why it is surely an error page that is sent as a page"""
    thin: str | None = None
    """why it surely offers almost no unique content"""
    endless: str | None = None
    """why it is one of endlessly many pages, of which a crawl asks for some before it sees that"""
    dates: tuple[PageDate, ...] | None = None
    """stated by the page"""
    alternates: tuple[Alternate, ...] | None = None
    """its translations, absolute"""

    @property
    def is_linked(self) -> bool:
        """A page of the site links to it, or the crawl started there."""
        return self.found_on is not None or self.via == "start"

    @property
    def was_asked(self) -> bool:
        return self.state != NOT_ASKED

    @property
    def is_unwanted(self) -> bool:
        """Excluded by the options of the crawl."""
        return self.reason in (EXCLUDED, OUTSIDE) and not self.was_asked

    @property
    def leaves_open(self) -> bool:
        """It may be a page, and it was not requested: the crawl is not complete."""
        endless = self.reason.startswith(ENDLESS) and self.reason != SAME_UNDER_ANOTHER_SESSION
        return not self.was_asked and (endless or self.reason in (NOT_YET, NO_RULES))


REQUIRED = frozenset({"url", "state", "reason", "depth", "via"})
"""the columns by which such a file is recognised"""
