"""Robots directives of a visit → which engine is told to leave the page out, and by which words."""

from __future__ import annotations

from urlset.checking.live_page import LivePage, agents
from urlset.model.page import NOINDEX, BotDirectives
from urlset.reading.robots_directives import EVERYONE
from urlset.rules.live.wording import readable
from urlset.spec.engines import ENGINES, Engine


def words_for(reported: tuple[BotDirectives, ...], *bots: str) -> tuple[str, ...]:
    """The directives that stand under one of these names, each once."""
    return tuple(dict.fromkeys(word for each in reported if each.bot in bots for word in each.directives))


def applies_to_every_bot(page: LivePage) -> bool:
    """To leave the page out, in whatever words, by the page or its header."""
    return not NOINDEX.isdisjoint(page.visit.directives_for())


def bot_names(engine: Engine) -> tuple[str, ...]:
    """The names by which an engine's web search is spoken to in meta elements and headers, in lower case."""
    spec = ENGINES[engine]
    main = spec.meta_tokens[:1] + spec.robots_tokens[:1]
    if engine is Engine.YANDEX:
        main += spec.robots_tokens
    return tuple(dict.fromkeys(name.lower() for name in main if name != "*"))


def hidden(page: LivePage) -> bool:
    """None of the chosen engines may read what the page says."""
    return page.robots is not None and len(page.kept_out) == len(agents(page.context.engines))


def speaks(page: LivePage) -> bool:
    """The page says something to robots that at least one of the chosen engines gets to see."""
    visit = page.visit
    return bool(visit.robots or visit.header_robots) and readable(page) and not hidden(page)


__all__ = ["EVERYONE", "applies_to_every_bot", "bot_names", "hidden", "speaks", "words_for"]
