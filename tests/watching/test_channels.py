"""Alerts → Slack, Teams, mail, a command, a webhook: the shape each expects, and nothing a site wrote is obeyed."""

from __future__ import annotations

import json
import socketserver
import sys
import threading
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from urlset.findings.card import Severity
from urlset.testing import PageAnswer, Request, Site
from urlset.watching.channels import Chat, CommandChannel, Mail, Stdout, Webhook, as_text, subject_line
from urlset.watching.tracker import Alert, AlertKind, Phase
from urlset.web.api import Mailbox

HOSTILE = "https://www.example.com/<!channel>*[x](http://evil.example)\r\nBcc: a@b.example\u202e\x1b[31m"


def alert(subject: str = HOSTILE, phase: Phase = Phase.PROBLEM, number: int = 1) -> Alert:
    return Alert(
        id=f"{number:032x}",
        site="https://www.example.com/",
        kind=AlertKind.SITEMAP_MISSING,
        phase=phase,
        severity=Severity.ERROR,
        subject=subject,
        message=f"{subject}: 404 Not Found",
        at="2026-11-20T06:00:00Z",
        since="2026-11-20T05:58:00Z",
        details={"urls_before": 12},
    )


class Receiver:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.status = 200

    def __call__(self, request: Request) -> PageAnswer:
        self.requests.append(request)
        return PageAnswer(self.status, "ok")


@pytest.fixture
def receiver() -> Iterator[tuple[Receiver, str]]:
    found = Receiver()
    with Site(found) as site:
        yield found, site.url("/hook")


def test_slack_gets_plain_text(receiver: tuple[Receiver, str]) -> None:
    found, url = receiver
    assert Chat("slack", url).send([alert(), alert(number=2)]) == ""
    body = json.loads(found.requests[0].body)
    assert set(body) == {"text", "blocks"}
    assert "<" not in body["text"]
    assert "(and 1 more)" in body["text"]
    assert [block["text"]["type"] for block in body["blocks"]] == ["plain_text"] * 2
    assert all(len(block["text"]["text"]) <= 3000 for block in body["blocks"])


def test_teams_gets_a_card_of_text_runs(receiver: tuple[Receiver, str]) -> None:
    found, url = receiver
    assert Chat("teams", url).send([alert(number=n) for n in range(30)]) == ""
    body = json.loads(found.requests[0].body)
    card = body["attachments"][0]["content"]
    assert (body["type"], card["type"]) == ("message", "AdaptiveCard")
    runs = [run for block in card["body"] for run in block["inlines"]]
    assert {run["type"] for run in runs} == {"TextRun"}
    assert runs[-1]["text"] == "10 more"
    assert len(found.requests[0].body) < 28_000


def test_a_long_text_is_cut() -> None:
    assert len(as_text(alert("https://www.example.com/" + "x" * 9_000))) == 1_500
    assert len(subject_line([alert("x" * 9_000)])) == 200


@pytest.mark.parametrize(("status", "said"), [(500, "status 500"), (404, "status 404"), (302, "status 302")])
def test_a_webhook_says_why_it_failed(receiver: tuple[Receiver, str], status: int, said: str) -> None:
    found, url = receiver
    found.status = status
    assert Webhook(url, "secret").send([alert()]) == said
    assert len({request.body for request in found.requests}) == 1


def test_a_webhook_that_is_not_there() -> None:
    with Site({}) as site:
        url = site.url("/token-4711")
    assert Webhook(url, "secret").send([alert()]) == "connection refused"


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest/meta-data", "http://[fe80::1]/x"])
def test_a_webhook_is_never_a_metadata_service(url: str) -> None:
    assert "never fetched" in Webhook(url, "secret").send([alert()])


def test_a_redirect_of_a_webhook_is_not_followed(receiver: tuple[Receiver, str]) -> None:
    found, url = receiver
    with Site({"/hook": PageAnswer(307, headers={"Location": url})}) as site:
        assert Webhook(site.url("/hook"), "secret").send([alert()]) == "status 307"
    assert found.requests == []


def test_a_command_gets_json_and_no_shell_sees_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    code = f"import sys, os; open({str(kept)!r}, 'w').write(os.environ['URLSET_ALERT_ID'] + sys.stdin.read())"
    assert CommandChannel([sys.executable, "-c", code]).send([alert("$(touch evil); `x`")]) == ""
    text = kept.read_text()
    assert text.startswith(f"{1:032x}")
    assert json.loads(text[32:])["subject"] == "$(touch evil); `x`"


@pytest.mark.parametrize(
    ("words", "said"),
    [([sys.executable, "-c", "raise SystemExit(3)"], "exit code 3"), (["/no/such/program"], "cannot be run")],
)
def test_a_command_that_fails(words: list[str], said: str) -> None:
    assert said in CommandChannel(words).send([alert()])


def test_standard_output_that_is_closed() -> None:
    def show(_alert: Alert) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    assert Stdout(show).send([alert()]) == "Broken pipe"


class SmtpHandler(socketserver.StreamRequestHandler):
    """As much of RFC 5321 as one message needs."""

    def handle(self) -> None:
        server = self.server
        assert isinstance(server, SmtpServer)
        self.wfile.write(b"220 test\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go\r\n")
                lines = []
                while (part := self.rfile.readline()) != b".\r\n":
                    lines.append(part)
                server.messages.append(b"".join(lines))
                self.wfile.write(b"250 taken\r\n")
            elif word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            elif word == b"RCPT" and b"nobody" in line:
                self.wfile.write(b"550 no such user\r\n")
            else:
                self.wfile.write(b"250 fine\r\n")


class SmtpServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        super().__init__(("127.0.0.1", 0), SmtpHandler)


@pytest.fixture
def smtp() -> Iterator[SmtpServer]:
    with SmtpServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def mailbox(server: SmtpServer) -> Mailbox:
    return Mailbox("127.0.0.1", server.server_address[1], "urlset@example.com", password="hidden-4711")


def test_mail_has_one_subject_and_the_id(smtp: SmtpServer) -> None:
    assert Mail(mailbox(smtp), "ops@example.com").send([alert(), alert("https://www.example.com/b", number=2)]) == ""
    message = message_from_bytes(smtp.messages[0], policy=default)
    assert message["To"] == "ops@example.com"
    assert message["Bcc"] is None, "a subject of a hostile site is one line"
    assert message["Subject"].startswith("[urlset] Problem: https://www.example.com/")
    assert message["Message-ID"] == f"<{1:032x}@urlset.invalid>"
    assert "https://www.example.com/b: 404 Not Found" in message.get_content()


def test_mail_that_is_refused(smtp: SmtpServer) -> None:
    assert Mail(mailbox(smtp), "nobody@example.com").send([alert()]) == "the mail server refused the recipient"
    assert "hidden" not in repr(mailbox(smtp))
    with_user = Mailbox("127.0.0.2", smtp.server_address[1], "a@example.com", "me", "hidden-4711")
    assert "hidden" not in Mail(with_user, "ops@example.com").send([alert()])
