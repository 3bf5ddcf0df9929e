"""Other readers, validators and writers on the same cases → docs/suite.md, with every failure beside its case.

    python3 suite/peers.py [--only NAME] [--schemas FOLDER] [--page]

Each peer of peers.json is installed into a folder of its own below build/suite and runs with limits of time and memory.
`--page` writes the page from the last results.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "suite"
PAGE, FOLDER = ROOT / "docs" / "suite.md", ROOT / "docs" / "suite"
CASES = "https://github.com/urlset/urlset/blob/main/suite/"
TOPICS = sorted(path.name for path in (HERE / "cases").iterdir())
TIMEOUT = 20
KINDS = {"readers": "Readers", "validators": "Validators", "writers": "Writers"}
Peer = dict[str, Any]
Report = dict[str, Any]


def slug(peer: Peer) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in peer["name"].lower()).strip("-").replace("--", "-")


def installed(peer: Peer) -> tuple[Path, dict[str, str]]:
    """The interpreter that runs an adapter, with its variables; installed on the first call."""
    package = peer.get("npm") or peer.get("package")
    if not package or package == "urlset":
        return Path(sys.executable), {}
    home = BUILD / "installed" / "".join(letter if letter.isalnum() else "-" for letter in package)
    stamp = home / "made"
    if "npm" in peer:
        if not stamp.exists():
            command = [
                "npm",
                "install",
                "--silent",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--prefix",
                str(home),
            ]
            home.mkdir(parents=True, exist_ok=True)
            subprocess.run([*command, package], check=True)
            stamp.touch()
        return Path("node"), {"PEER_FOLDER": str(home)}
    python = home / "bin" / "python"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *package.split()], check=True)
        stamp.touch()
    return python, {"PYTHONPATH": ""}


def measured(kind: str, peer: Peer, *, best: bool, schemas: Path | None) -> Report:
    program, variables = installed(peer)
    words = [str(program), str(HERE / "adapters" / peer["adapter"]), *["--best"] * best]
    if peer.get("schemas"):
        words.append(str(schemas))
    command = [sys.executable, str(HERE / "run.py"), "--format", "json", "--timeout", str(TIMEOUT)]
    command += ["--writer" if kind == "writers" else "--adapter", shlex.join(words)]
    if kind != "writers":
        command += [word for topic in TOPICS if topic not in peer.get("not", ()) for word in ("--topic", topic)]
        command += [word for each in peer.get("kinds", ()) for word in ("--kind", each)]
        command += ["--plain"] * ("gzip" in peer.get("not", ()))
    ran = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"{peer['name']}: {ran.stderr.strip()[-500:]}")
    report: Report = json.loads(ran.stdout)
    report["adapter"] = peer["adapter"]
    return report


def results_file(kind: str, peer: Peer) -> Path:
    return BUILD / "results" / f"{kind}-{slug(peer)}.json"


# The page.


def rate(report: Report, topic: str | None = None) -> str:
    row = report["topics"].get(topic, {}) if topic else report["total"]
    return f"{row.get('passed', 0)}/{row['scored']}" if row.get("scored") else "–"


def version(peer: Peer) -> str:
    if peer.get("package") == "urlset":
        text = (ROOT / "src/urlset/version.py").read_text(encoding="utf-8")
        return text.partition('__version__ = "')[2].partition('"')[0]
    package = peer.get("npm") or peer.get("package")
    return (
        (package.rpartition("@")[2] if "npm" in peer else package.split()[0].rpartition("=")[2])
        if package
        else "Python 3.11"
    )


def rows(peers: list[tuple[Peer, list[Report]]]) -> Iterator[tuple[Peer, str, Report]]:
    for peer, reports in peers:
        for report, settings in zip(reports, ("default", peer.get("best", "")), strict=False):
            yield peer, settings, report


def table(kind: str, peers: list[tuple[Peer, list[Report]]]) -> Iterator[str]:
    topics = [] if kind == "writers" else TOPICS
    seen = sorted({name for _, _, report in rows(peers) for name in report["total"]} - {"cases", "scored", "passed"})
    yield f"| {kind[:-1]} | version | settings | all | " + " | ".join(seen) + " |"
    yield "|---|---|---|" + "---:|" * (len(seen) + 1)
    for peer, settings, report in rows(peers):
        name = f"[{peer['name']}](suite/{kind}-{slug(peer)}.md)" if report["failures"] else peer["name"]
        counts = " | ".join(str(report["total"].get(each, 0) or "") for each in seen)
        yield f"| {name} | {version(peer)} | {settings} | **{rate(report)}** | {counts} |"
    if topics:
        yield ""
        yield f"| {kind[:-1]} | settings | " + " | ".join(topics) + " |"
        yield "|---|---|" + "---:|" * len(topics)
        for peer, settings, report in rows(peers):
            yield f"| {peer['name']} | {settings} | " + " | ".join(rate(report, topic) for topic in topics) + " |"


def failures(peer: Peer, reports: list[Report], paths: dict[str, str]) -> Iterator[str]:
    yield f"# Suite: failures of {peer['name']} {version(peer)}"
    yield ""
    yield f"Each failure with its case. Reads: {peer['reads']}." if "reads" in peer else "Each failure with its case."
    for _, settings, report in rows([(peer, reports)]):
        yield ""
        yield f"## Settings: {settings} ({rate(report)})"
        yield ""
        yield "| case | what | detail |"
        yield "|---|---|---|"
        for failure in report["failures"]:
            problem = failure["problems"][0]
            detail = problem["detail"].replace("|", "\\|").replace("`", "'").replace("\n", " ")[:160]
            link = f"[{failure['case']}]({CASES}{paths.get(failure['case'], failure['case'] + '.json')})"
            yield f"| {link} | {problem['what']} | `{detail}` |"


def write_page() -> None:
    listed = json.loads((HERE / "peers.json").read_text(encoding="utf-8"))
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    paths = {case["case"]: case["path"] for case in map(json.loads, lines)}
    lines_out = (HERE / "page.md").read_text(encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for kind, title in KINDS.items():
        peers = [
            (peer, json.loads(results_file(kind, peer).read_text(encoding="utf-8")))
            for peer in listed[kind]
            if results_file(kind, peer).exists()
        ]
        lines_out = lines_out.replace(f"<!-- {kind} -->", f"### {title}\n\n" + "\n".join(table(kind, peers)))
        for peer, reports in peers:
            page = FOLDER / f"{kind}-{slug(peer)}.md"
            if any(report["failures"] for report in reports):
                page.write_text("\n".join(failures(peer, reports, paths)) + "\n", encoding="utf-8")
            else:
                page.unlink(missing_ok=True)
    facts = {"version": (HERE / "VERSION").read_text(encoding="utf-8").strip(), "cases": f"{len(lines):,}"}
    facts["date"] = datetime.now(UTC).date().isoformat()
    for name, value in facts.items():
        lines_out = lines_out.replace(f"<!-- {name} -->", value)
    PAGE.write_text(lines_out, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the peers and write docs/suite.md.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--schemas", type=Path, metavar="FOLDER", help="with sitemap.xsd and siteindex.xsd")
    parser.add_argument("--page", action="store_true", help="only write the page from the last results")
    options = parser.parse_args()
    listed = {} if options.page else json.loads((HERE / "peers.json").read_text(encoding="utf-8"))
    for kind, peers in listed.items():
        for peer in peers:
            if options.only and peer["name"] not in options.only:
                continue
            if peer.get("schemas") and not options.schemas:
                print(f"{peer['name']}: skipped, it needs --schemas FOLDER")
                continue
            reports = [
                measured(kind, peer, best=best, schemas=options.schemas)
                for best in ([False, True] if "best" in peer else [False])
            ]
            results_file(kind, peer).parent.mkdir(parents=True, exist_ok=True)
            results_file(kind, peer).write_text(json.dumps(reports, indent=1), encoding="utf-8")
            print(f"{kind[:-1]} {peer['name']}: {', '.join(rate(report) for report in reports)}", flush=True)
    write_page()


if __name__ == "__main__":
    main()
