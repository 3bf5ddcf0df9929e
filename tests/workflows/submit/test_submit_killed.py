"""kill -9 in the middle of 50,000 URLs: every URL is sent, and none again once its batch was accepted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

from tests.workflows.submit.engine_sites import Stage
from urlset.testing.exchange import PageAnswer

KEY = "0123456789abcdef0123456789abcdef"
COUNT = 50_000
KILLS = 3


def test_a_killed_submission_goes_on_where_it_was(stage: Stage) -> None:
    stage.serve_key(KEY)
    stage.serve([])
    stage.receipts("--to", "indexnow")
    stage.serve(range(COUNT))
    engines = stage.engines
    for kill in range(1, KILLS + 1):
        # the batch after the next one is received and answered so late that the kill comes first
        engines.plant("POST /indexnow", *([PageAnswer(200, "")] if kill == 2 else []), PageAnswer(200, "", pause=30.0))
        process = subprocess.Popen(
            [sys.executable, "-m", "urlset", "submit", stage.sitemap, "--to", "indexnow", "--state", str(stage.state)],
            env={**os.environ, **stage.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        wanted = len(engines.calls("POST /indexnow")) + (2 if kill == 2 else 1)
        while len(engines.calls("POST /indexnow")) < wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    receipts, code = stage.receipts("--to", "indexnow")
    assert (receipts[0]["status"], code) == ("accepted", 0)
    posts = [json.loads(call.body)["urlList"] for call in engines.calls("POST /indexnow")]
    times = Counter(url for post in posts for url in post)
    assert set(times) == set(map(stage.page, range(COUNT)))
    # a batch is repeated only when the process died before its answer: three kills, three batches
    assert sum(count - 1 for count in times.values()) <= KILLS * 10_000
    assert stage.receipts("--to", "indexnow")[0][0]["status"] == "nothing-to-do"
    assert len(engines.calls("POST /indexnow")) == len(posts)
