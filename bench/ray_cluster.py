"""A Ray cluster of two simulated nodes on this machine, until standard input ends; prints its address.

Each line of standard input kills the second node with all its processes and adds a new one. The process number of its
raylet, the parent of its workers, is printed at the start and after each loss.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any


def main() -> int:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    node = _added(made)
    print(made.address, flush=True)
    print(_raylet(node), flush=True)
    for _ in sys.stdin:
        made.remove_node(node, allow_graceful=False)
        node = _added(made)
        print(_raylet(node), flush=True)
    made.shutdown()
    return 0


def _added(made: Any) -> Any:
    for _ in range(20):
        with suppress(Exception):  # Ray waits 30 seconds, too short on a machine with other work, and has no own class
            return made.add_node(num_cpus=1)
    raise TimeoutError


def _raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


if __name__ == "__main__":
    sys.exit(main())
