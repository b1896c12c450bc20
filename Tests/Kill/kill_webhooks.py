"""Kills the merchant's server at random moments while it sends events to receivers that fail, hang and forget.

usage: kill_webhooks.py EXTERNAL_PURCHASE [--rounds 150] [--seed 1]

Every round starts the server on the same ledger, sends tokens and sales from several threads, and ends it with SIGKILL. At the
end the server runs until every event is delivered. Each receiver must have every change of the feed since its first one, and
an event of every token and sale that was acknowledged; the events of a record in their order; one body for each id, and one id
for each change; and right signatures.
"""

import argparse
import base64
import collections
import hashlib
import hmac
import http.client
import http.server
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time

from kill_server import BUNDLE, call, sale_body, start

SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "0123456789abcdef-plain"]
KINDS = ["good", "failing", "hanging", "forgetful"]


class Receivers:
    """Four receivers in one server, told apart by their path."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.lock = threading.Lock()
        # By receiver: the accepted ids in their order, and how often each was treated badly.
        self.accepted = {kind: [] for kind in KINDS}
        self.bad = collections.Counter()
        # Each hanging request stops its receiver's batch for 15 s, so that at the end there are few.
        self.hangs = 1_000_000
        self.bodies, self.requests, self.wrong = {}, collections.Counter(), []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.receive(self, self.path.strip("/"), body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, kind):
        return f"http://127.0.0.1:{self.server.server_port}/{kind}"

    def is_signed(self, handler, body):
        signed = f"{handler.headers['webhook-id']}.{handler.headers['webhook-timestamp']}.".encode() + body
        keys = [base64.b64decode(SECRETS[0][6:]), SECRETS[1].encode()]
        values = ["v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys]
        return handler.headers["webhook-signature"] == " ".join(values)

    def receive(self, handler, kind, body):
        event = handler.headers["webhook-id"]
        with self.lock:
            self.requests[kind] += 1
            if not self.is_signed(handler, body):
                self.wrong.append(f"{kind}: the signature of {event}")
            if self.bodies.setdefault((kind, event), body) != body:
                self.wrong.append(f"{kind}: another body for {event}")
            # An event is treated badly twice at most, so that the waits between attempts stay short.
            share = {"good": 0, "failing": 0.2, "hanging": 0.02 if self.hangs > 0 else 0, "forgetful": 0.2}[kind]
            is_bad = self.bad[kind, event] < 2 and self.chance.random() < share
            self.bad[kind, event] += is_bad
            self.hangs -= is_bad and kind == "hanging"
            way = self.chance.choice(["500", "302", "close"])
            # Who forgets has taken the event, and says otherwise.
            if not is_bad or kind == "forgetful":
                self.accepted[kind].append(event)
        if is_bad and kind == "hanging":
            time.sleep(20)
            way = "close"
        if is_bad and way == "close":
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        status = int(way) if is_bad else 200
        handler.send_response(status)
        if status == 302:
            handler.send_header("Location", "/redirected")
        handler.send_header("Content-Length", "0")
        handler.end_headers()


def feed(base):
    """All changes, in their order."""
    changes, after = [], None
    while True:
        query = f"?limit=1000&after={after}" if after else "?limit=1000"
        _, page = call("GET", f"{base}/v1/changes{query}", timeout=120)
        changes += page["changes"]
        if len(page["changes"]) < 1000:
            return changes
        after = page["next"]


def unsettled(base):
    """The number of deliveries that are not delivered, up to 1,000 of each state."""
    return {
        state: len(call("GET", f"{base}/v1/deliveries?limit=1000&state={state}", timeout=120)[1]["deliveries"])
        for state in ["waiting", "parked"]
    }


def judge(kind, receivers, changes, tokens, sales):
    """What is wrong with what a receiver got."""
    wrong = []
    place = {change["cursor"]: index for index, change in enumerate(changes)}
    first_of = {}
    for event in receivers.accepted[kind]:
        first_of.setdefault(event, len(first_of))
    told = {event: json.loads(receivers.bodies[kind, event]) for event in first_of}
    cursors = collections.Counter(body["cursor"] for body in told.values())
    wrong += [f"{kind}: {count} ids for the change {cursor}" for cursor, count in cursors.items() if count > 1]
    wrong += [f"{kind}: {body['cursor']} is not in the feed" for body in told.values() if body["cursor"] not in place]
    if wrong or not told:
        return wrong or [f"{kind}: got nothing"]
    begin = min(place[cursor] for cursor in cursors)
    for change in changes[begin:]:
        if change["cursor"] not in cursors:
            wrong.append(f"{kind}: lost {change['cursor']} {change['type']} {change['subject']}")
    last = {}
    for event in first_of:
        body = told[event]
        subject = (body["bundleId"], body["subject"]["type"], body["subject"]["id"])
        index = place[body["cursor"]]
        if index < last.get(subject, -1):
            wrong.append(f"{kind}: {subject} got {body['cursor']} after {changes[last[subject]]['cursor']}")
        last[subject] = max(index, last.get(subject, -1))
        same = changes[index]
        if any(body[name] != same[name] for name in ["type", "subject", "bundleId", "at"]):
            wrong.append(f"{kind}: {body['cursor']} differs from the feed")
    types = {(body["type"], body["subject"]["id"]) for body in told.values()}
    wrong += [f"{kind}: no event of the token {token}" for token in tokens if ("token.stored", token) not in types]
    wrong += [f"{kind}: no event of the sale {sale}" for sale in sales if ("sale.planned", sale) not in types]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program}: no program; build it with `./run build`")
    chance = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="external-purchase-kill-")
    log = open(os.path.join(folder, "log"), "w")
    receivers = Receivers(options.seed)
    emulator, apple = start(
        [options.program, "emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890", "--credentials", folder], log
    )
    app = json.load(open(os.path.join(folder, "credentials.json")))["apps"][0]
    with open(os.path.join(folder, "erp.secret"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as secret:
        secret.write("\n".join(SECRETS) + "\n")
    config = os.path.join(folder, "serve.json")
    json.dump(
        {
            "apps": [
                {
                    "bundleId": BUNDLE,
                    "appAppleId": 1234567890,
                    "key": {"file": app["keyFile"], "keyId": app["keyId"], "issuerId": app["issuerId"]},
                    "baseURL": {"sandbox": apple},
                }
            ],
            "webhooks": [
                {"name": kind, "url": receivers.url(kind), "secretFile": "erp.secret", "allowPrivate": True}
                for kind in KINDS
            ],
        },
        open(config, "w"),
    )
    serve = [options.program, "serve", "--config", config, "--port", "0", "--database", f"sqlite:{folder}/ledger.sqlite"]
    tokens, sales, lock = {}, {}, threading.Lock()

    def load(name, base, over, most):
        for count in range(most):
            if over.is_set():
                return
            try:
                _, minted = call("POST", f"{apple}/emulator/v1/tokens", {"bundleId": BUNDLE})
                token = minted["decoded"]["externalPurchaseId"]
                status, _ = call("POST", f"{base}/v1/tokens", {"token": minted["token"]})
                if status in (200, 201):
                    with lock:
                        tokens[token] = True
                sale = f"sale-{name}-{count}"
                status, _ = call("POST", f"{base}/v1/sales", sale_body(sale, token))
                if status in (200, 201):
                    with lock:
                        sales[sale] = token
            # An answer may end in the middle: it acknowledges nothing.
            except (OSError, ValueError, TypeError, http.client.HTTPException):
                time.sleep(0.002)

    # A receiver gets the changes after the webhook began.
    server, base = start(serve, log)
    time.sleep(5)
    server.terminate()
    server.wait()
    for number in range(options.rounds):
        server, base = start(serve, log)
        over = threading.Event()
        threads = [threading.Thread(target=load, args=(f"{number}-{n}", base, over, 6)) for n in range(3)]
        for thread in threads:
            thread.start()
        # A third ends while requests come in, the others while events go out.
        time.sleep(chance.uniform(0.01, 0.3) if number % 3 == 0 else chance.uniform(0.3, 2.5))
        server.send_signal(signal.SIGKILL)
        over.set()
        server.wait()
        for thread in threads:
            thread.join()
        if (number + 1) % 25 == 0:
            counts = {kind: len(set(receivers.accepted[kind])) for kind in KINDS}
            print(f"{number + 1} kills, {len(tokens)} tokens, {len(sales)} sales, accepted {counts}", flush=True)

    receivers.hangs = 10
    server, base = start(serve, log)
    end = time.time() + 1800
    quiet = 0
    while time.time() < end and quiet < 3:
        rest = unsettled(base)
        quiet = quiet + 1 if not any(rest.values()) else 0
        time.sleep(3)
    changes = feed(base)
    _, listed = call("GET", f"{base}/v1/deliveries?limit=1000", timeout=120)
    server.terminate()
    server.wait()
    emulator.terminate()

    wrong = list(receivers.wrong)
    wrong += [f"not delivered: {rest}"] if any(rest.values()) else []
    for delivery in listed["deliveries"]:
        answers = [attempt["status"] for attempt in delivery["attempts"]]
        if not answers or answers[-1] != 200:
            wrong.append(f"delivery {delivery['id']} has the attempts {answers}")
    for kind in KINDS:
        wrong += judge(kind, receivers, changes, tokens, sales)
    again = {kind: receivers.requests[kind] - len(set(receivers.accepted[kind])) for kind in KINDS}
    print(f"{options.rounds} kills: {len(tokens)} tokens and {len(sales)} sales acknowledged, {len(changes)} changes")
    print(f"requests: {dict(receivers.requests)}, of these repeated or refused: {again}")
    print(f"wrong: {len(wrong)}")
    if wrong or not sales or receivers.requests["redirected"]:
        print("\n".join(wrong[:20]) + f"\nsee {folder}")
        sys.exit(1)


if __name__ == "__main__":
    main()
