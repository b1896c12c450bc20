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
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from servers import BUNDLE, Servers, free_port  # noqa: E402

RULES = pathlib.Path("Packaging/prometheus/external-purchase.rules.yml").resolve()
# Only where several servers share a ledger, or where something is there to count.
CONDITIONAL = {"external_purchase_lease_held", "external_purchase_attention_items"}


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
    # Nobody listens there: the message waits. A sale on the token of another app waits for a person.
    receiver = {"url": f"http://127.0.0.1:{free_port()}/"}
    sides = Servers(program, alerts={"webhook": receiver, "every": "1s", "scheduled": "on"}, settings={"due.warn": "30"})
    folder = sides.folder
    try:
        token = post(f"{sides.apple}/emulator/v1/tokens", {"bundleId": BUNDLE})["token"]
        post(f"http://{sides.address}/v1/tokens", {"token": token})

        served = set(re.findall(r"^# TYPE (\w+)", get(f"http://{sides.address}/metrics"), re.M))
        named = {re.sub("_(count|bucket|sum)$", "", word)
                 for word in re.findall(r"external_purchase_\w+", "\n".join(
                     line for line in RULES.read_text().splitlines() if "expr:" in line))}
        if missing := named - served - CONDITIONAL:
            sys.exit(f"the rules name metrics that the server does not have: {', '.join(sorted(missing))}")

        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "external-purchase", "static_configs": [{"targets": [sides.address]}]}],
        }))
        api = f"127.0.0.1:{free_port()}"
        sides.start([prometheus, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
                     f"--web.listen-address={api}"])

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
        sides.server.send_signal(signal.SIGTERM)
        sides.server.wait(30)
        until("the server that went away", lambda: "ExternalPurchaseUnreachable" in alerts())
        print(f"prometheus: {len(rules)} rules hold against {len(served)} metrics")
    except SystemExit:
        sys.stderr.write(sides.last_lines())
        raise
    finally:
        sides.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
