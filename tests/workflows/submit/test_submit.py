"""Submissions against engines on loopback: what is sent, what is not, and what every answer becomes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.servers.engines import BAIDU_TOKEN, cut_connection, error
from tests.workflows.submit.engine_sites import Stage
from urlset.cli.main import cli
from urlset.testing.exchange import PageAnswer, Reply
from urlset.workflows.demo.fake_engines import BING_KEY, TOKEN, YANDEX_TOKEN, answer_json

KEY = "0123456789abcdef0123456789abcdef"
SITEMAP_ENGINES = "google,bing,yandex"
EVERYONE = "google,bing,yandex,indexnow,baidu"


def statuses(stage: Stage, *arguments: str) -> tuple[list[str], int]:
    receipts, code = stage.receipts(*arguments)
    return [receipt["status"] for receipt in receipts], code


def test_sitemaps_are_submitted_once_per_change(stage: Stage) -> None:
    stage.serve(range(3))
    assert statuses(stage, "--to", SITEMAP_ENGINES)[0][:3] == ["accepted"] * 3
    sent = len(stage.engines.log)
    assert statuses(stage, "--to", "google,yandex") == (["nothing-to-do"] * 2, 0)
    assert len(stage.engines.log) == sent, "an unchanged sitemap costs no request"
    stage.serve(range(4))
    assert statuses(stage, "--to", "google")[0] == ["accepted"]
    assert len(stage.engines.calls("PUT")) == 2
    assert stage.engines.yandex.added == [stage.sitemap]


def test_the_first_run_sends_no_url_and_later_runs_send_proven_changes(stage: Stage) -> None:
    stage.serve_key(KEY)
    stage.serve(range(10))
    assert statuses(stage, "--to", "indexnow") == (["nothing-to-do"], 0)
    assert stage.engines.indexnow.urls == []
    stage.serve(range(2, 12), changed=[5])
    receipts, code = stage.receipts("--to", "indexnow")
    assert code == 0
    assert (receipts[0]["status"], receipts[0]["sent"], receipts[0]["accepted"]) == ("accepted", 5, 5)
    assert sorted(stage.engines.indexnow.urls) == sorted(map(stage.page, [0, 1, 5, 10, 11]))
    assert statuses(stage, "--to", "indexnow") == (["nothing-to-do"], 0)
    assert len(stage.engines.indexnow.batches) == 1


def test_all_sends_the_whole_set_in_batches_of_ten_thousand(stage: Stage) -> None:
    stage.serve_key(KEY)
    stage.serve(range(10_001))
    receipts, _ = stage.receipts("--to", "indexnow", "--all")
    assert receipts[0]["accepted"] == 10_001
    assert [len(batch) for batch in stage.engines.indexnow.batches] == [10_000, 1]


def test_bing_gets_urls_within_its_quota_and_the_rest_later(stage: Stage) -> None:
    stage.serve([])
    stage.receipts("--to", "bing")
    stage.serve(range(1_200))
    stage.receipts("--to", "bing")
    stage.engines.bing.daily = 700
    stage.serve(range(2_400))
    receipts, code = stage.receipts("--to", "bing")
    assert receipts[-1]["status"] == "postponed"
    assert receipts[-1]["accepted"] == 700
    assert code == 2
    assert max(map(len, stage.engines.bing.batches)) == 500
    stage.engines.bing.daily = 10_000
    receipts, code = stage.receipts("--to", "bing")
    assert (receipts[-1]["accepted"], code) == (500, 0)
    assert sorted(stage.engines.bing.urls) == sorted(map(stage.page, range(2_400)))


def test_half_a_batch_accepted_by_baidu_is_counted_as_half(stage: Stage) -> None:
    stage.serve([1])
    stage.receipts("--to", "baidu")
    stage.serve([1, 2, 3])
    answer = {"remain": 5, "success": 1, "not_same_site": [], "not_valid": [stage.page(3)]}
    stage.engines.plant("/baidu", answer_json(answer))
    receipts, _ = stage.receipts("--to", "baidu")
    assert (receipts[0]["status"], receipts[0]["sent"], receipts[0]["accepted"]) == ("accepted", 2, 1)


FAULTS: list[tuple[str, str, Reply, str, int]] = [
    ("google", "PUT", error(401, "Request had invalid authentication credentials."), "refused", 1),
    ("google", "PUT", error(403, "User does not have sufficient permission.", "forbidden"), "refused", 1),
    ("google", "PUT", error(403, "quota exceeded", "quotaExceeded"), "postponed", 2),
    ("google", "PUT", error(404, "not found", "notFound"), "refused", 1),
    ("google", "PUT", error(429, "Quota exceeded.", "rateLimitExceeded"), "postponed", 2),
    ("google", "POST /token", answer_json({"error": "invalid_grant"}, 400), "refused", 1),
    ("bing", "SubmitFeed", answer_json({"ErrorCode": 3, "Message": "ERROR!!! InvalidApiKey"}, 400), "refused", 1),
    ("bing", "SubmitFeed", answer_json({"ErrorCode": 4, "Message": "ERROR!!! ThrottleUser"}, 400), "postponed", 2),
    ("bing", "SubmitFeed", PageAnswer(429, ""), "postponed", 2),
    ("yandex", "user-added", answer_json({"error_code": "INVALID_OAUTH_TOKEN"}, 403), "refused", 1),
    ("yandex", "user-added", PageAnswer(429, ""), "postponed", 2),
]


@pytest.mark.parametrize(("engine", "where", "reply", "status", "code"), FAULTS)
def test_an_answer_becomes_a_status_and_an_exit_code(
    stage: Stage, engine: str, where: str, reply: Reply, status: str, code: int
) -> None:
    stage.serve([1])
    stage.engines.plant(where, reply)
    receipts, exit_code = stage.receipts("--to", engine)
    assert (receipts[0]["status"], exit_code) == (status, code)
    assert receipts[0]["message"]
    assert receipts[0]["accepted"] == 0
    assert stage.receipts("--to", engine)[0][0]["status"] == "accepted", "the next run tries again"


@pytest.mark.parametrize("fault", [PageAnswer(500, ""), PageAnswer(503, "", {"Retry-After": "0"}), cut_connection()])
def test_a_fault_that_passes_is_tried_again(stage: Stage, fault: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.workflows.submit.Api", quick_api())
    stage.serve([1])
    stage.engines.plant("PUT", fault, fault)
    assert statuses(stage, "--to", "google") == (["accepted"], 0)
    assert len(stage.engines.calls("PUT")) == 3


def test_a_fault_that_lasts_is_unreachable(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.workflows.submit.Api", quick_api())
    stage.serve([1])
    stage.engines.plant("PUT", *[PageAnswer(500, "")] * 4)
    assert statuses(stage, "--to", "google") == (["unreachable"], 2)


def quick_api() -> type:
    from urlset.web.api import Api

    class QuickApi(Api):
        def __init__(self) -> None:
            super().__init__(backoff=0.0)

    return QuickApi


@pytest.mark.parametrize(
    ("status", "expected", "code"),
    [(400, "refused", 1), (403, "refused", 1), (422, "refused", 1), (429, "postponed", 2)],
)
def test_indexnow_answers(stage: Stage, status: int, expected: str, code: int) -> None:
    stage.serve_key(KEY)
    stage.serve([1])
    stage.receipts("--to", "indexnow")
    stage.serve([1, 2])
    stage.engines.plant("/indexnow", PageAnswer(status, ""))
    receipts, exit_code = stage.receipts("--to", "indexnow")
    assert (receipts[0]["status"], exit_code) == (expected, code)
    assert stage.receipts("--to", "indexnow")[0][0]["accepted"] == 1


@pytest.mark.parametrize(("content", "status"), [("another", 200), ("", 404)])
def test_a_key_file_that_is_not_in_place_stops_indexnow(stage: Stage, content: str, status: int) -> None:
    stage.environment["URLSET_INDEXNOW_KEY"] = KEY
    stage.site.routes[f"/{KEY}.txt"] = PageAnswer(status, content, type="text/plain")
    stage.serve([1])
    stage.receipts("--to", "indexnow")
    stage.serve([1, 2])
    receipts, code = stage.receipts("--to", "indexnow")
    assert (receipts[0]["status"], code) == ("refused", 1)
    assert KEY in receipts[0]["message"]
    assert stage.engines.indexnow.batches == []


def test_a_key_file_below_the_root_counts_for_its_folder_only(stage: Stage) -> None:
    stage.environment["URLSET_INDEXNOW_KEY"] = KEY
    stage.site.routes[f"/shop/{KEY}.txt"] = KEY
    stage.serve([1])
    stage.receipts("--to", "indexnow")
    stage.serve([1, 2])
    receipts, _ = stage.receipts("--to", "indexnow", "--key-location", stage.site.url(f"/shop/{KEY}.txt"))
    assert receipts[0]["status"] == "refused"
    assert "root" in receipts[0]["message"]


def test_a_bad_key_is_refused_before_anything_is_sent(stage: Stage) -> None:
    stage.environment["URLSET_INDEXNOW_KEY"] = "abc"
    stage.serve([1])
    stage.receipts("--to", "indexnow")
    stage.serve([1, 2])
    receipts, _ = stage.receipts("--to", "indexnow")
    assert (receipts[0]["status"], len(stage.engines.indexnow.batches)) == ("refused", 0)


def test_a_generated_key_is_kept_and_named(stage: Stage) -> None:
    stage.serve([1])
    receipts, _ = stage.receipts("--to", "indexnow")
    key = receipts[0]["message"].rpartition(" ")[2]
    assert len(key) == 32
    stage.site.routes[f"/{key}.txt"] = f"{key}\n"
    stage.serve([1, 2])
    assert statuses(stage, "--to", "indexnow") == (["accepted"], 0)


def test_a_sitemap_that_answers_404_is_not_submitted(stage: Stage) -> None:
    receipts, code = stage.receipts("--to", "google,indexnow")
    assert [receipt["status"] for receipt in receipts] == ["not-live", "not-live"]
    assert code == 1
    assert stage.engines.log == []


def test_a_sitemap_that_this_machine_cannot_reach_is_unknown_not_wrong(stage: Stage) -> None:
    stage.sitemap = "http://127.0.0.1:9/sitemap.xml"
    stage.engines.google.properties["http://127.0.0.1:9/"] = "siteOwner"
    receipts, code = stage.receipts("--to", "google")
    assert (receipts[0]["status"], code) == ("accepted", 0)
    assert "not verified" in receipts[0]["message"]
    assert statuses(stage, "--to", "google") == (["nothing-to-do"], 0)


def test_an_index_with_an_unreadable_child_proves_no_removal(stage: Stage) -> None:
    stage.serve_key(KEY)
    names = [stage.site.url(f"/{name}.xml") for name in ("a", "b")]
    entries = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
    index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'
    for name in ("a", "b"):
        stage.serve([ord(name)])
        stage.site.routes[f"/{name}.xml"] = stage.site.routes["/sitemap.xml"]
    stage.site.routes["/sitemap.xml"] = index
    stage.receipts("--to", "indexnow")
    stage.site.routes["/b.xml"] = PageAnswer(503, "")
    receipts, _ = stage.receipts("--to", "indexnow")
    assert receipts[0]["status"] == "not-live"
    assert stage.engines.indexnow.batches == []


OTHER = "https://other.example/"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no verified Search Console property of this account contains"),
        (("--property", OTHER), f"the property {OTHER} does not contain"),
        (("--property", "sc-domain:missing.example"), "is not a verified Search Console property of this account"),
        (("--property", "UNVERIFIED"), f"(verified: {OTHER})"),
        (("--dry-run", "--property", OTHER), f"the property {OTHER} does not contain"),
    ],
)
def test_without_a_property_for_the_sitemap_nothing_is_sent(
    stage: Stage, arguments: tuple[str, ...], said: str
) -> None:
    stage.serve([1])
    own = f"{stage.site.origin}/"
    stage.engines.google.properties = {OTHER: "siteOwner", own: "siteUnverifiedUser"}
    receipts, code = stage.receipts("--to", "google", *(each.replace("UNVERIFIED", own) for each in arguments))
    assert (receipts[0]["status"], receipts[0]["sent"], code) == ("refused", 0, 1)
    assert receipts[0]["message"].startswith("nothing was sent: ")
    assert said in receipts[0]["message"]
    assert [request.method for request in stage.engines.log if "/sitemaps/" in request.target] == []


@pytest.mark.parametrize("name", ["ping", "bing-ping", "indexing-api"])
def test_retired_channels_are_explained_and_never_called(stage: Stage, name: str) -> None:
    result = stage.run("--to", name)
    assert result.exception is not None
    for part in ("since 20", "--to"):
        assert part in str(result.exception)
    assert stage.engines.log == []


def test_a_dry_run_prints_what_would_be_sent_and_changes_nothing(stage: Stage) -> None:
    stage.serve_key(KEY)
    stage.serve([1])
    stage.receipts("--to", EVERYONE)
    stage.serve([1, 2])
    before = {path: path.read_bytes() for path in stage.state.iterdir()}
    result = stage.run("--to", EVERYONE, "--dry-run", "--format", "json")
    body = json.loads(result.stdout)
    assert {receipt["status"] for receipt in body["receipts"]} == {"dry-run"}
    methods = [(request["method"], request["url"].partition("?")[0].rpartition("/")[2]) for request in body["requests"]]
    assert [method for method, _ in methods] == ["PUT", "POST", "POST", "POST", "POST"]
    posted = next(request for request in body["requests"] if request["url"].endswith("/indexnow"))
    assert posted["body"]["urlList"] == [stage.page(2)]
    assert stage.engines.indexnow.batches == []
    assert {path: path.read_bytes() for path in stage.state.iterdir()} == before
    receipts, _ = stage.receipts("--to", "indexnow")
    assert receipts[0]["accepted"] == 1
    assert json.loads(stage.engines.calls("POST /indexnow")[0].body) == posted["body"]


def test_secrets_are_found_nowhere(stage: Stage, tmp_path: Path) -> None:
    stage.serve([1])
    stage.engines.plant("SubmitFeed", answer_json({"ErrorCode": 7, "Message": f"bad {BING_KEY}"}, 400))
    stage.engines.plant("PUT", error(400, f"bad {TOKEN}"))
    shown = "".join(
        stage.run("--to", EVERYONE, *more).output for more in ((), ("--dry-run",), ("--format", "json"), ("--dry-run",))
    )
    private = json.loads((tmp_path / "service-account.json").read_text(encoding="utf-8"))["private_key"]
    kept = b"".join(path.read_bytes() for path in stage.state.rglob("*") if path.is_file())
    for secret in (BING_KEY, YANDEX_TOKEN, BAIDU_TOKEN, TOKEN, private.splitlines()[1]):
        assert secret not in shown
        assert secret.encode() not in kept
    assert (stage.state / "engines.sqlite").stat().st_mode & 0o777 == 0o600


def test_missing_credentials_are_named(stage: Stage) -> None:
    stage.serve([1])
    for name in ("URLSET_BING_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "URLSET_YANDEX_TOKEN"):
        stage.environment[name] = ""
    stage.environment["URLSET_CONFIG_HOME"] = str(stage.folder)
    receipts, code = stage.receipts("--to", SITEMAP_ENGINES)
    reported = " ".join(receipt["message"] for receipt in receipts)
    assert code == 1
    for part in (
        "GOOGLE_APPLICATION_CREDENTIALS",
        "urlset engines login google",
        "URLSET_BING_KEY",
        "URLSET_YANDEX_TOKEN",
    ):
        assert part in reported


def test_a_built_set_is_submitted_only_when_it_is_live(stage: Stage, tmp_path: Path) -> None:
    """`build` publishes to a folder; the deployment to the site comes later."""
    out, state = tmp_path / "public", stage.state
    rows = tmp_path / "rows.txt"
    rows.write_text(f"{stage.page(1)}\n{stage.page(2)}\n", encoding="utf-8")
    given = ["build", str(rows), "--out", str(out), "--base-url", f"{stage.site.origin}/", "--state", str(state)]
    built = CliRunner().invoke(cli, given, standalone_mode=False)
    assert built.exception is None, built.output
    stage.serve([1])
    assert statuses(stage, "--to", "google") == (["not-live"], 1)
    assert statuses(stage, "--to", "google", "--only-if-published") == (["nothing-to-do"], 0)
    assert stage.engines.log == []
    stage.site.routes["/sitemap.xml"] = (out / "sitemap.xml").read_bytes()
    assert statuses(stage, "--to", "google", "--only-if-published") == (["accepted"], 0)


def test_build_writes_the_key_file(stage: Stage, tmp_path: Path) -> None:
    out, rows = tmp_path / "public", tmp_path / "rows.txt"
    rows.write_text(f"{stage.page(1)}\n", encoding="utf-8")
    given = ["build", str(rows), "--out", str(out), "--base-url", f"{stage.site.origin}/", "--state", str(stage.state)]
    built = CliRunner().invoke(cli, [*given, "--indexnow-key", KEY], standalone_mode=False)
    assert built.exception is None, built.output
    assert (out / f"{KEY}.txt").read_text(encoding="utf-8") == KEY
    refused = CliRunner().invoke(cli, [*given, "--indexnow-key", "short"], standalone_mode=False)
    assert "8 to 128" in str(refused.exception)
