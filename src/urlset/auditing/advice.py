"""A cause, and the programs that wrote the sitemap → what to do about it, the most direct way first."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.auditing import symptoms
from urlset.auditing.cause_titles import ONE_TARGET
from urlset.auditing.causes import Cause
from urlset.spec.generators import EXCLUDE, Generator

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
    "A041": "put the links into the HTML",
    "A042": "render these pages on the server, or send their content in the HTML",
    "A035": "list these pages, or set noindex if they are not meant to be found",
    "A036": "link to these pages, or remove the entries if they are obsolete",
}
_COPIES = "remove the canonical to that page: search engines drop all pages that point to it"
_OTHER_HOST = "correct the canonicals: they are on a host that this sitemap cannot list"
_HOME = "remove the entries, or redirect each page to its successor instead of the home page"
_FIXED = frozenset({symptoms.REDIRECTED, symptoms.NOT_CANONICAL, symptoms.GONE, symptoms.NOINDEXED})
"""kinds that `urlset fix --using` changes entries for"""
_LISTING = frozenset({*_FIXED, symptoms.SOFT_404, symptoms.LOGIN, symptoms.DISALLOWED, symptoms.THIN, "A035"})
"""kinds that a change of what is listed removes"""
_NAMES = {"A035": "unlisted page"}


def advice(cause: Cause, generators: Sequence[Generator], file: str | None) -> tuple[str, ...]:
    """`file` is the sitemap on disk, if there is one."""
    said = [_action(cause)] if _action(cause) else []
    if file is not None and cause.kind in _FIXED:
        said.append(f"urlset fix {file} --using audit.json --unsafe")
    if cause.kind in _LISTING:
        kind = _NAMES.get(cause.kind, cause.kind)
        said += [
            f"{each.name}: {text}" for each in generators[:1] if (text := each.settings.get(kind) or _other(each, kind))
        ]
    return tuple(said)


def _action(cause: Cause) -> str:
    if cause.kind == symptoms.NOT_CANONICAL and cause.lost == cause.count:
        return _COPIES if cause.title.startswith(ONE_TARGET) else _OTHER_HOST
    if cause.title.startswith(symptoms.HOME):
        return _HOME
    return _ACTIONS.get(cause.kind, "")


def _other(generator: Generator, kind: str) -> str | None:
    return None if kind in _NAMES.values() else generator.settings.get(EXCLUDE)
