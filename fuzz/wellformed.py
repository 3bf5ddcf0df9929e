"""Bytes → nothing, or an AssertionError that says where `check` and expat disagree about well-formedness.

Expat rejects a document exactly when `check` reports an error of family X. The exceptions are policy, not grammar:
an X error on a document that expat accepts is one of `POLICY`, and a document that is no XML at all (a text list, a
robots.txt), other XML, or a template is judged as what it is.
"""

from __future__ import annotations

from functools import cache
from pyexpat import ExpatError, ParserCreate

from fuzz.judge import CONTEXT
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check
from urlset.checking.fixability import is_other
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.model.document import Document, Kind
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules

POLICY = {
    "X002": "bytes of another encoding than UTF-8, which expat reads if it knows the encoding",
    "X003": "a declared encoding other than UTF-8",
    "X007": "UTF-16 and UTF-32",
    "X014": "a DOCTYPE, legal or not",
    "X015": "a reference to another file",
    "X021": "a web page, well-formed or not",
    "X030": "nesting and length beyond the reader's limits",
}
READ_OTHERWISE = frozenset({"X002", "X003", "X007"})
"""with these the bytes are not read as expat reads them: in another encoding"""
XML_KINDS = frozenset(kind for kind in Kind if kind.is_xml)


def expat_error(data: bytes, encoding: str | None = None) -> str | None:
    """What expat says against the bytes, in this encoding or the declared one; None when they are well-formed."""
    try:
        ParserCreate(encoding, " ").Parse(data, True)
    except (ExpatError, ValueError, LookupError) as error:  # the latter two: a multi-byte or unknown encoding
        return str(error)
    return None


def x_errors(document: Document) -> dict[str, str]:
    """Code → message of the errors of family X."""
    verdict = check(document, x_rules(), CONTEXT)
    return {
        finding.code: f"{finding.message} at {finding.offset}"
        for finding in verdict.findings
        if finding.severity is Severity.ERROR
    }


@cache
def x_rules() -> tuple[AnyRule, ...]:
    return tuple(rule for rule in select(all_rules(), CONTEXT.engines) if rule.code.startswith("X"))


def judge_wellformed(data: bytes) -> None:
    """Both agree, or the difference is a stated policy."""
    document = read(data)
    if document.kind not in XML_KINDS or is_other(document):
        return
    refused = expat_error(data)
    found = x_errors(document)
    if refused is not None:
        assert found, f"expat: {refused}; check reports nothing of family X"
    elif not found.keys() & READ_OTHERWISE and (wrong := found.keys() - POLICY.keys()):
        code = min(wrong)
        raise AssertionError(f"expat accepts the file; check reports {code}: {found[code]}")
