#!/usr/bin/env python3
"""Measures pages, lists and bulk commands on a large ledger beside a small one with as much open.

usage: size.py EXTERNAL_PURCHASE [--sales 1000000] [--database postgres://…] [--folder FOLDER] [--only pages,commands]
               [--rounds 5] [--customers 120] [--days 240] [--posted 0] [--keep]

size_ledger.py makes the ledgers. Without --database they are SQLite files in FOLDER; with it, schemas of a database that
is reached by psql. Each page of the dashboard and each list with each value of each parameter, as the description of the
server has them, is asked ROUNDS times; p99 is that of all of them. The small ledger has 1 % of the sales, all else being equal.
The sales are Stripe's, of CUSTOMERS customers in the seed, and those of every other one of POSTED visits of a shop that posts them.
"""

import argparse
import http.client
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
import urllib.parse

import size_commands
import size_ledger
from size_ledger import say

HERE = pathlib.Path(__file__).resolve().parent
DESCRIPTION = HERE.parent / "docs" / "openapi" / "external-purchase-server.json"
# The lists whose rows the dashboard shows too.
# The tokens of the seed that are left open; half of them have a sale.
OPEN = 20
PAGES = ["tokens", "sales", "reports", "due", "corrections", "notifications", "events", "review", "audit"]


class Server:
    def __init__(self, program, source, folder, database):
        # A server keeps what it noted of its ledger beside its configuration.
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("ledger.sqlite*", "external-purchase-files", "log"))
        self.log = open(folder / "log", "a")
        arguments = [program, "serve", "--config", folder / "serve.json", "--port", "0", "--database", database]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=folder)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit(f"the server did not start: {(folder / 'log').read_text().strip() or line.strip()}")
        self.host = urllib.parse.urlsplit(line.split()[-1]).netloc
        self.connection = http.client.HTTPConnection(self.host, timeout=120)

    def get(self, path):
        """Seconds, status and body."""
        begin = time.perf_counter()
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        return time.perf_counter() - begin, answer.status, body

    def json(self, path):
        _, status, body = self.get(path)
        if status != 200:
            sys.exit(f"{path} answers {status}: {body[:300]}")
        return json.loads(body)

    def memory(self):
        """Resident MiB that no file backs."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", text)[1]) / 1024

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


def resolved(description, value):
    while "$ref" in value:
        place = description
        for key in value["$ref"][2:].split("/"):
            place = place[key]
        value = place
    return value


def samples(server):
    """Ids and moments that a ledger has."""
    sale = server.json("/v1/sales?limit=1&kind=purchase&standing=reported")["sales"][0]
    late = server.json("/v1/sales?limit=1&standing=planned")["sales"][0]
    token = server.json("/v1/tokens?limit=1&kind=SERVICES")["tokens"][0]
    event = server.json("/v1/events?limit=1")["events"][0]
    return {
        "saleId": [sale["saleId"], late["saleId"]],
        "externalPurchaseId": [token["externalPurchaseId"], late["externalPurchaseId"]],
        "customerId": [late["sale"]["customerId"], "nobody"],
        "checkoutId": [late["sale"]["checkoutId"], "none"],
        "productId": ["com.example.shop.gems.100", "skin.standard", "none"],
        "kind": [event["type"], "none"],
        "subtype": ["CREATED"],
        "programme": ["jp"],
        "month": ["2026-03"],
        "webhook": ["none"],
        "eventId": [event["eventId"]],
        # Half of what there is.
        "middle": int(server.json("/v1/sales?limit=1&standing=planned")["next"]) // 2,
        "spans": [("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"), ("2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z")],
    }


def requests(found):
    """The paths that are asked: name and path."""
    description = json.loads(DESCRIPTION.read_text())
    asked = [("overview", "/"), ("overview", "/?environment=sandbox"), ("metrics", "/metrics"), ("settings", "/settings")]
    for id in found["externalPurchaseId"]:
        asked += [("timeline", f"/tokens/{id}"), ("/v1/tokens/one", f"/v1/tokens/{id}"), ("search", f"/search?q={id}")]
    for id in found["saleId"]:
        asked += [("sale", f"/sales/{id}"), ("/v1/sales/one", f"/v1/sales/{id}"), ("search", f"/search?q={id}")]
    for id in found["customerId"] + found["eventId"]:
        asked += [("search", f"/search?q={id}")]
    asked += [("event", f"/events/{id}") for id in found["eventId"]]
    for path, methods in description["paths"].items():
        if "get" not in methods or not path.startswith("/v1/") or "{" in path or path in ("/v1/invoices", "/v1/policy"):
            continue
        parameters = {}
        for parameter in methods["get"].get("parameters", []):
            parameter = resolved(description, parameter)
            if parameter["in"] == "query":
                parameters[parameter["name"]] = resolved(description, parameter["schema"])
        asked += [(path, url) for url in lists(path, parameters, found)]
        name = path.removeprefix("/v1/")
        if name in PAGES:
            asked += [(f"/{name}", url) for url in lists(f"/{name}", parameters, found)]
    return asked


def lists(path, parameters, found):
    yield path
    if "after" in parameters and path in ("/v1/tokens", "/v1/sales", "/v1/reports", "/v1/audit", "/v1/events"):
        # A place in the middle of the larger ledger, and at the end of the smaller.
        yield f"{path}?after={found['middle']}"
    for name, schema in parameters.items():
        if name in ("limit", "after", "from", "until"):
            continue
        values = schema.get("enum") or found.get(name)
        if name == "bundleId":
            values = ["com.example.shop", "com.example.tools"]
        for value in values or []:
            yield f"{path}?{urllib.parse.urlencode({name: value})}"
            # A page of one app.
            if "bundleId" in parameters and name != "bundleId":
                yield f"{path}?{urllib.parse.urlencode({name: value, 'bundleId': 'com.example.tools'})}"
    if "from" in parameters:
        for begin, end in found["spans"]:
            yield f"{path}?{urllib.parse.urlencode({'from': begin, 'until': end})}"
            yield f"{path}?{urllib.parse.urlencode({'from': begin, 'until': end, 'bundleId': 'com.example.shop'})}"


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def pages(server, rounds):
    found = samples(server)
    times = {}
    for name, url in requests(found):
        server.get(url)
        for _ in range(rounds):
            seconds, status, body = server.get(url)
            # A search leads to what it found.
            if status not in (200, 303, 404):
                print(f"  {url} answers {status}: {body[:200]!r}", flush=True)
            times.setdefault((name, generic(url, found)), []).append(seconds)
            if seconds > 5:
                break
    return times


def generic(url, found):
    """The address with the ledger's own ids replaced, so that two ledgers can be compared."""
    for name in ("saleId", "externalPurchaseId", "customerId", "checkoutId", "eventId"):
        for place, value in enumerate(found[name]):
            url = url.replace(urllib.parse.quote(value), f"{{{name}{place}}}")
    return url.replace(str(found["middle"]), "{middle}")


def compare(small, large, engine, sales):
    groups, worst = {}, []
    for (name, url), times in large.items():
        before = small.get((name, url))
        if not before:
            continue
        groups.setdefault(name, ([], []))
        groups[name][0].extend(before)
        groups[name][1].extend(times)
        worst.append((percentile(times, 0.5), percentile(before, 0.5), name, url))
    print("| pages of | p50 ms, small | p50 ms, large | p99 ms, small | p99 ms, large | p99, large to small |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, (before, after) in groups.items():
        row = [percentile(before, 0.5), percentile(after, 0.5), percentile(before, 0.99), percentile(after, 0.99)]
        print(f"| {name} | " + " | ".join(f"{value * 1e3:.1f}" for value in row) + f" | {row[3] / row[2]:.2f} |")
    print("slowest, ms (small: ms)")
    for after, before, _, url in sorted(worst, reverse=True)[:40]:
        print(f"  {after * 1e3:8.1f} ({before * 1e3:.1f}) {url}")
    every = [sum((times for times in side.values()), []) for side in (small, large)]
    result(f"pages and lists, p99, {sales:,} sales in {engine}", percentile(every[1], 0.99) * 1e3, percentile(every[0], 0.99) * 1e3,
           "ms", "a ledger of 1 % of the sales with as much open", most=2)  # fmt: skip


def result(title, value, limit, unit, of, least=None, most=None):
    line = {"benchmark": "size", "title": title, "value": value, "limit": limit, "unit": unit, "limitTitle": of, "ratio": value / limit}
    line.update({"atLeast": least} if least is not None else {}, **({"atMost": most} if most is not None else {}))
    print("RESULT " + json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--sales", type=int, default=1_000_000)
    parser.add_argument("--customers", type=int, default=120)
    parser.add_argument("--days", type=int, default=240)
    parser.add_argument("--posted", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--database", help="a database of PostgreSQL, in which two schemas are made")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--only", default="pages,commands")
    parser.add_argument("--seed", type=pathlib.Path, help="a folder that an earlier run with --keep left")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="size-benchmark-", dir=options.folder))
    try:
        measure(options, folder)
    finally:
        if options.keep:
            say(f"kept {folder}")
        else:
            shutil.rmtree(folder)


def measure(options, folder):
    if options.seed:
        seed, source = size_ledger.Seed(options.seed / "ledger.sqlite", json.loads((options.seed / "marks.json").read_text())), options.seed
    else:
        seed, source = size_ledger.seed_ledger(options.program, options.customers, options.days, options.posted, OPEN, folder / "seed")
    closed = sum(not seed.is_open("sales", row) for row in seed.rows("sales"))
    opened = sum(seed.is_open("sales", row) for row in seed.rows("sales"))
    # 1 % of the sales are open, in the small ledger as many.
    open_copies = max(1, options.sales // 100 // max(1, opened))
    ledgers, measured = [], []
    for name, sales in (("small", options.sales // 100), ("large", options.sales)):
        copies = size_ledger.Copies(seed, max(1, sales // closed), open_copies)
        if options.database:
            database = schema(options, f"size_{name}")
            size_ledger.make_postgres(copies, database)
        else:
            size_ledger.make_sqlite(copies, folder / f"{name}.sqlite")
            database = f"sqlite:{folder}/{name}.sqlite"
        ledgers.append(database)
    engine = "PostgreSQL" if options.database else "SQLite"
    if "pages" in options.only.split(","):
        for number, database in enumerate(ledgers):
            server = Server(options.program, source, folder / f"server-{number}", database)
            # Deadlines of rows that other rules computed are computed first.
            time.sleep(10)
            measured.append(pages(server, options.rounds))
            say(f"server after its pages: {server.memory():.0f} MiB that no file backs")
            server.end()
        compare(*measured, engine, options.sales)
    if "commands" in options.only.split(","):
        place = folder / "commands"
        shutil.copytree(source, place, ignore=shutil.ignore_patterns("ledger.sqlite*", "external-purchase-files", "log"))
        size_commands.commands(options.program, ledgers[1], place, result, engine)


def schema(options, name):
    """An empty schema with the tables of a ledger, and its address."""
    size_ledger.run(options.database, f"DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}")
    separator = "&" if "?" in options.database else "?"
    database = f"{options.database}{separator}options=-csearch_path%3D{name}"
    subprocess.run([options.program, "database", "migrate", "--database", database], check=True, stdout=subprocess.DEVNULL)
    return database


if __name__ == "__main__":
    main()
