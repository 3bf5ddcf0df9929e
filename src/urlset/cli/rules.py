"""`urlset rules`: the table of rules."""

from __future__ import annotations

import sys
from typing import Any

import click

from urlset.cli.exit_codes import NOTHING, OK
from urlset.cli.numbers import amount
from urlset.cli.settings_options import SEVERITIES, load_settings, rule_options
from urlset.cli.terminal import Style, complain


@click.command(epilog="Example: urlset rules --select L,D --severity error")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How to print.")  # fmt: skip
@click.option("--severity", type=click.Choice(SEVERITIES), help="Only rules of this severity under the chosen engines.")
@click.option("--fixable", is_flag=True, help="Only rules with a fix.")
@rule_options
def rules(words: tuple[str, ...], form: str, severity: str | None, fixable: bool, **given: Any) -> int:
    """List the rules: code, severity, name, and what each is about.

    WORDs narrow the list to rules that mention all of them.
    """
    from urlset.checking.select import UnknownSelectorError
    from urlset.workflows.check.task import chosen_rules

    profile, config_file = given.pop("profile"), given.pop("config_file")
    settings = load_settings(profile, config_file, given).settings
    try:
        chosen = chosen_rules(settings)
    except UnknownSelectorError as error:
        raise click.UsageError(str(error)) from error
    wanted = [
        rule
        for rule in chosen
        if (severity is None or rule.card.severity_for(settings.engines) == severity)
        and (not fixable or rule.card.fixable)
        and all(word.lower() in f"{rule.code} {rule.name} {rule.card.summary}".lower() for word in words)
    ]
    if form == "json":
        click.echo(_json([rule.card for rule in wanted]))
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
        complain("no rule is like that; `urlset rules` lists all of them")
        return NOTHING
    click.echo(f"\n{amount(len(wanted), 'rule')} for {engines}; `urlset explain CODE` tells more of one", err=True)
    return OK


def _json(cards: list[Any]) -> str:
    import msgspec

    from urlset.version import __version__

    table = {"schema": 1, "urlset": __version__, "command": "rules", "rules": cards}
    return msgspec.json.format(msgspec.json.encode(table), indent=2).decode()
