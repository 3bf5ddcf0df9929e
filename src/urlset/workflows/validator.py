"""Files given to a page → what the page shows: findings, a description, fixes, reports.

The page is docs/validator in a browser, where this runs in WebAssembly, and `/validator` of `urlset serve`, where it
runs in a child process. Both put the files into an empty folder and work there, so names and reports are those of
`urlset check NAME...` in that folder. Files for the page to read are written next to that folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from urlset.execution.workers import Where
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions, rendered
from urlset.reports.wording import rationale_of, sum_line, summary_of
from urlset.settings.check import CheckSettings
from urlset.storage.paths import is_address

FILES, UNPACKED, FIXED, ARCHIVE = Path("files"), Path("unpacked"), Path("fixed"), Path("archive")
"""folders below the one of a request: what was given, the same as plain text, fixed, and fixed in one zip file"""
FOR_PAGE = (UNPACKED, FIXED, ARCHIVE)
"""what the page may read after a request"""
LARGEST = 64 << 20
"""bytes of one unpacked file: more than any sitemap may have, and little enough for the memory of a browser"""
_DIFF_LINES = 4_000
_REPORTS = ("json", "html", "sarif")


class PageRequest(msgspec.Struct, frozen=True):
    """One action of the page; the files are in FILES."""

    action: Literal["check", "info", "fix", "report"]
    names: tuple[str, ...]
    at: str | None = None
    """the URL of a single file"""
    format: str = "json"
    """of a report"""
    unsafe: tuple[str, ...] = ()
    """codes whose unsafe fixes are applied too"""


class RequestError(Exception):
    """The request cannot be answered; the message says why."""


def answer(request: PageRequest, folder: Path) -> dict[str, Any]:
    """What the page shows, ready for JSON. The working folder must be FILES below `folder`. Raises RequestError."""
    if request.at is not None and not is_address(request.at):
        raise RequestError(f"{request.at!r} is not an http or https URL")
    match request.action:
        case "check":
            return _check(request, folder)
        case "info":
            return _info(request)
        case "fix":
            return _fix(request, folder)
        case "report":
            if request.format not in _REPORTS:
                raise RequestError(f"unknown format {request.format!r}")
            return {"text": _checked(request, request.format)[1]}


def file_names(given: tuple[str, ...]) -> list[str]:
    """Names to store files under: the last part of each, without what a command line would expand, and none twice."""
    found: list[str] = []
    for name in given:
        plain = "".join(letter if letter.isprintable() else "_" for letter in name.replace("\\", "/").split("/")[-1])
        plain = plain.translate({ord(letter): "_" for letter in '*?[]{}:|<>"'}).lstrip("-. ")[-120:] or "sitemap.xml"
        stem, dot, ending = plain.partition(".")
        numbered = (f"{stem}-{number}{dot}{ending}" for number in range(2, len(given) + 2))
        found.append(plain if plain not in found else next(each for each in numbered if each not in found))
    return found


def _checked(request: PageRequest, form: str) -> tuple[Verdict, str]:
    """As by the command without options, in this process; and the report on it."""
    from urlset.checking.clock import now
    from urlset.workflows.check import check

    at = request.at if len(request.names) == 1 else None
    settings = CheckSettings(targets=request.names, at=at, executor=Where.LOCAL, jobs=1)
    verdict = check(request.names, settings)
    options = ReportOptions(command="check", target=request.names, engines=settings.engines, made=now())
    return verdict, "".join(piece for piece in rendered(form, verdict, options) if isinstance(piece, str))


def _check(request: PageRequest, folder: Path) -> dict[str, Any]:
    verdict, report = _checked(request, "json")
    cards = [verdict.cards[code] for code in {it.code for it in verdict.findings} & set(verdict.cards)]
    return {
        "summary": sum_line(verdict),
        "failed": bool(verdict.at_or_above(Severity.ERROR) or verdict.troubled),
        "report": report,
        "rules": {
            each.code: {"summary": summary_of(each), "why": rationale_of(each), "family": each.family} for each in cards
        },
        "shown": list(_shown(request, folder)),
        "capped": sum(verdict.severity_counts.values()) - len(verdict.findings),
    }


def _shown(request: PageRequest, folder: Path) -> Iterator[str]:
    """The names of files that the page cannot show as they are; their text is written to UNPACKED."""
    from urlset.reading.decode import decode
    from urlset.reading.unpack import unpack

    for name in request.names:
        data = Path(name).read_bytes()
        text = decode(unpack([data], cap=LARGEST).data).data
        if text != data:
            (folder / UNPACKED).mkdir(exist_ok=True)
            (folder / UNPACKED / name).write_bytes(text)
            yield name


def _info(request: PageRequest) -> dict[str, Any]:
    from urlset.workflows.info import Description, describe_files

    found = [each for each in describe_files(list(request.names)) if isinstance(each, Description)]
    return {"documents": [{"label": each.kind.label, **msgspec.to_builtins(each)} for each in found]}


def _fix(request: PageRequest, folder: Path) -> dict[str, Any]:
    """Safe fixes, and the unsafe ones of the chosen rules; the results are written to FIXED."""
    from urlset.settings.fix import FixSettings
    from urlset.workflows.fix import FixTarget, fix_targets, write

    at = request.at if len(request.names) == 1 else None
    settings = FixSettings(targets=request.names, at=at, output=str(folder / FIXED), unsafe=bool(request.unsafe))
    documents: list[dict[str, Any]] = []
    for target in fix_targets(settings, unsafe_codes=request.unsafe):
        if isinstance(target, FixTarget):
            written = write(target) if target.changed and target.fixed.refused is None else []
            documents.append(_fixed(target, written))
    return {"documents": documents, "download": _download(folder)}


def _download(folder: Path) -> str | None:
    """The fixed file, or a zip file of several, as the page finds it."""
    from zipfile import ZIP_DEFLATED, ZipFile

    files = sorted((folder / FIXED).iterdir()) if (folder / FIXED).is_dir() else []
    if len(files) < 2:
        return f"{FIXED}/{files[0].name}" if files else None
    (folder / ARCHIVE).mkdir(exist_ok=True)
    with ZipFile(folder / ARCHIVE / "fixed-sitemaps.zip", "w", ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
    return f"{ARCHIVE}/fixed-sitemaps.zip"


def _fixed(target: Any, written: list[Path]) -> dict[str, Any]:
    from urlset.fixing.edit_buffer import unified

    fixed = target.fixed
    lines = unified(fixed.original, fixed.edits, fixed.source)
    diff = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in islice(lines, _DIFF_LINES)]
    return {
        "source": fixed.source,
        "changed": target.changed,
        "refused": fixed.refused,
        "files": [path.name for path in reversed(written)],
        "diff": diff,
        "more": sum(1 for _ in lines),
        "applied": [
            {"code": each.code, "name": each.name, "title": each.title, "count": each.count}
            for each in fixed.changes(0)
        ],
        "left": [
            {**msgspec.to_builtins(each), "unsafe": "--unsafe" in each.reason or "--only" in each.reason}
            for each in fixed.left
            if each.severity is not Severity.INFO or "--" in each.reason
        ],
        "removed": len(fixed.removed),
    }


def main() -> int:
    """`python -m urlset.workflows.validator FOLDER MEMORY`: a request on stdin → the answer on stdout."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=PageRequest)
    try:
        result: dict[str, Any] = answer(request, Path(sys.argv[1]))
    except (RequestError, OSError, ValueError) as error:
        result = {"error": str(error)}
    sys.stdout.buffer.write(msgspec.json.encode(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
