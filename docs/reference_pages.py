"""Topics, messages and rules → the pages of docs/reference: one for each element and attribute, one for messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.rules.catalogue import find
from urlset.spec.citations import CITATIONS
from urlset.spec.engines import ENGINES
from urlset.spec.report_messages import MESSAGES, ReportMessage
from urlset.spec.topics import Topic, find_topic, topics
from urlset.workflows.explain_topic import page_of

_LONGEST = 300
TITLES = {"robots-sitemap": "Sitemap: in robots.txt"}


def reference_pages() -> dict[str, str]:
    """Path below docs/ → text."""
    return {
        "reference/README.md": _text(_index()),
        "reference/messages.md": _text(_messages()),
        **{f"reference/{topic.slug}.md": _text(_topic(topic)) for topic in topics()},
    }


def title_of(topic: Topic) -> str:
    return TITLES.get(topic.name, topic.name)


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _index() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "One page for each element and attribute of a sitemap. Generated from the tables and rules of urlset; in a"
    yield "terminal, `urlset explain lastmod` shows the same, and `urlset explain` lists the topics. What the reports"
    yield "of search engines say about a sitemap is explained in [Messages of search engines](messages.md)."
    for group in dict.fromkeys(topic.group for topic in topics()):
        yield from ("", f"## {group}", "", "| Name | Meaning | Read by |", "|---|---|---|")
        for topic in topics():
            if topic.group == group:
                read = topic.readers.partition(".")[0].partition(";")[0]
                yield f"| [{title_of(topic)}]({topic.slug}.md) | {topic.means} | {read} |"


def _topic(topic: Topic) -> Iterator[str]:
    page = page_of(topic)
    yield f"# {title_of(topic)}"
    yield from ("", topic.means, "")
    yield f"- **Read by:** {topic.readers}"
    yield f"- **Form:** {topic.form}"
    if topic.limits:
        yield f"- **Limits:** {'; '.join(topic.limits)}"
    yield from ("", "## Right", "")
    if topic.retired:
        yield from ("Leave it out:", "")
    for text in page.right:
        yield from ("```xml" if "<" in text else "```text", *_cut(text), "```", "")
    yield from ("## Wrong", "")
    for each in page.wrong:
        yield from ("```xml" if "<" in each.text else "```text", *_cut(each.text), "```", "")
        yield from (f"{_rule(each.code)}: {_escaped(each.message)}", "")
    yield from ("## Rules", "", "| Rule | Severity | About |", "|---|---|---|")
    for code in page.rules:
        rule = find(code)
        assert rule is not None
        yield f"| {_rule(code)} {rule.name} | {rule.card.severity} | {_cell(rule.card.summary)} |"
    yield from ("", f"Sources: {'; '.join(_source(key) for key in topic.cites)}.")


def _cut(text: str) -> list[str]:
    return [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in text.splitlines()]


def _rule(code: str) -> str:
    rule = find(code)
    assert rule is not None
    return f"[{code}](../rules/{rule.card.family}.md#{code.lower()}-{rule.name})"


def _escaped(message: str) -> str:
    return message.replace("\\", "\\\\").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _source(key: str) -> str:
    citation = CITATIONS[key]
    return f"[{citation.document}]({citation.url})" if citation.url else citation.document


def _messages() -> Iterator[str]:
    yield "# Messages of search engines"
    yield ""
    yield "What the sitemap reports of Search Console, Yandex Webmaster and Bing Webmaster Tools say, what it means,"
    yield 'and what to do. `urlset explain "Couldn\'t fetch"` shows the same. Reasons of the page indexing'
    yield "report, such as `Soft 404`, are explained too."
    for engine in dict.fromkeys(message.engine for message in MESSAGES):
        yield from ("", f"## {ENGINES[engine].title}")
        for message in MESSAGES:
            if message.engine == engine:
                yield from ("", f"### {_cell(message.labels[0])}", "", *_message(message))
        sources = dict.fromkeys(key for message in MESSAGES if message.engine == engine for key in message.cites)
        yield from ("", f"Sources: {'; '.join(map(_source, sources))}.")


def _message(message: ReportMessage) -> Iterator[str]:
    if len(message.labels) > 1:
        yield from (f"Also: {', '.join(_cell(label) for label in message.labels[1:])}.", "")
    yield from (message.means.replace("<", "&lt;"), "")
    yield f"- Confirm: `{message.confirm}`"
    if message.repair:
        yield f"- Fix: `{message.repair}`"
    if message.advice:
        yield f"- To do: {message.advice}"
    found = [topic for name in message.topics if (topic := find_topic(name)) is not None]
    if found:
        yield f"- About: {', '.join(f'[{title_of(topic)}]({topic.slug}.md)' for topic in found)}"
    if message.rules:
        yield f"- Rules: {', '.join(_rule(code) for code in message.rules)}"
