"""Verdict → SARIF 2.1.0 for code scanning services."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.json import one_line
from urlset.reports.markdown import markdown_text
from urlset.reports.visible import whole
from urlset.reports.wording import rationale_of, summary_of
from urlset.spec.citations import cited
from urlset.storage.paths import is_address, uri_of
from urlset.version import HOME

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_SHOWN_AS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """One run, one result per line. Columns count characters, ends are exclusive, bytes are uncompressed."""
    used = {finding.code: finding for finding in verdict.findings}
    rules = [_rule(verdict.cards.get(code), used[code]) for code in sorted(used)]
    rule_index = {rule["id"]: at for at, rule in enumerate(rules)}
    artifacts = _artifacts(verdict)
    artifact_index = {artifact["location"]["uri"]: at for at, artifact in enumerate(artifacts)}
    run = {
        "tool": {
            "driver": {
                "name": "urlset",
                "version": options.version,
                "semanticVersion": options.version,
                "informationUri": HOME,
                "rules": rules,
            }
        },
        "invocations": [_invocation(verdict, options, rule_index)],
        "columnKind": "unicodeCodePoints",
        "artifacts": artifacts,
        "properties": {
            "counts": verdict.concerned,
            "suppressed": [
                {"code": it.code, "source": it.source, "count": it.count, "by": it.by} for it in verdict.suppressed
            ],
        },
    }
    yield f'{{"$schema": {one_line(_SCHEMA)}, "version": "2.1.0", "runs": [\n{one_line(run)[:-1]}, "results": ['
    separator = "\n"
    for finding, fingerprint in fingerprinted(verdict.findings):
        yield f"{separator}{one_line(_result(finding, fingerprint, rule_index, artifact_index))}"
        separator = ",\n"
    yield "\n]}]}\n"


def _rule(card: Card | None, finding: Finding) -> dict[str, Any]:
    """A finding without a card has its own entry."""
    if card is None:
        named = {"text": f"{finding.code} {finding.name}"}
        return {
            "id": finding.code,
            "name": finding.name,
            "shortDescription": named,
            "fullDescription": named,
            "help": named,
            "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        }
    return {
        "id": card.code,
        "name": card.name,
        "shortDescription": {"text": summary_of(card) or card.name},
        "fullDescription": {"text": rationale_of(card) or summary_of(card) or card.name},
        "help": {"text": help_text(card), "markdown": help_markdown(card)},
        "defaultConfiguration": {"level": _LEVELS[card.severity]},
        "properties": {
            "tags": ["sitemap", f"family-{card.family}", *card.severities, *(["fixable"] if card.fixable else [])],
            "problem.severity": _SHOWN_AS[card.severity],
        },
    }


def _artifacts(verdict: Verdict) -> list[dict[str, Any]]:
    """Documents, and other files with findings."""
    found: dict[str, dict[str, Any]] = {}
    for document in verdict.documents:
        properties = {
            "kind": document.kind,
            "entries": document.entries,
            "address": document.url,
            "unpackedBytes": document.bytes,
            "unpackedSha256": document.sha256,
        }
        location = _artifact_location(document.source)
        artifact = {"location": location, "roles": ["analysisTarget"], "properties": properties}
        found.setdefault(location["uri"], artifact)
    for finding in verdict.findings:
        location = _artifact_location(finding.source)
        found.setdefault(location["uri"], {"location": location})
    return list(found.values())


def _artifact_location(source: str) -> dict[str, Any]:
    uri = uri_of(source)
    relative = not (is_address(source) or uri.startswith("file:"))
    return {"uri": uri, "uriBaseId": "%SRCROOT%"} if relative else {"uri": uri}


def _invocation(verdict: Verdict, options: ReportOptions, rules: dict[str, int]) -> dict[str, Any]:
    notices = [{"level": "error", "message": {"text": _plain(line)}} for line in verdict.unread]
    notices += [
        {
            "level": "note",
            "message": {"text": _plain(f"skipped {it.code}: {it.reason}")},
            "associatedRule": {"id": it.code} | ({"index": rules[it.code]} if it.code in rules else {}),
        }
        for it in verdict.not_checked
    ]
    return {
        "executionSuccessful": not verdict.unread,
        "arguments": [options.command, *options.target],
        "toolExecutionNotifications": notices,
    }


def _result(finding: Finding, fingerprint: str, rules: dict[str, int], artifacts: dict[str, int]) -> dict[str, Any]:
    location = _artifact_location(finding.source)
    physical: dict[str, Any] = {"artifactLocation": location | {"index": artifacts[location["uri"]]}}
    # line, column, and bytes as far as known; an end only with its start
    region: dict[str, int] = {}
    if finding.line is not None:
        region["startLine"] = finding.line
        if finding.column is not None:
            region["startColumn"] = finding.column
        if finding.end_line is not None and finding.end_line >= finding.line:
            region["endLine"] = finding.end_line
            if finding.end_column is not None:
                region["endColumn"] = finding.end_column
    if finding.offset is not None:
        region |= {"byteOffset": finding.offset, "byteLength": finding.length}
    if region:
        physical["region"] = region
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rules[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _plain(finding.message) or finding.name},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {"urlset/v1": fingerprint},
    }
    if finding.count > 1:
        result["occurrenceCount"] = finding.count
    bag: dict[str, Any] = {"engines": list(finding.engines)}
    if finding.subject is not None:
        bag["subject"] = finding.subject
    if finding.fix is not None:
        bag["fix"] = {"title": finding.fix.title, "safety": finding.fix.safety}
    return result | {"properties": bag}


def _plain(text: str) -> str:
    """[a](b) would be read as a link."""
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text else text


# A card → the help that code scanning shows with a result, as text and as Markdown.


def help_text(card: Card) -> str:
    sources = [f"{each.document} {each.url}".strip() for each in map(cited, card.cites)]
    return "\n".join(part for part in (f"{summary_of(card)}.", rationale_of(card), *_facts(card), *sources) if part)


def help_markdown(card: Card) -> str:
    title = f"**{card.code} {markdown_text(card.name)}**: {markdown_text(summary_of(card))}."
    sources = [
        f"- [{markdown_text(each.document)}]({each.url})" if each.url else f"- {markdown_text(each.document)}"
        for each in map(cited, card.cites)
    ]
    parts = (title, markdown_text(rationale_of(card)), *_facts(card), "\n".join(sources))
    return "\n\n".join(part for part in parts if part)


def _facts(card: Card) -> tuple[str, str]:
    severities = ", ".join(f"{engine}: {severity}" for engine, severity in card.severities.items())
    return severities, "Fixable with `urlset fix`." if card.fixable else ""


# Findings → identifiers that stay the same when other lines change.


def fingerprinted(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Each finding with its fingerprint; identical findings get different ones."""
    seen: Counter[str] = Counter()
    for finding in findings:
        # rule, file, URL, and the marked text: not the line, and not a message that may contain a count
        fault = ""
        if finding.excerpt is not None:
            start = max(finding.excerpt.start, 0)
            fault = finding.excerpt.text[start : start + max(finding.excerpt.length, 0)]
        identity = whole("\x1f".join((finding.code, finding.source, finding.subject or "", fault)))
        seen[identity] += 1
        digest = hashlib.sha256(f"{identity}\x1f{seen[identity]}".encode()).hexdigest()
        yield finding, digest[:32]
