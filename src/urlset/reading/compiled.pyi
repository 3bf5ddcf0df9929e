from array import array
from collections.abc import Callable
from typing import Any

from urlset.model.columns import Columns, Edits
from urlset.model.entry import Element, Media
from urlset.model.trouble import Troubles

class CompiledScanner:
    @property
    def rows(self) -> int: ...
    def __init__(
        self,
        data: bytes,
        own: bytes,
        row: bytes,
        prefixes: tuple[bytes, ...],
        meaning: Callable[[bytes], int] | None = None,
        feed: tuple[bytes, bytes, tuple[tuple[bytes, int], ...], bytes] | None = None,
    ) -> None: ...
    def start_over(self, data: bytes) -> None: ...
    def run(self, at: int, columns: Columns, troubles: Troubles) -> int: ...
    def fill(self, texts: list[str | None], field: int, columns: Columns) -> None: ...
    def loc(self, row: int, columns: Columns) -> str | None: ...
    def all_differ(self, columns: Columns) -> bool: ...
    def counts(self, field: int) -> dict[str | None, int] | None: ...

class Salvager:
    def __init__(
        self,
        data: bytes,
        own: bytes,
        row: bytes,
        prefixes: tuple[bytes, ...],
        meaning: Callable[[bytes], int] | None,
        root: bytes,
    ) -> None: ...
    def salvage(self, at: int, columns: Columns, troubles: Troubles, fault: int) -> int: ...

class MediaReader:
    def __init__(self, data: bytes, own: bytes, prefixes: tuple[bytes, ...], kinds: bytes) -> None: ...
    def read(self, start: int, end: int) -> Media | None: ...

class ElementReader:
    def __init__(self, data: bytes, own: bytes, prefixes: tuple[bytes, ...], uris: tuple[str, ...]) -> None: ...
    def read(self, start: int, end: int) -> Element | None: ...
    def read_repaired(self, text: bytes, origin: int, edits: Edits) -> Element | None: ...

class MediaJudge:
    complete: bool
    hosts: dict[bytes, int]
    repeated: set[str]
    def __init__(
        self,
        data: bytes,
        own: bytes,
        prefixes: tuple[bytes, ...],
        kinds: bytes,
        media: tuple[object, object, object],
        tests: tuple[type[object], Callable[[str], bool]],
        everything: int,
        meaning: Callable[[bytes], int],
    ) -> None: ...
    def signals(self, columns: Columns, links: dict[int, Any]) -> array[int]: ...

def hash_parts(locs: list[str | None], parts: int) -> tuple[array[int], array[int]]: ...
def counted(texts: list[str | None]) -> dict[str | None, int]: ...
def shared(rows: array[int], starts: array[int]) -> array[int]: ...
