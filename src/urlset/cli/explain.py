"""`urlset explain`: a rule, an element, a message of an engine, a page; or the table of rules, or of topics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command, group
from urlset.cli.exit_codes import NOTHING, OK
from urlset.cli.output import json_report
from urlset.cli.terminal import Style, columns, complain, note, printable, wrapped
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.checking.declare import AnyRule, Bad, Good
    from urlset.settings.explain import ExplainSettings, RulesSettings
    from urlset.spec.report_messages import ReportMessage
    from urlset.spec.topics import Topic


_WIDTH = 96
_LONGEST = 16
"""lines of an example that are shown"""
_LONGEST_LINE = 300
_TRANSCRIPTS = 2
"""examples of what servers answer that are shown of each kind: they are long"""


@group(
    "explain",
    epilog="""Examples:
  urlset explain L013
  urlset explain lastmod
  urlset explain "Couldn't fetch"
  urlset explain https://www.example.com/about
  urlset explain rules --select L,D""",
)
def explain(settings: ExplainSettings) -> int:
    """Explain a rule, an element, or a message of a sitemap report.

    A rule: rationale, affected engines, examples and sources. An element or attribute, such as lastmod or
    video:duration: what it means, who reads it, its form and limits, and the rules that check it. A message of Search
    Console, Bing or Yandex, in quotes: what it means, how to confirm it, and what fixes it. Without an argument, the
    topics are listed.

    For a URL: why the last build listed or excluded it, and the evidence for its lastmod; where the last audit found
    it listed, how it answered, and what each engine will do; which pages of the last crawl link to it.
    """
    from urlset.rules.catalogue import find

    style = Style.for_stream(sys.stdout)
    names = [name for name in settings.names if name.strip()]  # an unset variable of a shell is blank
    if not names:
        click.echo("\n".join(_topics(style)))
    for number, name in enumerate(names):
        if "://" in name:
            from urlset.workflows.explain import explain_url

            found = explain_url(Path(settings.state), name, Path(settings.lock))
            if not found:
                unknown = f"{name} is unknown to the builds, audits and crawls in {settings.state}"
                raise click.UsageError(f"{unknown}; set --state DIR to the state folder")
            click.echo("\n".join(printable(line) for line in found))
            continue
        rule = find(name)
        lines = _page(rule, style) if rule is not None else _explained(name, style)
        click.echo("\n".join([*([""] if number else []), *lines]))
    return OK


def _explained(name: str, style: Style) -> list[str]:
    """An element, an attribute, or a message of an engine."""
    from urlset.spec.topics import Topic
    from urlset.workflows.explain_topic import find_explained

    found = find_explained(name)
    if found is None:
        raise click.UsageError(f"unknown rule, element or message {printable(name)!r}; {_hint(name)}")
    if isinstance(found, Topic):
        return list(_topic(found, style))
    parts = [list(_message(each, style)) for each in found]
    return [line for number, part in enumerate(parts) for line in ([""] if number else []) + part]


def _hint(name: str) -> str:
    from difflib import get_close_matches

    from urlset.rules.catalogue import all_rules
    from urlset.workflows.explain_topic import similar

    known = [each.name for each in all_rules()] + [each.code for each in all_rules()]
    close = similar(name) or get_close_matches(name, known, n=1) or get_close_matches(name.upper(), known, n=1)
    return f"did you mean {close[0]!r}?" if close else "`urlset explain` lists topics, `urlset explain rules` rules"


def _topics(style: Style) -> Iterator[str]:
    from urlset.spec.engines import ENGINES
    from urlset.spec.report_messages import MESSAGES
    from urlset.spec.topics import topics

    yield style.bold("Elements and attributes")
    for subject in dict.fromkeys(topic.group for topic in topics()):
        names = [topic.name for topic in topics() if topic.group == subject]
        yield from _wrapped(f"{subject}: {', '.join(names)}", indent=2)
    for engine in dict.fromkeys(message.engine for message in MESSAGES):
        labels = (f"  {message.labels[0]}" for message in MESSAGES if message.engine == engine)
        yield from _part(f"Messages of {ENGINES[engine].title}'s sitemap report", labels, style)
    yield ""
    yield from _wrapped(
        'Rules: run `urlset explain rules`. A message needs quotes: `urlset explain "Couldn\'t fetch"`.'
    )


def _topic(topic: Topic, style: Style) -> Iterator[str]:
    from urlset.workflows.explain_topic import page_of

    page = page_of(topic)
    yield style.bold(topic.name)
    yield ""
    yield from _wrapped(topic.means)
    yield ""
    yield from _wrapped(f"Read by: {topic.readers}", indent=2)
    yield from _wrapped(f"Form: {topic.form}", indent=2)
    if topic.limits:
        yield from _wrapped(f"Limits: {'; '.join(topic.limits)}", indent=2)
    yield from ("", style.bold("Right"))
    yield from (f"  {printable(_cut(line))}" for text in page.right for line in text.splitlines())
    yield from ("", style.bold("Wrong"))
    for each in page.wrong:
        yield from (f"  {style.red(printable(_cut(line)))}" for line in each.text.splitlines())
        yield from _wrapped(f"{each.code}: {printable(each.message)}", indent=4)
    yield from _rules(page.rules, style)
    yield from _sources(topic.cites, style)


def _message(message: ReportMessage, style: Style) -> Iterator[str]:
    from urlset.spec.engines import ENGINES

    yield f"{style.bold(message.labels[0])} ({ENGINES[message.engine].title})"
    yield ""
    yield from _wrapped(message.means)
    yield ""
    yield from _wrapped(f"Confirm: {message.confirm}", indent=2)
    if message.repair:
        yield from _wrapped(f"Fix: {message.repair}", indent=2)
    if message.advice or not message.repair:
        yield from _wrapped(f"To do: {message.advice or 'correct what the rules below report'}", indent=2)
    if message.topics:
        named = [f'"{name}"' if " " in name else name for name in message.topics]
        yield from _wrapped(f"See: {', '.join(f'urlset explain {name}' for name in named)}", indent=2)
    yield from _rules(message.rules, style)
    yield from _sources(message.cites, style)


def _rules(codes: tuple[str, ...], style: Style) -> list[str]:
    from urlset.rules.catalogue import find

    rules = [rule for rule in map(find, codes) if rule is not None]
    lines = (line for it in rules for line in _wrapped(f"{it.code} {it.name}: {it.card.summary}", indent=2))
    return _part("Rules", lines, style)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


@command("explain-rules", epilog="Example:\n  urlset explain rules --select L,D --level error")
def rules(settings: RulesSettings) -> int:
    """List the rules: code, severity, name and summary.

    Give words to list only the rules that mention all of them.
    """
    from urlset.workflows.check_file import chosen_rules

    chosen = chosen_rules(settings)
    wanted = [
        rule
        for rule in chosen
        if (settings.level is None or rule.card.severity_for(settings.engines) == settings.level)
        and (not settings.fixable or rule.card.fixable)
        and all(word.lower() in f"{rule.code} {rule.name} {rule.card.summary}".lower() for word in settings.words)
    ]
    if settings.format == "json":
        click.echo(json_report("rules", rules=[rule.card for rule in wanted]))
        return OK
    style = Style.for_stream(sys.stdout)
    palettes = {"error": style.red, "warning": style.yellow, "info": style.cyan}
    name_width = max((len(rule.name) for rule in wanted), default=0)
    for rule in wanted:
        level = str(rule.card.severity_for(settings.engines))
        mark = "fix" if rule.card.fixable else "   "
        click.echo(
            f"{style.bold(rule.code)}  {palettes[level](f'{level:7}')}  {rule.name:{name_width}}  {style.dim(mark)}  "
            f"{rule.card.summary}"
        )
    engines = ", ".join(settings.engines)
    if not wanted:
        complain("no rule matches; `urlset explain rules` lists all rules")
        return NOTHING
    note(f"\n{amount(len(wanted), 'rule')} for {engines}; run `urlset explain CODE` for details")
    return OK


explain.add_command(rules)


def _page(rule: AnyRule, style: Style) -> Iterator[str]:
    card = rule.card
    yield f"{style.bold(card.code)} {style.bold(card.name)}"
    yield ""
    yield from _wrapped(card.summary)
    if card.rationale:
        yield ""
        yield from _wrapped(card.rationale)
    yield ""
    for severity in dict.fromkeys(card.severities.values()):
        engines = [engine for engine, level in card.severities.items() if level == severity]
        yield from _wrapped(f"{severity} for {', '.join(engines)}", indent=2)
    if rule.needs:
        yield from _wrapped(f"skipped if: {rule.needs}", indent=2)
    from urlset.checking.live_page import LIVE

    for title, palette, examples in (("Wrong", style.red, rule.bad), ("Right", style.green, rule.good)):
        shown = [list(_shown(example, palette)) for example in examples]
        if rule.on in LIVE:
            more = len(shown) - _TRANSCRIPTS
            # of a transcript, requests are in bold, answers in the color of the example
            inks = {"  > ": style.bold, "  < ": palette, "  ! ": palette}
            shown = [[*(inks.get(line[:4], str)(line) for line in lines), ""] for lines in shown[:_TRANSCRIPTS]]
            shown[-1][-1:] = ["", f"  ({more} more in docs/rules/{rule.card.family}.md)"] if more > 0 else []
        yield from _part(title, (line for lines in shown for line in lines), style)
    fixed = (bad.fixed for bad in rule.bad if bad.fixed is not None)
    yield from _part("Fixed", (f"  {printable(line)}" for text in fixed for line in text.splitlines() or [""]), style)
    yield from _sources(card.cites, style)


def _sources(keys: tuple[str, ...], style: Style) -> list[str]:
    from urlset.spec.citations import cited

    found = (f"{it.document}: {it.url or it.section}" for it in map(cited, keys))
    return _part("Sources", (line for text in found for line in _wrapped(text, indent=2)), style)


def _shown(example: Bad | Good, palette: Callable[[str], str]) -> Iterator[str]:
    if example.title:
        yield f"  ({example.title})"
        return
    if example.at:
        yield f"  (in {example.at})"
    texts = list(example.files.items()) or [("", example.text or repr(example.data)[2:-1])]
    for name, text in texts:
        if name:
            yield f"  {name}:"
        for line in text.strip("\n").splitlines()[:_LONGEST]:
            yield f"  {_marked(printable(line[:400]), palette)}".rstrip()


def _marked(line: str, palette: Callable[[str], str]) -> str:
    """The marks become colour, or stay as «marks» where there is none."""
    parts = line.split("«")
    coloured = [parts[0]]
    for part in parts[1:]:
        fault, closed, rest = part.partition("»")
        shown = palette(fault)
        coloured.append((shown if shown != fault else f"«{fault}»" if closed else f"«{fault}") + rest)
    return "".join(coloured)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """To the width of the terminal."""
    room = max(40, min(columns(_WIDTH), _WIDTH))
    return wrapped(text, room, " " * indent, " " * (indent + 2 if indent else 0))


def _part(title: str, lines: Iterable[str], style: Style) -> list[str]:
    """With an empty line before it; nothing without lines."""
    body = list(lines)
    return ["", style.bold(title), *body] if body else []
