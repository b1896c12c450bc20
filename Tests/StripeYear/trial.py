"""What the trials of Stripe's and of other providers' payments share: Apple's side, the server, and a person of the shop."""

import argparse
import concurrent.futures
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SHOP, GAME, TOOLS = "com.example.shop", "com.example.game", "com.example.tools"
APPS = {SHOP: 1234567890, GAME: 1234567891, TOOLS: 1234567892}
DAY = 86_400
START = 1_767_225_600  # 2026-01-01T00:00:00Z


class Client:
    """Keeps a connection for each thread."""

    def __init__(self, base):
        self.host = urllib.parse.urlsplit(base).netloc
        self.local = threading.local()

    def __call__(self, method, path, body=None, headers=None):
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = dict(headers or {}, **({"Content-Type": "application/json"} if data is not None else {}))
        for attempt in range(2):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                connection = self.local.connection = http.client.HTTPConnection(self.host, timeout=60)
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self.local.connection = None
                connection.close()
                if attempt:
                    raise
        kind = answer.headers.get("Content-Type", "")
        self.local.location = answer.headers.get("Location")
        return answer.status, json.loads(text) if "json" in kind and text else text.decode()


class Failure(Exception):
    pass


def time_of(moment):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def need(condition, text):
    if not condition:
        raise Failure(text)


class Trial:
    """Both sides, whose clock stands still until it is advanced."""

    kind = "trial"

    def __init__(self, program, seed):
        self.program, self.seed = program, seed
        self.chance = random.Random(f"deliveries {seed}")
        self.now, self.processes, self.checkouts, self.deliveries = START, [], {}, 0
        self.mode = self.chance.choice(["review", "automatic"])
        self.folder = tempfile.mkdtemp(prefix=f"external-purchase-{self.kind}-{seed}-")
        self.log = open(os.path.join(self.folder, "log"), "w")

    # Processes

    def start(self, *arguments):
        process = subprocess.Popen([self.program, *arguments], stdout=subprocess.PIPE, stderr=self.log, text=True,
                                   cwd=self.folder)  # fmt: skip
        self.processes.append(process)
        line = process.stdout.readline()
        need(line.startswith("listening on "), f"{arguments[0]} did not start: {line!r}, see {self.folder}/log")
        return line.split()[-1]

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return name

    def start_apple(self, now):
        apps = [f"--app={bundle}={id}" for bundle, id in APPS.items()]
        self.now = now
        self.apple = self.start("emulator", "--port", "0", "--now", time_of(now), "--credentials", ".", *apps)
        self.emulator = Client(self.apple)

    def configure(self, **more):
        """Writes the server's configuration: the apps, and what the trial adds."""
        keys = {app["bundleId"]: app for app in json.load(open(os.path.join(self.folder, "credentials.json")))["apps"]}
        apps = [
            {
                "bundleId": bundle, "appAppleId": id, "programmes": ["jp"],
                "key": {"file": keys[bundle]["keyFile"], "keyId": keys[bundle]["keyId"],
                        "issuerId": keys[bundle]["issuerId"]},
                "baseURL": {"production": self.apple, "sandbox": self.apple},
                "links": {f"buy-{id}": "https://shop.example.com/buy"},
            }
            for bundle, id in APPS.items()
        ]  # fmt: skip
        settings = {"corrections.subscriptionFigures": "automatic", "corrections.payments": self.mode}
        self.file("serve.json", json.dumps(dict(more, apps=apps, settings=settings)))

    def start_server(self):
        base = self.start("serve", "--config", "serve.json", "--port", "0", "--database", "sqlite:ledger.sqlite",
                          "--follow-clock", self.apple)  # fmt: skip
        self.base, self.server = base, Client(base)

    def finish(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()
        self.log.close()

    def advance(self, moment):
        if moment > self.now:
            status, _ = self.emulator("POST", "/emulator/v1/clock/advance", {"seconds": moment - self.now})
            need(status == 200, f"the clock answers {status}")
            self.now = moment

    def plan(self):
        """(moment, what, visit or message): visits once, messages as often and as late as providers deliver them."""
        steps = []
        for visit in self.shop.visits:
            steps.append((visit.at, "mint", visit))
            steps.append((visit.token_at, "visit", visit))
        for message in self.messages:
            if self.is_lost(message):
                continue
            for _ in range(self.chance.choice([1, 1, 1, 2, 3])):
                late = self.chance.choices([(1, 20), (60, 3_600), (3_600, DAY), (DAY, 3 * DAY)], [55, 20, 15, 10])[0]
                steps.append((self.arrival(message, late), "message", message))
        for what, moments in self.rounds():
            steps += [(moment, what, None) for moment in moments]
        order = {"mint": 0, "visit": 1}
        steps.sort(key=lambda step: (step[0], order.get(step[1], 2)))
        return steps

    def play(self):
        steps, place = self.plan(), 0
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            while place < len(steps):
                until, batch = steps[place][0] + 1_800, []
                while place < len(steps) and steps[place][0] <= until:
                    batch.append(steps[place])
                    place += 1
                # Visits happen at their moment, because the token has it.
                for moment, what, visit in batch:
                    if what in ("mint", "visit"):
                        self.advance(moment)
                        getattr(self, what)(visit)
                self.advance(batch[-1][0])
                messages = [step[2] for step in batch if step[1] == "message"]
                self.chance.shuffle(messages)
                list(pool.map(self.deliver, messages))
                for _, what, _ in batch:
                    if what not in ("mint", "visit", "message"):
                        getattr(self, what)()

    def body(self, message):
        # The landing address chooses the checkout, so that a payment follows the visit.
        text = json.dumps(message.body)
        while "@checkout:" in text:
            number = int(text.split("@checkout:")[1].split("@")[0])
            text = text.replace(f"@checkout:{number}@", self.checkouts[number])
        return text.encode()

    def mint(self, visit):
        status, minted = self.emulator("POST", "/emulator/v1/tokens", {
            "bundleId": visit.bundle, "environment": "production" if visit.live else "sandbox",
            "tokenType": visit.token_type, "externalPurchaseId": visit.id, "creationDate": visit.at * 1_000,
            # In the sandbox a token's year is short.
            "expirationDate": (visit.at + 365 * DAY) * 1_000 if visit.token_type == "SERVICES" else None})  # fmt: skip
        need(status in (200, 201), f"no token is minted: {minted}")
        visit.token = minted["token"]

    def visit(self, visit):
        if visit.way == "link":
            query = urllib.parse.urlencode({"externalPurchaseToken": visit.token, "bundleId": visit.bundle})
            status, _ = self.server("GET", f"/out/buy-{APPS[visit.bundle]}?{query}")
            need(status == 303, f"the landing address answers {status}")
            location = urllib.parse.urlsplit(self.server.local.location)
            self.checkouts[visit.number] = dict(urllib.parse.parse_qsl(location.query))["checkout"]
        # The app sends its token too, with the storefront, by which the sale's programme is found.
        body = {"token": visit.token, "storefront": "JPN"}
        if visit.way == "app":
            body["checkoutId"] = visit.checkout
        if visit.customer:
            body["customerId"] = visit.customer
        status, answer = self.server("POST", "/v1/tokens", body)
        need(status == (201 if visit.way == "app" else 200), f"a token is answered {status}: {answer}")

    # The server

    def deliver(self, message):
        status, answer = self.send(message)
        need(status == 200, f"{message.id} is answered {status}: {answer}")
        self.deliveries += 1

    def busy(self):
        """A figure that stays while the server asks nobody."""
        return 0

    def pages(self, path, name):
        """All elements of a list of the server."""
        found, after = [], 0
        while True:
            status, page = self.server("GET", f"{path}{'&' if '?' in path else '?'}limit=1000&after={after}")
            need(status == 200, f"{path} answers {status}: {page}")
            found += page[name]
            if page.get("next") is None:
                return found
            after = page["next"]

    def apply(self, event):
        status, answer = self.server("POST", f"/v1/events/{urllib.parse.quote(event['eventId'], safe='')}/apply", {})
        need(status == 200, f"{event['eventId']} is applied with {status}: {answer}")

    def confirm(self, correction):
        status, answer = self.server("POST", "/v1/corrections", {
            "correctionId": correction, "confirm": True, "confirmedBy": "otto"})  # fmt: skip
        # One of several that belong together may have changed what the next one is about.
        need(status in (200, 201, 409), f"the correction {correction} is answered {status}: {answer}")
        self.settle()

    def settle(self):
        """Waits until the server has nothing in progress: no event to apply, no report without an answer."""
        calm, deadline = 0, time.time() + 60
        while calm < 2 and time.time() < deadline:
            open_reports = [r for state in ("written", "sending", "unknown")
                            for r in self.pages(f"/v1/reports?state={state}", "reports")]  # fmt: skip
            planned = self.pages("/v1/sales?standing=planned", "sales")
            received = self.pages("/v1/events?state=received", "events")
            busy = self.busy()
            calm = calm + 1 if not open_reports and not planned and not received and busy == self.busy() else 0
            time.sleep(0.03)

    # The judgement

    def refused(self):
        """The reports that Apple's side refused on the way."""
        _, journal = self.emulator("GET", "/emulator/v1/requests")
        need(len(journal) < 10_000, "the emulator's journal has lost its beginning")
        return [
            f"Apple's side refused a report: {request['status']} {request['errors']} {request['body']}"
            for request in journal if request["method"] == "PUT" and request["status"] != 200
        ]  # fmt: skip

    def reconciled(self):
        """The payments of which Stripe, the ledger and Apple say something else: none but those that stay open."""
        done = subprocess.run(
            [self.program, "ledger", "reconcile", "payments", "--config", "serve.json", "--database",
             "sqlite:ledger.sqlite", "--at", time_of(self.now), "--format", "json"],
            cwd=self.folder, capture_output=True, text=True,
        )  # fmt: skip
        need(done.returncode in (0, 1) and not done.stderr.strip(), f"ledger reconcile payments: {done.stderr}")
        return [f"a payment differs: {payment}" for payment in json.loads(done.stdout)["payments"]
                if payment["open"] != "hold" or not self.shop.stays]  # fmt: skip

    def run(self):
        try:
            self.begin()
            self.play()
            return self.judge()
        finally:
            self.finish()


def main(trial, **defaults):
    """Runs trials of a kind by their seeds.

    - defaults: of the options `customers` and `days`.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=1, help="how many trials")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first seed")
    parser.add_argument("--customers", type=int, default=defaults["customers"])
    parser.add_argument("--days", type=int, default=defaults["days"])
    parser.add_argument("--seconds", type=float, help="begin no further one after that long")
    parser.add_argument("--keep", action="store_true", help="keep the folder of one without a difference too")
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program}: no program; build it with `./run build`")
    program, failed, began = os.path.abspath(options.program), 0, time.time()
    for seed in range(options.first, options.first + options.seeds):
        if options.seconds and time.time() - began > options.seconds:
            break
        start = time.time()
        one = trial(program, seed, options.customers, options.days)
        try:
            wrong = one.run()
        except Failure as failure:
            wrong = [str(failure)]
        took = f"{time.time() - start:.0f} s"
        if not wrong:
            print(f"seed {seed}: {one.deliveries} deliveries, {one.summary}, {took}", flush=True)
            if not options.keep:
                shutil.rmtree(one.folder)
            continue
        failed += 1
        print(f"seed {seed}: {len(wrong)} differences, see {one.folder} ({took})", flush=True)
        for text in wrong[:40]:
            print(f"  {text[:600]}")
    if failed:
        sys.exit(1)
