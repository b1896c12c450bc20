"""Months of `custom` and Paddle payments against the built programs, in either mode of `corrections.payments`.

usage: states.py EXTERNAL_PURCHASE [--seeds 1] [--from 1] [--customers 24] [--days 45] [--seconds N] [--keep]

The messages of `payments.py` come once to three times, seconds to days late and in any order; of the older states some are lost.
Reports are sent in between, so that later states correct what Apple accepted. In the mode `review` a person confirms what the
events name and applies them again; in `automatic` nobody does anything. In the end Apple's side must have what the customers
paid less what they got back, nothing may have been refused, nothing may wait, and `ledger reconcile payments` finds no difference.
"""

import base64
import collections
import hashlib
import hmac
import json
import re
import time
from fractions import Fraction

import oracle
from fake_stripe import rounded
from payments import MARKETS, PRODUCTS, Shop
from trial import DAY, GAME, SHOP, START, TOOLS, Trial, main, time_of

SECRETS = {name: "whsec_" + base64.b64encode(hashlib.sha256(name.encode()).digest()).decode() for name in (SHOP, GAME, TOOLS)}
PADDLE = {name: "pdl_ntfset_" + hashlib.sha256(name.encode()).hexdigest()
          for name in ("shop", "shop 2", "shared", "shop sandbox", "shop 2 sandbox", "shared sandbox")}  # fmt: skip
OWNERS = {"shop": [SHOP], "shop 2": [SHOP], "shared": [GAME, TOOLS]}


class States(Trial):
    kind = "payment-states"

    def __init__(self, program, seed, customers, days):
        super().__init__(program, seed)
        self.days, self.shop = days, Shop(seed, customers, days)

    def begin(self):
        self.start_apple(START)
        self.configure()
        self.start_server()

    def configure(self):
        entries = []
        for bundle, secret in SECRETS.items():
            self.file(f"{bundle}.secret", secret + "\n")
            entries.append({"provider": "custom", "bundleId": bundle, "secretFile": f"{bundle}.secret", "products": PRODUCTS})
        for name, secret in PADDLE.items():
            file = self.file(f"{name.replace(' ', '-')}.secret", secret + "\n")
            for bundle in OWNERS[name.removesuffix(" sandbox")]:
                environment = "sandbox" if name.endswith("sandbox") else "production"
                entries.append({"provider": "paddle", "bundleId": bundle, "secretFile": file, "products": PRODUCTS,
                                "environment": environment})  # fmt: skip
        days = range(START, START + (self.days + 10) * DAY, DAY)
        rates = [f"{time_of(day)},ISK,EUR,{MARKETS['ISK'][4]},test" for day in days]
        self.file("rates.csv", "\n".join(["date,from,to,rate,source"] + rates) + "\n")
        super().configure(payments=entries, rates={"file": "rates.csv"})

    # The months

    def is_lost(self, message):
        return not message.last and self.chance.random() < 0.2

    def arrival(self, message, late):
        return message.at + (1 if message.early else self.chance.randint(*late))

    def rounds(self):
        return [("night", range(START + 2 * DAY, START + (self.days + 6) * DAY, 2 * DAY))]

    def play(self):
        super().play()
        # Everything is answered by its due date, and every clock has been reached.
        for _ in range(4):
            self.advance(self.now + 10 * DAY)
            self.night()

    @property
    def messages(self):
        return self.shop.messages

    def send(self, message):
        data, stamp = self.body(message), str(int(time.time()))
        provider, _, account = message.provider.partition(" ")
        if provider == "paddle":
            digest = hmac.new(PADDLE[account].encode(), stamp.encode() + b":" + data, hashlib.sha256).hexdigest()
            return self.server("POST", "/v1/webhooks/paddle", data, {"Paddle-Signature": f"ts={stamp};h1={digest}"})
        key = base64.b64decode(SECRETS[message.body["bundleId"]][6:])
        digest = base64.b64encode(hmac.new(key, f"m.{stamp}.".encode() + data, hashlib.sha256).digest()).decode()
        return self.server("POST", "/v1/webhooks/custom", data,
                           {"webhook-id": "m", "webhook-timestamp": stamp, "webhook-signature": "v1," + digest})  # fmt: skip

    def night(self):
        """What a person of the shop does where corrections are not automatic: confirms what held events name."""
        self.settle()
        for _ in range(8 if self.mode == "review" else 0):
            held = self.pages("/v1/events?state=held", "events")
            named = [(event, re.search(r"confirm (?:each of )?(.*) at /v1/corrections", event["detail"])) for event in held]
            for event, found in named:
                for correction in found.group(1).split(", ") if found else []:
                    self.confirm(correction)
                if found:
                    self.apply(event)
            self.settle()
            if not any(found for _, found in named):
                return

    # The judgement

    def judge(self):
        wrong = self.refused()
        _, snapshot = self.emulator("GET", "/emulator/v1/snapshot")
        reports = [json.loads(change["report"]["_0"]["body"]) for change in snapshot["changes"] if "report" in change]
        for report in self.pages("/v1/reports", "reports"):
            if report["state"] != "accepted":
                wrong.append(f"the report {report['requestIdentifier']} is {report['state']}: {report.get('errors')}")
        states = collections.Counter()
        for event in self.pages("/v1/events", "events"):
            states[event["state"]] += 1
            if event["state"] not in ("applied", "not-used"):
                wrong.append(f"{event['eventId']} ({event['type']}) is {event['state']}: {event.get('detail')}")
        wrong += compare(self.shop, reports)
        wrong += self.reconciled()
        wrong += [f"a review item is open: {item}" for item in self.pages("/v1/review?state=open", "review")]
        versions = sum(1 for report in reports for item in report.get("lineItems") or [] if item.get("restatement"))
        self.summary = (f"{self.mode}, {sum(states.values())} events, {len(reports)} reports, "
                        f"{sum(len(a.live()) for a in by_app(self.shop, reports).values())} line items, {versions} corrected, "
                        + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))  # fmt: skip
        return wrong


def thousandths(minor, market):
    """An amount of minor units by ISO 4217, which may be a fraction."""
    return rounded(Fraction(minor) * (1_000 if market[0] in ("JPY", "ISK") else 10) * Fraction(market[4] or 1))


def by_app(shop, reports):
    """What each app has at Apple's side, in either environment: apps may number their orders alike."""
    place = {visit.id: (visit.bundle, visit.live) for visit in shop.visits}
    parts = collections.defaultdict(list)
    for report in reports:
        parts[place[report["externalPurchaseId"]]].append(report)
    return {place: oracle.Accepted(part) for place, part in parts.items()}


def compare(shop, reports):
    """What Apple's side has of each payment, and what the customer paid and got back."""
    apps, wrong, tokens = by_app(shop, reports), [], collections.defaultdict(list)
    payments = collections.defaultdict(list)
    for payment in shop.payments:
        if payment.taken:
            payments[payment.visit.id].append(payment)
    for accepted in apps.values():
        for id, item in accepted.live().items():
            tokens[accepted.tokens[id]].append(item)
    for visit in shop.visits:
        accepted = apps.get((visit.bundle, visit.live), oracle.Accepted([]))
        if visit.id not in accepted.statuses:
            wrong.append(f"the token {visit.id} was never reported")
        wrong += check_token(visit.id, payments[visit.id], tokens[visit.id], accepted)
    return wrong


def check_token(token, payments, items, accepted):
    """Matches every line with one BUY of its payment, and what went back of it with the refunds that name that."""
    wrong, free = [], [item for item in items if item["eventType"] != "REFUND"]
    refunds = [item for item in items if item["eventType"] == "REFUND"]
    for payment in payments:
        slack = 1 if payment.market[4] else 0
        mine, tolerance = [], 0
        for line in payment.lines:
            expected = figures(payment, line)
            found = [item for item in free if item["lineItemId"].startswith(encoded(payment.id) + "/")
                     and all(item.get(name) == value for name, value in expected.items())]  # fmt: skip
            exact = [item for item in found if item["lineItemId"].split("/")[1].split("~")[0] == encoded(line.id)]
            if not found:
                near = [item for item in free if item["lineItemId"].startswith(encoded(payment.id) + "/")]
                wrong.append(f"{payment.id} line {line.id}: Apple has no {expected} on {token}, but {near}")
                continue
            item = (exact or found)[0]
            free.remove(item)
            mine.append((line, item))
        back = 0
        for line, item in mine:
            own = [refund for refund in refunds if refund["referenceLineItemId"] == item["lineItemId"]]
            refunds = [refund for refund in refunds if refund not in own]
            given = sum(refund["amountTaxInclusive"] for refund in own)
            tolerance += slack * len(own)
            back += given
            wrong += check_refunds(payment, line, item, own, given, accepted)
        truth = thousandths(sum(b.given for b in payment.backs), payment.market)
        if abs(back - truth) > tolerance:
            told = [(b.id, b.given, b.lines, b.taken) for b in payment.backs]
            wrong.append(f"{payment.id}: given back {back}, not {truth}, {told}")
    wrong += [f"{item['lineItemId']} is accepted and was never sold: {item}" for item in free]
    wrong += [f"{item['lineItemId']} is accepted and nothing was given back: {item}" for item in refunds]
    return wrong


def encoded(id):
    return id.replace("%", "%25").replace("/", "%2F")


def figures(payment, line):
    inclusive = thousandths(line.amount, payment.market)
    if line.stated == "rate":
        tax = thousandths(line.amount * line.rate / (100 + line.rate), payment.market)
    else:
        tax = thousandths(line.tax, payment.market)
    currency = payment.market[0]
    expected = {
        "amountTaxInclusive": inclusive, "taxAmount": tax, "amountTaxExclusive": inclusive - tax,
        "pricingCurrency": currency, "reportingCurrency": "EUR" if currency == "ISK" else currency,
        "taxCountry": payment.market[2], "quantity": line.quantity, "creationDate": payment.at * 1_000,
        "productIdentifier": product(payment, line),
    }  # fmt: skip
    if line.period:
        expected.update(subscriptionEvent=payment.event, subscriptionStartDate=line.period[0] * 1_000,
                        subscriptionEndDate=line.period[1] * 1_000)  # fmt: skip
    return expected


def product(payment, line):
    if payment.provider == "custom":
        return PRODUCTS.get(line.product, line.product)
    return PRODUCTS.get(f"pri_{line.product}", f"pro_{line.product}")


def check_refunds(payment, line, item, refunds, given, accepted):
    wrong, id = [], item["lineItemId"]
    for refund in refunds:
        if refund["amountTaxInclusive"] - refund["taxAmount"] != refund["amountTaxExclusive"]:
            wrong.append(f"{refund['lineItemId']}: the amounts do not add up")
        if any(refund[name] != item[name] for name in ("reportingCurrency", "pricingCurrency", "taxCountry")):
            wrong.append(f"{refund['lineItemId']}: currency or country differ from those of {id}")
    if given > item["amountTaxInclusive"]:
        wrong.append(f"{id}: given back {given} of {item['amountTaxInclusive']}")
    # Where each repayment names its lines, what goes back of each is known exactly.
    if all(back.lines for back in payment.backs):
        truth = thousandths(sum(back.lines.get(line.id, 0) for back in payment.backs), payment.market)
        if abs(given - truth) > (len(refunds) if payment.market[4] else 0):
            wrong.append(f"{id}: given back {given}, not {truth} of the line {line.id}")
    tax = sum(refund["taxAmount"] for refund in refunds)
    share = Fraction(item["taxAmount"]) * given / item["amountTaxInclusive"] if given else 0
    coin = thousandths(1, payment.market)
    # A correction states the tax of a refund in the currency's units.
    if abs(tax - share) > len(refunds) * (1 + coin):
        wrong.append(f"{id}: given back with tax {tax}, not {float(share)}")
    if given == item["amountTaxInclusive"] and tax != item["taxAmount"]:
        wrong.append(f"{id}: all was given back, with tax {tax} of {item['taxAmount']}")
    net = item["amountTaxExclusive"] - sum(refund["amountTaxExclusive"] for refund in refunds)
    versions = [other for other in accepted.items.values() if other["lineItemId"] == id
                or other.get("referenceLineItemId") == id and other["eventType"] == "REFUND"]  # fmt: skip
    newest = max(versions, key=lambda other: accepted.order[other["lineItemId"]])
    if not newest.get("erroneouslySubmitted") and newest["netAmountTaxExclusive"] != net:
        wrong.append(f"{id}: the net is {newest['netAmountTaxExclusive']}, not {net}")
    return wrong


if __name__ == "__main__":
    main(States, customers=24, days=45)
