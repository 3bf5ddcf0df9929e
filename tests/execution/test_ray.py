"""A check and an audit on a Ray cluster of two nodes → the result of one process, though parts of it are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.servers.process import SiteProcess
from tests.workflows.audit.test_sites import FACTORY as HOSTS
from tests.workflows.ls.test_spread import index, urlset
from urlset.execution import executor as executors
from urlset.execution.executor import executor_on
from urlset.execution.workers import Where, Workers
from urlset.reports.audit_data import audit_json
from urlset.reports.format import ReportOptions, reporter
from urlset.settings.audit import AuditSettings
from urlset.settings.check import CheckSettings
from urlset.testing.exchange import gaps
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited
from urlset.workflows.check import check

pytestmark = [pytest.mark.slow, pytest.mark.network]
ON_RAY = Workers(Where.RAY, 2)
CHILDREN = 12
DELAY = 0.05


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray")
    import ray
    from ray.cluster_utils import Cluster

    paths = os.pathsep.join([str(Path(__file__).parents[2]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", PYTHONPATH=paths)
    made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.second = made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def double_or_die(task: tuple[int, str]) -> int:
    number, memory = task
    if memory == "always" or (memory and not Path(memory).exists()):
        if memory != "always":
            Path(memory).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def results(tasks: list[tuple[int, str]]) -> dict[tuple[int, str], object]:
    with executor_on(ON_RAY, double_or_die, failed=lambda _task, reason: reason) as executor:
        for task in tasks:
            executor.submit(task)
        return dict(executor.finished())


@pytest.mark.usefixtures("cluster")
def test_killed_workers_cost_time_only_and_poison_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "TRIES", 2)
    fine = [(number, str(tmp_path / "died") if number == 3 else "") for number in range(6)]
    found = results([*fine, (7, "always")])
    assert str(found.pop((7, "always"))).startswith("the worker was lost on every attempt")
    assert found == {task: 2 * task[0] for task in fine}


@pytest.mark.usefixtures("cluster")
def test_an_audit_of_two_hosts_on_ray_is_that_of_one_process(tmp_path: Path) -> None:
    hosts = ("127.0.0.1", "127.0.0.2")

    def report(name: str, **workers: Any) -> str:
        opened = frozenset(f"{host}:{site.port}" for host in hosts)
        web = WebOptions(private_hosts=opened, delay=DELAY)
        options = AuditSettings(target=site.url("/sitemap.xml"), state=tmp_path / name, web=web, **workers)
        with audited(options) as run:
            found = msgspec.json.decode("".join(audit_json(run.report, ReportOptions())))
        found["speeds"] = []
        for page in found["pages"]:
            page["seconds"] = page["first_byte"] = 0
        return repr(found)

    with SiteProcess(HOSTS, addresses=hosts, count=20, names=hosts) as site:
        here = report("here", executor=Where.LOCAL)
        before = len(site.log)
        assert report("there", executor=Where.RAY, jobs=2) == here
        for host in hosts:
            assert min(gaps([each for each in site.log[before:] if each.host == host])) >= DELAY


def test_three_executors_and_a_lost_node_give_one_verdict(cluster: Any, tmp_path: Path) -> None:
    names = [f"{number}.xml" for number in range(CHILDREN)]
    (tmp_path / "sitemap.xml").write_bytes(index(*names, "missing.xml"))
    for number, name in enumerate(names):
        (tmp_path / name).write_bytes(urlset(f"p{number}", "shared", "a b"))
    seen: list[int] = []

    def lose_a_node(done: int, known: int) -> None:
        del known
        if done > 3 and not seen:
            seen.append(done)
            cluster.remove_node(cluster.second)

    def report(workers: Workers, **more: Any) -> str:
        now = datetime(2026, 11, 16, tzinfo=UTC)
        verdict = check([tmp_path / "sitemap.xml"], CheckSettings(root=tmp_path, now=now), workers=workers, **more)
        return "".join(reporter("json")(verdict, ReportOptions()))

    here = report(Workers(Where.LOCAL))
    assert here.count('"L021"') > CHILDREN - 1
    assert report(Workers(Where.PROCESS, 2)) == here
    assert report(ON_RAY, progress=lose_a_node) == here
    assert seen
