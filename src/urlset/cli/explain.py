"""`urlset explain`: one rule in full, the table of rules, or everything known about one page."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command, group
from urlset.cli.exit_codes import NOTHING, OK
from urlset.cli.output import json_report
from urlset.cli.terminal import Style, columns, complain, note, printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.settings.explain import ExplainSettings, RulesSettings


_WIDTH = 96
_LONGEST = 16
"""lines of an example that are shown"""
_TRANSCRIPTS = 2
"""examples of what servers answer that are shown of each kind: they are long"""


@group(
    "explain",
    epilog="""Examples:
  urlset explain L013
  urlset explain https://www.example.com/about
  urlset explain rules --select L,D""",
)
def explain(settings: ExplainSettings) -> int:
    """Explain a rule: rationale, affected engines, examples and sources.

    For a URL: why the last build listed or excluded it, and the evidence for its lastmod; where the last audit found
    it listed, how it answered, and what each engine will do; which pages of the last crawl link to it.
    """
    from urlset.rules.catalogue import all_rules, find

    style = Style.for_stream(sys.stdout)
    for number, name in enumerate(settings.names):
        if "://" in name:
            _explain_page(name, str(settings.state))
            continue
        rule = find(name)
        if rule is None:
            from difflib import get_close_matches

            known = [each.name for each in all_rules()] + [each.code for each in all_rules()]
            close = get_close_matches(name, known, n=1) or get_close_matches(name.upper(), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else "`urlset explain rules` lists them"
            raise click.UsageError(f"unknown rule {name!r}; {hint}")
        click.echo("\n".join([*([""] if number else []), *_page(rule, style)]))
    return OK


@command("explain-rules", epilog="Example:\n  urlset explain rules --select L,D --level error")
def rules(settings: RulesSettings) -> int:
    """List the rules: code, severity, name and summary.

    Give words to list only the rules that mention all of them.
    """
    from urlset.checking.select import UnknownSelectorError
    from urlset.workflows.check_file import chosen_rules

    try:
        chosen = chosen_rules(settings)
    except UnknownSelectorError as error:
        raise click.UsageError(str(error)) from error
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


def _explain_page(url: str, state: str) -> None:
    from pathlib import Path

    from urlset.workflows.explain import explain_url
    from urlset.writing.sqlite_store import StateError

    try:
        lines = explain_url(Path(state), url)
    except StateError as error:
        raise click.ClickException(str(error)) from error
    if not lines:
        raise click.UsageError(
            f"{url} is unknown to the builds, audits and crawls in {state}; set --state DIR to the state folder"
        )
    click.echo("\n".join(printable(line) for line in lines))


def _page(rule: object, style: Style) -> Iterator[str]:
    from urlset.checking.declare import Rule
    from urlset.spec.citations import cited

    assert isinstance(rule, Rule)
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
    yield from _examples(rule, style)
    if card.cites:
        yield ""
        yield style.bold("Sources")
    for key in card.cites:
        citation = cited(key)
        yield from _wrapped(f"{citation.document}: {citation.url or citation.section}", indent=2)


def _examples(rule: object, style: Style) -> Iterator[str]:
    from urlset.checking.declare import Rule
    from urlset.checking.live_page import LIVE

    assert isinstance(rule, Rule)
    for title, palette, examples in (("Wrong", style.red, rule.bad), ("Right", style.green, rule.good)):
        shown = [list(_shown(example, palette)) for example in examples]
        if rule.on in LIVE:
            more = len(shown) - _TRANSCRIPTS
            shown = [[*(_describe(line, style, palette) for line in lines), ""] for lines in shown[:_TRANSCRIPTS]]
            shown[-1][-1:] = ["", f"  ({more} more in docs/rules/{rule.card.family}.md)"] if more > 0 else []
        if any(shown):
            yield ""
            yield style.bold(title)
            yield from (line for lines in shown for line in lines)
    fixed = [bad.fixed for bad in rule.bad if bad.fixed is not None]
    if fixed:
        yield ""
        yield style.bold("Fixed")
        for text in fixed:
            yield from (f"  {printable(line)}" for line in text.splitlines() or [""])


def _shown(example: object, palette: object) -> Iterator[str]:
    from urlset.checking.declare import Bad, Good

    assert isinstance(example, Bad | Good)
    assert callable(palette)
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


def _describe(line: str, style: Style, palette: object) -> str:
    """A line of a transcript: requests in bold, answers in the color of the example."""
    assert callable(palette)
    if line.startswith("  > "):
        return style.bold(line)
    return str(palette(line)) if line.startswith(("  < ", "  ! ")) else line


def _marked(line: str, palette: object) -> str:
    """The marks become colour, or stay as «marks» where there is none."""
    assert callable(palette)
    parts = line.split("«")
    coloured = [parts[0]]
    for part in parts[1:]:
        fault, closed, rest = part.partition("»")
        shown = palette(fault)
        coloured.append((shown if shown != fault else f"«{fault}»" if closed else f"«{fault}") + rest)
    return "".join(coloured)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """To the width of the terminal; a URL stays on one line."""
    return textwrap.wrap(
        text,
        max(40, min(columns(_WIDTH), _WIDTH)),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2 if indent else 0),
        break_long_words=False,
        break_on_hyphens=False,
    )
