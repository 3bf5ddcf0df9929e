"""One XML file → nothing: the bare ElementTree.iterparse that checks are measured by.

python -m bench.parse FILE
"""

from __future__ import annotations

import sys
from xml.etree.ElementTree import iterparse

ENTRIES = ("}url", "}sitemap", "item", "}entry")

if __name__ == "__main__":
    for _, element in iterparse(sys.argv[1]):
        if element.tag.endswith(ENTRIES):
            element.clear()
