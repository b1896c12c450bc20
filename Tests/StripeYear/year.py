"""A year of Stripe's events against the built programs: emulator, server and `stripe replay`, each a process of its own.

usage: year.py EXTERNAL_PURCHASE [--seeds 1] [--from 1] [--customers 60] [--days 365] [--seconds N] [--keep]

Python and not a mode of `year-simulation`, for three reasons: the arithmetic that judges the year is in another language and
shares no code with the product, the events take the real path (signature, HTTP, SQLite, the sender, Apple's wire format, the
command line), and nothing has to be compiled. The emulator's virtual clock makes the year short; only the signatures of the
deliveries have the machine's time, as the tolerance of `Stripe-Signature` demands.

Every event is delivered one to three times, seconds to three days late and in any order; some are lost and come with the
next `stripe replay`. In the end nothing may have been refused, nothing may wait but what must, every line item and net must
be that of `oracle.py`, and the month exports must add up to it.
"""

import collections
import csv
import io
import json
import re
import subprocess
from fractions import Fraction

import oracle
from fake_stripe import API, signature
from shop import CONNECTED, MARKETS, PRODUCTS, Shop
from trial import APPS, DAY, START, TOOLS, Failure, Trial, main, need, time_of

SECRETS = {None: "whsec_1f0c9d5be7a24c6f8b3de09a7715c4e2", CONNECTED: "whsec_a64f7e0d93b15c28e70c4f6b2d18e935",
           "rotated": "whsec_5d02b8f1c7e94a36a1f8e6b40c93d7fe"}  # fmt: skip
AMOUNTS = ("amountTaxInclusive", "taxAmount", "amountTaxExclusive")
KEY = "rk_test_0123456789abcdef0123456789abcdef"


class Year(Trial):
    kind = "stripe-year"

    def __init__(self, program, seed, customers, days):
        super().__init__(program, seed)
        self.days, self.shop, self.api = days, Shop(seed, customers, days), None

    def begin(self):
        self.start_apple(START)
        self.configure()
        self.start_server()

    def configure(self):
        self.api = API(self.shop.stripe, KEY, lambda: self.now)
        self.file("own.secret", f"{SECRETS[None]}\n{SECRETS['rotated']}\n")
        self.file("connected.secret", SECRETS[CONNECTED] + "\n")
        self.file("stripe.key", KEY + "\n")
        entries = []
        for bundle in APPS:
            entry = {"bundleId": bundle, "signingSecretFile": "own.secret", "apiKeyFile": "stripe.key",
                     "baseURL": self.api.base, "products": PRODUCTS,
                     "taxRates": {market[2]: market[3] for market in MARKETS}}  # fmt: skip
            if bundle == TOOLS:
                entry.update(account=CONNECTED, signingSecretFile="connected.secret")
            entries.append(entry)
        super().configure(stripe=entries)

    def busy(self):
        return self.api.requests

    def finish(self):
        super().finish()
        if self.api:
            self.api.shutdown()

    # The year

    def is_lost(self, event):
        """Until `stripe replay` fetches it; of a foreign account it cannot."""
        return self.chance.random() < 0.05 and event.account in (None, CONNECTED)

    def arrival(self, event, late):
        return event.created + self.chance.randint(*late)

    def rounds(self):
        last = START + self.days * DAY + 5 * DAY
        return [("night", range(START + 14 * DAY, last, 14 * DAY)),
                ("replay", range(START + 27 * DAY, last + 27 * DAY, 27 * DAY))]  # fmt: skip

    def play(self):
        super().play()
        self.settle()
        self.night()
        # Everything is answered by its due date, ten days after the last token.
        for _ in range(4):
            self.advance(self.now + 3 * DAY)
            self.settle()
            self.night()
        self.settle()

    @property
    def messages(self):
        return self.shop.stripe.events

    def send(self, event):
        data = self.body(event)
        secret = SECRETS[event.account if event.account == CONNECTED else None]
        if event.account is None and event.created % 7 == 0:
            secret = SECRETS["rotated"]
        return self.server("POST", "/v1/webhooks/stripe", data, {"Stripe-Signature": signature(data, secret)})

    def replay(self):
        """Fetches the events of the last 29 days, those that were never delivered among them."""
        # The stand-in answers with the checkouts of the visits, as the deliveries do.
        for event in self.shop.stripe.events:
            if event.created <= self.now and "@checkout:" in json.dumps(event.body):
                event.body = json.loads(self.body(event))
        done = subprocess.run(
            [self.program, "stripe", "replay", "--config", "serve.json", "--since", time_of(self.now - 29 * DAY),
             "--until", time_of(self.now), "--database", "sqlite:ledger.sqlite", "--server", self.base, "--quiet"],
            cwd=self.folder, capture_output=True, text=True,
        )  # fmt: skip
        need(done.returncode == 0, f"stripe replay: exit code {done.returncode}: {done.stdout}{done.stderr}")

    def night(self):
        """What people of the shop do: rates of currencies that Apple does not take, and refunds that failed later."""
        self.settle()
        for sale in self.pages("/v1/sales?flag=no-exchange-rate", "sales"):
            self.give_rate(sale)
        for event in self.pages("/v1/events?state=held", "events"):
            # What was done about an earlier event may have changed it.
            status, event = self.server("GET", f"/v1/events/{event['eventId']}")
            need(status == 200, f"the event is answered {status}: {event}")
            if event["state"] != "held":
                continue
            # What Apple accepted is no longer right; the reason names the corrections that wait.
            named = re.search(r"confirm (?:each of )?(.*) at /v1/corrections", event["detail"])
            for correction in named.group(1).split(", ") if named else []:
                self.confirm(correction)
            self.apply(event)
        for event in self.pages("/v1/events?state=waiting", "events"):
            # The server looks at these every hour of the machine's clock, which has no hours here.
            self.apply(event)
        self.settle()

    def give_rate(self, sale):
        for payment in self.shop.payments:
            for made in payment.sales:
                if not any(sale["saleId"] == ids[0] or sale["saleId"] + "/1" == ids[0] for ids in made.ids):
                    continue
                body = {key: value for key, value in sale["sale"].items() if value is not None}
                rate = {"rate": payment.market[6], "source": "test", "asOf": body["occurredAt"]}
                for line in body.get("lines", [body]):
                    line["amount"] = dict(line["amount"], exchangeRate=rate)
                status, answer = self.server("POST", "/v1/sales", body)
                need(status == 200, f"the rate of {sale['saleId']} is answered {status}: {answer}")
                return
        raise Failure(f"{sale['saleId']} waits for a rate and was never sold")

    # The judgement

    def judge(self):
        wrong = self.refused()
        _, snapshot = self.emulator("GET", "/emulator/v1/snapshot")
        reports = [json.loads(change["report"]["_0"]["body"]) for change in snapshot["changes"] if "report" in change]
        accepted = collections.Counter()
        for report in reports:
            for item in report.get("lineItems") or []:
                if not item.get("restatement"):
                    accepted[item["lineItemId"]] += 1
        wrong += [f"{id} is accepted {count} times" for id, count in accepted.items() if count > 1]
        for report in self.pages("/v1/reports", "reports"):
            if report["state"] != "accepted":
                wrong.append(f"the report {report['requestIdentifier']} is {report['state']}: {report.get('errors')}")
        states = collections.Counter()
        for event in self.pages("/v1/events", "events"):
            states[event["state"]] += 1
            must = self.shop.stays.get(event["eventId"])
            if event["state"] not in ([must] if must else ["applied", "not-used"]):
                wrong.append(f"{event['eventId']} ({event['type']}) is {event['state']}: {event.get('detail')}")
        need(sum(states.values()) == len(self.shop.stripe.events),
             f"{sum(states.values())} events are stored, {len(self.shop.stripe.events)} were sent")  # fmt: skip
        wrong += oracle.compare(self.shop, reports)
        wrong += self.exports(oracle.Accepted(reports))
        wrong += self.reconciled()
        for item in self.pages("/v1/review?state=open", "review"):
            kept = self.shop.stays.values()
            if not (item.get("kind") == "payment-event" and "held" in kept
                    or item.get("kind") == "payment-waiting" and "waiting" in kept):  # fmt: skip
                wrong.append(f"a review item is open: {item}")
        self.summary = (f"{sum(states.values())} events, {len(reports)} reports, "
                        f"{len(oracle.Accepted(reports).live())} line items, "
                        + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))  # fmt: skip
        return wrong

    def exports(self, accepted):
        """The sums of every month, app and environment by currency, as the export has them and as they must be.

        The export computes refunds from all that is known now, a report from what was known then: a share of a tax, or
        of an amount at a rate, may differ by a thousandth for each refund.
        """
        wrong = []
        bundle_of = {visit.id: (visit.bundle, visit.live) for visit in self.shop.visits}
        expected, slack = collections.Counter(), collections.Counter()
        for id, item in accepted.live().items():
            bundle, live = bundle_of[accepted.tokens[id]]
            sign = -1 if item["eventType"] == "REFUND" else 1
            where = (bundle, live, oracle.month_of(item["creationDate"]), item["reportingCurrency"])
            for name in AMOUNTS:
                expected[where + (name,)] += sign * item[name]
                if sign < 0 and (name != "amountTaxInclusive" or "exchangeRate" in item):
                    slack[where + (name,)] += 1
        months, exported = sorted({where[2] for where in expected}), collections.Counter()
        for bundle in APPS:
            for live in (True, False):
                for month in months:
                    path = f"/v1/exports/{month}.csv?bundleId={bundle}" + ("" if live else "&environment=sandbox")
                    status, text = self.server("GET", path)
                    need(status == 200, f"{path} answers {status}: {text}")
                    for row in csv.DictReader(io.StringIO(text)):
                        if not row["saleId"]:
                            continue
                        if row["state"] != "reported":
                            wrong.append(f"{month}: {row['saleId']} is {row['state']}")
                            continue
                        sign = -1 if row["event"] == "REFUND" else 1
                        for name in AMOUNTS:
                            where = (bundle, live, month, row["reportingCurrency"], name)
                            exported[where] += sign * Fraction(row[name]) * 1_000
        for where in sorted(set(expected) | set(exported)):
            if abs(expected[where] - exported[where]) > slack[where]:
                wrong.append(f"the export of {where} adds up to {float(exported[where])}, not {expected[where]}")
        return wrong


if __name__ == "__main__":
    main(Year, customers=60, days=365)
