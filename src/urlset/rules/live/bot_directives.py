"""Robots directives of a visit → which engines must not index the page, and the directives."""

from __future__ import annotations

from urlset.checking.live_page import agents
from urlset.model.page import NOINDEX, BotDirectives
from urlset.reading.robots_directives import EVERYONE
from urlset.rules import Engine, LivePage
from urlset.rules.live.wording import readable
from urlset.spec.engines import ENGINES


def words_for(reported: tuple[BotDirectives, ...], *bots: str) -> tuple[str, ...]:
    """The directives for one of these bot names, each once."""
    return tuple(dict.fromkeys(word for each in reported if each.bot in bots for word in each.directives))


def applies_to_every_bot(page: LivePage) -> bool:
    """Whether the page or its header has noindex for all bots, in any form."""
    return not NOINDEX.isdisjoint(page.visit.directives_for())


def bot_names(engine: Engine) -> tuple[str, ...]:
    """The names of an engine's web search bot in meta tags and headers, in lowercase."""
    spec = ENGINES[engine]
    main = spec.meta_tokens[:1] + spec.robots_tokens[:1]
    if engine is Engine.YANDEX:
        main += spec.robots_tokens
    return tuple(dict.fromkeys(name.lower() for name in main if name != "*"))


def hidden(page: LivePage) -> bool:
    """None of the selected engines may fetch the page."""
    return page.robots is not None and len(page.kept_out) == len(agents(page.context.engines))


def speaks(page: LivePage) -> bool:
    """The page has directives that at least one of the selected engines can see."""
    visit = page.visit
    return bool(visit.robots or visit.header_robots) and readable(page) and not hidden(page)


__all__ = ["EVERYONE", "applies_to_every_bot", "bot_names", "hidden", "speaks", "words_for"]
