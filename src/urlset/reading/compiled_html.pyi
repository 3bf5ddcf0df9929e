class PlainPage:
    language: str | None
    title: str | None
    base: dict[str, str | None] | None
    metas: list[dict[str, str | None]]
    links: list[tuple[dict[str, str | None], bool]]
    scripts: list[str]
    anchors: list[tuple[str, str]]
    images: list[tuple[dict[str, str | None], int]]
    dated: list[tuple[str, dict[str, str | None], int, bool]]
    containers: list[tuple[str, dict[str, str | None], int, bool]]
    ranges: list[tuple[int, int]]
    heading: int
    blocks: tuple[str, ...]
    counts: list[int]
    """the words of each block"""

def scan(data: bytes, *, links: bool, images: bool, text: bool) -> PlainPage | None: ...
