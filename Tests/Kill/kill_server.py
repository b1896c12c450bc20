"""Kills the merchant's server at random moments under load, and compares what it acknowledged with what Apple's side accepted.

usage: kill_server.py EXTERNAL_PURCHASE [--rounds 300] [--seed 1]

Every round starts the server on the same ledger, sends tokens and sales from several threads, and ends it with SIGKILL.
At the end the server runs until every report is answered. Nothing that was answered 200 or 201 may be lost, and no line item
may be accepted twice.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

BUNDLE = "com.example.shop"


def call(method, url, body=None, timeout=10):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} if data else {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def start(arguments, log):
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=log, text=True)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        sys.exit(f"{arguments[1]} did not start: {line!r}")
    return process, line.split()[-1]


def sale_body(sale, token):
    return {
        "saleId": sale,
        "bundleId": BUNDLE,
        "type": "purchase",
        "occurredAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "externalPurchaseId": token,
        "productId": "gems",
        "quantity": 1,
        "amount": {"currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"},
    }


def reports(base):
    """The line items of accepted reports, and the number of reports by state."""
    accepted, states, after = {}, {}, 0
    while True:
        _, page = call("GET", f"{base}/v1/reports?limit=1000&after={after}", timeout=60)
        for report in page["reports"]:
            states[report["state"]] = states.get(report["state"], 0) + 1
            if report["state"] == "accepted":
                for item in report["report"].get("lineItems", []):
                    accepted.setdefault(item["lineItemId"], []).append(report["requestIdentifier"])
        if page["next"] is None:
            return accepted, states
        after = page["next"]


def witness(apple):
    """How often Apple's side accepted each line item, by its snapshot, whatever its journal still holds."""
    _, snapshot = call("GET", f"{apple}/emulator/v1/snapshot", timeout=120)
    witnessed = {}
    for change in snapshot["changes"]:
        body = change.get("report", {}).get("_0", {}).get("body")
        for item in json.loads(body).get("lineItems", []) if body else []:
            witnessed[item["lineItemId"]] = witnessed.get(item["lineItemId"], 0) + 1
    return witnessed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program}: no program; build it with `./run build`")
    chance = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="external-purchase-kill-")
    log = open(os.path.join(folder, "log"), "w")
    emulator, apple = start(
        [options.program, "emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890", "--credentials", folder], log
    )
    app = json.load(open(os.path.join(folder, "credentials.json")))["apps"][0]
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
            ]
        },
        open(config, "w"),
    )
    serve = [options.program, "serve", "--config", config, "--port", "0", "--database", f"sqlite:{folder}/ledger.sqlite"]
    tokens, sales, lock = {}, {}, threading.Lock()
    # Apple's answers get lost now and then, so that fates are unknown when the server dies.
    faults = [{"dropAfterAccept": True}, {"status": 500}, {"closeConnection": True}, {"delayMs": 40}]

    def load(number, base, over):
        count = 0
        while not over.is_set():
            name = f"{number}-{count}"
            count += 1
            try:
                _, minted = call("POST", f"{apple}/emulator/v1/tokens", {"bundleId": BUNDLE})
                token = minted["decoded"]["externalPurchaseId"]
                status, _ = call("POST", f"{base}/v1/tokens", {"token": minted["token"]})
                if status in (200, 201):
                    with lock:
                        tokens[token] = True
                for part in range(2):
                    sale = f"sale-{name}-{part}"
                    status, _ = call("POST", f"{base}/v1/sales", sale_body(sale, token))
                    if status in (200, 201):
                        with lock:
                            sales[sale] = token
            # An answer may end in the middle: it acknowledges nothing.
            except (OSError, ValueError, TypeError, http.client.HTTPException):
                time.sleep(0.002)

    for round_number in range(options.rounds):
        server, base = start(serve, log)
        if round_number % 3 == 0:
            order = {"match": {"method": "PUT", "path": "/externalPurchase/v1/reports"}}
            call("POST", f"{apple}/emulator/v1/faults", {**order, "behaviour": chance.choice(faults), "times": 2})
        over = threading.Event()
        threads = [threading.Thread(target=load, args=(f"{round_number}-{n}", base, over)) for n in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(chance.uniform(0.01, 0.35))
        server.send_signal(signal.SIGKILL)
        over.set()
        server.wait()
        for thread in threads:
            thread.join()
        if (round_number + 1) % 25 == 0:
            print(f"{round_number + 1} kills, {len(tokens)} tokens and {len(sales)} sales acknowledged", flush=True)

    call("DELETE", f"{apple}/emulator/v1/faults")
    server, base = start(serve, log)
    deadline = time.time() + 600
    while time.time() < deadline:
        accepted, states = reports(base)
        if set(sales) <= set(accepted) and set(states) <= {"accepted"}:
            break
        time.sleep(1)
    server.terminate()
    server.wait()

    witnessed = witness(apple)
    lost = [sale for sale in sales if sale not in witnessed]
    twice = [item for item, count in witnessed.items() if count > 1]
    emulator.terminate()
    print(f"{options.rounds} kills: {len(tokens)} tokens and {len(sales)} sales acknowledged, {len(witnessed)} line items accepted")
    print(f"acknowledged and lost: {len(lost)}; accepted twice: {len(twice)}; reports by state: {states}")
    if lost or twice or not sales:
        print(f"lost {lost[:10]}, twice {twice[:10]}; see {folder}")
        sys.exit(1)


if __name__ == "__main__":
    main()
