"""Catalogue codes that are not rules: a tested behaviour of the tool, live work still to come, or not done and why."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Handling(StrEnum):
    BEHAVIOUR = "behaviour"
    """the tool does it, or keeps from doing it, and a test shows so"""
    LATER = "later"
    """needs live pages, an account or a history; comes with that part"""
    NOT_DONE = "not done"


class NonRuleCode(msgspec.Struct, frozen=True):
    """One code and what became of it."""

    code: str
    how: Handling
    what: str
    """what the tool does, or the reason why it does not"""
    test: str | None = None
    """for a behaviour: the test that shows it, as file::name below tests/"""
