"""The engines' state of a folder → what was sent for one site, and what Google said about its pages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from urlset.reading.host_robots import origin_of
from urlset.submitting.store import FILE_NAME, EngineStore, ReceiptRecord
from urlset.writing.state_file import StateError

_RECEIPTS = 50


class EngineState(msgspec.Struct, frozen=True):
    receipts: tuple[ReceiptRecord, ...] = ()
    coverage: tuple[tuple[str, int], ...] = ()
    """Google's words for the state of a page → inspected pages"""
    inspected: int = 0
    newest: str = ""
    """the time of the last inspection"""
    problem: str = ""


def engine_state(state: Path, target: str) -> EngineState:
    if not (state / FILE_NAME).is_file():
        return EngineState()
    origin = origin_of(target) or target
    try:
        with EngineStore(state) as store:
            receipts = tuple(each for each in store.receipts(_RECEIPTS) if _is_of(each, origin))
            said: Counter[str] = Counter()
            newest = ""
            for record in store.inspections(origin):
                said[record.inspection.coverage or "no reason given"] += 1
                newest = max(newest, record.at)
    except StateError as error:
        return EngineState(problem=str(error))
    return EngineState(receipts, tuple(said.most_common()), sum(said.values()), newest)


def _is_of(receipt: ReceiptRecord, origin: str) -> bool:
    return receipt.target.startswith(origin) or receipt.target == origin.partition("://")[2]
