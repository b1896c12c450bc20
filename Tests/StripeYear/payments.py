"""Seeded months of a shop's payments, told as states (`custom`) and as Paddle's objects.

What is left of a payment (`Payment`: its lines, and what went back) is what the customer paid and got back; the judge reads it and
never an answer of the product. Messages are made beside it, in the shapes of docs/payments.md and of
https://developer.paddle.com/api-reference (transactions, adjustments, subscriptions, addresses, events).
"""

import copy
import random
import uuid
from fractions import Fraction

from fake_stripe import rounded
from shop import Visit
from trial import DAY, GAME, SHOP, START, TOOLS, time_of

# currency, country, as Apple writes it, tax in per cent, rate to EUR or USD
MARKETS = {
    "EUR": ("EUR", "NL", "NLD", "21", None),
    "JPY": ("JPY", "JP", "JPN", "10", None),
    "GBP": ("GBP", "GB", "GBR", "20", None),
    "USD": ("USD", "US", "USA", "8.875", None),
    "ISK": ("ISK", "IS", "ISL", "24", "0.0069"),
}
PRODUCTS = {"pri_skin": "skin.standard", "gems": "gems.large"}


class Line:
    def __init__(self, id, product, quantity, amount, rate):
        # Amounts are minor units, tax included.
        self.id, self.product, self.quantity, self.amount, self.rate = id, product, quantity, amount, rate
        self.tax = rounded(amount * rate / (100 + rate))
        self.stated = "rate"
        self.period = None


class Back:
    """A refund, or what a dispute took less what it returned: of named lines, or of everything that is left."""

    def __init__(self, id, at, amount, lines=None, taken=None):
        self.id, self.at, self.amount, self.lines, self.taken = id, at, amount, lines, taken

    @property
    def given(self):
        return self.amount if self.taken is None else self.taken - self.amount


class Payment:
    def __init__(self, provider, id, visit, market, at, lines):
        self.provider, self.id, self.visit, self.market, self.at, self.lines = provider, id, visit, market, at, lines
        self.backs, self.subscription, self.event = [], None, None
        self.taken = True

    @property
    def paid(self):
        return sum(line.amount for line in self.lines)

    def left(self):
        return self.paid - sum(back.given for back in self.backs)

    def left_of(self, line):
        """What can still be given back of a line by its name, whatever else takes."""
        return line.amount - sum(back.lines.get(line.id, 0) for back in self.backs if back.lines)


class Message:
    def __init__(self, at, provider, key, body, last=False, early=False):
        # `last` is never lost; `early` is told before the moment that it names.
        self.at, self.provider, self.key, self.body, self.last, self.early = at, provider, key, body, last, early

    @property
    def id(self):
        """That of the server's event."""
        return self.body.get("event_id") or f"{self.body['bundleId']}/{self.body['id']}/{self.body['version']}"


class Shop:
    def __init__(self, seed, customers, days):
        self.chance = random.Random(f"payments {seed}")
        self.end = START + days * DAY
        self.visits, self.payments, self.messages, self.stays, self.numbers = [], [], [], {}, {}
        for number in range(customers):
            self.customer(number)

    def maybe(self, share):
        return self.chance.random() < share

    def later(self, at, low, high):
        return at + self.chance.randint(low, high)

    def id(self, prefix):
        self.numbers[prefix] = self.numbers.get(prefix, 0) + 1
        return f"{prefix}{self.numbers[prefix]:04d}"

    def customer(self, number):
        chance = self.chance
        bundle = chance.choice([SHOP, SHOP, GAME, TOOLS])
        live = self.maybe(0.85)
        at = START + chance.randint(3_600, self.end - START - 12 * DAY)
        id = ("" if live else "SANDBOX_") + str(uuid.UUID(int=chance.getrandbits(128), version=4))
        kind = chance.choice([None, "SERVICES"])
        customer = f"user-{number}" if self.maybe(0.4) else None
        way = "app" if customer or self.maybe(0.5) else "link"
        token_at = self.later(at, 60, DAY // 2) if way == "app" and self.maybe(0.15) else at
        self.visit = Visit(number, bundle, live, kind, id, at, customer, way, token_at)
        self.visits.append(self.visit)
        if self.maybe(0.1):
            return
        moment = at
        for _ in range(chance.choice([1, 1, 2])):
            moment = self.later(moment, 60, 2 * 3_600)
            (self.custom if self.maybe(0.55) else self.paddle)(moment)

    def lines(self, market, count, name):
        lines = []
        for number in range(count):
            quantity = self.chance.choice([1, 1, 2, 3])
            product = self.chance.choice(["gems", "skin", "map"])
            amount = self.chance.randint(50, 5_000) * (20 if market[0] == "ISK" else 1)
            lines.append(Line(name(number), product, quantity, amount, Fraction(market[3])))
        return lines

    # The shop's own format

    def custom(self, at):
        chance = self.chance
        market = MARKETS[chance.choice(["EUR", "EUR", "JPY", "GBP", "USD", "ISK"])]
        recurring = self.maybe(0.2) and market[4] is None
        count = 1 if recurring else chance.choice([1, 1, 2, 3, 4])
        names = chance.choice([lambda n: f"{n + 1}", lambda n: f"sku/{n}", lambda n: "abcd"[n]])
        # Two apps may number their orders alike.
        id = f"{chance.choice(['order', 'a/b', '2026%2F'])}{self.id('order ' + self.visit.bundle)[-4:]}"
        subscription, plan = self.id("plan") if recurring else None, None
        periods, named = chance.randint(1, 3) if recurring else 1, self.whose()
        for number in range(periods):
            start = at + number * 10 * DAY
            if start > self.end - DAY:
                break
            payment = Payment("custom", id if number == 0 else f"{id}-{number}", self.visit, market, start,
                              self.lines(market, count, names))  # fmt: skip
            if recurring:
                self.recur(payment, subscription, number)
                # Another product would be a change of the plan.
                plan = payment.lines[0].product = plan or payment.lines[0].product
            self.payments.append(payment)
            self.course(payment, named)

    @staticmethod
    def recur(payment, subscription, number):
        payment.subscription, payment.event = subscription, "RENEWAL" if number else "SUBSCRIPTION_START"
        payment.lines[0].period = (payment.at, payment.at + 10 * DAY)

    def course(self, payment, named):
        """The states of a payment, one after the other, each of which may be the last one."""
        chance = self.chance
        payment.taken = bool(named)
        version, moment, failed = chance.choice([0, 1, payment.at * 1_000]), payment.at, []
        count = chance.choice([1, 2, 3, 3, 5, 8, 12])
        for number in range(count):
            if number:
                moment = self.later(moment, 60, chance.choice([3_600, DAY, 4 * DAY]))
                if moment > self.end:
                    break
                self.change(payment, moment, failed)
            version += chance.choice([1, 1, 7])
            early = self.maybe(0.1)
            self.messages.append(Message(moment, "custom", payment, self.state(payment, version, moment, early, named), early=early))
        self.messages[-1].last = True

    def whose(self):
        named, visit = {}, self.visit
        if self.maybe(0.05):
            return {}  # Somebody who never came from the app.
        way = self.chance.choice(["checkout", "checkout", "customer", "token"])
        # A plain token is one of a purchase, and says nothing of what its customer buys besides.
        if way == "customer" and visit.customer and visit.token_type == "SERVICES":
            named["customerId"] = visit.customer
        elif way == "token":
            named["externalPurchaseId"] = visit.id
        else:
            named["checkoutId"] = self.checkout()
        return named

    def checkout(self):
        return self.visit.checkout or f"@checkout:{self.visit.number}@"

    def state(self, payment, version, moment, early, named):
        def text(amount):
            places = 0 if payment.market[0] in ("JPY", "ISK") else 2
            return f"{amount // 10**places}.{amount % 10**places:0{places}d}" if places else f"{amount}"

        # A clock of the shop that is ahead: what happened now is told with a moment to come.
        newest = max([payment.at] + [back.at for back in payment.backs])
        shift = self.chance.randint(30, 3 * 3_600) if early and newest == moment else 0
        if shift:
            for back in payment.backs:
                back.at += shift if back.at == moment else 0
            if payment.at == moment:
                payment.at += shift
        lines = []
        for line in payment.lines:
            stated = {"id": line.id, "productId": line.product, "quantity": line.quantity, "inclusive": text(line.amount),
                      "taxCountry": payment.market[2]}  # fmt: skip
            if line.stated == "rate":
                stated["taxRate"] = f"{float(line.rate):g}"
            elif line.stated == "tax":
                stated["tax"] = text(line.tax)
            if line.period:
                stated["subscriptionId"] = payment.subscription
                stated["period"] = {"start": time_of(line.period[0]), "end": time_of(line.period[1])}
            lines.append(stated)
        refunds, disputes = [], []
        for back in payment.backs:
            if back.taken is not None:
                disputes.append({"id": back.id, "occurredAt": time_of(back.at), "taken": text(back.taken),
                                 "returned": text(back.amount)})  # fmt: skip
                continue
            refund = {"id": back.id, "occurredAt": time_of(back.at), "inclusive": text(back.amount)}
            if back.lines:
                refund["line"] = next(iter(back.lines))
            refunds.append(refund)
        for list in (lines, refunds, disputes):
            self.chance.shuffle(list)
        return dict(named, bundleId=payment.visit.bundle, id=payment.id, version=version,
                    occurredAt=time_of(payment.at), currency=payment.market[0], lines=lines, refunds=refunds,
                    disputes=disputes, environment="production" if payment.visit.live else "sandbox")  # fmt: skip

    def change(self, payment, moment, failed):
        """One thing that happens to a payment; nothing, where it cannot."""
        # The shop's clock may have been ahead when it was paid.
        chance, moment = self.chance, max(moment, payment.at)
        refunds = [back for back in payment.backs if back.taken is None]
        disputes = [back for back in payment.backs if back.taken is not None]
        kind = chance.choices(
            ["line", "part", "all", "fails", "again", "same", "dispute", "returned", "won", "lost", "price", "tax", "currency",
             "quantity", "more", "less", "period", "nothing"],
            [16, 10, 10, 12, 6, 6, 10, 6, 6, 5, 8, 6, 6, 4, 5, 5, 3, 3],
        )[0]  # fmt: skip
        left = payment.left()
        if kind == "line":
            line = chance.choice(payment.lines)
            most = min(left, payment.left_of(line))
            if most > 0:
                amount = most if self.maybe(0.5) else chance.randint(1, most)
                payment.backs.append(Back(self.id("r"), moment, amount, {line.id: amount}))
        elif kind in ("part", "all"):
            if left > 0:
                payment.backs.append(Back(self.id("r"), moment, left if kind == "all" else chance.randint(1, left)))
        elif kind == "fails" and refunds:
            back = chance.choice(refunds)
            payment.backs.remove(back)
            failed.append(back)
        elif kind in ("again", "same") and failed:
            back = copy.deepcopy(failed.pop())
            if kind == "again":
                back.id, back.at = self.id("r"), moment
            if back.amount <= left and all(
                any(line.id == id and payment.left_of(line) >= amount for line in payment.lines)
                for id, amount in (back.lines or {}).items()
            ):
                payment.backs.append(back)
        elif kind == "dispute" and left > 0:
            payment.backs.append(Back(self.id("d"), moment, 0, None, left if self.maybe(0.6) else chance.randint(1, left)))
        elif kind == "returned" and disputes:
            back = chance.choice(disputes)
            back.amount = chance.randint(back.amount, back.taken)
        elif kind == "won" and disputes:
            chance.choice(disputes).amount = chance.choice(disputes).taken if len(disputes) == 1 else disputes[0].amount
        elif kind == "lost" and disputes:
            back = chance.choice(disputes)
            back.amount -= chance.randint(0, min(left, back.amount))
        elif kind == "price":
            line = chance.choice(payment.lines)
            spare = min(left, payment.left_of(line))
            line.amount = max(1, line.amount + (chance.randint(1, 900) if self.maybe(0.5) else -chance.randint(0, spare)))
            line.tax = rounded(line.amount * line.rate / (100 + line.rate))
        elif kind == "tax":
            line = chance.choice(payment.lines)
            line.stated = chance.choice(["rate", "tax"])
            if self.maybe(0.5):
                line.rate = Fraction(chance.choice(["0", "9", "21", "12.5"]))
            line.tax = rounded(line.amount * line.rate / (100 + line.rate))
        elif kind == "currency" and not payment.subscription:
            self.convert(payment, MARKETS[chance.choice(["EUR", "GBP", "USD", "JPY"])])
        elif kind == "quantity":
            chance.choice(payment.lines).quantity = chance.randint(1, 4)
        elif kind == "more" and not payment.subscription and len(payment.lines) < 6:
            payment.lines += self.lines(payment.market, 1, lambda _: self.id("late"))
        elif kind == "less" and len(payment.lines) > 1:
            line = chance.choice(payment.lines)
            if payment.left_of(line) == line.amount and left >= line.amount:
                payment.lines.remove(line)
        elif kind == "period" and payment.subscription:
            line = payment.lines[0]
            line.period = (line.period[0], line.period[1] + self.chance.choice([0, 3_600]))

    def convert(self, payment, market):
        """The shop had stated another currency than was charged; all amounts are others."""
        def other(amount):
            return rounded(amount * Fraction(payment_factor))

        payment_factor = "0.9" if market[0] != payment.market[0] else "1"
        for line in payment.lines:
            line.amount = max(1, other(line.amount))
            line.tax = rounded(line.amount * line.rate / (100 + line.rate))
        payment.market = (market[0], *payment.market[1:4], None)
        for back in payment.backs:
            back.amount = other(back.amount) if back.taken is not None else max(1, other(back.amount))
            if back.lines:
                back.lines = {id: back.amount for id in back.lines}
            if back.taken is not None:
                back.taken = max(1, other(back.taken), back.amount)
        # Rounding must not give back more than there is.
        payment.backs = [back for back in payment.backs if back.given > 0 or back.taken is not None]
        for line in payment.lines:
            if payment.left_of(line) < 0:
                line.amount -= payment.left_of(line)
                line.tax = rounded(line.amount * line.rate / (100 + line.rate))
        if payment.left() < 0:
            payment.lines[0].amount -= payment.left()
            line = payment.lines[0]
            line.tax = rounded(line.amount * line.rate / (100 + line.rate))

    # Paddle

    def paddle(self, at):
        chance = self.chance
        market = MARKETS[chance.choice(["EUR", "EUR", "JPY", "GBP", "USD"])]
        secret = {SHOP: chance.choice(["shop", "shop 2"]), GAME: "shared", TOOLS: "shared"}[self.visit.bundle]
        secret += "" if self.visit.live else " sandbox"
        address = self.id("add_")
        self.tell(secret, address, "address.created", self.later(at, -3_600, 0), {
            "id": address, "country_code": market[1], "first_line": "1 Main Street", "city": "Town", "status": "active"},
            last=True)  # fmt: skip
        data = {"external_purchase_checkout": self.checkout(), "note": "a note"}
        if self.maybe(0.3):
            data = {"external_purchase_id": self.visit.id}
        if secret.startswith("shared"):
            data["external_purchase_bundle"] = self.visit.bundle
        stranger = self.maybe(0.05) and not self.visit.customer
        if stranger:
            data = None
        customer = self.id("ctm_")
        recurring = not stranger and self.maybe(0.35)
        subscription = self.id("sub_") if recurring else None
        periods, plan = chance.randint(1, 4) if recurring else 1, None
        for number in range(periods):
            start = at + number * 10 * DAY
            if start > self.end - DAY:
                break
            count = 1 if recurring else chance.choice([1, 1, 2, 3, 4])
            payment = Payment("paddle", self.id("txn_"), self.visit, market, start,
                              self.lines(market, count, lambda _: self.id("txnitm_")))  # fmt: skip
            payment.taken = not stranger
            for line in payment.lines:
                line.stated = "tax"
            lapsed = recurring and number and self.maybe(0.2)
            if recurring:
                self.recur(payment, subscription, number)
                plan = payment.lines[0].product = plan or payment.lines[0].product
            self.payments.append(payment)
            if lapsed:
                self.tell(secret, subscription, "subscription.past_due", start + 60, self.plan(
                    payment, subscription, "past_due", data, customer), last=True)  # fmt: skip
            for status in ["ready", "paid", "completed"]:
                if status == "completed" or self.maybe(0.5):
                    moment = start + {"ready": 0, "paid": 5, "completed": 9}[status]
                    self.transaction(secret, payment, status, data, customer, address, moment, number)
            if self.maybe(0.2):
                moment = self.later(start, DAY, 3 * DAY)
                self.transaction(secret, payment, "completed", data, customer, address, moment, number, "updated")
            self.adjust(secret, payment, customer, start)
            if recurring and self.maybe(0.1):
                self.tell(secret, subscription, "subscription.canceled", start + 2 * DAY, self.plan(
                    payment, subscription, "canceled", data, customer, start + 2 * DAY), last=True)  # fmt: skip
                break

    def plan(self, payment, subscription, status, data, customer, canceled=None):
        start = payment.at
        return {"id": subscription, "status": status, "customer_id": customer, "custom_data": data,
                "currency_code": payment.market[0], "canceled_at": time_of(canceled) if canceled else None,
                "current_billing_period": {"starts_at": time_of(start), "ends_at": time_of(start + 10 * DAY)}}  # fmt: skip

    def tell(self, secret, key, type, at, data, last=False):
        body = {"event_id": self.id("evt_"), "event_type": type, "occurred_at": time_of(at), "data": copy.deepcopy(data),
                "notification_id": self.id("ntf_")}  # fmt: skip
        self.messages.append(Message(at, "paddle " + secret, key, body, last))

    def transaction(self, secret, payment, status, data, customer, address, moment, number, verb=None):
        items, lines = [], []
        for line in payment.lines:
            totals = {"subtotal": str(line.amount - line.tax), "discount": "0", "tax": str(line.tax), "total": str(line.amount)}
            price, product = f"pri_{line.product}", f"pro_{line.product}"
            items.append({"quantity": line.quantity, "price": {
                "id": price, "product_id": product, "name": "Goods",
                "billing_cycle": {"interval": "day", "frequency": 10} if line.period else None}})  # fmt: skip
            lines.append({"id": line.id, "price_id": price, "quantity": line.quantity, "totals": totals,
                          "product": {"id": product, "name": "Goods"}})  # fmt: skip
        total, tax = payment.paid, sum(line.tax for line in payment.lines)
        period = payment.lines[0].period
        body = {
            "id": payment.id, "status": status, "customer_id": customer, "address_id": address, "custom_data": data,
            "currency_code": payment.market[0], "subscription_id": payment.subscription,
            "origin": "subscription_recurring" if number else "web", "collection_mode": "automatic", "items": items,
            "billed_at": time_of(payment.at) if status != "ready" else None, "created_at": time_of(payment.at),
            "billing_period": period and {"starts_at": time_of(period[0]), "ends_at": time_of(period[1])},
            "details": {"totals": {"subtotal": str(total - tax), "tax": str(tax), "total": str(total)}, "line_items": lines},
            "payments": [{"method_details": {"card": {"last4": "4242"}}}],
        }  # fmt: skip
        self.tell(secret, payment.id, f"transaction.{verb or status}", moment, body, last=True if status == "completed" else False)

    def adjustment(self, secret, payment, customer, id, action, status, created, moment, lines, last):
        total = sum(lines.values())
        whole = {line.id: line for line in payment.lines}
        taxes = {id: rounded(Fraction(whole[id].tax * amount, whole[id].amount)) for id, amount in lines.items()}
        items = [{"id": f"adjitm{id[3:]}_{place}", "item_id": line, "type": "partial", "amount": str(amount),
                  "totals": {"subtotal": str(amount - taxes[line]), "tax": str(taxes[line]), "total": str(amount)}}
                 for place, (line, amount) in enumerate(lines.items())]  # fmt: skip
        body = {"id": id, "action": action, "status": status, "transaction_id": payment.id, "customer_id": customer,
                "currency_code": payment.market[0], "reason": "a reason", "created_at": time_of(created), "items": items,
                "totals": {"subtotal": str(total - sum(taxes.values())), "tax": str(sum(taxes.values())), "total": str(total)}}  # fmt: skip
        verb = "created" if created == moment else "updated"
        self.tell(secret, id, f"adjustment.{verb}", moment, body, last)

    def adjust(self, secret, payment, customer, at):
        """Adjustments, one after the other; each ends in a state that is told."""
        chance, moment = self.chance, at + 60
        for _ in range(chance.choice([0, 0, 1, 1, 2, 3])):
            moment = self.later(moment, 60, 3 * DAY)
            if moment > self.end:
                return
            free = {line.id: payment.left_of(line) for line in payment.lines if payment.left_of(line) > 0}
            if not free:
                return
            some = chance.sample(sorted(free), chance.randint(1, len(free)))
            lines = {id: free[id] if self.maybe(0.5) else chance.randint(1, free[id]) for id in some}
            total, id, created = sum(lines.values()), self.id("adj_"), moment
            kind = chance.choices(["refund", "credit", "rejected", "reversed", "chargeback", "won", "warning"],
                                  [30, 10, 15, 10, 12, 15, 8])[0]  # fmt: skip
            tell = lambda action, status, last=True, id=id, created=created: self.adjustment(
                secret, payment, customer, id, action, status, created, moment, lines, last)
            if kind in ("refund", "credit", "rejected", "reversed"):
                action = "credit" if kind == "credit" else "refund"
                states = {"refund": ["approved"], "credit": ["approved"], "rejected": ["rejected"],
                          "reversed": ["approved", "reversed"]}[kind]  # fmt: skip
                if self.maybe(0.6) or kind == "rejected":
                    states = ["pending_approval"] + states
                for place, status in enumerate(states):
                    tell(action, status, last=place == len(states) - 1)
                    moment = self.later(moment, 60, 2 * DAY)
                if states[-1] == "approved":
                    payment.backs.append(Back(id, created, total, lines))
                continue
            if kind == "warning":
                tell("chargeback_warning", "approved")
                if self.maybe(0.5):
                    moment = self.later(moment, 60, DAY)
                    tell("chargeback_warning_reverse", "approved", id=self.id("adj_"), created=moment)
                continue
            tell("chargeback", "approved", last=kind == "chargeback")
            if kind == "chargeback":
                payment.backs.append(Back(id, created, total, lines))
                continue
            moment = self.later(moment, 60, 3 * DAY)
            # Both say it: the chargeback's own status, and an adjustment of its own.
            both = chance.choice(["both", "status", "own"])
            if both != "own":
                tell("chargeback", "reversed")
            else:
                tell("chargeback", "approved")
            if both != "status":
                tell("chargeback_reverse", "approved", id=self.id("adj_"), created=moment)
