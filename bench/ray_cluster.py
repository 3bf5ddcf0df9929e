"""A Ray cluster of two simulated nodes on this machine, until standard input ends; prints its address."""

from __future__ import annotations

import os
import sys
from typing import Any


def main() -> int:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    print(made.address, flush=True)
    sys.stdin.read()
    made.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
