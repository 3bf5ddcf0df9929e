"""Does the URL contain session or tracking parameters?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from urlset.checking.subjects import AnyRow
from urlset.rules import Bad, Fix, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.loc.origins import READERS
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
    SESSION_IN_PATH,
    SESSION_PARAMETERS,
    SESSION_PREFIXES,
    SESSION_VALUE,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
)


class Parameter(msgspec.Struct, frozen=True):
    """One `name=value` of a query; start and end are offsets in the URL."""

    name: str
    """in lowercase"""
    value: str
    start: int
    end: int


def parameters(listed: AnyRow) -> list[Parameter]:
    before, mark, query = listed.loc.partition("#")[0].partition("?")
    if not mark:
        return []
    found: list[Parameter] = []
    at = len(before) + 1
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        found.append(Parameter(name.lower() if name.isascii() else name, value, at, at + len(piece)))
        at += len(piece) + 1
    return found


def _without(every: list[Parameter], unwanted: list[Parameter]) -> list[tuple[int, int, str]]:
    """The edits that remove parameters, each with an adjacent `&`, or the `?` if none is left."""
    if len(unwanted) == len(every):
        return [(every[0].start - 1, every[-1].end, "")]
    spans: list[tuple[int, int]] = []
    kept_before = False
    for parameter in every:
        if parameter not in unwanted:
            kept_before = True
        elif kept_before:
            spans.append((parameter.start - 1, parameter.end))
        else:
            spans.append((parameter.start, parameter.end + 1))
    return [(start, end, "") for start, end in spans]


def _found(
    listed: AnyRow, is_unwanted: Callable[[Parameter], bool]
) -> tuple[list[Parameter], list[tuple[int, int, str]]]:
    every = parameters(listed)
    unwanted = [parameter for parameter in every if is_unwanted(parameter)]
    return unwanted, _without(every, unwanted) if unwanted else []


@rule(
    "L025",
    "session-id-in-loc",
    on=AnyRow,
    when=Signal.SESSION | Signal.AMBIGUOUS_SESSION,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("sitemaps-faq", "google-troubleshoot"),
    bad=(
        Bad("<loc>https://example.com/a«;jsessionid=1A2B»?b=1</loc>", fixed="<loc>https://example.com/a?b=1</loc>"),
        Bad("<loc>https://example.com/?«PHPSESSID=k3j2»&amp;b=1</loc>", fixed="<loc>https://example.com/?b=1</loc>"),
        Bad(
            "<loc>https://example.com/a?b=1&amp;«sid=9f86d081884c7d659a2f»</loc>",
            fixed="<loc>https://example.com/a?b=1</loc>",
        ),
        Bad(
            "<loc>https://example.com«/(S(lit3py55t21z5v55vlm25s55))»/a</loc>", fixed="<loc>https://example.com/a</loc>"
        ),
        Bad(
            "<sitemap><loc>https://example.com/a.php?«PHPSESSID=k3j2»</loc></sitemap>",
            fixed="<sitemap><loc>https://example.com/a.php</loc></sitemap>",
        ),
    ),
    good=(
        "<loc>https://example.com/?sid=12</loc>",
        "<loc>https://example.com/?session=spring-2026</loc>",
        "<loc>https://example.com/jsessionid=explained</loc>",
        "<loc>https://example.com/?sid=</loc>",
    ),
)
def session_id_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains a session ID.

    The same page gets a new URL with each visit, so it is indexed many times, or not at all after the session
    expires. A visitor who follows the link may enter another visitor's session.
    """
    in_path = SESSION_IN_PATH.search(listed.loc, *listed.address.parts.path)
    unwanted, changes = _found(listed, _is_session)
    if in_path is not None:
        start, end = in_path.span()
        changes.append((start, end, ""))
    elif unwanted:
        start, end = unwanted[0].start, unwanted[0].end
    else:
        return
    yield Problem(
        listed.part(start, end),
        f"session ID {quoted(listed.loc[start:end])} in the URL; remove it",
        Fix("remove the session ID", listed.edits(changes), Safety.REVIEW),
    )


def _is_session(parameter: Parameter) -> bool:
    name, value = parameter.name, parameter.value
    if name in AMBIGUOUS_SESSION_PARAMETERS:
        return SESSION_VALUE.fullmatch(value) is not None
    return bool(value) and (name in SESSION_PARAMETERS or name.startswith(SESSION_PREFIXES))


@rule(
    "L026",
    "tracking-parameter-in-loc",
    on=ListedPage,
    when=Signal.TRACKING,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("google-canonical", "seen-in-the-wild"),
    bad=(
        Bad(
            "<loc>https://example.com/?«utm_source=x»&amp;id=1&amp;utm_medium=y</loc>",
            fixed="<loc>https://example.com/?id=1</loc>",
        ),
        Bad("<loc>https://example.com/a?«gclid=abc»#top</loc>", fixed="<loc>https://example.com/a#top</loc>"),
        Bad("https://example.com/a?id=1&«fbclid=abc»\n", fixed="https://example.com/a?id=1\n"),
    ),
    good=(
        "<loc>https://example.com/utm_source=x</loc>",
        "<loc>https://example.com/?ref=menu&amp;source=web</loc>",
        "<loc>https://example.com/?utm=33N</loc>",
        "<loc>https://example.com/?q=gclid</loc>",
    ),
)
def tracking_parameter_in_loc(listed: ListedPage) -> Iterator[Problem]:
    """A URL contains a tracking parameter.

    The page is the same without it, so the listed URL is not the canonical one. Analytics attributes visits
    from search to the wrong campaign.
    """
    unwanted, changes = _found(listed, _is_tracking)
    if unwanted:
        names = ", ".join(quoted(parameter.name) for parameter in unwanted[:3])
        more = f" and {len(unwanted) - 3} more" if len(unwanted) > 3 else ""
        yield Problem(
            listed.part(unwanted[0].start, unwanted[0].end),
            f"tracking parameters {names}{more} in the URL; remove them"
            if len(unwanted) > 1
            else f"tracking parameter {names} in the URL; remove it",
            Fix("remove tracking parameters", listed.edits(changes), Safety.REVIEW),
        )


def _is_tracking(parameter: Parameter) -> bool:
    return parameter.name in TRACKING_PARAMETERS or parameter.name.startswith(TRACKING_PREFIXES)
