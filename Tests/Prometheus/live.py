"""Holds Packaging/prometheus against Debian's Prometheus, which scrapes the merchant's server.

    live.py EXTERNAL-PURCHASE PROMETHEUS

Every metric of the rules has to be in the answer of /metrics, of a server with the ledger that it has; those of servers that
share one have a test in Swift. The rules are then loaded by a running Prometheus, none of them may fail, and the alert of an alert message
that nobody takes has to become pending, and that of a server that went away as well.
"""

import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

BUNDLE = "com.example.shop"
RULES = pathlib.Path("Packaging/prometheus/external-purchase.rules.yml").resolve()
# Only where several servers share a ledger, or where something is there to count.
CONDITIONAL = {"external_purchase_lease_held", "external_purchase_attention_items"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(process, prefix):
    line = process.stdout.readline()
    if not line.startswith(prefix):
        sys.exit(f"expected '{prefix}…', got '{line}'")
    return line[len(prefix):].strip()


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def until(what, found, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := found():
                return value
        except OSError:
            pass
        time.sleep(0.25)
    sys.exit(f"{what}: not within {seconds} s")


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def main(program, prometheus):
    processes = []

    def start(arguments, log):
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=log, text=True)
        processes.append(process)
        return process

    with tempfile.TemporaryDirectory(prefix="prometheus-") as name, open(pathlib.Path(name) / "log.txt", "w+") as log:
        folder = pathlib.Path(name)
        try:
            emulator = start([program, "emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890",
                              "--credentials", name], log)
            apple = wait_for(emulator, "listening on ")
            credentials = json.loads((folder / "credentials.json").read_text())
            key = credentials["apps"][0] if "apps" in credentials else credentials
            (folder / "serve.yaml").write_text(json.dumps({
                "apps": [{
                    "bundleId": BUNDLE, "appAppleId": 1234567890,
                    "key": {"file": str(folder / pathlib.Path(key["keyFile"]).name), "keyId": key["keyId"],
                            "issuerId": key["issuerId"]},
                    "baseURL": {"sandbox": apple}, "links": {"nl": "https://shop.example.com/nl"},
                }],
                # Nobody listens there: the message waits. A sale on the token of another app waits for a person.
                "alerts": {"webhook": {"url": f"http://127.0.0.1:{free_port()}/"}, "every": "1s", "scheduled": "on"},
                "settings": {"due.warn": "30"},
            }))
            server = start([program, "serve", "--config", str(folder / "serve.yaml"), "--port", "0",
                            "--database", f"sqlite:{folder / 'ledger.sqlite'}"], log)
            address = wait_for(server, "listening on http://")
            token = post(f"{apple}/emulator/v1/tokens", {"bundleId": BUNDLE})["token"]
            post(f"http://{address}/v1/tokens", {"token": token})

            served = set(re.findall(r"^# TYPE (\w+)", get(f"http://{address}/metrics"), re.M))
            named = {re.sub("_(count|bucket|sum)$", "", word)
                     for word in re.findall(r"external_purchase_\w+", "\n".join(
                         line for line in RULES.read_text().splitlines() if "expr:" in line))}
            if missing := named - served - CONDITIONAL:
                sys.exit(f"the rules name metrics that the server does not have: {', '.join(sorted(missing))}")

            (folder / "prometheus.yml").write_text(json.dumps({
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": [str(RULES)],
                "scrape_configs": [{"job_name": "external-purchase", "static_configs": [{"targets": [address]}]}],
            }))
            api = f"127.0.0.1:{free_port()}"
            start([prometheus, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
                   f"--web.listen-address={api}"], log)

            def data(path):
                return json.loads(get(f"http://{api}/api/v1/{path}"))["data"]

            def alerts():
                return {alert["labels"]["alertname"] for alert in data("alerts")["alerts"]}

            until("a scrape", lambda: data("query?query=external_purchase_metrics_age_seconds")["result"])
            until("the waiting message", lambda: "ExternalPurchaseAlertMessagesWaiting" in alerts())
            rules = [rule for group in data("rules")["groups"] for rule in group["rules"]]
            for rule in rules:
                if rule["health"] != "ok":
                    sys.exit(f"{rule['name']}: {rule.get('lastError', rule['health'])}")
            if wrong := alerts() - {"ExternalPurchaseAlertMessagesWaiting"}:
                sys.exit(f"alerts for which there is no reason: {', '.join(sorted(wrong))}")
            server.send_signal(signal.SIGTERM)
            server.wait(30)
            until("the server that went away", lambda: "ExternalPurchaseUnreachable" in alerts())
            print(f"prometheus: {len(rules)} rules hold against {len(served)} metrics")
        except SystemExit:
            log.seek(0)
            sys.stderr.write("".join(log.readlines()[-30:]))
            raise
        finally:
            for process in reversed(processes):
                if process.poll() is None:
                    process.terminate()
                    process.wait(30)


if __name__ == "__main__":
    main(*sys.argv[1:])
