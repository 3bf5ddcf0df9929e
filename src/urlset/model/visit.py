"""What an audit knows of one page: its state, how it answered, what it says of itself and what that means."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.model.answer import Failure, Hop
from urlset.model.entry import Alternate
from urlset.model.lifetime import Lifetime
from urlset.model.page import BotDirectives, Canonical, PageDate, Refresh


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
    """32 bits over each of its facets, see reading/page_facets.py; None where they were not read"""
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
