"""Bytes → nothing, or an AssertionError that says how `fix` made a file worse.

Well-formed files stay well-formed, no address is lost or changed without a word, and a second run changes nothing.
Expat is the judge of the first and reads the addresses for the second. A result that the last check of `fix` holds back
does no harm, but something before it did wrong: `held` counts these.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pyexpat import ParserCreate
from typing import Any
from unittest import mock

from fuzz.judge import CONTEXT
from fuzz.wellformed import XML_KINDS, expat_error
from urlset.checking.declare import AnyRule
from urlset.checking.fixability import is_other
from urlset.checking.select import select
from urlset.findings.fix_result import FixResult
from urlset.fixing import fix
from urlset.fixing.fix import FixOptions, as_it_was, fix_document, is_plain
from urlset.fixing.judge import objection
from urlset.model.address import Address
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules

NAME = "sitemap.xml"
held: list[str] = []
"""what the last check of `fix` had against results, in all files"""


@contextmanager
def objections_held() -> Iterator[None]:
    """Inside, objections are counted."""

    def noted(*given: Any, **more: Any) -> str | None:
        found = objection(*given, **more)
        if found is not None:
            held.append(found)
        return found

    with mock.patch.object(fix, "objection", noted):
        yield


def judge_fixing(data: bytes) -> None:
    """Both kinds of fixes, the safe ones and all of them."""
    with objections_held():
        _judge_fixing(data)


def _judge_fixing(data: bytes) -> None:
    document = read(data, name=NAME)
    if document.kind not in XML_KINDS:
        return
    sound = expat_error(data) is None and expat_error(document.data, "utf-8") is None  # also as `fix` decodes it
    for unsafe in (False, True):
        options = FixOptions(unsafe=unsafe)
        fixed = fix_document(document, rules(), CONTEXT, options)
        if is_other(document):
            assert not fixed.changed, f"unsafe={unsafe}: a file that is no sitemap is changed"
            continue
        assert fixed.refused is None, fixed.refused
        judge_result(document, fixed, sound=sound, unsafe=unsafe)
        if not fixed.changed:
            continue  # nothing is written
        again = fix_document(read(written(document, fixed), name=NAME), rules(), CONTEXT, options)
        codes = [item.code for item in again.applied]
        assert again.data == fixed.data, f"unsafe={unsafe}: a second run changes the file again: {codes}"


def written(document: Document, fixed: FixResult) -> bytes:
    """As the file is written: in its own encoding, unless that was changed."""
    kept = None if fixed.recoded or is_plain(document.envelope) else as_it_was(document.envelope, fixed.data)
    return kept or fixed.data


def judge_result(document: Document, fixed: FixResult, *, sound: bool, unsafe: bool) -> None:
    applied = sorted({item.code for item in fixed.applied})
    if sound:
        refused = expat_error(written(document, fixed))
        assert refused is None, f"unsafe={unsafe}: {applied} make a well-formed file malformed: {refused}"
        before, after = expat_addresses(document.data), expat_addresses(fixed.data, anywhere=True)
    else:
        before, after = (addresses(found) for found in (document, read(written(document, fixed), name=NAME)))
    gone = [item.loc for item in fixed.removed] + [item.loc for item in fixed.renamed]
    reported = {Address.parse(loc).key for loc in gone}
    lost = {key for key in before - after if key not in reported}
    assert not lost, f"unsafe={unsafe}: {applied} lose {sorted(lost)[:3]}"
    renamed = [item for item in fixed.renamed if "\ufffd" not in item.loc]
    assert unsafe or not renamed, f"a safe fix gives another address: {renamed[:1]}"


def addresses(document: Document) -> set[str]:
    return {Address.parse(loc.strip()).key for loc in document.columns.locs if loc and loc.strip()}


def expat_addresses(data: bytes, *, anywhere: bool = False) -> set[str]:
    """The texts of all <loc> that are children of an entry, or anywhere, as a reader without repairs sees them."""
    found: set[str] = set()
    path: list[tuple[str, list[str]]] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        path.append((name.rpartition(" ")[2], []))

    def text(piece: str) -> None:
        if path:
            path[-1][1].append(piece)

    def end(_name: str) -> None:
        name, pieces = path.pop()
        loc = "".join(pieces).strip()
        if name == "loc" and loc and (anywhere or (path and path[-1][0] in ("url", "sitemap"))):
            found.add(Address.parse(loc).key)

    parser = ParserCreate("utf-8", " ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.Parse(data, True)
    return found


@cache
def rules() -> tuple[AnyRule, ...]:
    return select(all_rules(), CONTEXT.engines)
