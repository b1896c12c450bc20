"""A seeded year of customers of three apps, as Stripe sees it: visits, payments, subscriptions, refunds and disputes.

The objects that are left here (`Payment`, `Sale`, `Refund`, `Dispute`) say what really happened; `oracle.py` reads them and
never an answer of the product.
"""

import random
import time
import uuid
from fractions import Fraction

from fake_stripe import BASIL, OLD, OLDEST, Line, Stripe, rounded
from trial import DAY, GAME, SHOP, START, TOOLS

CONNECTED = "acct_tools"

# currency, country, as Apple writes it, tax in per cent, prices in Stripe's units, smallest step, rate to EUR or USD
MARKETS = [
    ("EUR", "NL", "NLD", "21", (99, 499, 999, 1999, 4999), 1, None),
    ("EUR", "DE", "DEU", "19", (99, 499, 999, 1999, 4999), 1, None),
    ("EUR", "FR", "FRA", "20", (100, 333, 1001), 1, None),
    ("USD", "US", "USA", "8.875", (99, 499, 999, 9999), 1, None),
    ("GBP", "GB", "GBR", "20", (79, 449, 899), 1, None),
    ("SEK", "SE", "SWE", "25", (1100, 4900), 1, None),
    ("JPY", "JP", "JPN", "10", (120, 980, 1490), 1, None),
    ("KRW", "KR", "KOR", "10", (1100, 9900), 1, None),
    ("CLP", "CL", "CHL", "19", (990, 9990), 1, None),
    ("HUF", "HU", "HUN", "27", (39900, 199900), 1, None),
    ("ISK", "IS", "ISL", "24", (149000, 50000), 100, "0.0069"),
    ("UGX", "UG", "UGA", "18", (3500000, 180000), 100, "0.00027"),
    ("KWD", "KW", "KWT", "0", (2750, 1230), 10, "3.2471"),
    ("BHD", "BH", "BHR", "10", (1990, 3750), 10, "2.6525"),
]


# What the shop's configuration says of prices and products: it goes before lookup keys.
PRODUCTS = {"prod_skin_999": "skin.standard", "prod_gems_1490": "gems.large", "prod_plan_499": "plan.small"}


class Visit:
    def __init__(self, number, bundle, live, token_type, id, at, customer, way, token_at):
        self.number, self.bundle, self.live, self.token_type, self.id = number, bundle, live, token_type, id
        self.at, self.customer, self.way, self.token_at = at, customer, way, token_at
        self.checkout = f"basket-{number}" if way == "app" else None


class Refund:
    def __init__(self, id, amount, created, state, named):
        # Only a refund with an event of its own has a name; else charge.refunded alone tells it.
        self.id, self.amount, self.created, self.state, self.named = id, amount, created, state, named


class Dispute:
    def __init__(self, id, amount, created):
        # What came back of it by the bank's own decision, beside a reversal of all of it.
        self.id, self.amount, self.created, self.reversed_at, self.returned = id, amount, created, None, 0


class Sale:
    """What one line item, or the lines of one order, must say."""

    def __init__(self, ids, lines, moments, charge=None):
        self.ids, self.lines, self.moments, self.charge = ids, lines, moments, charge


class Charge:
    """A charge of a subscription: what the subscription's history says of it."""

    def __init__(self, subscription, event, at, period, amount, payment, days_known=True):
        self.subscription, self.event, self.at, self.period = subscription, event, at, period
        self.amount, self.payment, self.days_known = amount, payment, days_known


class Payment:
    def __init__(self, intent, charge, visit, market, amount, sales):
        self.intent, self.charge, self.visit, self.market = intent, charge, visit, market
        self.amount, self.sales, self.refunds, self.disputes = amount, sales, [], []
        # What was authorised, what of it a refund released, what of the amount is shipping, and what was charged in the
        # customer's own currency.
        self.authorised, self.released, self.shipping, self.presented = amount, 0, 0, None

    def given_back(self):
        return sum(r.amount for r in self.refunds if r.state == "succeeded") + sum(
            d.amount - d.returned for d in self.disputes if d.reversed_at is None
        )


class Subscription:
    def __init__(self, id):
        self.id, self.charges, self.ends = id, [], []


class Shop:
    def __init__(self, seed, customers, days=365):
        self.chance = random.Random(seed)
        self.stripe = Stripe()
        self.visits, self.payments, self.subscriptions = [], [], []
        self.end = START + days * DAY
        # Events that must not be applied in the end, by the state in which they stay.
        self.stays = {}
        for number in range(customers):
            self.customer(number)
        self.noise()

    # Chance

    def maybe(self, share):
        return self.chance.random() < share

    def later(self, at, low, high):
        return at + self.chance.randint(low, high)

    def send(self, type, object, at, version=None):
        event = self.stripe.send(type, object, at, self.visit.live, self.account, version or self.version(at))
        return event

    def version(self, at):
        return self.before if at < self.upgrade else BASIL

    # Customers

    def customer(self, number):
        chance = self.chance
        bundle = chance.choice([SHOP, SHOP, GAME, TOOLS])
        self.account = CONNECTED if bundle == TOOLS else None
        live = self.maybe(0.88)
        at = START + chance.randint(3_600, self.end - START - 5 * DAY)
        token_type = chance.choice([None, None, None, "SERVICES", "LINK_OUT", "IN_APP"])
        id = ("" if live else "SANDBOX_") + str(uuid.UUID(int=chance.getrandbits(128), version=4))
        customer = f"user-{number}" if token_type == "SERVICES" or self.maybe(0.3) else None
        way = "app" if customer or self.maybe(0.5) else "link"
        token_at = self.later(at, 60, 2 * DAY) if way == "app" and self.maybe(0.1) else at
        self.visit = Visit(number, bundle, live, token_type, id, at, customer, way, token_at)
        self.visits.append(self.visit)
        self.market = chance.choice(MARKETS)
        self.before = chance.choice([OLD, OLD, OLDEST])
        self.upgrade = chance.randint(START - 120 * DAY, self.end)
        if self.maybe(0.2):
            self.stranger(self.later(at, 60, 5 * DAY))
        if self.maybe(0.12):
            return  # looks and leaves: NO_LINE_ITEM
        if self.market[6] is None and self.maybe(0.45):
            begin = self.own_subscription if self.maybe(0.2) else self.subscribe
            begin(self.later(at, 60, 3_600))
            if self.maybe(0.7):
                return
        moment = at
        for _ in range(chance.choice([1, 1, 2, 3])):
            moment = self.later(moment, 60, 3_600 if token_type else 30 * DAY)
            if moment < self.end:
                self.purchase(moment)

    def stranger(self, at):
        """Somebody who never came from the app: nothing of it is used, whatever the shop calls its order."""
        count = len(self.stripe.events)
        line = self.taxed("li", self.good(), 1, "inclusive")
        intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
        reference = f"order-{len(self.stripe.events)}" if at < self.end - 60 * DAY and self.maybe(0.5) else None
        session = self.stripe.session(
            self.version(at), "payment", self.visit.live, at - 300, self.market[0], [line], self.market[1], reference, {},
            True, payment_intent=intent,
        )  # fmt: skip
        self.send("checkout.session.completed", session, at)
        self.paid(at, intent, charge, line.total, {}, None)
        payment = Payment(intent, charge, self.visit, self.market, line.total, [])
        if self.maybe(0.4):
            self.refund(payment, self.later(at, 60, 5 * DAY), "named", self.maybe(0.5))
        for event in self.stripe.events[count:]:
            self.stays[event.id] = "not-used"

    def whose(self):
        """How the shop says whose purchase it is: the session's reference and metadata."""
        reference, metadata = None, {}
        named = self.chance.choice(["reference", "reference", "metadata", "token"])
        if named == "token" or self.visit.checkout is None and named == "metadata" and self.maybe(0.3):
            metadata["external_purchase_id"] = self.visit.id
        elif named == "metadata":
            metadata["external_purchase_checkout"] = self.checkout()
        else:
            reference = self.checkout()
        if self.visit.customer:
            metadata["external_purchase_customer"] = self.visit.customer
        if self.visit.bundle != TOOLS:
            metadata["external_purchase_bundle"] = self.visit.bundle
        return reference, metadata

    def checkout(self):
        """The landing address chooses the checkout of a link; its value is filled in when the visit has happened."""
        return self.visit.checkout or f"@checkout:{self.visit.number}@"

    def good(self, recurring=False):
        name = self.chance.choice(["gems", "skin", "map", "key"]) if not recurring else "plan"
        amount = self.chance.choice(self.market[4])
        keyed = self.maybe(0.7)
        product = f"prod_{name}_{amount}"
        return self.stripe.price(product, f"{name}.{amount}" if keyed else None, self.market[0], amount, recurring)

    def taxed(self, prefix, price, quantity, behavior, amount=None, discount=0, **more):
        percent, step = Fraction(self.market[3]), self.market[5]
        amount = price.amount * quantity if amount is None else amount
        base = amount - discount
        if behavior == "inclusive":
            tax = rounded(base * percent / (100 + percent))
        else:
            tax = rounded(base * percent / 100 / step) * step
        return Line(self.stripe.id(prefix), price, quantity, amount, tax, behavior, discount, **more)

    # Purchases

    def purchase(self, at):
        kind = self.chance.choices(
            ["session", "order", "async", "invoice", "both", "failed", "open", "free", "lonely", "captured", "shipped",
             "presented", "own"],
            [34, 22, 9, 10, 10, 3, 2, 2, 2, 8, 6, 6, 9],
        )[0]
        if kind == "own":
            return self.own(at)
        if kind == "presented" and (self.market[0] in ("USD", "JPY") or self.market[6] or self.market[3] == "0"):
            kind = "session"
        if kind == "lonely":
            return self.lonely_intent(at)
        if kind == "invoice":
            return self.single_invoice(at)
        behavior = self.chance.choice(["inclusive", "exclusive"])
        lines = []
        for _ in range(self.chance.randint(2, 7) if kind == "order" else 1):
            price, quantity = self.good(), self.chance.choice([1, 1, 1, 2, 3])
            step = self.market[5]
            discount = price.amount * quantity // 10 // step * step if self.maybe(0.2) else 0
            lines.append(self.taxed("li", price, quantity, behavior, discount=discount))
        if kind == "free":
            for line in lines:
                line.discount, line.tax = line.amount, 0
        reference, metadata = self.whose()
        total, version = sum(line.total for line in lines), self.version(at)
        intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
        computed = self.market[3] == "0" or self.maybe(0.5)
        # A zero tax needs Stripe's word that it was computed.
        computed = computed or all(line.tax == 0 for line in lines)
        session = self.stripe.session(
            version, "payment", self.visit.live, at - 300, self.market[0], lines, self.market[1], reference, metadata,
            computed, payment_intent=intent if kind != "free" else None,
        )  # fmt: skip
        invoice = None
        if kind == "both":
            bill = [
                Line(self.stripe.id("il"), line.price, line.quantity, line.amount, line.tax, line.behavior,
                     line.discount, period=(at, at))
                for line in lines
            ]  # fmt: skip
            own = dict(metadata)
            if reference:
                own["external_purchase_checkout"] = reference
            invoice = self.stripe.invoice(
                version, self.visit.live, at, self.market[0], bill, self.market[1], "manual", None, {}, own, computed,
                intent, charge, at + 2,
            )  # fmt: skip
            session["invoice"] = invoice["id"]
        shipping, market = 0, self.market
        if kind == "shipped":
            shipping = self.chance.choice([3, 5, 7]) * max(self.market[5], total // 20 // self.market[5] * self.market[5])
            session["amount_total"] = total + shipping
            session["shipping_cost"] = {"amount_subtotal": shipping, "amount_tax": 0, "amount_total": shipping,
                                        "shipping_rate": "shr_1"}  # fmt: skip
            session["total_details"]["amount_shipping"] = shipping
        if kind == "captured":
            return self.captured(session, lines[0], at, intent, charge)
        if kind == "presented":
            # Adaptive Pricing: the session has the shop's currency, the customer was charged in dollars.
            given = rounded(Fraction(total) * 117 / 100) + 1
            session["presentment_details"] = {"presentment_amount": given, "presentment_currency": "usd"}
            market = ("USD",) + self.market[1:6] + (None,)
            lines = [self.as_paid(lines[0], given)]
        if kind == "free":
            session["payment_status"] = "no_payment_required"
            self.send("checkout.session.completed", session, at)
            return
        if kind in ("async", "failed", "open"):
            session["payment_status"] = "unpaid"
            event = self.send("checkout.session.completed", session, at)
            if kind == "open":
                self.stays[event.id] = "waiting"
                return
            at = self.later(at, 3_600, 6 * DAY)
            if kind == "failed":
                self.send("checkout.session.async_payment_failed", session, at)
                return
            session["payment_status"] = "paid"
            self.send("checkout.session.async_payment_succeeded", session, at)
        else:
            self.send("checkout.session.completed", session, at)
        told = {}
        if self.maybe(0.4):
            told = {key: value for key, value in metadata.items() if key != "external_purchase_id"}
        if kind != "presented":
            self.paid(at, intent, charge, total + shipping, told, invoice and invoice["id"])
        ids = [self.item_ids(intent, len(lines))]
        moments = {at}
        if invoice:
            self.invoice_paid(invoice, at + 2, intent, charge, total)
            ids.append(self.item_ids(invoice["id"], len(lines)))
            moments.add(at + 2)
        if kind not in ("shipped", "presented"):
            self.remember(at, intent, charge, total, [Sale(ids, lines, moments)])
            return
        payment = self.remember(at, intent, charge, total + shipping, [Sale(ids, lines, moments)], giving=False)
        payment.shipping, payment.market, payment.style = shipping, market, "named"
        if kind == "presented":
            payment.amount, payment.presented = lines[0].total, total
        moment, count = at, self.chance.choice([0, 1, 1, 2, 3])
        for place in range(count):
            moment = self.later(moment, 60, 9 * DAY)
            self.refund(payment, moment, "named", place == count - 1 and self.maybe(0.5))

    def by_rate(self, at, price, amount, more):
        """A payment of which Stripe computes no tax: rate and country are those of the configuration."""
        reference, metadata = self.whose()
        if reference:
            metadata["external_purchase_checkout"] = reference
        metadata["external_purchase_product"] = PRODUCTS.get(price.product) or price.lookup_key or price.product
        metadata.update(more)
        line = Line(None, price, 1, amount, 0, "inclusive")
        line.rate = Fraction(self.market[3])
        return line, metadata, {"address": {"country": self.market[1]}}

    def own(self, at):
        """The shop makes payment intents or charges by itself; some authorise first, and capture in steps."""
        price = self.good()
        line, metadata, shipping = self.by_rate(at, price, price.amount, {})
        intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
        kind = self.chance.choice(["intent", "charge", "steps"])
        if kind == "intent":
            object = self.stripe.intent(
                intent, charge, self.visit.live, at, self.market[0], line.total, metadata, None, self.version(at))
            self.send("payment_intent.succeeded", dict(object, shipping=shipping), at)
            return self.remember(at, intent, charge, line.total, [Sale([[intent]], [line], {at})])
        object = self.stripe.charge(
            charge, None, self.visit.live, at, self.market[0], line.total, 0, None, self.version(at))
        object.update(metadata=metadata, shipping=shipping)
        if kind == "charge":
            self.send("charge.succeeded", object, at)
            return self.remember(at, None, charge, line.total, [Sale([[charge]], [line], {at})])
        step, authorised = self.market[5], line.total
        event = self.send("charge.succeeded", dict(object, amount_captured=0, captured=False), at)
        moments, given = [], 0
        for _ in range(self.chance.randint(1, 3)):
            at = self.later(at, 60, 3 * DAY)
            left = (authorised - given) // step
            if at > self.end or left < 2:
                break
            given += self.chance.randint(1, left) * step
            moments.append(at)
            self.send("charge.captured", dict(object, amount_captured=given), at)
        if not moments:
            self.stays[event.id] = "waiting"
            return
        line.amount = given
        payment = self.remember(at, None, charge, given, [Sale([[charge]], [line], set(moments))], giving=False)
        payment.released = authorised - given if self.version(at) != BASIL else 0
        payment.authorised = authorised
        self.give_back(payment, at)

    def own_subscription(self, at):
        """The shop charges the customer by itself, period by period."""
        subscription = Subscription(self.stripe.id("own"))
        self.subscriptions.append(subscription)
        price, start = self.good(recurring=True), at
        event = "SUBSCRIPTION_START"
        for _ in range(self.chance.randint(1, 6)):
            end = start + 30 * DAY
            if start + 2 * DAY > self.end:
                return
            moment = lambda at: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
            more = {"external_purchase_subscription": subscription.id,
                    "external_purchase_period_start": moment(start), "external_purchase_period_end": moment(end)}  # fmt: skip
            line, metadata, shipping = self.by_rate(start, price, price.amount, more)
            intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
            object = self.stripe.intent(
                intent, charge, self.visit.live, start, self.market[0], line.total, metadata, None, self.version(start))
            self.send("payment_intent.succeeded", dict(object, shipping=shipping), start)
            payment = self.remember(start, intent, charge, line.total, [], giving=False)
            made = Charge(subscription, event, start, (start, end), line.total, payment)
            subscription.charges.append(made)
            payment.sales.append(Sale([[intent]], [line], {start}, made))
            self.give_back(payment, start)
            event, start = "RENEWAL", end

    @staticmethod
    def as_paid(line, given):
        """A line for which something else was paid: the tax in proportion."""
        tax = rounded(Fraction(line.tax * given, line.total))
        return Line(line.id, line.price, line.quantity, given, tax, "inclusive")

    def captured(self, session, line, at, intent, charge):
        """The payment is authorised first and captured later, perhaps in part: what is left of it is released."""
        session["payment_status"] = "unpaid"
        event = self.send("checkout.session.completed", session, at)
        authorised, at = line.total, self.later(at, 3_600, 6 * DAY)
        if at > self.end:
            self.stays[event.id] = "waiting"
            return
        step = self.market[5]
        given = authorised
        if self.maybe(0.6) and authorised >= 4 * step:
            given = self.chance.randrange(authorised // step // 2, authorised // step) * step
        object = self.stripe.intent(
            intent, charge, self.visit.live, at, self.market[0], authorised, {}, None, self.version(at))
        object.update(amount_received=given, capture_method="manual")
        self.send("payment_intent.succeeded", object, at)
        paid = line if given == authorised else self.as_paid(line, given)
        payment = self.remember(at, intent, charge, given, [Sale([[intent]], [paid], {at})], giving=False)
        # Since 2025-03-31 what is not captured is released without a refund.
        payment.released = authorised - given if self.version(at) != BASIL else 0
        payment.authorised = authorised
        if payment.released and self.maybe(0.5):
            self.charge_refunded(payment, at + 1)  # Only what was released.
        self.give_back(payment, at)

    def charge_refunded(self, payment, at):
        refunded = sum(r.amount for r in payment.refunds if r.state == "succeeded")
        object = self.stripe.charge(
            payment.charge, payment.intent, self.visit.live, at, payment.market[0], payment.authorised,
            refunded + payment.released, self.invoice_of(payment), self.version(at))  # fmt: skip
        object["amount_captured"] = payment.amount
        event = self.send("charge.refunded", object, at)
        if not refunded:
            self.stays[event.id] = "not-used"

    @staticmethod
    def item_ids(id, count):
        return [id] if count == 1 else [f"{id}/{place + 1}" for place in range(count)]

    def single_invoice(self, at):
        behavior = self.chance.choice(["inclusive", "exclusive"])
        count = self.chance.choice([1, 1, 2, 13])
        lines = [self.taxed("il", self.good(), 1, behavior, period=(at, at)) for _ in range(count)]
        reference, metadata = self.whose()
        if reference:
            metadata["external_purchase_checkout"] = reference
        total = sum(line.total for line in lines)
        intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
        invoice = self.stripe.invoice(
            self.version(at), self.visit.live, at - 60, self.market[0], lines, self.market[1], "manual", None, {},
            metadata, True, intent, charge, at,
        )  # fmt: skip
        self.paid(at, intent, charge, total, {}, invoice["id"])
        self.invoice_paid(invoice, at, intent, charge, total)
        sale = Sale([self.item_ids(invoice["id"], len(lines))], lines, {at})
        self.remember(at, intent, charge, total, [sale])

    def lonely_intent(self, at):
        reference, metadata = self.whose()
        if reference:
            metadata["external_purchase_checkout"] = reference
        intent = self.stripe.intent(
            self.stripe.id("pi"), self.stripe.id("ch"), self.visit.live, at, self.market[0], 999, metadata, None,
            self.version(at),
        )  # fmt: skip
        # It names no product, tax or country.
        self.stays[self.send("payment_intent.succeeded", intent, at).id] = "waiting"

    def paid(self, at, intent, charge, amount, metadata, invoice):
        version = self.version(at)
        if self.maybe(0.7) or metadata:
            self.send("payment_intent.succeeded", self.stripe.intent(
                intent, charge, self.visit.live, at, self.market[0], amount, metadata, invoice, version), at)
        if self.maybe(0.3):
            self.send("charge.succeeded", self.stripe.charge(
                charge, intent, self.visit.live, at, self.market[0], amount, 0, invoice, version), at)

    def invoice_paid(self, invoice, at, intent, charge, amount):
        types = self.chance.choice([["invoice.paid"], ["invoice.payment_succeeded"],
                                    ["invoice.paid", "invoice.payment_succeeded"]])
        for type in types:
            self.send(type, invoice, at)
        if amount:
            payment = self.stripe.invoice_payment(
                invoice["id"], intent, charge, self.visit.live, self.market[0], amount, at)
            if self.version(at) == BASIL and self.maybe(0.5):
                self.send("invoice_payment.paid", payment, at)

    def remember(self, at, intent, charge, amount, sales, giving=True):
        payment = Payment(intent, charge, self.visit, self.market, amount, sales)
        self.payments.append(payment)
        if giving and amount:
            self.give_back(payment, at)
        return payment

    # Money that goes back

    def give_back(self, payment, at):
        if self.maybe(0.55):
            return
        if len(payment.sales) > 1 and sum(1 for sale in payment.sales if sale.lines[0].total) > 1:
            return self.give_back_several(payment, at)
        kind = self.chance.choices(["refund", "refunds", "fails", "dispute", "inquiry", "both"], [30, 35, 15, 15, 5, 8])[0]
        if getattr(payment, "bill", None) and self.maybe(0.25):
            return self.credit_notes(payment, at)
        if kind == "inquiry":
            return self.dispute(payment, at, "inquiry")
        # Which types of events the shop's endpoint receives.
        payment.style = style = self.chance.choice(["named", "named", "total", "both", "both"])
        if kind in ("refund", "refunds", "both"):
            count = 1 if kind == "refund" else self.chance.randint(2, 4)
            moment = at
            for place in range(count):
                moment = self.later(moment, 60, 9 * DAY if self.maybe(0.5) else 7_200)
                if moment > self.end:
                    return
                whole = kind != "both" and place == count - 1 and self.maybe(0.5)
                self.refund(payment, moment, style, whole)
            if kind == "both":
                self.dispute(payment, moment, self.chance.choice(["won", "lost"]))
        elif kind == "fails":
            payment.style = style = self.chance.choice(["named", "both"])
            moment = self.later(at, 60, 9 * DAY)
            failing = self.refund(payment, moment, style, self.maybe(0.4), fails=True)
            moment = self.later(moment, 3_600, 12 * DAY)
            if failing and moment < self.end and self.maybe(0.6):
                self.refund(payment, self.later(failing.failed_at, 60, 5 * DAY), style, True)
        else:
            self.dispute(payment, at, self.chance.choice(["won", "lost", "won"]))

    def left(self, payment):
        return payment.amount - payment.given_back()

    def refund(self, payment, at, style, whole, fails=False):
        left, step = self.left(payment), payment.market[5]
        if at > self.end or left < 2 * step:
            return None
        amount = left if whole else self.chance.randrange(1, max(2, left // step // (1 if fails else 2))) * step
        refund = Refund(self.stripe.id("re"), amount, at, "succeeded", style != "total")
        payment.refunds.append(refund)
        status = "pending" if style == "named" and self.maybe(0.25) else "succeeded"
        object = {
            "id": refund.id, "object": "refund", "amount": amount, "balance_transaction": None,
            "charge": payment.charge, "created": at, "currency": payment.market[0].lower(), "metadata": {},
            "payment_intent": payment.intent, "reason": "requested_by_customer", "status": status,
        }  # fmt: skip
        if payment.presented:
            object.update(amount=max(1, rounded(Fraction(amount * payment.presented, payment.amount))),
                          currency=self.market[0].lower(),
                          presentment_details={"presentment_amount": amount, "presentment_currency": "usd"})  # fmt: skip
        if style != "total":
            self.send("refund.created", object, at)
            if status == "pending":
                at = self.later(at, 60, 5 * DAY)
                object["status"] = "succeeded"
                self.send(self.chance.choice(["refund.updated", "charge.refund.updated"]), object, at)
            elif self.maybe(0.3):
                self.send("refund.updated", object, at + 1)
        if style != "named":
            self.charge_refunded(payment, at)
        if fails:
            refund.failed_at = self.later(at, 3_600, 12 * DAY)
            if refund.failed_at < self.end:
                refund.state = "failed"
                object["status"] = "failed"
                self.send("refund.failed", object, refund.failed_at)
                if self.maybe(0.4):
                    self.send("charge.refund.updated", object, refund.failed_at)
        return refund

    @staticmethod
    def invoice_of(payment):
        return getattr(payment, "invoice", None)

    def credit_notes(self, payment, at):
        """Notes that fill the customer's balance: no refund tells what they give back. One may be voided."""
        payment.style, step = "named", payment.market[5]
        count = self.chance.randint(1, 2)
        for place in range(count):
            at, left = self.later(at, 3_600, 5 * DAY), self.left(payment)
            if at > self.end or left < 2 * step:
                return
            amount = left if self.maybe(0.3) else self.chance.randrange(1, left // step) * step
            note = Refund(self.stripe.id("cn"), amount, at, "succeeded", True)
            payment.refunds.append(note)
            object = {
                "id": note.id, "object": "credit_note", "amount": amount, "created": at,
                "currency": payment.market[0].lower(), "customer": None, "invoice": payment.bill, "livemode": self.visit.live,
                "metadata": {}, "out_of_band_amount": None, "post_payment_amount": amount, "pre_payment_amount": 0,
                "refunds": [], "status": "issued", "total": amount, "type": "post_payment",
            }  # fmt: skip
            self.send("credit_note.created", object, at)
            voided = self.later(at, 3_600, 3 * DAY)
            if place == count - 1 and self.maybe(0.3) and voided < self.end:
                note.state = "voided"
                self.send("credit_note.voided", dict(object, status="void"), voided)

    def give_back_several(self, payment, at):
        """A refund that names no line is shared by what is left of each sale."""
        at = self.later(at, 3_600, 5 * DAY)
        if at > self.end:
            return
        self.refund(payment, at, "named", self.maybe(0.6))

    def dispute(self, payment, at, end):
        at = self.later(at, 3_600, 20 * DAY)
        left, step = self.left(payment), payment.market[5]
        if at > self.end or left < 2 * step:
            return
        amount = left if self.maybe(0.7) else self.chance.randrange(1, left // step) * step
        id = self.stripe.id("du")

        def object(status):
            return {
                "id": id, "object": "dispute", "amount": amount, "balance_transactions": [], "charge": payment.charge,
                "created": at, "currency": payment.market[0].lower(), "is_charge_refundable": False,
                "livemode": self.visit.live, "metadata": {}, "payment_intent": payment.intent, "reason": "fraudulent",
                "status": status,
            }  # fmt: skip

        closed = self.later(at, 2 * DAY, 40 * DAY)
        if end == "inquiry":
            self.send("charge.dispute.created", object("warning_needs_response"), at)
            if closed < self.end:
                self.send("charge.dispute.closed", object("warning_closed"), closed)
            return
        dispute = Dispute(id, amount, at)
        payment.disputes.append(dispute)
        self.send("charge.dispute.created", object("needs_response"), at)
        if self.maybe(0.6):
            self.send("charge.dispute.funds_withdrawn", object("needs_response"), at + 1)
        if closed > self.end:
            return
        if self.maybe(0.5):
            self.send("charge.dispute.updated", object("under_review"), closed - 3_600)
        self.send("charge.dispute.closed", object(end), closed)
        if end == "lost" and amount < left and amount >= 4 * step and self.maybe(0.6):
            back = self.chance.randrange(1, amount // step // 2) * step
            dispute.returned = back
            money = [{"amount": -amount, "fee": 1500}, {"amount": back, "fee": 0}]
            self.send("charge.dispute.funds_reinstated", dict(object("lost"), balance_transactions=money), closed + 60)
        if end == "won":
            dispute.reversed_at = closed
            if self.maybe(0.6):
                self.send("charge.dispute.funds_reinstated", object("won"), closed + 1)
            if self.maybe(0.5):
                self.refund(payment, self.later(closed, 3_600, 5 * DAY), payment.style, self.maybe(0.5))

    # Subscriptions

    def subscribe(self, at):
        chance, live = self.chance, self.visit.live
        subscription = Subscription(self.stripe.id("sub"))
        self.subscriptions.append(subscription)
        reference, own = self.whose()
        named = dict(own)
        if reference:
            named["external_purchase_checkout"] = reference
        through_checkout = self.maybe(0.6)
        # With Checkout the session may be the only object that says whose it is.
        metadata = {} if through_checkout and self.maybe(0.5) else named
        behavior, item = chance.choice(["inclusive", "exclusive"]), self.stripe.id("si")
        price, quantity, length = self.good(recurring=True), 1, 30 * DAY
        second = self.good(recurring=True) if self.maybe(0.15) else None
        computed = self.maybe(0.5)
        trial = 7 * DAY if second is None and self.maybe(0.25) else 0
        start, reason, event = at, "subscription_create", "SUBSCRIPTION_START"
        object = {"id": subscription.id, "object": "subscription", "created": at, "currency": self.market[0].lower(),
                  "livemode": live, "metadata": metadata, "status": "active", "ended_at": None}  # fmt: skip
        if self.maybe(0.5):
            self.send("customer.subscription.created", object, at)
        length_of = lambda: trial if reason == "subscription_create" and trial else length
        for count in range(chance.randint(1, 9)):
            end = start + length_of()
            free = reason == "subscription_create" and trial
            lines = [self.taxed("il", price, quantity, behavior, amount=0 if free else None, period=(start, end),
                                item=item)]  # fmt: skip
            if second:
                lines.append(self.taxed("il", second, 1, behavior, period=(start, end), item=item + "b"))
            paid_at = start if reason == "subscription_create" else start + 3_600
            if paid_at + 2 * DAY > self.end:
                break
            intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
            total = sum(line.total for line in lines)
            fails = reason == "subscription_cycle" and self.maybe(0.12)
            bill = lambda paid: self.stripe.invoice(
                self.version(start), live, start, self.market[0], lines, self.market[1], reason, subscription.id,
                metadata, {}, computed or total == 0, intent if total else None, charge if total else None, paid,
            )  # fmt: skip
            if fails:
                invoice = bill(None)
                self.send("invoice.payment_failed", invoice, paid_at)
                subscription.ends.append(start)
                if self.maybe(0.5):
                    ended = self.later(start, 2 * DAY, 7 * DAY)
                    self.cancel(object, subscription, ended)
                    return
                paid_at = self.later(start, DAY, 6 * DAY)
                if paid_at + 2 * DAY > self.end:
                    return
                invoice = dict(invoice, status="paid", amount_paid=total, amount_remaining=0)
                invoice["status_transitions"] = dict(invoice["status_transitions"], paid_at=paid_at)
                if "paid" in invoice:
                    invoice["paid"] = True
            else:
                invoice = bill(paid_at)
            self.charged(subscription, invoice, lines, paid_at, intent, charge, total, event)
            if reason == "subscription_create" and through_checkout:
                session = self.stripe.session(
                    self.version(at), "subscription", live, at - 200, self.market[0], lines, self.market[1], reference,
                    own, computed or total == 0, subscription=subscription.id, invoice=invoice["id"],
                )  # fmt: skip
                self.send("checkout.session.completed", session, at)
            if not free and not second and self.maybe(0.25):
                changed = self.change(subscription, metadata, price, quantity, behavior, computed, item, start, end)
                if changed:
                    price, quantity = changed
            reason, event, start = "subscription_cycle", "RENEWAL", end
        else:
            if start < self.end and self.maybe(0.7):
                self.cancel(object, subscription, start)

    def charged(self, subscription, invoice, lines, paid_at, intent, charge, total, event):
        self.paid(paid_at, intent, charge, total, {}, invoice["id"]) if total else None
        self.invoice_paid(invoice, paid_at, intent, charge, total)
        payment = self.remember(paid_at, intent, charge, total, [], giving=False)
        payment.invoice = invoice["id"] if self.version(paid_at) != BASIL else None
        payment.bill = invoice["id"] if len(lines) == 1 else None
        subscription.last = payment
        several = len(lines) > 1
        for place, line in enumerate(sorted(lines, key=lambda line: line.item)):
            kind = event if place == 0 else "SUBSCRIPTION_PAYMENT"
            made = Charge(subscription, kind, paid_at, line.period, line.total, payment, not several)
            subscription.charges.append(made)
            payment.sales.append(Sale([[line.id]], [line], {paid_at}, made))
        if total:
            self.give_back(payment, paid_at)

    def change(self, subscription, metadata, price, quantity, behavior, computed, item, start, end):
        """A change of plan, or of the number of seats, in the middle of a period: credit and debit."""
        at = self.later(start, 8 * DAY, 20 * DAY)
        if at + 2 * DAY > self.end:
            return None
        share = Fraction(end - at, end - start)
        if quantity > 1 and not subscription.last.refunds and not subscription.last.disputes and self.maybe(0.8):
            return self.fewer_seats(subscription, metadata, price, quantity, behavior, computed, item, (at, end), share)
        if self.maybe(0.5):
            larger = self.stripe.price("prod_large", "plan.large", self.market[0], price.amount * 3 + 7, True)
            new, seats, event = larger, quantity, "SUBSCRIPTION_CHANGE"
        else:
            new, seats, event = price, quantity + 1, "SUBSCRIPTION_PAYMENT"
        credit = self.taxed("il", price, quantity, behavior, amount=-rounded(price.amount * quantity * share),
                            period=(at, end), proration=True, item=item)  # fmt: skip
        debit = self.taxed("il", new, seats, behavior, amount=rounded(new.amount * seats * share), period=(at, end),
                           proration=True, item=item)  # fmt: skip
        total = credit.total + debit.total
        if total <= 0:
            return None
        intent, charge = self.stripe.id("pi"), self.stripe.id("ch")
        invoice = self.stripe.invoice(
            self.version(at), self.visit.live, at, self.market[0], [credit, debit], self.market[1],
            "subscription_update", subscription.id, metadata, {}, computed, intent, charge, at,
        )  # fmt: skip
        self.paid(at, intent, charge, total, {}, invoice["id"])
        self.invoice_paid(invoice, at, intent, charge, total)
        both = Line(None, new, seats, total - (credit.tax + debit.tax), credit.tax + debit.tax, "exclusive")
        payment = self.remember(at, intent, charge, total, [], giving=False)
        payment.invoice = invoice["id"] if self.version(at) != BASIL else None
        made = Charge(subscription, event, at, (at, end), total, payment)
        subscription.charges.append(made)
        payment.sales.append(Sale([[f"{invoice['id']}/change"]], [both], {at}, made))
        self.give_back(payment, at)
        return new, seats

    def fewer_seats(self, subscription, metadata, price, quantity, behavior, computed, item, period, share):
        """Credits that are more than the debits fill the balance: the invoice gives back of the charge of the period."""
        at, seats = period[0], quantity - 1
        credit = self.taxed("il", price, quantity, behavior, amount=-rounded(price.amount * quantity * share),
                            period=period, proration=True, item=item)  # fmt: skip
        debit = self.taxed("il", price, seats, behavior, amount=rounded(price.amount * seats * share), period=period,
                           proration=True, item=item)  # fmt: skip
        total = credit.total + debit.total
        charged = subscription.last
        if total >= 0 or -total > self.left(charged):
            return None
        invoice = self.stripe.invoice(
            self.version(at), self.visit.live, at, self.market[0], [credit, debit], self.market[1],
            "subscription_update", subscription.id, metadata, {}, computed, None, None, at,
        )  # fmt: skip
        invoice.update(amount_due=0, amount_paid=0, ending_balance=total)
        charged.style = "named"
        charged.refunds.append(Refund(invoice["id"], -total, at, "succeeded", True))
        self.invoice_paid(invoice, at, None, None, 0)
        return price, seats

    def cancel(self, object, subscription, ended):
        if ended > self.end:
            return
        subscription.ends.append(ended)
        self.send("customer.subscription.deleted", dict(object, status="canceled", ended_at=ended), ended)

    # What is none of ours

    def noise(self):
        """Types that are not used, another account, payments that no metadata connects with a visit."""
        self.visit = Visit(-1, SHOP, True, None, "", START, None, "app", START)
        for number in range(max(4, len(self.visits) // 4)):
            at = START + self.chance.randint(0, self.end - START)
            self.account = None
            kind = number % 4
            if kind == 0:
                type = self.chance.choice(["customer.created", "product.updated", "price.created", "balance.available"])
                event = self.send(type, {"id": self.stripe.id("obj"), "object": type.split(".")[0]}, at, OLD)
            elif kind == 1:
                self.account = "acct_foreign"
                event = self.send("invoice.paid", {"id": self.stripe.id("in"), "object": "invoice"}, at, OLD)
            elif kind == 2:
                intent = self.stripe.intent(self.stripe.id("pi"), self.stripe.id("ch"), True, at, "EUR", 500, {}, None, OLD)
                event = self.send("payment_intent.succeeded", intent, at, OLD)
            else:
                setup = {"id": self.stripe.id("cs"), "object": "checkout.session", "mode": "setup", "metadata": {},
                         "payment_status": "no_payment_required", "currency": None}  # fmt: skip
                event = self.send("checkout.session.completed", setup, at, OLD)
            self.stays[event.id] = "not-used"
