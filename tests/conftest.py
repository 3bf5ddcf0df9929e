"""Hypothesis profiles for every test: the same examples on each run by default, many fresh ones at night.

Choose with `HYPOTHESIS_PROFILE=nightly make test` or `--hypothesis-profile=nightly`.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    derandomize=True,
    max_examples=60,
    deadline=None,  # a busy machine is not a failing test
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    max_examples=3000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))
