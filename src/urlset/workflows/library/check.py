"""The check for Python programs: sources in, a verdict out; the same service as `urlset check`."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import cast

import msgspec

from urlset.checking import clock
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.address import Address
from urlset.reading.read import Source, read
from urlset.reports.uri import is_address
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.web.options import ALLOW_PRIVATE, PRIVATE_HOST, WebOptions
from urlset.workflows.check.check import Target
from urlset.workflows.check.check import check as check_targets
from urlset.workflows.check.options import CheckOptions
from urlset.workflows.live.setup import Live

_HOST_OPTION = lazy_pattern(rf"; {PRIVATE_HOST} (\S+) ")
_IN_PYTHON = "web=urlset.WebOptions(allow_private=True)"


def check(  # noqa: PLR0913 - one keyword for each option of the command
    source: Target | Sequence[Target],
    *,
    at: str | None = None,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    robots: Source | None = None,
    engines: Iterable[str] = DEFAULT_ENGINES,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, Severity | str] | None = None,
    now: datetime | None = None,
    jobs: int = 1,
    web: WebOptions | None = None,
) -> Verdict:
    """Check sitemaps as `urlset check` does, with every rule that needs no live page.

    `source` is a file, a pattern, a folder, bytes, a binary file, a Document, an http(s) address, or a list of these.
    An address is a sitemap, an index or a site; it is fetched with everything it leads to, as `web` says. The index of
    a file is followed on disk: below `root`, otherwise next to the index. The index of bytes, a binary file or a
    Document is followed below `root` only. Sources that cannot be read are in `Verdict.troubled`.

    `at` is the address of a single file, `base_url` the address of `root`; without them, rules about the location of a
    sitemap are listed as not checked. `robots` is the site's robots.txt. `select` and `ignore` take codes, family
    letters or names; `severity` maps them to another severity. Everything runs in this process unless `jobs` asks for
    worker processes (0: one per core).

    Raises OSError for a file named in `source` that cannot be opened, and ValueError for an unknown engine, rule or
    severity and for an address that is not http(s). Settings files and baselines are not read.
    """
    targets = list(source) if isinstance(source, (list, tuple)) else [cast("Target", source)]
    _refuse(targets, at, base_url, root)
    options = CheckOptions(
        engines=tuple(Engine(engine) for engine in engines),
        select=tuple(select),
        ignore=tuple(ignore),
        severity={selector: Severity(level) for selector, level in (severity or {}).items()},
        root=os.fspath(root) if root is not None else None,
        base_url=base_url,
        robots=read(robots).robots if robots is not None else None,
        at=at,
        now=now or clock.now(),
        jobs=jobs,
        live=Live(web or WebOptions()),
    )
    return in_python(check_targets(targets, options))


def _refuse(
    targets: Sequence[Target], at: str | None, base_url: str | None, root: str | os.PathLike[str] | None
) -> None:
    """Calls that the command refuses too."""
    if at is not None and (len(targets) != 1 or _is_address(targets[0])):
        raise ValueError("`at` sets the URL of one file; a URL target has its own")
    for name, value in (("at", at), ("base_url", base_url)):
        if value is not None and not Address.parse(value).is_web:
            raise ValueError(f"{name}={value!r} is not a URL like https://www.example.com/")
    if root is not None and not Path(root).is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(root))
    for target in targets:
        if isinstance(target, (str, os.PathLike)) and not _is_address(target):
            _refuse_unreadable(os.fspath(target))


def _is_address(target: Target) -> bool:
    return isinstance(target, str) and is_address(target)


def _refuse_unreadable(path: str) -> None:
    """Asked without opening: a named pipe would lose what is in it."""
    if glob.has_magic(path) and not os.path.lexists(path):
        return
    os.stat(path)  # noqa: PTH116 - raises OSError with the path as given
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def in_python(verdict: Verdict) -> Verdict:
    """Advice that names an option of the command line names that of the library."""
    return msgspec.structs.replace(verdict, troubled=tuple(map(_python_advice, verdict.troubled)))


def _python_advice(line: str) -> str:
    line = line.replace(f"; {ALLOW_PRIVATE} ", f"; {_IN_PYTHON} ")
    return _HOST_OPTION.sub(r'; web=urlset.WebOptions(private_hosts=frozenset({"\1"})) ', line)
