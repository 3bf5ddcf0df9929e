from collections.abc import Callable, Sequence
from typing import Any

def text_buffers(values: Sequence[str | None], allocate: Callable[[int], Any]) -> tuple[Any, Any]: ...
