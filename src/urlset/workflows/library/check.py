"""The check for Python programs: sources in, a verdict out; the same service as `urlset check`."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, cast

import msgspec

from urlset.findings.verdict import Verdict
from urlset.reading.read import read
from urlset.settings.check import CheckSettings
from urlset.settings.load import from_keywords
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import is_address, is_stored
from urlset.web.options import ALLOW_PRIVATE, PRIVATE_HOST
from urlset.workflows.check import Target
from urlset.workflows.check import check as check_targets
from urlset.workflows.library.keywords import CheckKeywords

_HOST_OPTION = lazy_pattern(rf"; {PRIVATE_HOST} (\S+) ")
_IN_PYTHON = "web=urlset.WebOptions(allow_private=True)"


def check(source: Target | Sequence[Target], **options: Unpack[CheckKeywords]) -> Verdict:
    """Check sitemaps as `urlset check` does, with every rule that needs no live page.

    `source` is a file, a pattern, a folder (also as s3://, gs:// or az:// URL), bytes, a binary file, a Document, a
    URL, or a list of these. A URL is a sitemap, an index or a site, and is fetched with everything it leads to. The
    index of a file is followed below `root`, otherwise next to the index; the index of bytes, a binary file or a
    Document below `root` only. Sources that cannot be read are in `Verdict.troubled`.

    The keywords are the options of the command. `at` is the URL of a single file, `base_url` the URL of `root`; without
    them, rules about the location of a sitemap are listed as not checked. `robots` is the site's robots.txt: a path,
    bytes or an open file. Everything runs in this process unless `jobs` asks for worker processes (0: one per core).

    Raises OSError for a file in `source` that cannot be opened, ValueError for a value that cannot be used, and
    TypeError for an unknown keyword. Settings files and baselines are not read.
    """
    targets = list(source) if isinstance(source, (list, tuple)) else [cast("Target", source)]
    _refuse(targets, options.get("at"), options.get("root"))
    robots = options.get("robots")
    settings = from_keywords(CheckSettings, {**in_this_process(options), "robots": None})
    return in_python(check_targets(targets, settings, robots=read(robots).robots if robots is not None else None))


def in_this_process(options: Mapping[str, Any]) -> dict[str, Any]:
    """Unless the caller asks for workers."""
    return {**options} if "executor" in options else {"jobs": 1, **options}


def _refuse(targets: Sequence[Target], at: str | None, root: str | os.PathLike[str] | None) -> None:
    """Calls that the command refuses too."""
    if at is not None and (len(targets) != 1 or (isinstance(targets[0], str) and is_address(targets[0]))):
        raise ValueError("`at` sets the URL of one file; a URL target has its own")
    if root is not None and not is_stored(root) and not Path(root).is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(root))
    for target in targets:
        if isinstance(target, (str, os.PathLike)) and not _is_url(target):
            _refuse_unreadable(os.fspath(target))


def _is_url(target: Target) -> bool:
    return isinstance(target, str) and (is_address(target) or is_stored(target))


def _refuse_unreadable(path: str) -> None:
    """Asked without opening: a named pipe would lose what is in it."""
    if glob.has_magic(path) and not os.path.lexists(path):
        return
    os.stat(path)  # noqa: PTH116 - raises OSError with the path as given
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def in_python(verdict: Verdict) -> Verdict:
    """Advice that names an option of the command line names that of the library."""
    return msgspec.structs.replace(verdict, troubled=tuple(map(python_advice, verdict.troubled)))


def python_advice(line: str) -> str:
    line = line.replace(f"; {ALLOW_PRIVATE} ", f"; {_IN_PYTHON} ")
    return _HOST_OPTION.sub(r'; web=urlset.WebOptions(private_hosts=frozenset({"\1"})) ', line)
