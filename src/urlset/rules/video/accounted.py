"""Video codes that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted("V032", How.LATER, "whether a video, thumbnail or player can be crawled is known once it is asked for"),
    Accounted("V033", How.LATER, "size, type and transparency of a thumbnail are known once it is fetched"),
)
