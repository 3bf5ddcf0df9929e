"""Catalog codes that are not rules: tested behavior, planned work, or not implemented (with the reason)."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Handling(StrEnum):
    BEHAVIOUR = "behaviour"
    """the tool does this, or deliberately does not, and a test proves it"""
    LATER = "later"
    """needs live pages, an account, or history; planned with that feature"""
    NOT_DONE = "not done"


class NonRuleCode(msgspec.Struct, frozen=True):
    """One code and its status."""

    code: str
    how: Handling
    what: str
    """what the tool does, or why it does not"""
    test: str | None = None
    """for a behavior: the test that proves it, as file::name below tests/"""
