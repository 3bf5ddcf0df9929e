"""The examples of urlset's rules and its corpus of broken files → cases of the suite.

    python -m suite.from_rules --schemas FOLDER    add a case for each example that has none

Needs urlset and lxml. A case that exists is never changed: from then on its files are edited by hand. An example
becomes y if neither urlset nor any judge of `opinions.py` objects, n if both do, and i if they disagree.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from suite import opinions
from suite.opinions import HERE, Opinion, opinion
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.engine import check
from urlset.checking.examples import build
from urlset.checking.live_page import LIVE
from urlset.checking.select import select
from urlset.checking.tree import TreeView
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.citations import cited
from urlset.spec.engines import Engine

NOW = "2026-11-15T12:00:00+00:00"
LARGEST = 20_000
NORMS = (Engine.PROTOCOL, Engine.GOOGLE)
"""the protocol, and the documentation of the extensions that it leaves to others"""
EXAMPLE_HOSTS = ("L031",)
"""advice that every case would get"""
FAMILIES = {
    "X": "xml",
    "S": "structure",
    "L": "loc",
    "D": "lastmod",
    "F": "structure",
    "I": "index",
    "M": "image",
    "V": "video",
    "N": "news",
    "H": "hreflang",
    "R": "robots",
    "Q": "structure",
    "P": "structure",
}
KINDS = {"robots": "robots", "rss": "feeds", "atom": "feeds", "json-feed": "feeds", "text": "text"}


class Example(NamedTuple):
    """One example, and why it is not a case (empty if it is one)."""

    rule: AnyRule
    origin: str
    example: Bad | Good
    reason: str

    @property
    def data(self) -> bytes:
        return build(self.example).data


def examples() -> Iterator[Example]:
    for rule in all_rules():
        shown: dict[str, tuple[Bad | Good, ...]] = {"bad": rule.bad, "good": rule.good}
        for kind, found in shown.items():
            for number, example in enumerate(found, 1):
                yield Example(rule, f"rule {rule.code}, {kind} example {number}", example, not_a_case(rule, example))


def not_a_case(rule: AnyRule, example: Bad | Good) -> str:
    """Why an example cannot be a case: a case is one file, read without a network."""
    if rule.on in LIVE or rule.on is TreeView:
        return f"about {'several files' if rule.on is TreeView else 'a live site or its history'}, not one file"
    if example.policies:
        return "needs the settings of a site"
    if example.robots is not None or getattr(example, "base_url", None):
        return "needs the site's robots.txt as well"
    if len(build(example).data) > LARGEST:
        return "large: cases of the topic limits are generated instead"
    return ""


def key_of(data: bytes, at: str | None) -> str:
    return hashlib.sha256(data + (at or "").encode()).hexdigest()


# One file → its case.


@cache
def rules(*engines: Engine) -> list[AnyRule]:
    return list(select(all_rules(), engines))


def findings(document: Document, now: str, *engines: Engine) -> list[Finding]:
    context = Context(now=datetime.fromisoformat(now), engines=engines)
    return list(check(document, rules(*engines), context).findings)


def defect(finding: Finding, judged: Opinion) -> dict[str, Any]:
    line, offset = finding.line or 1, finding.offset or 0
    found: dict[str, Any] = {"line": line, "end_line": finding.end_line or line}
    found |= {"start": offset, "end": offset + finding.length}
    found |= {"severity": finding.severity.value, "rule": finding.code, "text": finding.message}
    if any(judge in ("expat", "gzip") for judge, _, _ in judged.objections):
        found["fatal"] = True
    return found


def expectation(data: bytes, at: str | None, now: str, judged: Opinion) -> tuple[str, dict[str, Any]]:
    """The class of a file and what is expected of it."""
    document = read(data, name="example", url=at)
    errors = [each for each in findings(document, now, *NORMS) if each.severity is Severity.ERROR]
    objections = [each for each in judged.objections if each[0] != "XSD"]
    schema = [each for each in judged.objections if each[0] == "XSD"]
    agreed = bool(errors) == bool(objections or (schema and errors))
    locs = listed(document)
    same = locs == [url["loc"] for url in judged.urls]
    label = "i" if not agreed or not (errors or same) else "n" if errors else "y"
    case: dict[str, Any] = {"kind": document.kind.value, "urls": [{"loc": loc} for loc in locs]}
    if same:
        case["urls"] = judged.urls
    if label != "y":
        bad = {each[1] for each in judged.objections} | {each.line for each in errors}
        case["keep"] = [loc for loc, line in located(data, locs) if line not in bad]
    marked = [defect(each, judged) for each in errors]
    mild = [each for each in findings(document, now, *NORMS) if each.severity is not Severity.ERROR]
    mild = [each for each in mild if each.code not in EXAMPLE_HOSTS]
    case["defects"] = marked if label == "n" else []
    case["advice"] = [defect(each, judged) for each in mild] + (marked if label == "i" else [])
    case["advice"] += [{"line": line, "severity": "error", "rule": "XSD", "text": text} for _, line, text in schema]
    if label == "i":
        case["decision"] = disagreement(errors, objections) if not agreed else "readers may differ in the URLs"
    elif schema and label == "y":
        case["decision"] = "the schema is stricter than the text of the protocol: valid, and a validator may report it"
    return label, case


def listed(document: Document) -> list[str]:
    if document.robots is not None:
        return [line.value for line in document.robots.sitemaps]
    return [entry.loc for entry in document if entry.loc]


def located(data: bytes, locs: list[str]) -> Iterator[tuple[str, int]]:
    """Each URL with the line where its text first occurs."""
    for loc in locs:
        at = data.find(loc.replace("&", "&amp;").encode())
        if at >= 0:
            yield loc, 1 + data[:at].count(b"\n")


def disagreement(errors: list[Finding], objections: list[tuple[str, int, str]]) -> str:
    if errors:
        codes = ", ".join(sorted({each.code for each in errors}))
        return f"urlset reports {codes}, which no other judge can confirm: the policy of an engine or of a validator"
    said = "; ".join(f"{judge}: {reason}" for judge, _, reason in objections[:2])
    return f"urlset accepts what another judge rejects ({said}): implementations may differ"


def topic_of(rule: AnyRule, document: Document, data: bytes) -> str:
    if data[:2] == b"\x1f\x8b" or rule.check.__module__.endswith("compression"):
        return "gzip"
    if rule.check.__module__.endswith("characters"):
        return "encoding"
    if document.kind.value == "sitemapindex":
        return "index"
    return KINDS.get(document.kind.value) or FAMILIES[rule.card.family]


def suffix_of(document: Document, data: bytes) -> str:
    plain = "txt" if document.kind.value in ("text", "robots") else "jsonfeed" if data[:1] == b"{" else "xml"
    return f"{plain}.gz" if data[:2] == b"\x1f\x8b" else plain


def add_case(topic: str, name: str, data: bytes, case: dict[str, Any]) -> str:
    """Write both files of a case; the name gets a number if it is taken."""
    folder = HERE / "cases" / topic
    folder.mkdir(parents=True, exist_ok=True)
    stem, suffix = name.split(".", 1)
    number = 2
    while any(path.name.split(".")[0] == stem for path in folder.glob(f"{stem}.*")):
        stem, number = f"{name.split('.', maxsplit=1)[0]}_{number}", number + 1
    path = folder / f"{stem}.{suffix}"
    path.write_bytes(data)
    text = json.dumps({"case": f"{topic}/{stem}", **case}, indent=1, ensure_ascii=False) + "\n"
    path.with_name(f"{path.name}.json").write_text(text, encoding="utf-8")
    return f"{topic}/{stem}"


def norm_of(rule: AnyRule) -> dict[str, str]:
    source = cited(rule.card.cites[0])
    return {"name": source.document, "source": source.url, "says": source.says}


def add_example(found: Example) -> str:
    data, at = found.data, found.example.at
    judged = opinion(data, at)
    label, expected = expectation(data, at, found.example.now, judged)
    document = read(data, name="example", url=at)
    slug = re.sub(r"\W+", "_", found.rule.name)
    near = isinstance(found.example, Good)
    summary = found.rule.card.summary
    why = {
        "y": f"Valid. {'A near miss of' if near else 'A validator may advise'}: {summary}",
        "n": summary,
        "i": f"Implementations may differ. urlset: {summary}",
    }[label]
    context = {"url": at} if at else {}
    if found.example.now != NOW:
        context["now"] = found.example.now
    details = {"norm": norm_of(found.rule), "why": why, **context, **expected, "from": [found.origin]}
    name = f"{label}_{'near_' * near}{slug}.{suffix_of(document, data)}"
    return add_case(topic_of(found.rule, document, data), name, data, details)


def known() -> dict[str, Path]:
    """The cases there are, by their bytes and URL."""
    found = {}
    for path in (HERE / "cases").glob("*/*.json"):
        file = path.with_suffix("")
        if file.exists():
            found[key_of(file.read_bytes(), json.loads(path.read_text(encoding="utf-8")).get("url"))] = path
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Add a case for each example of a rule that has none.")
    parser.add_argument("--schemas", type=Path, required=True, help="folder with the official schemas")
    opinions.SCHEMAS = parser.parse_args().schemas
    there = known()
    added = 0
    for found in examples():
        key = "" if found.reason else key_of(found.data, found.example.at)
        if not key or key in there:
            continue
        name = add_example(found)
        there[key] = HERE / "cases" / name
        added += 1
    print(f"{added} cases added")
    return 0


if __name__ == "__main__":
    sys.exit(main())
