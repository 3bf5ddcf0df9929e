"""The doors for Python programs that check, fix and look up rules; the same services as the commands."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from urlset.findings.card import Card
from urlset.findings.verdict import Verdict
from urlset.model.document import Document, Robots
from urlset.model.errors import ArgumentTypeError, ArgumentValueError
from urlset.reading.read import read
from urlset.settings.check import CheckSettings
from urlset.settings.load import from_keywords
from urlset.storage.paths import is_address, is_stored
from urlset.workflows.check import check as check_targets
from urlset.workflows.library.calls import complete, on_asyncio, verb
from urlset.workflows.library.keywords import CheckKeywords, FetchKeywords, FixKeywords
from urlset.workflows.library.sources import Source, Sources, need_readable, source_of, sources_of

if TYPE_CHECKING:
    from urlset.findings.fix_result import FixResult


@verb
def check(source: Sources, *, strict: bool = True, **options: Unpack[CheckKeywords]) -> Verdict:
    """Check sitemaps as `urlset check` does, with every rule that needs no live page.

    `source` is a file, a pattern, a folder (also as s3://, gs:// or az:// URL), XML as text or bytes, an open file, a
    Document, a URL, or several of these. A URL is a sitemap, an index or a site, and is fetched with everything it
    leads to. The index of a file is followed below `root`, otherwise next to the index; the index of any other content
    below `root` only.

    The keywords are the options of the command. `at` is the URL of a single file, `base_url` the URL of `root`; without
    them, rules about the location of a sitemap are listed as not checked. `robots` is the site's robots.txt: a path,
    a text, bytes or an open file. Everything runs in this process unless `jobs` asks for worker processes (0: one per
    core).

    Raises FileError, an OSError, for a file in `source` that cannot be opened; ValueError and TypeError for arguments
    that cannot be used; and IncompleteError where something else could not be read. With `strict=False`, that is in
    `Verdict.troubled` and `Verdict.empty`. Settings files and baselines are not read.
    """
    targets = sources_of(source, url=options.get("at"))
    at, root = options.get("at"), options.get("root")  # calls that the command refuses too
    if at is not None and (len(targets) != 1 or (isinstance(targets[0], str) and is_address(targets[0]))):
        raise ArgumentValueError("`at` sets the URL of one file; a URL target has its own")
    if root is not None and not is_stored(root) and not Path(root).is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(root))
    need_readable(targets)
    robots = options.get("robots")
    settings = from_keywords(CheckSettings, {**in_this_process(options), "robots": None})
    verdict = check_targets(targets, settings, robots=None if robots is None else _robots(robots))
    return complete((*verdict.troubled, *verdict.empty), verdict, strict=strict)


check_async = on_asyncio(
    check, "Check sitemaps on asyncio, as `urlset.check` does; a cancelled check stops after the file it is reading."
)


class FixOneKeywords(FixKeywords, FetchKeywords, total=False):
    """The options of a fix, and how a URL is fetched."""


@verb
def fix(source: Source, **options: Unpack[FixOneKeywords]) -> FixResult:
    """Fix one sitemap in memory: a path, a URL, XML as text or bytes, an open file, or a Document. Nothing is written.

    The keywords are the options of `urlset fix`, and those of fetching for a URL. `.data` is the result, uncompressed:
    as UTF-8 if the file was UTF-8 or is converted (`.recoded`), and otherwise in the encoding of the file. `.applied`
    says what was changed, `.left` what was not and why, `.removed` and `.renamed` which URLs were removed or replaced.
    A sitemap over the limits has several `.pieces`, an index first, if `at` says where it is served. Raises FileError
    or FetchError for a source that cannot be read, ValueError and TypeError for arguments that cannot be used.
    """
    from urlset.settings.fix import FixSettings
    from urlset.workflows.fix import fix_document_alone
    from urlset.workflows.library.read import read

    fetching: Any = {name: value for name, value in options.items() if name in FetchKeywords.__annotations__}
    settings = from_keywords(FixSettings, {name: value for name, value in options.items() if name not in fetching})
    return fix_document_alone(read(source, url=settings.at, **fetching), settings)


fix_async = on_asyncio(fix, "Fix one sitemap on asyncio, as `urlset.fix` does.")


@verb
def explain(rule: str) -> Card:
    """A rule by its code or name, as `urlset explain` shows it: what it finds, why that matters, and to which engines.

    Raises ValueError for a rule that is not known.
    """
    from urlset.rules.catalogue import all_rules, find
    from urlset.settings.convert import hint

    if not isinstance(rule, str):
        raise ArgumentTypeError(f"explain() takes the code or name of a rule, not {type(rule).__name__}")
    found = find(rule.strip())
    if found is None:
        known = hint(rule, [each.name for each in all_rules()]) if rule.strip() else ""
        raise ArgumentValueError(f"unknown rule {rule!r}{known}")
    return found.card


def in_this_process(options: Mapping[str, Any]) -> dict[str, Any]:
    """Unless the caller asks for workers."""
    return {**options} if "executor" in options else {"jobs": 1, **options}


def _robots(given: Any) -> Robots | None:
    """As text, a robots.txt has lines, and a path has none."""
    content = given.encode() if isinstance(given, str) and (":" in given and not Path(given).exists()) else given
    source = source_of(content, name="robots.txt")
    return (source if isinstance(source, Document) else read(source)).robots
