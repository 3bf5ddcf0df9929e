from collections.abc import Callable, Collection, Iterable

def block_hashes(texts: Iterable[str], longest: int, otherwise: Callable[[str], int | None]) -> list[int | None]: ...
def weigh(
    texts: Iterable[str],
    frame: Collection[str],
    apart: Collection[int],
    longest: int,
    otherwise: Callable[[str], int | None],
    words_in: Callable[[str], int],
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...], tuple[str, ...], int]: ...
