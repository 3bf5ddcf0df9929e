"""`urlset rules`: the table of rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import NOTHING, OK
from urlset.cli.numbers import amount
from urlset.cli.output import json_report
from urlset.cli.terminal import Style, complain, note

if TYPE_CHECKING:
    from urlset.settings.explain import RulesSettings


@command("rules", epilog="Example:\n  urlset rules --select L,D --level error")
def rules(settings: RulesSettings) -> int:
    """List the rules: code, severity, name and summary.

    Give words to list only the rules that mention all of them.
    """
    from urlset.checking.select import UnknownSelectorError
    from urlset.workflows.check.task import chosen_rules

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
        complain("no rule matches; `urlset rules` lists all rules")
        return NOTHING
    note(f"\n{amount(len(wanted), 'rule')} for {engines}; run `urlset explain CODE` for details")
    return OK
