#!/usr/bin/env python3
"""Measures the built server: start to ready, idle memory, and intake over HTTP beside the same server without storing.

usage: server_intake.py EXTERNAL_PURCHASE [--seconds 5] [--connections 1,16,64] [--folder FOLDER] [--json]

Needs wrk; strace counts the calls that write to the disk, and is left out where it is missing. The ledger lies in FOLDER, so
choose one on the disk that a server would have. The scenarios, in turns within each number of connections:

  new      POST /v1/tokens with a token that the server never saw: read, decoded, stored, on disk before the 201
  again    the same token each time: read, decoded, compared with what is stored, answered 200
  refused  a body of the same length whose member has another name: read and refused with 422, nothing stored
  live     GET /health/live: the server library and its middleware alone
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = {"new": "201", "again": "200", "refused": "422", "live": "200"}
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self, program, folder):
        self.folder = folder
        key = folder / "key.p8"
        if not key.exists():
            curve = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key]
            subprocess.run(curve, check=True, capture_output=True)
            key.chmod(0o600)
        app = {
            "bundleId": "com.example.shop",
            "appAppleId": 1234567890,
            "key": {"file": "key.p8", "keyId": "2X9R4HXF34", "issuerId": "57246542-96fe-1a63-e053-0824d011072a"},
            # Nothing is due while it runs, so nothing is sent.
            "baseURL": {"sandbox": "http://127.0.0.1:9"},
        }
        config = folder / "serve.json"
        config.write_text(json.dumps({"apps": [app]}))
        arguments = [program, "serve", "--config", config, "--port", "0", "--database", f"sqlite:{folder}/ledger.sqlite"]
        begin = time.monotonic()
        self.log = open(folder / "log", "a")
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit(f"the server did not start: {line!r}; see {folder}/log")
        self.url = line.split()[-1]
        while not self.ready():
            time.sleep(0.001)
        self.milliseconds = (time.monotonic() - begin) * 1000

    def ready(self):
        try:
            with urllib.request.urlopen(self.url + "/health/ready", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def memory(self):
        """Resident MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def counters(self):
        """CPU seconds, and bytes that went towards the disk."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        written = re.search(r"^write_bytes: (\d+)", pathlib.Path(f"/proc/{self.process.pid}/io").read_text(), re.M)
        return (int(fields[11]) + int(fields[12])) / TICKS, int(written[1])

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


class Load:
    def __init__(self, server, wrk):
        self.server, self.wrk, self.number = server, wrk, 0
        self.moment = str(int(time.time() * 1000))

    def run(self, scenario, connections, seconds):
        # Every run has numbers of its own, so that no token is sent twice.
        self.number += 10_000_000
        cpu, written = self.server.counters()
        shown = subprocess.run(
            [self.wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", HERE / "server_intake.lua"]
            + [self.server.url, "--", scenario, str(self.number), self.moment],
            capture_output=True, text=True,
        )
        match = re.search(r"RESULT (\{.*\})", shown.stdout)
        if not match:
            sys.exit(f"wrk: {shown.stdout}{shown.stderr}")
        result = json.loads(match[1])
        statuses = dict(pair.split(":") for pair in result["statuses"].split())
        # The first of `again` stores the token.
        unexpected = set(statuses) - {SCENARIOS[scenario]} - ({"201"} if scenario == "again" else set())
        if unexpected or result["socketErrors"]:
            sys.exit(f"{scenario}, {connections} connections: {result}")
        after_cpu, after_written = self.server.counters()
        count = result["requests"]
        return {
            "scenario": scenario,
            "connections": connections,
            "perSecond": count / result["seconds"],
            **{name: result[name] for name in ("p50", "p90", "p99", "max")},
            "cpuMicroseconds": (after_cpu - cpu) / count * 1e6,
            "bytesWritten": (after_written - written) / count,
        }

    def syncs(self, connections, seconds, folder):
        """Calls of fsync and fdatasync for a request; tracing slows the server, so nothing else is measured here."""
        output = folder / "strace"
        calls = "trace=fsync,fdatasync,sync_file_range"
        tracer = subprocess.Popen(["strace", "-f", "-c", "-e", calls, "-o", output, "-p", str(self.server.process.pid)], stderr=subprocess.DEVNULL)
        time.sleep(1)
        result = self.run("new", connections, seconds)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        count = sum(int(row[0]) for row in re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(fsync|fdatasync)$", output.read_text(), re.M))
        return count / (result["perSecond"] * seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", default="1,16,64")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wrk = shutil.which("wrk")
    if not wrk:
        parser.error("wrk is not installed (Debian: wrk)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="server-intake-", dir=options.folder))
    program = options.program.resolve()

    starts = []
    for attempt in range(6):
        server = Server(program, folder)
        # The first makes the ledger.
        if attempt:
            starts.append(server.milliseconds)
        if attempt < 5:
            server.end()
    time.sleep(3)
    facts = {"binaryMiB": program.stat().st_size / 1048576, "startMilliseconds": sorted(starts)[len(starts) // 2], "idleMiB": server.memory()}
    load = Load(server, wrk)
    load.run("new", 4, 1)
    rows = []
    for connections in map(int, options.connections.split(",")):
        measured = [load.run(scenario, connections, options.seconds) for scenario in SCENARIOS]
        if shutil.which("strace"):
            measured[0]["syncs"] = load.syncs(connections, 2, folder)
        rows += measured
    facts["memoryAfterMiB"] = server.memory()
    server.end()
    again = Server(program, folder)
    facts["startAfterMilliseconds"] = again.milliseconds
    again.end()
    facts["ledgerMiB"] = (folder / "ledger.sqlite").stat().st_size / 1048576
    shutil.rmtree(folder)

    if options.json:
        print(json.dumps({**facts, "rows": rows}, indent=2))
        return
    print("\n".join(f"{name} {value:.1f}" for name, value in facts.items()))
    print("| connections | scenario | requests/s | p50 ms | p90 | p99 | CPU µs | bytes written | fsyncs | to refused | to live |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        base = {other["scenario"]: other["perSecond"] for other in rows if other["connections"] == row["connections"]}
        print(
            f"| {row['connections']} | {row['scenario']} | {row['perSecond']:.0f} | {row['p50']:.2f} | {row['p90']:.2f} | {row['p99']:.2f} "
            f"| {row['cpuMicroseconds']:.0f} | {row['bytesWritten']:.0f} | {row.get('syncs', 0):.2f} "
            f"| {row['perSecond'] / base['refused']:.2f} | {row['perSecond'] / base['live']:.2f} |"
        )


main()
