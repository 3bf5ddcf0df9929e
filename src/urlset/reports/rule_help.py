"""A card → the help that code scanning shows with a result, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Card
from urlset.reports.markup import markdown_text
from urlset.reports.wording import rationale_of, summary_of
from urlset.spec.citations import cited


def help_text(card: Card) -> str:
    sources = [f"{document} {url}".strip() for document, url in _sources(card)]
    parts = [f"{summary_of(card)}.", rationale_of(card), _severities(card), _fix_lines(card)]
    return "\n".join(part for part in (*parts, *sources) if part)


def help_markdown(card: Card) -> str:
    title = f"**{card.code} {markdown_text(card.name)}**: {markdown_text(summary_of(card))}."
    parts = [title, markdown_text(rationale_of(card)), _severities(card), _fix_lines(card)]
    sources = [
        f"- [{markdown_text(document)}]({url})" if url else f"- {markdown_text(document)}"
        for document, url in _sources(card)
    ]
    return "\n\n".join(part for part in (*parts, "\n".join(sources)) if part)


def _severities(card: Card) -> str:
    return ", ".join(f"{engine}: {severity}" for engine, severity in card.severities.items())


def _fix_lines(card: Card) -> str:
    return "Fixable with `urlset fix`." if card.fixable else ""


def _sources(card: Card) -> Iterator[tuple[str, str]]:
    for key in card.cites:
        citation = cited(key)
        yield citation.document, citation.url
