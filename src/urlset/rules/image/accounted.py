"""Image codes that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted("M007", How.LATER, "whether robots.txt keeps crawlers from an image is judged once rules are matched"),
    Accounted("M013", How.LATER, "status and type of an image are known once it is fetched"),
)
