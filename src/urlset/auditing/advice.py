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
    "D028": "write the date of the last change of each page into lastmod, or omit it",
    "H023": "use the same URL for a language in page and sitemap",
    "H024": "link to the indexable URL of each language version, or remove the link",
    "M007": "allow Googlebot-Image in robots.txt, or remove the images from the sitemap",
    "M013": "correct the image URLs, or remove them from the sitemap",
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
