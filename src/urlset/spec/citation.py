"""One source of a fact, and how much weight it carries."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Reading(StrEnum):
    """How the source was read, strongest first."""

    PRIMARY = "primary"  # the publisher's own page or file
    MIRROR = "mirror"  # a dated, faithful copy of the publisher's page
    SECONDARY = "secondary"  # someone else's report or partial copy
    TESTED = "tested"  # observed by running something
    KNOWLEDGE = "knowledge"  # general knowledge, not looked up again


class Citation(msgspec.Struct, frozen=True):
    """A document that a rule or a table entry leans on."""

    key: str
    document: str
    url: str
    says: str
    section: str = ""
    read_on: str = "2026-11-15"  # ISO date of the copy read, or of the reading when the copy has no date
    how: Reading = Reading.PRIMARY
