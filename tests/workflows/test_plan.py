"""A number of URLs → a set of sitemaps and its cost; numbers agree with each other for any count."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.settings.plan import PlanSettings
from urlset.spec.protocol import MAX_BYTES
from urlset.workflows.plan import RUNS, MeasuredRun, SetPlan, cost_model, index_names, plan, shard_digits


def planned(urls: int | str, **more: int) -> SetPlan:
    return plan(PlanSettings(urls=str(urls), **more))  # type: ignore[arg-type]  # numbers only


@given(urls=st.integers(1, 10**13))
def test_numbers_agree(urls: int) -> None:
    found = planned(urls)
    assert (found.urls, found.files) == (urls, ceil(urls / 50_000))
    assert found.indexes == len(found.robots_lines) == ceil(found.files / 50_000)
    assert found.bytes > urls * found.url_bytes
    assert 0 < found.gzip_bytes < found.bytes
    assert found.memory_bytes >= found.worker_bytes * found.workers
    assert found.cpu_seconds > 0


@given(urls=st.integers(1, 10**12), more=st.integers(1, 10**12))
def test_more_urls_never_cost_less(urls: int, more: int) -> None:
    less, most = planned(urls), planned(urls + more)
    for name in ("files", "indexes", "bytes", "gzip_bytes", "memory_bytes", "cpu_seconds", "disk_bytes"):
        assert getattr(less, name) <= getattr(most, name), name


@pytest.mark.parametrize(
    ("text", "urls"),
    [("2.5e9", 2_500_000_000), ("26M", 26_000_000), ("1_000", 1000), ("50,001", 50_001), ("2b", 2 * 10**9)],
)
def test_counts_are_read_as_people_write_them(text: str, urls: int) -> None:
    assert planned(text).urls == urls


def test_large_entries_need_more_files() -> None:
    found = planned(1_000_000, languages=40)
    assert found.per_file < 50_000
    assert found.per_file * found.url_bytes <= MAX_BYTES
    assert found.files == ceil(1_000_000 / found.per_file)


def test_the_ceiling_of_one_index() -> None:
    assert planned("2.5e9").indexes == 1
    found = planned(2_500_000_001)
    assert found.index_names == ("sitemap.xml", "sitemap.2.xml")
    assert index_names(150_000)[-1] == "sitemap.3.xml"


@given(files=st.integers(1, 5000))
def test_digits_are_counted(files: int) -> None:
    assert shard_digits(files) == sum(len(str(number)) for number in range(1, files + 1))


def test_the_model_is_fitted_and_states_its_error() -> None:
    runs = tuple(
        MeasuredRun("check", urls, files, 0.5 + 0.001 * files + 2e-6 * urls, 10**7 + 100 * files, 10**8)
        for urls, files in ((50_000, 1), (10_000, 50), (1_000_000, 20), (500_000, 500))
    )
    model = cost_model("check", runs)
    assert (model.start, model.per_file, model.per_url) == pytest.approx((0.5, 0.001, 2e-6))
    assert model.error == pytest.approx(0, abs=1e-9)
    assert model.held_out_error is None
    odd = (*runs, MeasuredRun("check", 10_000_000, 200, 30.0, 10**7, 10**8, held_out=True))
    assert cost_model("check", odd).held_out_error == pytest.approx(abs(20.7 / 30 - 1))


@pytest.mark.parametrize("command", ["build", "check"])
def test_every_command_of_a_plan_was_measured(command: str) -> None:
    largest = max((run for run in RUNS if run.command == command), key=lambda run: run.urls)
    assert largest.held_out
    assert largest.urls >= 100_000_000
    model = cost_model(command)
    assert model.held_out_error is not None
    assert model.held_out_error < 0.2
    assert model.error < 0.2
    assert model.driver_bytes(largest.urls, largest.files) < 400_000_000


def test_the_driver_limits_what_more_workers_can_do() -> None:
    model = cost_model("build")
    few, many, more = (model.wall_seconds(10**8, 2_223, workers) for workers in (1, 10, 1_000))
    assert few <= model.cpu_seconds(10**8, 2_223)
    assert many == more > 0
