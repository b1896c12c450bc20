#!/usr/bin/env python3
"""Runs benchmarks and writes one report, in which each figure is a ratio to a limit that was measured in the same run.

usage: bench.py --programs FOLDER [--eligibility PROGRAM] [--python INTERPRETER] [--report FILE] [--folder FOLDER]
                [--postgres-program PROGRAM --postgres-database postgres://…] [--busy-anyway] [--version TEXT] [NAME…]

FOLDER has the built programs of the release configuration. Every benchmark prints lines `RESULT {json}`, which become the
rows of the report; what else it prints is passed on. A machine that does other work is refused unless --busy-anyway.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# The share of the machine that other processes may use before a run.
BUSY = 0.05


def benchmarks(options):
    """The commands by name, in the order in which they run."""
    program = lambda name: str(options.programs / name)  # noqa: E731
    served = [sys.executable, str(HERE / "server.py"), program("external-purchase"), program("ledger-benchmarks")]
    served += ["--folder", str(options.folder)] if options.folder else []
    postgres = [sys.executable, str(HERE / "server.py"), options.postgres_program, program("ledger-benchmarks")]
    postgres = [*postgres, "--database", options.postgres_database] if options.postgres_program else None
    verified = [options.python or sys.executable, str(HERE / "verification.py")]
    commands = {
        "start": [*served, "--only", "start"],
        "memory": [*served, "--only", "memory"],
        "intake": [*served, "--only", "intake"],
        "landing": [*served, "--only", "landing"],
        "webhook": [*served, "--only", "webhook"],
        "notifications": [*verified, program("external-purchase"), program("emulator-benchmarks")] if options.python else None,
        "rules": [program("emulator-benchmarks"), "rules"],
        "emulator": [program("emulator-benchmarks"), "throughput"],
        "planner": [program("ledger-benchmarks"), "planner"],
        "flush": [program("ledger-benchmarks"), "flush=20000", "flush=2000,1,20", "flush=4000,50,20", "flush=4000,50,100"],
        "sales": [program("ledger-benchmarks"), "sales"],
        "lint": ["bash", str(HERE / "lint.sh")],
        "eligibility": [options.eligibility] if options.eligibility else None,
        "due": [program("ledger-benchmarks"), "due"],
        "growth": [*served, "--only", "growth"],
        "stored": [*served, "--only", "stored"],
        "stored-postgres": postgres and [*postgres, "--only", "stored"],
        "postgres": postgres and [*postgres, "--only", "intake,landing"],
        "network": postgres and [*postgres, "--only", "network"],
        "soak": [*served, "--only", "soak"],
        "bulk": [*(postgres or served), "--only", "bulk"],
        "size": [sys.executable, str(HERE / "size.py"), program("external-purchase")]
        + (["--folder", str(options.folder)] if options.folder else []),
        "size-postgres": [sys.executable, str(HERE / "size.py"), options.postgres_program, "--database", options.postgres_database]
        if options.postgres_program
        else None,
    }
    return commands


def busy_share(seconds=2.0):
    """The share of all cores that was in use during some seconds; None where there is no /proc."""

    def read():
        numbers = [int(text) for text in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(numbers), numbers[3] + numbers[4]

    try:
        total, idle = read()
        time.sleep(seconds)
        total_after, idle_after = read()
    except OSError:
        return None
    return 1 - (idle_after - idle) / max(1, total_after - total)


def machine():
    try:
        model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        model = None
    name = model[1] if model else platform.processor() or "unknown processor"
    return f"{os.cpu_count()} cores ({name}), {platform.system()} {platform.machine()}"


def run(name, command, environment):
    print(f"bench: {name}", file=sys.stderr, flush=True)
    rows = []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    for line in process.stdout:
        if line.startswith("RESULT "):
            row = json.loads(line.removeprefix("RESULT "))
            rows.append(row)
            print(f"  {row['title']}: {shown(row['ratio'])} of {row['limitTitle']}{verdict(row)[1]}", flush=True)
        else:
            print(f"  {line}", end="", flush=True)
    if process.wait() != 0:
        print(f"bench: {name} failed with {process.returncode}", file=sys.stderr)
        return rows, f"failed with exit code {process.returncode}"
    return rows, None


def shown(number):
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}" if number < 10 else f"{number:.1f}"


def verdict(row):
    """Whether a goal is kept (None without one), and the goal as text."""
    if "atLeast" in row and row["atLeast"] is not None:
        return row["ratio"] >= row["atLeast"], f", at least {row['atLeast']:g}"
    if "atMost" in row and row["atMost"] is not None:
        return row["ratio"] <= row["atMost"], f", at most {row['atMost']:g}"
    return None, ""


def report(options, outcomes, busy):
    lines = [
        "# Report of the benchmarks",
        "",
        "Written by `./run bench`. Each figure stands beside a limit that was measured in the same run; the ratio is what",
        "counts, because the absolute figures depend on the machine. [README.md](README.md) says what each benchmark does.",
        "",
        f"- {machine()}; client and server share it",
        f"- {options.version}, Swift's release configuration" if options.version else "- Swift's release configuration",
        f"- {datetime.date.today().isoformat()}; other processes used {busy:.0%} of the machine before the run"
        if busy is not None
        else f"- {datetime.date.today().isoformat()}",
        "",
        "| benchmark | measured | figure | limit | limit is | ratio | goal | |",
        "|---|---|---:|---:|---|---:|---|---|",
    ]
    for name, (rows, failure) in outcomes.items():
        for row in rows:
            kept, goal = verdict(row)
            lines.append(
                f"| {row['benchmark']} | {row['title']} | {shown(row['value'])} {row['unit']} | {shown(row['limit'])} {row['unit']} "
                f"| {row['limitTitle']} | {shown(row['ratio'])} | {goal.removeprefix(', ')} "
                f"| {'' if kept is None else 'kept' if kept else '**missed**'} |"
            )
        if failure:
            lines.append(f"| {name} | {failure} | | | | | | |")
    notes = HERE / "notes.md"
    if notes.exists():
        lines += ["", notes.read_text().strip()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--eligibility")
    parser.add_argument("--python")
    parser.add_argument("--postgres-program", help="the server with the trait PostgreSQL")
    parser.add_argument("--postgres-database", help="an empty schema")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--busy-anyway", action="store_true")
    parser.add_argument("--version")
    parser.add_argument("--check", action="store_true", help="check the names and measure nothing")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    commands = benchmarks(options)
    unknown = [name for name in options.names if name not in commands]
    if unknown:
        sys.exit(f"bench: no benchmark is named {unknown[0]}; there are {', '.join(commands)}")
    if options.check:
        return
    busy = busy_share()
    if busy is not None and busy > BUSY:
        text = f"bench: other processes use {busy:.0%} of the machine; the ratios of a busy machine mean little"
        if not options.busy_anyway:
            sys.exit(f"{text}. Wait, or use --busy-anyway")
        print(text, file=sys.stderr)
    environment = {**os.environ, "LINTER": str(options.programs / "external-purchase-lint")}
    outcomes = {}
    for name, command in commands.items():
        # What takes longer than all the others together is run by name only.
        if name not in (options.names or commands.keys() - {"soak", "bulk", "size", "size-postgres"}):
            continue
        if command is None:
            outcomes[name] = ([], "skipped: what it needs is not installed")
            continue
        outcomes[name] = run(name, command, environment)
    text = report(options, outcomes, busy)
    if options.report:
        options.report.write_text(text)
        print(f"bench: {options.report}", file=sys.stderr)
    missed = [row["title"] for rows, _ in outcomes.values() for row in rows if verdict(row)[0] is False]
    if missed:
        print("bench: missed: " + "; ".join(missed), file=sys.stderr)
    if any(failure and failure.startswith("failed") for _, failure in outcomes.values()):
        sys.exit(1)


main()
