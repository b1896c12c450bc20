"""Kills two servers on one ledger in PostgreSQL at random moments under load, and compares what they acknowledged with what
Apple's side accepted.

usage: kill_servers.py EXTERNAL_PURCHASE postgres://… [--rounds 300] [--freezes 3] [--seed 1]

EXTERNAL_PURCHASE is a build with the trait PostgreSQL; the address names an empty database. Both servers reach it through a
proxy that delays what it forwards and cuts connections. Clients send tokens and sales to either server, as behind a balancer.
A round ends one of the servers with SIGKILL, now and then with SIGTERM, and starts it again, or cuts all connections. A freeze stops
the server that sends for longer than its lease, so that the other one takes over, and lets it go on. At the end both run until
every report is answered. Nothing that was answered 200 or 201 may be lost, and no line item may be accepted twice.
"""

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from kill_server import BUNDLE, call, reports, sale_body, start, witness


class Proxy:
    """Forwards TCP connections; they can be cut and delayed."""

    def __init__(self, target):
        self.target, self.delay, self.sockets, self.lock, self.cuts = target, 0.0, set(), threading.Lock(), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(self.target, timeout=10)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            with self.lock:
                self.sockets |= {client, server}
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.forward, args=(one, other), daemon=True).start()

    def forward(self, source, sink):
        try:
            while data := source.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        with self.lock:
            self.sockets -= {source, sink}

    def cut(self):
        self.cuts += 1
        with self.lock:
            sockets = list(self.sockets)
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Servers:
    def __init__(self, program, configurations, database, log):
        self.commands = [
            [program, "serve", "--config", file, "--port", "0", "--database", database] for file in configurations
        ]
        self.log, self.processes, self.bases = log, [None, None], [None, None]
        for index in (0, 1):
            self.begin(index)

    def begin(self, index):
        self.processes[index], self.bases[index] = start(self.commands[index], self.log)

    def end(self, index, with_signal):
        self.processes[index].send_signal(with_signal)
        self.processes[index].wait()

    def senders(self):
        """The servers that hold the lease of the app's reports."""
        found = []
        for index, base in enumerate(self.bases):
            try:
                _, answer = call("GET", f"{base}/health/ready", timeout=5)
                held = answer["leases"]["held"]
            except (OSError, ValueError, KeyError, TypeError):
                continue
            if any(name.startswith("reports/sandbox/") for name in held):
                found.append(index)
        return found


class Load:
    """Clients that send tokens and sales to either server."""

    def __init__(self, apple, servers):
        self.apple, self.servers, self.lock = apple, servers, threading.Lock()
        self.tokens, self.sales, self.over = set(), {}, threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(4)]
        for thread in self.threads:
            thread.start()

    def post(self, chance, path, body):
        try:
            status, _ = call("POST", chance.choice(self.servers.bases) + path, body, timeout=30)
        except (OSError, ValueError, http.client.HTTPException):
            return False
        return status in (200, 201)

    def run(self, number):
        chance, count = random.Random(number), 0
        while not self.over.is_set():
            count += 1
            try:
                _, minted = call("POST", f"{self.apple}/emulator/v1/tokens", {"bundleId": BUNDLE})
            except (OSError, ValueError):
                continue
            token = minted["decoded"]["externalPurchaseId"]
            # A client that got no answer sends the same token again, to either server; without one its sales stay with it.
            while not self.post(chance, "/v1/tokens", {"token": minted["token"]}):
                if self.over.wait(0.05):
                    return
            with self.lock:
                self.tokens.add(token)
            for part in range(2):
                sale = f"sale-{number}-{count}-{part}"
                body = sale_body(sale, token)
                # A client that got no answer sends the same sale again, to either server.
                if any(self.post(chance, "/v1/sales", body) for _ in range(chance.choice((1, 1, 2)))):
                    with self.lock:
                        self.sales[sale] = token
            time.sleep(chance.uniform(0, 0.05))

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


def stored_tokens(base):
    found, after = set(), 0
    while True:
        _, page = call("GET", f"{base}/v1/tokens?limit=1000&after={after}", timeout=60)
        found |= {token["externalPurchaseId"] for token in page["tokens"]}
        if page["next"] is None:
            return found
        after = page["next"]


def play(options, chance, servers, proxy, apple):
    faults = [{"dropAfterAccept": True}, {"status": 500}, {"closeConnection": True}, {"delayMs": 200}]
    kills, freezes = 0, 0
    while kills < options.rounds:
        if chance.random() < 0.2:
            order = {"match": {"method": "PUT", "path": "/externalPurchase/v1/reports"}}
            call("POST", f"{apple}/emulator/v1/faults", {**order, "behaviour": chance.choice(faults), "times": 2})
        proxy.delay = chance.choice((0, 0, 0.001, 0.02))
        time.sleep(chance.uniform(0.1, 1.2))
        if chance.random() < 0.2:
            proxy.cut()
            continue
        index = chance.randrange(2)
        servers.end(index, signal.SIGKILL if chance.random() < 0.85 else signal.SIGTERM)
        time.sleep(chance.choice((0, 0.3, 2)))
        servers.begin(index)
        kills += 1
        if kills % 25 == 0:
            print(f"{kills} kills, {proxy.cuts} cuts of all connections", flush=True)
        if freezes < options.freezes and kills >= (freezes + 1) * options.rounds // (options.freezes + 1):
            freezes += 1
            freeze(servers, proxy)
    return freezes


def freeze(servers, proxy):
    """Stops the server that sends until the other one has taken over, and lets it go on."""
    proxy.delay = 0
    deadline = time.time() + 120
    while not (senders := servers.senders()) and time.time() < deadline:
        time.sleep(1)
    if not senders:
        sys.exit("no server took over within two minutes")
    index = senders[0]
    servers.processes[index].send_signal(signal.SIGSTOP)
    deadline = time.time() + 120
    while 1 - index not in servers.senders() and time.time() < deadline:
        time.sleep(1)
    servers.processes[index].send_signal(signal.SIGCONT)
    if time.time() >= deadline:
        sys.exit("the other server did not take over from one that was stopped")
    print("a stopped server lost its lease and went on", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("database")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--freezes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program}: no program; build it with the trait PostgreSQL")
    chance = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="external-purchase-kill-")
    log = open(os.path.join(folder, "log"), "w")
    emulator, apple = start(
        [options.program, "emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890", "--credentials", folder], log
    )
    app = json.load(open(os.path.join(folder, "credentials.json")))["apps"][0]
    address = urllib.parse.urlsplit(options.database)
    proxy = Proxy((address.hostname, address.port or 5432))
    user = address.netloc.rpartition("@")[0]
    through = address._replace(netloc=f"{user}@127.0.0.1:{proxy.port}" if user else f"127.0.0.1:{proxy.port}")
    configurations = []
    for index in (0, 1):
        configurations.append(os.path.join(folder, f"serve{index}.json"))
        key = {"file": app["keyFile"], "keyId": app["keyId"], "issuerId": app["issuerId"]}
        json.dump(
            {
                "apps": [{"bundleId": BUNDLE, "appAppleId": 1234567890, "key": key, "baseURL": {"sandbox": apple}}],
                "settings": {"database.folder": os.path.join(folder, f"files{index}")},
            },
            open(configurations[-1], "w"),
        )
    servers = Servers(options.program, configurations, through.geturl(), log)
    load = Load(apple, servers)
    freezes = play(options, chance, servers, proxy, apple)
    load.end()
    call("DELETE", f"{apple}/emulator/v1/faults")
    proxy.delay = 0
    deadline, states = time.time() + 900, {}
    while time.time() < deadline:
        accepted, states = reports(servers.bases[0])
        if set(load.sales) <= set(accepted) and set(states) <= {"accepted"}:
            break
        time.sleep(2)
    missing = load.tokens - stored_tokens(servers.bases[1])
    for index in (0, 1):
        servers.end(index, signal.SIGTERM)
    verified = subprocess.run(
        [options.program, "ledger", "verify", "--database", options.database], capture_output=True, text=True
    )
    witnessed = witness(apple)
    emulator.terminate()
    lost = [sale for sale in load.sales if sale not in witnessed] + sorted(missing)
    twice = [item for item, count in witnessed.items() if count > 1]
    print(
        f"{options.rounds} kills of two servers, {freezes} freezes, {proxy.cuts} cuts of all connections: {len(load.tokens)} tokens and "
        f"{len(load.sales)} sales acknowledged, {len(witnessed)} line items accepted"
    )
    print(f"acknowledged and lost: {len(lost)}; accepted twice: {len(twice)}; reports by state: {states}")
    print(f"audit log: {(verified.stdout or verified.stderr).strip()}")
    if lost or twice or not load.sales or verified.returncode != 0:
        print(f"lost {lost[:10]}, twice {twice[:10]}; see {folder}")
        sys.exit(1)


if __name__ == "__main__":
    main()
