"""What became of one submission: accepted, refused, postponed, unreachable, or nothing to do."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Status(StrEnum):
    ACCEPTED = "accepted"
    NOTHING = "nothing-to-do"
    REFUSED = "refused"
    POSTPONED = "postponed"
    """a quota or rate limit: the next run continues"""
    UNREACHABLE = "unreachable"
    NOT_LIVE = "not-live"
    """the site does not serve the set that was to be submitted"""
    DRY_RUN = "dry-run"


class Receipt(msgspec.Struct, frozen=True):
    """One line of a submission's result; `sent` and `accepted` count sitemaps or URLs."""

    engine: str
    target: str
    status: Status
    sent: int = 0
    accepted: int = 0
    message: str = ""


class Refused(Exception):  # noqa: N818 - it names what happened
    """An engine's answer that ends a submission, already in plain words."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


def exit_code(receipts: tuple[Receipt, ...]) -> int:
    """0 accepted or nothing to do, 1 refused, 2 not reached or postponed."""
    statuses = {receipt.status for receipt in receipts}
    if statuses & {Status.REFUSED, Status.NOT_LIVE}:
        return 1
    return 2 if statuses & {Status.UNREACHABLE, Status.POSTPONED} else 0
