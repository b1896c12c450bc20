#!/usr/bin/env python3
"""Measures the built server over HTTP with wrk: intake, the landing address, Stripe's webhook, start and memory.

usage: server.py EXTERNAL_PURCHASE LEDGER_BENCHMARKS [--seconds 5] [--connections 1,16,64] [--folder FOLDER]
                 [--only intake,landing,webhook,start,memory,growth,stored,network,soak,bulk] [--tokens 10000000] [--minutes 20]
                 [--rows 1000000] [--database postgres://…]

Needs wrk; strace counts the calls that write to the disk, and is left out where it is missing. The ledger lies in FOLDER, so
choose one on the disk that a server would have. Client and server share the machine. The scenarios take turns within each
number of connections:

  new      POST /v1/tokens with a token that the server never saw: read, decoded, stored, on disk before the 201
  again    the same token each time: read, decoded, compared with what is stored, answered 200
  refused  a body of the same length whose member has another name: read and refused with 422, nothing stored
  landing  GET /out/nl with a new token: stored, on disk before the 303
  customer POST /v1/tokens with a new token of a new customer
  sale     POST /v1/sales with a purchase of a new customer
  webhook  POST /v1/webhooks/stripe with a signed event of a new payment: event and sale on disk before the 200
  live     GET /health/live: the server library and its middleware alone

The limit of what is stored is the lower of two: the requests per second of the same server that reads a body and refuses it,
and the rows per second that SQLite commits in groups of 64 on the same disk.
"""

import argparse
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import equal_work
import size_commands

HERE = pathlib.Path(__file__).resolve().parent
STATUSES = {"new": "201", "customer": "201", "sale": "201", "again": "200", "refused": "422", "landing": "303", "webhook": "200", "live": "200"}
TICKS = os.sysconf("SC_CLK_TCK")
SECRET = "whsec_" + "0123456789abcdef" * 3
APP = {
    "bundleId": "com.example.shop",
    "appAppleId": 1234567890,
    "key": {"file": "key.p8", "keyId": "2X9R4HXF34", "issuerId": "57246542-96fe-1a63-e053-0824d011072a"},
    # No report of the tokens is due while it runs.
    "baseURL": {"sandbox": "http://127.0.0.1:9"},
    "links": {"nl": "https://shop.example.com/nl"},
    "programmes": ["eu-custom-link"],
}
CONFIGURATION = {
    "apps": [APP],
    "stripe": [{"bundleId": APP["bundleId"], "signingSecretFile": "webhook.secret", "taxCountry": "NLD", "taxRate": "21"}],
    "settings": {"landing.visitsPerMinute": "off", "landing.tokensPerHour": 100_000_000, "reporting.send": "off"},
}


class Server:
    def __init__(self, program, folder, database=None):
        self.folder = folder
        key = folder / "key.p8"
        if not key.exists():
            curve = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key]
            subprocess.run(curve, check=True, capture_output=True)
            key.chmod(0o600)
            (folder / "webhook.secret").write_text(SECRET + "\n")
            (folder / "webhook.secret").chmod(0o600)
        config = folder / "serve.json"
        config.write_text(json.dumps(CONFIGURATION))
        database = database or f"sqlite:{folder}/ledger.sqlite"
        arguments = [program, "serve", "--config", config, "--port", "0", "--database", database]
        begin = time.monotonic()
        self.log = open(folder / "log", "a")
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=folder)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            # The folder of the log is removed with the ledger.
            sys.exit(f"the server did not start: {(folder / 'log').read_text().strip() or line.strip()}")
        self.url = line.split()[-1]
        while not self.ready():
            time.sleep(0.001)
        self.seconds = time.monotonic() - begin

    def ready(self):
        try:
            with urllib.request.urlopen(self.url + "/health/ready", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def memory(self):
        """Resident MiB: all of it, and what no file backs."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return tuple(int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1024 for name in ("VmRSS", "RssAnon"))

    def counters(self):
        """CPU seconds, and bytes that went towards the disk."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        written = re.search(r"^write_bytes: (\d+)", pathlib.Path(f"/proc/{self.process.pid}/io").read_text(), re.M)
        return (int(fields[11]) + int(fields[12])) / TICKS, int(written[1])

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


def session(number, moment):
    """A paid Checkout session as Stripe sends it, with the members that the server reads and some that it does not."""
    return {
        "id": f"evt_{number}", "object": "event", "api_version": "2025-09-30.clover", "created": moment,
        "livemode": False, "pending_webhooks": 1, "request": {"id": None, "idempotency_key": None},
        "type": "checkout.session.completed",
        "data": {"object": {
            "id": f"cs_test_{number}", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
            "livemode": False, "created": moment, "payment_intent": f"pi_{number}", "status": "complete",
            "client_reference_id": f"order-{number}", "currency": "eur", "amount_subtotal": 999, "amount_total": 999,
            "total_details": {"amount_tax": 0, "amount_discount": 0, "amount_shipping": 0},
            "customer_details": {"address": {"country": "NL"}},
            "line_items": {"object": "list", "has_more": False, "data": [{
                "id": f"li_{number}", "object": "item", "quantity": 1, "currency": "eur", "amount_subtotal": 999,
                "amount_tax": 0, "amount_total": 999,
                "price": {"id": "price_1Nabc", "object": "price", "product": "prod_1", "lookup_key": "gems.100"},
            }]},
        }},
    }  # fmt: skip


def event(number, moment):
    """The delivery of a paid session: what is signed, and its signature."""
    text = json.dumps(session(number, moment), separators=(",", ":")).encode()
    signed = hmac.new(SECRET.encode(), b"%d." % moment + text, hashlib.sha256).hexdigest()
    return b"t=%d,v1=%s %s\n" % (moment, signed.encode(), text)


class Load:
    def __init__(self, server, wrk):
        self.server, self.wrk, self.number = server, wrk, 0
        self.moment = str(int(time.time() * 1000))

    def run(self, scenario, connections, seconds):
        seconds = int(seconds)
        # Every run has numbers of its own, so that nothing new is sent twice.
        self.number += 10_000_000
        arguments, count = [scenario, str(self.number), self.moment], None
        if scenario == "webhook":
            count = 40_000 * seconds // 5
            file = self.server.folder / "events"
            with open(file, "wb") as output:
                for number in range(count):
                    output.write(event(self.number + number, int(time.time())))
            arguments[1] = "0"
            arguments.append(str(file))
        cpu, written = self.server.counters()
        shown = subprocess.run(
            [self.wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", HERE / "server.lua"]
            + [self.server.url, "--"] + arguments,
            capture_output=True, text=True,
        )  # fmt: skip
        match = re.search(r"RESULT (\{.*\})", shown.stdout)
        if not match:
            sys.exit(f"wrk: {shown.stdout}{shown.stderr}")
        result = json.loads(match[1])
        statuses = dict(pair.split(":") for pair in result["statuses"].split())
        # The first of `again` stores the token.
        unexpected = set(statuses) - {STATUSES[scenario]} - ({"201"} if scenario == "again" else set())
        if unexpected or result["socketErrors"] or (count and result["requests"] > count):
            sys.exit(f"{scenario}, {connections} connections: {result}")
        after_cpu, after_written = self.server.counters()
        count = result["requests"]
        return {
            "scenario": scenario,
            "connections": connections,
            "count": count,
            "perSecond": count / result["seconds"],
            **{name: result[name] for name in ("p50", "p90", "p99", "max")},
            "cpuMicroseconds": (after_cpu - cpu) / count * 1e6,
            "bytesWritten": (after_written - written) / count,
        }

    def syncs(self, scenario, connections, seconds):
        """Calls of fsync and fdatasync for a request; tracing slows the server, so nothing else is measured here."""
        output = self.server.folder / "strace"
        calls = "trace=fsync,fdatasync,sync_file_range"
        tracer = subprocess.Popen(
            ["strace", "-f", "-c", "-e", calls, "-o", output, "-p", str(self.server.process.pid)],
            stderr=subprocess.DEVNULL,
        )
        time.sleep(1)
        result = self.run(scenario, connections, seconds)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        count = sum(
            int(row[0])
            for row in re.findall(
                r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(fsync|fdatasync)$", output.read_text(), re.M
            )
        )
        return count / (result["perSecond"] * seconds)


def say(benchmark, title, value, limit, unit, of, least=None, most=None):
    """One figure beside its limit, as the benchmarks in Swift print it."""
    line = {
        "benchmark": benchmark, "title": title, "value": value, "limit": limit, "unit": unit, "limitTitle": of,
        "ratio": value / limit,
    }  # fmt: skip
    line.update({"atLeast": least} if least is not None else {}, **({"atMost": most} if most is not None else {}))
    print("RESULT " + json.dumps(line), flush=True)


def table(rows):
    print("| connections | request | requests/s | p50 ms | p90 ms | p99 ms | CPU µs | bytes written | fsyncs | to refused | to live |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        base = {other["scenario"]: other["perSecond"] for other in rows if other["connections"] == row["connections"]}
        print(
            f"| {row['connections']} | {row['scenario']} | {row['perSecond']:.0f} | {row['p50']:.2f} | {row['p90']:.2f} | {row['p99']:.2f} "
            f"| {row['cpuMicroseconds']:.0f} | {row['bytesWritten']:.0f} | {row.get('syncs', 0):.2f} "
            f"| {row['perSecond'] / base['refused']:.2f} | {row['perSecond'] / base['live']:.2f} |"
        )


def commits(benchmarks, folder, seconds):
    """The rows that SQLite commits a second in groups of 64, on the same disk."""
    shown = subprocess.run([benchmarks, f"commits={seconds},{folder}"], capture_output=True, text=True, check=True)
    return float(re.search(r"COMMITS ([\d.]+)", shown.stdout)[1])


def measure(options, folder, wrk):
    only = options.only.split(",")
    server = Server(options.program, folder, options.database)
    if "start" in only or "memory" in only:
        # The first start makes the ledger.
        starts = []
        for _ in range(5):
            server.end()
            server = Server(options.program, folder, options.database)
            starts.append(server.seconds)
        if "start" in only:
            say("start", "start to ready, empty ledger", sorted(starts)[2], 0.3, "s", "0.3 s", most=1)
        if "memory" in only:
            time.sleep(3)
            resident, anonymous = server.memory()
            say("memory", "idle server, resident", resident, 40, "MiB", "40 MiB", most=1)
            say("memory", "idle server, of which no file backs", anonymous, 40, "MiB", "40 MiB")
    scenarios = [name for name in ("landing", "webhook") if name in only]
    if "intake" in only:
        scenarios = ["new", "again", *scenarios]
    if scenarios:
        load = Load(server, wrk)
        load.run("new", 4, 1)
        rows = []
        # The commits of SQLite say nothing about those of a ledger in PostgreSQL.
        raw = float("inf") if options.database else commits(options.benchmarks, folder, options.seconds)
        if not options.database:
            print(f"SQLite commits {raw:.0f} rows a second in groups of 64")
        for connections in map(int, options.connections.split(",")):
            measured = [load.run(scenario, connections, options.seconds) for scenario in [*scenarios, "refused", "live"]]
            if shutil.which("strace"):
                for row in measured[: len(scenarios)]:
                    row["syncs"] = load.syncs(row["scenario"], connections, 2)
            rows += measured
            rates = {row["scenario"]: row["perSecond"] for row in measured}
            for name, title in [
                ("new", "intake: new tokens"), ("landing", "landing: visits with a new token"),
                ("webhook", "webhook: events of new payments"),
            ]:  # fmt: skip
                if name in rates:
                    limit = min(rates["refused"], raw)
                    of = "the same server without storing" if limit < raw else "rows that SQLite commits in groups of 64"
                    goal = 0.6 if name == "new" and connections == 64 and not options.database else None
                    say("postgres" if options.database else title.split(":")[0], f"{title[title.index(':') + 2:]}, {connections} connection(s)",
                        rates[name], limit, "1/s", of, least=goal)  # fmt: skip
        table(rows)
    if "memory" in only and scenarios:
        resident, anonymous = server.memory()
        say("memory", "server after the load, resident", resident, 40, "MiB", "40 MiB")
    server.end()


def network(options, folder, wrk):
    """What is stored in PostgreSQL a millisecond away, beside the same through the same proxy without the delay."""
    address = re.match(r"(.*@[^:/]+:)(\d+)(/.*)", options.database)
    rates = []
    for delay in (0, 1):
        # The proxy itself takes a part of the two cores.
        link = subprocess.Popen([sys.executable, HERE / "slow_link.py", address[2], str(delay)], stdout=subprocess.PIPE, text=True)
        database = f"{address[1]}{link.stdout.readline().strip()}{address[3]}"
        # Each begins with an empty ledger.
        for scenario in ("customer", "sale", "webhook"):
            schema = f"delay_{delay}_{scenario}"
            subprocess.run(["psql", "-X", "-q", options.database, "-c", f"CREATE SCHEMA {schema}"], check=True)
            part = folder / schema
            part.mkdir()
            server = Server(options.program, part, f"{database}?options=-csearch_path%3D{schema}")
            load = Load(server, wrk)
            for connections in (1, 64):
                load.run(scenario, connections, 1)
                rates.append((scenario, connections, load.run(scenario, connections, options.seconds)["perSecond"]))
            server.end()
        link.kill()
    titles = {"customer": "new tokens of new customers", "sale": "sales", "webhook": "events of new payments"}
    half = len(rates) // 2
    for (scenario, connections, near), (_, _, far) in zip(rates[:half], rates[half:]):
        say("network", f"{titles[scenario]}, {connections} connection(s), PostgreSQL 1 ms away each way", far, near, "1/s",
            "the same through the proxy without the delay", least=0.7 if connections == 64 else None)  # fmt: skip


def first_minute(options, folder, wrk):
    """New tokens into an empty ledger of PostgreSQL whose tables were never analysed, beside the same ledger afterwards."""

    def execute(*statements):
        for statement in statements:
            subprocess.run(["psql", "-X", "-q", options.database, "-c", statement], check=True, stdout=subprocess.DEVNULL)

    part = folder / "first-minute"
    part.mkdir()
    execute("ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()", "CREATE SCHEMA first_minute")
    server = Server(options.program, part, f"{options.database}?options=-csearch_path%3Dfirst_minute")
    load = Load(server, wrk)
    rates = [load.run("customer", 64, 10)["perSecond"] for _ in range(6)]
    execute("ANALYZE")
    load.run("customer", 64, 2)
    analysed = [load.run("customer", 64, 10)["perSecond"] for _ in range(6)]
    server.end()
    execute("ALTER SYSTEM RESET autovacuum", "SELECT pg_reload_conf()")
    print("ten seconds each: " + ", ".join(f"{rate:.0f}" for rate in rates) + f" a second; "
          "analysed " + ", ".join(f"{rate:.0f}" for rate in analysed))  # fmt: skip
    say("network", "new tokens of new customers, 64 connections, slowest ten seconds of an empty ledger's first minute, autovacuum off",
        min(rates), min(analysed), "1/s", "the slowest ten seconds of the same ledger's next minute, analysed", least=0.9)  # fmt: skip


def stored(options, folder, wrk):
    """What 64 connections and one store, beside the rows alone and the bodies alone."""
    for scenario, title, connections in [
        ("customer", "new tokens of new customers", 64), ("sale", "sales", 64), ("webhook", "events of new payments", 64),
        ("landing", "visits with a new token", 64), ("customer", "new tokens of new customers", 1),
    ]:  # fmt: skip
        places = []
        for name in ("filled", "empty"):
            part = folder / f"{scenario}-{connections}" / name
            part.mkdir(parents=True)
            database = None
            if options.database:
                schema = f"{scenario}_{connections}_{name}"
                subprocess.run(["psql", "-X", "-q", options.database, "-c", f"CREATE SCHEMA {schema}"], check=True)
                database = f"{options.database}?options=-csearch_path%3D{schema}"
            places.append((part, database))
        (part, database), (other, empty) = places
        Server(options.program, other, empty).end()
        server = Server(options.program, part, database)
        load = Load(server, wrk)
        count = load.run(scenario, connections, 2)["count"]
        measured = load.run(scenario, connections, options.seconds)
        count += measured["count"]
        refused = load.run("refused", connections, options.seconds)["perSecond"]
        server.end()
        groups = max(1, count // connections)
        if options.database:
            seconds = equal_work.in_postgres(database, empty, groups, other)
        else:
            seconds = equal_work.in_sqlite(part / "ledger.sqlite", other / "ledger.sqlite", groups)
        rows = count / seconds
        print(f"{title}: {measured['perSecond']:.0f} a second, p99 {measured['p99']:.1f} ms; rows alone {rows:.0f}, bodies alone {refused:.0f}")
        if connections == 1:
            limit, least, of = 1 / (1 / rows + 1 / refused), 0.7, "the same rows, committed one by one, and the bodies alone, in turns"
        else:
            limit = min(rows, refused)
            least = 0.5 if options.database and scenario in ("sale", "webhook") else 0.6
            of = "the same rows in groups of 64" if rows < refused else "the same server without storing"
        say("stored", f"{title}, {connections} connection(s), {'PostgreSQL' if options.database else 'SQLite'}",
            measured["perSecond"], limit, "1/s", of, least=least)  # fmt: skip


def growth(options, folder, wrk):
    """Intake into a large ledger beside intake into a small one."""
    rates = []
    for count in (10_000, options.tokens):
        part = folder / str(count)
        part.mkdir()
        subprocess.run([options.benchmarks, f"fill={count},{part}/ledger.sqlite"], check=True)
        server = Server(options.program, part)
        load = Load(server, wrk)
        # Deadlines of the inserted rows are computed first, as after other rules.
        time.sleep(5)
        load.run("new", 4, 2)
        rates.append(load.run("new", 64, options.seconds)["perSecond"])
        server.end()
        shutil.rmtree(part)
    say("growth", f"new tokens into a ledger of {options.tokens:,}, 64 connections", rates[1], rates[0], "1/s",
        "a ledger of 10,000", least=0.7)  # fmt: skip


class Beside:
    """The intake of new tokens by four connections, alone and beside a command."""

    def __init__(self, server, wrk):
        self.load = Load(server, wrk)
        self.load.run("new", 4, 2)
        self.idle = self.load.run("new", 4, 10)["p99"]

    def measure(self, title, command, folder):
        """Runs a command while tokens arrive, and says the p99 of these beside that without the command."""
        ended, times = threading.Event(), []

        def send():
            while not ended.is_set():
                times.append(self.load.run("new", 4, 5)["p99"])

        sender = threading.Thread(target=send)
        sender.start()
        measured = size_commands.run(command, folder)
        ended.set()
        sender.join()
        if measured.code:
            sys.exit(f"{title}: exit code {measured.code}: {measured.errors[-500:]}")
        say("bulk", f"p99 of new tokens beside {title}", sorted(times)[len(times) // 2], self.idle, "ms", "without it", most=3)
        return measured


class Events(http.server.BaseHTTPRequestHandler):
    """`GET /v1/events` of Stripe, newest first, for as many sessions as the server was made for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        last = int(query["starting_after"].removeprefix("evt_")) if "starting_after" in query else self.server.count
        numbers = range(last - 1, max(-1, last - 1 - int(query.get("limit", 10))), -1)
        begin = self.server.moment - self.server.count // 100
        found = [session(number, begin + number // 100) for number in numbers]
        body = json.dumps({"object": "list", "url": "/v1/events", "has_more": bool(numbers) and numbers[-1] > 0, "data": found}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def bulk(options, folder, wrk):
    """Imports, replays and copies of a million rows, alone and beside a server that takes new tokens."""
    count, few = options.rows, options.rows // 10
    ledger = ["--database", f"sqlite:{folder}/ledger.sqlite", "--config", folder / "serve.json"]
    Server(options.program, folder).end()

    def compared(title, measured, seconds, rows, table, database=f"sqlite:{folder}/ledger.sqlite"):
        shell, there = size_commands.shell(database, f"SELECT * FROM {table}", folder)
        if there < rows:
            sys.exit(f"{title}: {there} of {rows} rows are there")
        say("bulk", f"{title}, {rows:,} rows", rows / seconds, there / shell, "rows/s", "the engine's shell reading them", least=0.3)
        say("bulk", f"{title}, memory above an idle server", max(0.1, measured.peak - size_commands.IDLE), 64, "MiB", "64 MiB", most=1)

    # Sales of customers without a token, interrupted in the middle.
    def sales(name, first, count):
        file = folder / name
        with open(file, "w") as output:
            output.write("saleId,type,occurredAt,customerId,productId,quantity,currency,inclusive,taxRate,taxCountry\n")
            day = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86_400))
            for number in range(first, first + count):
                output.write(f"sale-{number},purchase,{day},customer-{number},gems.100,1,EUR,9.99,21,NLD\n")
        return file

    file = sales("sales.csv", 0, count)
    command = [options.program, "ledger", "import-sales", file, *ledger]
    begin = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    time.sleep(count / 10_000)
    process.send_signal(signal.SIGINT)
    process.wait()
    measured = size_commands.run(command, folder)
    if measured.code:
        sys.exit(f"import-sales: exit code {measured.code}: {measured.errors[-500:]}")
    compared("ledger import-sales, interrupted once", measured, time.monotonic() - begin, count, "sales")
    compared("ledger import-sales of the same rows again", measured := size_commands.run(command, folder), measured.seconds, count, "sales")

    # Events of Stripe.
    api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Events)
    api.count, api.moment, api.daemon_threads = count, int(time.time()), True
    threading.Thread(target=api.serve_forever, daemon=True).start()
    (folder / "stripe.key").write_text("rk_test_0123456789abcdef0123456789abcdef\n")
    (folder / "stripe.key").chmod(0o600)
    CONFIGURATION["stripe"][0].update(apiKeyFile="stripe.key", baseURL=f"http://127.0.0.1:{api.server_address[1]}")
    (folder / "serve.json").write_text(json.dumps(CONFIGURATION))
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 29 * 86_400))
    replay = [options.program, "stripe", "replay", "--since", since, *ledger]
    measured = size_commands.run(replay, folder)
    if measured.code:
        sys.exit(f"stripe replay: exit code {measured.code}: {measured.errors[-500:]}")
    compared("stripe replay", measured, measured.seconds, count, "payment_events")

    # The same beside a server.
    server = Server(options.program, folder)
    beside = Beside(server, wrk)
    more = sales("more.csv", count, few)
    beside.measure("ledger import-sales", [options.program, "ledger", "import-sales", more, *ledger, "--server", server.url], folder)
    beside.measure("stripe replay of known events", [*replay, "--server", server.url], folder)
    server.end()
    if options.database:
        part = folder / "copy"
        part.mkdir()
        shutil.copy(folder / "stripe.key", part)
        subprocess.run([options.benchmarks, f"fill={count},{part}/ledger.sqlite"], check=True)
        server = Server(options.program, part)
        time.sleep(5)
        beside = Beside(server, wrk)
        subprocess.run(["psql", "-X", "-q", options.database, "-c", "CREATE SCHEMA copied"], check=True)
        target = f"{options.database}?options=-csearch_path%3Dcopied"
        copy = [options.program, "ledger", "copy", "--from", f"sqlite:{part}/ledger.sqlite", "--to", target]
        measured = beside.measure("ledger copy", copy, part)
        server.end()
        compared("ledger copy to PostgreSQL beside a server", measured, measured.seconds, count, "tokens", f"sqlite:{part}/ledger.sqlite")
        finish = size_commands.run([*copy, "--finish"], part)
        if finish.code:
            sys.exit(f"ledger copy --finish: exit code {finish.code}: {finish.errors[-500:]}")
        print(f"ledger copy --finish: {finish.seconds:.1f} s, CPU {finish.cpu:.1f} s, {finish.peak:.0f} MiB that no file backs")


def soak(options, folder, wrk):
    """Resident memory while new tokens arrive as fast as the server takes them."""
    server = Server(options.program, folder, options.database)
    load = Load(server, wrk)
    samples, over = [], threading.Event()

    def sample():
        while not over.wait(5):
            samples.append(server.memory())

    watcher = threading.Thread(target=sample)
    watcher.start()
    result = load.run("new", 64, options.minutes * 60)
    over.set()
    watcher.join()
    server.end()
    anonymous = [anonymous for _, anonymous in samples]
    part = len(anonymous) // 4
    middle = lambda values: sorted(values)[len(values) // 2]  # noqa: E731
    print(f"{result['perSecond']:.0f} new tokens a second for {options.minutes} minutes; resident at most {max(r for r, _ in samples):.0f} MiB")
    say("soak", f"memory that no file backs, last quarter of {options.minutes} minutes of new tokens",
        middle(anonymous[-part:]), middle(anonymous[part : 2 * part]), "MiB", "the second quarter", most=1.1)  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("benchmarks", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", default="1,16,64")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--database", help="a ledger in an empty schema of PostgreSQL instead of a file in FOLDER")
    parser.add_argument("--only", default="intake,landing,webhook,start,memory")
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=20)
    options = parser.parse_args()
    wrk = shutil.which("wrk")
    if not wrk:
        parser.error("wrk is not installed (Debian: wrk)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="server-benchmark-", dir=options.folder))
    try:
        if options.only == "soak":
            soak(options, folder, wrk)
        elif options.only == "bulk":
            bulk(options, folder, wrk)
        elif options.only == "stored":
            stored(options, folder, wrk)
        elif options.only == "network":
            network(options, folder, wrk)
            first_minute(options, folder, wrk)
        elif options.only != "growth":
            measure(options, folder, wrk)
        if "growth" in options.only.split(","):
            growth(options, folder, wrk)
    finally:
        shutil.rmtree(folder)


main()
