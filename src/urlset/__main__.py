"""`python -m urlset` → the same as the `urlset` command."""

from __future__ import annotations

import sys

from urlset.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
