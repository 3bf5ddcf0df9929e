"""Where the benchmarks keep what they make; everything lies below one git-ignored folder."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".bench"
SAMPLES = CACHE / "samples"
ENVIRONMENT = CACHE / "venv"
EXTRAS = CACHE / "fast"
RESULTS = CACHE / "results"
LOGS = CACHE / "logs"
NODE = CACHE / "node"
