"""An adapter's answers to every case → a score by topic, with each failure named.

    python3 suite/run.py --adapter 'COMMAND' [--format text|json] [--topic xml] [--case 'loc/y_*']
    python3 suite/run.py --writer 'COMMAND'

Needs Python 3.11 and nothing else. README.md describes the protocol and the scoring.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

HERE = Path(__file__).resolve().parent
GIVE_UP_AFTER = 5
"""failures in a row before the first answer: the command itself is wrong, not the cases"""
CATEGORIES = (
    *("crash", "hang", "bad answer", "lost URL", "invented URL", "wrong date", "wrong value", "wrong kind"),
    *("missed defect", "false defect", "not well-formed", "invalid", "over the limit", "no index"),
)
CLASSES = {"y": "must be read", "n": "must be rejected or reported", "i": "may differ"}
KINDS = ("urlset", "sitemapindex", "text", "rss", "atom", "json-feed", "robots")
EXTENSIONS = ("images", "videos", "news", "alternates")
Case = dict[str, Any]
Answer = dict[str, Any]
Problem = tuple[str, str]


@dataclass
class Result:
    """What one case gave."""

    case: Case
    answer: Answer | None = None
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)


# An adapter: a process that answers one line with one line.


def limit_memory(mebibytes: int) -> Callable[[], None] | None:
    """A limit on what the adapter may write to. Address space alone is no measure: Node.js reserves far more."""
    if not mebibytes or os.name == "nt":
        return None
    import resource  # not on Windows

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (mebibytes << 20, mebibytes << 20))

    return limit


class Adapter:
    """The process behind a command; started when needed, and again after a crash or a hang."""

    def __init__(self, command: str, timeout: float, memory: int) -> None:
        self.command, self.timeout, self.memory = command, timeout, memory
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.said: list[bytes] = []
        self.has_answered = self.answers_at_end = False
        """it answers only when its input ends, so each case needs its own process"""

    def start(self) -> subprocess.Popen[bytes]:
        self.lines, self.said = queue.Queue(), []
        self.process = process = subprocess.Popen(
            self.command,
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name != "nt",
            preexec_fn=limit_memory(self.memory),  # noqa: PLW1509 - it sets a limit and touches nothing else
            env=os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"},
        )
        lines, said = self.lines, self.said

        def answers() -> None:
            assert process.stdout
            for line in process.stdout:
                lines.put(line)
            lines.put(None)

        def errors() -> None:
            assert process.stderr
            for line in process.stderr:
                said.append(line)
                del said[:-20]

        for work in (answers, errors):
            threading.Thread(target=work, daemon=True).start()
        return process

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        try:
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        except OSError:  # it ended by itself
            pass
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with suppress(OSError):  # what was not sent cannot be flushed
                    pipe.close()

    def ask(self, request: dict[str, Any]) -> tuple[Answer | None, Problem | None]:
        """The answer to one request, or what went wrong."""
        process = self.process or self.start()
        assert process.stdin
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            if self.answers_at_end:
                process.stdin.close()
        except OSError:  # it is gone; the end of its output says so
            pass
        answer, problem = self._answer(request["case"], time.monotonic() + self.timeout)
        if problem and problem[0] == "hang" and not self.has_answered:
            answer, problem = self._after_end(request["case"], problem)
        self.has_answered = self.has_answered or answer is not None
        if problem or self.answers_at_end:
            self.stop()
        return answer, problem

    def _after_end(self, case: str, problem: Problem) -> tuple[Answer | None, Problem | None]:
        """One more second with the input closed, for an adapter that does not flush or reads all lines first."""
        assert self.process
        assert self.process.stdin
        try:
            self.process.stdin.close()
        except OSError:
            return None, problem
        answer, _ = self._answer(case, time.monotonic() + 1)
        if answer is None:
            return None, problem
        self.answers_at_end = True
        print("note: the adapter answers only at the end of its input; flush after each answer", file=sys.stderr)
        return answer, None

    def _answer(self, case: str, deadline: float) -> tuple[Answer | None, Problem | None]:
        noise = b""
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                heard = f"; it wrote {shown(noise)}" if noise else ""
                return None, ("hang", f"no answer in {self.timeout:g} s{heard}")
            if line is None:
                return None, ("crash", self._last_words())
            if not line.lstrip().startswith(b"{"):  # a library that prints
                noise = noise or line
                continue
            return checked_answer(line, case)

    def _last_words(self) -> str:
        assert self.process
        try:
            code = str(self.process.wait(1))
        except subprocess.TimeoutExpired:
            code = "none: it closed its output and runs on"
        time.sleep(0.02)  # the thread that reads standard error may be a line behind
        last = next((line for line in reversed(self.said) if line.strip()), b"")
        return f"exit code {code}" + (f": {shown(last)}" if last else "")


def checked_answer(line: bytes, case: str) -> tuple[Answer | None, Problem | None]:
    """The answer if it has the form that README.md describes."""
    try:
        answer = json.loads(line)
    except ValueError as error:
        return None, ("bad answer", f"not JSON ({error}): {shown(line)}")
    if answer.get("case") != case:
        return None, ("bad answer", f"the answer is for {answer.get('case')!r}")
    for name in ("urls", "defects"):
        items = answer.get(name)
        if items is not None and not (isinstance(items, list) and all(isinstance(item, dict) for item in items)):
            return None, ("bad answer", f"{name!r} is not a list of objects")
    if any(not isinstance(url.get("loc"), str) for url in answer.get("urls") or ()):
        return None, ("bad answer", "a URL without the text 'loc'")
    return answer, None


def shown(text: bytes) -> str:
    return repr(text.decode("utf-8", "replace").strip()[:200])


# One case and its answer → problems.


@cache
def comparable(url: str) -> str:
    """A URL in the normal form of RFC 3986, section 6.2.2, with other characters escaped: equal means same URL."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    if not host:
        return url
    try:
        host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return url
    login = parts.netloc.rpartition("@")[0]
    default = {"http": 80, "https": 443}.get(parts.scheme)
    netloc = f"{login}@" * bool(login) + (f"[{host}]" if ":" in host else host)
    netloc += "" if port in (None, default) else f":{port}"
    path, query, fragment = (escaped(part) for part in (parts.path or "/", parts.query, parts.fragment))
    return urlunsplit((parts.scheme, netloc, path, query, fragment))


def escaped(text: str) -> str:
    pieces = quote(text, safe="!#$%&'()*+,/:;=?@[]~").split("%")
    return "%".join([pieces[0], *(piece[:2].upper() + piece[2:] for piece in pieces[1:])])


def instant_of(text: object) -> datetime | None:
    """A date in an answer: any form of ISO 8601 that `datetime` reads, YYYY, YYYY-MM, or seconds since 1970."""
    try:
        if isinstance(text, (int, float)):
            return datetime.fromtimestamp(text / 1000 if abs(text) > 1e11 else text, UTC)
        written = str(text).strip()
        if len(written) in (4, 7) and written[:4].isdigit():
            written = (written + "-01-01")[:10] if len(written) == 4 else f"{written}-01"
        found = datetime.fromisoformat(written)
    except (ValueError, OverflowError, OSError):
        return None
    return (found.replace(tzinfo=UTC) if found.tzinfo is None else found).astimezone(UTC)


def date_problem(expected: dict[str, Any] | None, given: object) -> str | None:
    if expected is None:
        return None if given in (None, "") else f"{given!r} where the file has no date"
    if given in (None, ""):
        return f"no date instead of {expected['text']!r}"
    if str(given).strip() == expected["text"]:
        return None
    found, right = instant_of(given), datetime.fromisoformat(expected["instant"])
    if found is not None and abs(found - right) < timedelta(milliseconds=1):
        return None
    return f"{given!r} instead of {expected['instant']}"


@dataclass(frozen=True)
class Has:
    """What an adapter gives at all: what it never gives in a run is not held against it."""

    dates: frozenset[str]
    """the kinds of files whose dates it gives"""
    kinds: bool
    defects: bool
    extensions: tuple[str, ...]

    @classmethod
    def seen_in(cls, results: list[Result]) -> Has:
        answered = [(result.case["kind"], result.answer) for result in results if result.answer]
        answers = [answer for _, answer in answered]
        urls = [url for answer in answers for url in answer.get("urls") or ()]
        return cls(
            dates=frozenset(
                kind
                for kind, answer in answered
                if any(url.get("lastmod") is not None for url in answer.get("urls") or ())
            ),
            kinds=any(answer.get("kind") is not None for answer in answers),
            defects=any(answer.get("defects") is not None for answer in answers),
            extensions=tuple(name for name in EXTENSIONS if any(url.get(name) for url in urls)),
        )

    @property
    def missing(self) -> list[str]:
        given = {"dates": self.dates, "kinds": self.kinds, "defects": self.defects}
        return [name for name, value in given.items() if not value] + [
            name for name in EXTENSIONS if name not in self.extensions
        ]


def problems_of(case: Case, answer: Answer, has: Has) -> Iterator[Problem]:
    given = {comparable(url["loc"]): url for url in answer.get("urls") or ()}
    for text in case.get("never", ()):
        if any(text in url["loc"] for url in given.values()):
            yield "invented URL", f"{text!r} must not be in any URL"
    if case["class"] == "y":
        yield from url_problems(case, answer, given)
        if not case.get("urls_only"):
            yield from value_problems(case, given, has)
        kind = answer.get("kind")
        if has.kinds and kind is not None and kind != case["kind"]:
            yield "wrong kind", f"{kind!r} instead of {case['kind']!r}"
        yield from false_defects(case, answer)
        return
    reported = answer.get("error") or answer.get("defects")
    if not reported and "urls" in answer:
        lost = [loc for loc in case.get("keep", ()) if comparable(loc) not in given]
        if lost:
            yield "lost URL", f"without an error: {listed(lost)}"
    if case["class"] == "n" and has.defects and not is_reported(case, answer):
        yield "missed defect", "; ".join(f"line {each['line']}: {each['text']}" for each in case["defects"][:3])


def url_problems(case: Case, answer: Answer, given: dict[str, Any]) -> Iterator[Problem]:
    expected = {comparable(url["loc"]): url["loc"] for url in case["urls"]}
    if "urls" not in answer and not answer.get("error"):
        return  # a validator that gives no URLs
    lost = [loc for key, loc in expected.items() if key not in given]
    if lost:
        yield "lost URL", listed(lost) + (f" ({answer['error']})" if answer.get("error") else "")
    invented = [url["loc"] for key, url in given.items() if key not in expected]
    if invented:
        yield "invented URL", listed(invented)
    if answer.get("error") and not lost:
        yield "false defect", f"rejected: {answer['error']!r}"


def value_problems(case: Case, given: dict[str, Any], has: Has) -> Iterator[Problem]:
    """Of URLs that are listed once: readers differ in which of two entries wins."""
    times = Counter(comparable(url["loc"]) for url in case["urls"])
    for url in case["urls"]:
        found = given.get(comparable(url["loc"]))
        if found is None or times[comparable(url["loc"])] > 1:
            continue
        wrong = date_problem(url.get("lastmod"), found.get("lastmod")) if case["kind"] in has.dates else None
        if wrong:
            yield "wrong date", f"{url['loc']}: {wrong}"
        for name in has.extensions:
            if not same_values(url.get(name), found.get(name)):
                yield "wrong value", f"{url['loc']}: {name} {found.get(name)!r} instead of {url.get(name)!r}"


def same_values(expected: Any, given: Any) -> bool:
    """Texts without the whitespace around them; of an object, the fields that the answer has."""
    if not expected and not given:
        return True
    if isinstance(expected, list) and isinstance(given, list):
        return len(expected) == len(given) and all(map(same_values, expected, given))
    if isinstance(expected, dict) and isinstance(given, dict):
        return all(same_values(expected.get(name), value) for name, value in given.items() if value is not None)
    if isinstance(expected, str) and "://" in expected:
        return comparable(expected) == comparable(str(given))
    return str(expected).strip() == str(given).strip()


def false_defects(case: Case, answer: Answer) -> Iterator[Problem]:
    for defect in answer.get("defects") or ():
        if defect.get("severity", "error") == "error" and not any(is_near(each, defect) for each in case["advice"]):
            yield "false defect", f"line {defect.get('line')}: {defect.get('text')}"


def is_reported(case: Case, answer: Answer) -> bool:
    given = answer.get("defects") or ()
    return bool(answer.get("error")) or any(is_near(each, one) for each in case["defects"] for one in given)


def is_near(expected: dict[str, Any], given: dict[str, Any]) -> bool:
    """A defect without a line is about the whole file. A parser may notice broken XML only further down."""
    line = given.get("line")
    if not isinstance(line, int) or line <= 0:
        return True
    last = float("inf") if expected.get("fatal") else expected.get("end_line", expected["line"]) + 1
    return bool(expected["line"] - 1 <= line <= last)


def listed(locs: list[str]) -> str:
    first = ", ".join(locs[:3])
    return first if len(locs) <= 3 else f"{first} and {len(locs) - 3:,} more"


# All cases of the suite.


def load_cases(
    suite: Path, topics: list[str], pattern: str, kinds: list[str], *, plain: bool = False
) -> Iterator[Case]:
    """The listed cases with what they expect. What is no list at all belongs to every kind."""
    for line in (suite / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["case"]
        if (topics and name.split("/")[0] not in topics) or not fnmatchcase(name, pattern):
            continue
        if (kinds and row["kind"] in KINDS and row["kind"] not in kinds) or (plain and row["path"].endswith(".gz")):
            continue
        path = suite / row["path"]
        expected = json.loads((suite / "cases" / f"{name.split('/')[0]}/{path.name}.json").read_text(encoding="utf-8"))
        case = {"defects": [], "advice": [], "urls": [], "class": path.name[0], **expected, **row, "file": path}
        made = case.pop("urls_from", None)
        if made:
            case["urls"] = [{"loc": made["pattern"].format(n=n)} for n in range(made["first"], made["last"] + 1)]
            case["urls_only"] = True
        yield case


def make_large_files(suite: Path, cases: Iterable[Case]) -> None:
    if any(not case["file"].exists() for case in cases):
        subprocess.run([sys.executable, str(suite / "generate.py")], check=True)


def run_cases(cases: list[Case], adapter: Adapter) -> tuple[list[Result], Has]:
    results: list[Result] = []
    answered = False
    for case in cases:
        if not answered and len(results) >= GIVE_UP_AFTER:
            break  # the command itself is wrong; the first failure says why
        request = {"case": case["case"], "path": str(case["file"])}
        request |= {name: case[name] for name in ("url", "now") if name in case}
        started = time.monotonic()
        answer, problem = adapter.ask(request)
        answered = answered or answer is not None
        results.append(Result(case, answer, time.monotonic() - started, [problem] if problem else []))
    adapter.stop()
    has = Has.seen_in(results)
    for result in results:
        if result.answer is not None:
            result.problems.extend(problems_of(result.case, result.answer, has))
    return results, has


def run_writer(suite: Path, adapter: Adapter, pattern: str) -> list[Result]:
    writers = import_module("writers")  # beside this file
    results: list[Result] = []
    for case in writers.inputs(suite):
        if not fnmatchcase(case["case"], pattern):
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows, out = Path(folder, "rows.json"), Path(folder, "out")
            out.mkdir()
            rows.write_text(json.dumps({"rows": case["rows"]}), encoding="utf-8")
            started = time.monotonic()
            request = {"case": case["case"], "path": str(rows), "out": str(out), "base_url": "https://example.com/"}
            answer, problem = adapter.ask(request)
            result = Result(case, answer, time.monotonic() - started, [problem] if problem else [])
            if answer is not None and answer.get("error"):
                result.problems.append(("lost URL", f"refused: {answer['error']}"))
            elif answer is not None:
                result.problems.extend(writers.Judge(case, out, answer.get("files") or []).problems())
        results.append(result)
    adapter.stop()
    stated = [result.answer["writes"] for result in results if result.answer and "writes" in result.answer]
    has = {name for names in stated or [EXTENSIONS] for name in names}
    for result in results:  # what a writer does not offer is not held against it
        if any(row.get(name) and name not in has for row in result.case["rows"] for name in EXTENSIONS):
            result.case["class"] = "i"
            result.problems = [each for each in result.problems if each[0] in ("crash", "hang")]
    return results


# Results → a report.


def summary(results: list[Result], command: str, has: Has | None = None) -> dict[str, Any]:
    topics: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        row = topics[result.case["case"].split("/")[0]]
        scored = result.case["class"] != "i" or bool(result.problems)  # an i case counts only if it fails
        row["cases"] += 1
        row["scored"] += scored
        row["passed"] += scored and not result.problems
        for category in {category for category, _ in result.problems}:
            row[category] += 1
    total: Counter[str] = sum(topics.values(), Counter())
    broken = [result for result in results if result.case["class"] == "n" and result.case.get("keep")]
    return {
        "suite": (HERE / "VERSION").read_text(encoding="utf-8").strip(),
        "adapter": command,
        "date": datetime.now(UTC).date().isoformat(),
        "total": dict(total),
        "topics": {topic: dict(row) for topic, row in sorted(topics.items())},
        "by_class": by_class(results),
        "not_given": [] if has is None else has.missing,
        "recovered": [sum(recovered(result) for result in broken), sum(len(kept(result.case)) for result in broken)],
        "failures": [
            {
                "case": result.case["case"],
                "class": result.case["class"],
                "problems": [{"what": what, "detail": cut(detail)} for what, detail in result.problems],
                "why": result.case.get("why", ""),
            }
            for result in results
            if result.problems
        ],
    }


def by_class(results: list[Result]) -> dict[str, dict[str, int]]:
    rows: dict[str, dict[str, int]] = {}
    for letter in CLASSES:
        scored = [each for each in results if each.case["class"] == letter and (letter != "i" or each.problems)]
        passed = sum(not each.problems for each in scored)
        rows[letter] = {"scored": len(scored), "passed": passed}
    return {letter: row for letter, row in rows.items() if row["scored"]}


def cut(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:400]} …"


def kept(case: Case) -> set[str]:
    return {comparable(loc) for loc in case["keep"]}


def recovered(result: Result) -> int:
    """How many URLs in the sound entries of a broken file were read; shown, not scored."""
    given = {comparable(url["loc"]) for url in (result.answer or {}).get("urls") or ()}
    return len(given & kept(result.case))


def as_text(report: dict[str, Any]) -> Iterator[str]:
    seen = [category for category in CATEGORIES if report["total"].get(category)]
    yield f"suite {report['suite']}, {report['date']}: {report['adapter']}"
    yield ""
    yield f"{'topic':<12}{'cases':>7}{'scored':>8}{'passed':>8}" + "".join(f"{name:>15}" for name in seen)
    for topic, row in [*report["topics"].items(), ("total", report["total"])]:
        numbers = "".join(f"{row.get(name, 0):>15}" for name in seen)
        yield f"{topic:<12}{row['cases']:>7}{row.get('scored', 0):>8}{row.get('passed', 0):>8}{numbers}"
    got, of = report.get("recovered", (0, 0))
    if of:
        yield f"URLs read from sound entries of broken files: {got:,} of {of:,} (more is better; not scored)"
    yield ""
    for letter, row in report["by_class"].items():
        yield f"{letter}_ ({CLASSES[letter]}): {row['passed']:,} of {row['scored']:,}"
    if report["not_given"]:
        yield f"not given, so not scored: {', '.join(report['not_given'])}"
    for failure in report["failures"]:
        yield ""
        yield failure["case"]
        yield from (f"  {problem['what']}: {problem['detail']}" for problem in failure["problems"])
        if failure["why"]:
            yield f"  why: {failure['why']}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Run an adapter on the cases and score its answers.")
    parser.add_argument("--adapter", metavar="COMMAND", help="a reader or validator that speaks the protocol")
    parser.add_argument("--writer", metavar="COMMAND", help="a writer that speaks the protocol")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--topic", action="append", default=[], help="only this topic; may be repeated")
    parser.add_argument(
        "--kind", action="append", default=[], choices=KINDS, help="only files that a reader claims to read"
    )
    parser.add_argument("--plain", action="store_true", help="without compressed files")
    parser.add_argument("--case", default="*", metavar="PATTERN", help="only matching cases, such as 'loc/y_*'")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="for each case (default: 10)")
    parser.add_argument("--memory", type=int, default=2048, metavar="MIB", help="0: no limit (default: 2048)")
    parser.add_argument("--suite", type=Path, default=HERE, metavar="FOLDER", help="with another cases.jsonl")
    options = parser.parse_args()
    if bool(options.adapter) == bool(options.writer):
        parser.error("give either --adapter or --writer")
    adapter = Adapter(options.adapter or options.writer, options.timeout, options.memory)
    has: Has | None = None
    if options.writer:
        results = run_writer(options.suite, adapter, options.case)
    else:
        cases = list(load_cases(options.suite, options.topic, options.case, options.kind, plain=options.plain))
        make_large_files(options.suite, cases)
        results, has = run_cases(cases, adapter)
    if not results:
        parser.error(f"no case matches; topics: {', '.join(sorted(path.name for path in (HERE / 'cases').iterdir()))}")
    report = summary(results, adapter.command, has)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    if all(result.answer is None for result in results):
        print(f"no usable answer from the adapter: {results[0].problems[0][1]}", file=sys.stderr)
        return 2
    if options.format == "json":
        print(json.dumps(report, indent=1, ensure_ascii=False))
    else:
        print("\n".join(as_text(report)))
    return 1 if report["failures"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
