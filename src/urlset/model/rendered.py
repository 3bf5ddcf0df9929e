"""A page after its scripts ran: the HTML that a browser made, and what of it differs from the HTML that was sent."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.model.page import BotDirectives, Canonical


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
