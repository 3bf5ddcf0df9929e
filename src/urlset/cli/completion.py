"""An option and the beginning of a word → what a shell offers: choices, rule codes, profiles, files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from click.shell_completion import CompletionItem

from urlset.settings.declare import Option


def completions(option: Option, incomplete: str) -> Iterator[CompletionItem]:
    """The last one of `a,b` is completed where a comma separates values."""
    before, comma, word = incomplete.rpartition(",") if option.opt.split else ("", "", incomplete)
    if option.opt.complete == "rules":
        yield from _starting(_rules(), word, before + comma)
    elif option.choices:
        yield from _starting(((choice, "") for choice in option.choices), word, before + comma)
    elif option.is_path or option.opt.positional or option.metavar.endswith("FILE"):
        yield CompletionItem(incomplete, type="dir" if option.metavar == "DIR" else "file")


def profiles(incomplete: str) -> Iterator[CompletionItem]:
    """Built-in ones and those of the nearest settings file."""
    from pathlib import Path

    from urlset.settings.convert import SettingsError
    from urlset.settings.files import SettingsFile, find_file
    from urlset.settings.load import PROFILES

    names = dict.fromkeys(PROFILES)
    try:
        found = find_file(Path.cwd())
        names |= dict.fromkeys(SettingsFile(found).profiles if found is not None else ())
    except SettingsError:
        pass  # a broken file is reported by the command, not by the shell
    yield from _starting(((name, "") for name in names), incomplete, "")


def _rules() -> Iterator[tuple[str, str]]:
    from urlset.rules.catalogue import all_rules

    for rule in all_rules():
        yield rule.code, rule.card.summary
        yield rule.name, rule.card.summary


def _starting(found: Iterable[tuple[str, str]], word: str, before: str) -> Iterator[CompletionItem]:
    for name, help_text in found:
        if name.lower().startswith(word.lower()):
            yield CompletionItem(before + name, help=help_text or None)
