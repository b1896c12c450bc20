"""A stand-in for Stripe: its objects, its events in the shapes of three API versions, and its API for reading.

Nothing here is taken from the product. Shapes: https://docs.stripe.com/api (events, checkout/sessions, invoices, refunds,
disputes) and the change log of 2025-03-31 (basil), which moved an invoice's payment, subscription and taxes. Units:
https://docs.stripe.com/currencies.
"""

import copy
import hashlib
import hmac
import http.server
import json
import threading
import time
import urllib.parse
from fractions import Fraction

ZERO_DECIMAL = set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split())
THREE_DECIMAL = set("BHD JOD KWD OMR TND".split())
OLDEST, OLD, BASIL = "2020-08-27", "2024-06-20", "2025-03-31.basil"


def units(minor, currency):
    """An amount of Stripe in units of the currency."""
    places = 0 if currency in ZERO_DECIMAL else 3 if currency in THREE_DECIMAL else 2
    return Fraction(minor, 10**places)


def rounded(value):
    """The nearest integer, halves upwards."""
    return (value + Fraction(1, 2)).__floor__()


def address(country):
    return {"city": None, "country": country, "line1": None, "line2": None, "postal_code": None, "state": None}


def listing(path, data, has_more=False):
    return {"object": "list", "data": data, "has_more": has_more, "url": path}


class Price:
    def __init__(self, id, product, lookup_key, currency, amount, recurring):
        self.id, self.product, self.lookup_key = id, product, lookup_key
        self.currency, self.amount, self.recurring = currency, amount, recurring

    def json(self):
        return {
            "id": self.id, "object": "price", "active": True, "billing_scheme": "per_unit",
            "currency": self.currency.lower(), "lookup_key": self.lookup_key, "product": self.product,
            "recurring": {"interval": "month"} if self.recurring else None,
            "type": "recurring" if self.recurring else "one_time", "unit_amount": self.amount,
        }  # fmt: skip


class Line:
    """A line of a session or an invoice: what was sold, with Stripe's arithmetic of discount and tax."""

    def __init__(self, id, price, quantity, amount, tax, behavior, discount=0, period=None, proration=False, item=None):
        self.id, self.price, self.quantity = id, price, quantity
        self.amount, self.tax, self.behavior, self.discount = amount, tax, behavior, discount
        self.period, self.proration, self.item = period, proration, item

    @property
    def total(self):
        return self.amount - self.discount + (self.tax if self.behavior == "exclusive" else 0)


class Event:
    def __init__(self, id, type, created, live, account, body):
        self.id, self.type, self.created, self.live, self.account, self.body = id, type, created, live, account, body


class Stripe:
    """The objects of all accounts, and the events that they sent."""

    def __init__(self):
        self.events, self.numbers = [], {}
        self.prices, self.line_items, self.invoice_lines, self.invoice_payments = {}, {}, {}, {}

    def id(self, prefix):
        self.numbers[prefix] = self.numbers.get(prefix, 0) + 1
        return f"{prefix}_{self.numbers[prefix]:06d}"

    def price(self, product, lookup_key, currency, amount, recurring=False):
        price = Price(self.id("price"), product, lookup_key, currency, amount, recurring)
        self.prices[price.id] = price
        return price

    def send(self, type, object, created, live, account, version):
        event = {
            "id": self.id("evt"), "object": "event", "api_version": version, "created": created,
            "data": {"object": copy.deepcopy(object)}, "livemode": live, "pending_webhooks": 1,
            "request": {"id": None, "idempotency_key": None}, "type": type,
        }  # fmt: skip
        if account is not None:
            event["account"] = account
        made = Event(event["id"], type, created, live, account, event)
        self.events.append(made)
        return made

    # Objects

    def session(self, version, mode, live, created, currency, lines, country, reference, metadata, computed, **links):
        session = {
            "id": self.id("cs"), "object": "checkout.session",
            "amount_subtotal": sum(line.amount for line in lines), "amount_total": sum(line.total for line in lines),
            "automatic_tax": {"enabled": computed, "liability": None, "status": "complete" if computed else None},
            "client_reference_id": reference, "created": created, "currency": currency.lower(), "customer": None,
            "customer_details": {"address": address(country), "email": "buyer@example.com", "name": "Buyer",
                                 "phone": None, "tax_exempt": "none", "tax_ids": []},
            "invoice": None, "livemode": live, "metadata": metadata, "mode": mode, "payment_intent": None,
            "payment_status": "paid", "status": "complete", "subscription": None,
            "total_details": {"amount_discount": sum(line.discount for line in lines), "amount_shipping": 0,
                              "amount_tax": sum(line.tax for line in lines)},
        }  # fmt: skip
        if version != BASIL:
            session["shipping_details"] = None
        session.update(links)
        self.line_items[session["id"]] = [
            {
                "id": line.id, "object": "item", "amount_discount": line.discount, "amount_subtotal": line.amount,
                "amount_tax": line.tax, "amount_total": line.total, "currency": currency.lower(),
                "description": "Goods", "price": line.price.json(), "quantity": line.quantity,
            }
            for line in lines
        ]  # fmt: skip
        return session

    def invoice(self, version, live, created, currency, lines, country, reason, subscription, metadata, own, computed,
                intent, charge, paid_at):
        """`metadata` is the subscription's, `own` the invoice's."""
        id = self.id("in")
        total = sum(line.total for line in lines)
        invoice = {
            "id": id, "object": "invoice", "amount_due": total, "amount_paid": total if paid_at else 0,
            "amount_remaining": 0 if paid_at else total,
            "automatic_tax": {"enabled": computed, "liability": None, "status": "complete" if computed else None},
            "billing_reason": reason, "collection_method": "charge_automatically", "created": created,
            "currency": currency.lower(), "customer": None, "customer_address": address(country),
            "customer_shipping": None, "livemode": live, "metadata": own, "starting_balance": 0,
            "status": "paid" if paid_at else "open",
            "status_transitions": {"finalized_at": created, "marked_uncollectible_at": None, "paid_at": paid_at,
                                   "voided_at": None},
            "subtotal": sum(line.amount for line in lines), "total": total,
        }  # fmt: skip
        data = [self.invoice_line(version, line, live, currency, subscription, metadata) for line in lines]
        self.invoice_lines[id] = data
        # The event has the first ten lines.
        invoice["lines"] = listing(f"/v1/invoices/{id}/lines", data[:10], len(data) > 10)
        if version == BASIL:
            details = {"metadata": metadata, "subscription": subscription}
            invoice["parent"] = subscription and {
                "quote_details": None, "subscription_details": details, "type": "subscription_details"
            }
            invoice["total_taxes"] = [
                {"amount": line.tax, "tax_behavior": line.behavior, "type": "tax_rate_details"}
                for line in lines if line.tax or computed
            ]  # fmt: skip
        else:
            invoice.update(charge=charge, paid=paid_at is not None, payment_intent=intent, subscription=subscription)
            invoice["tax"] = sum(line.tax for line in lines) or None
            invoice["total_tax_amounts"] = [
                {"amount": line.tax, "inclusive": line.behavior == "inclusive", "tax_rate": "txr_1"}
                for line in lines if line.tax or computed
            ]  # fmt: skip
            if version == OLD:
                invoice["subscription_details"] = {"metadata": metadata} if subscription else None
        return invoice

    @staticmethod
    def invoice_line(version, line, live, currency, subscription, metadata):
        made = {
            "id": line.id, "object": "line_item", "amount": line.amount, "currency": currency.lower(),
            "description": "Goods", "livemode": live, "metadata": metadata if subscription else {},
            "discount_amounts": [{"amount": line.discount, "discount": "di_1"}] if line.discount else [],
            "period": {"start": line.period[0], "end": line.period[1]}, "quantity": line.quantity,
        }  # fmt: skip
        if version == BASIL:
            details = {"invoice_item": None, "proration": line.proration, "subscription": subscription}
            if subscription and not line.proration:
                details["subscription_item"] = line.item
                parent = {"invoice_item_details": None, "subscription_item_details": details,
                          "type": "subscription_item_details"}  # fmt: skip
            else:
                parent = {"invoice_item_details": details, "subscription_item_details": None,
                          "type": "invoice_item_details"}  # fmt: skip
            made["parent"] = parent
            made["pretax_credit_amounts"] = []
            made["pricing"] = {
                "price_details": {"price": line.price.id, "product": line.price.product},
                "type": "price_details", "unit_amount_decimal": str(line.price.amount),
            }  # fmt: skip
            made["taxes"] = [
                {"amount": line.tax, "tax_behavior": line.behavior, "taxability_reason": "standard_rated",
                 "tax_rate_details": {"tax_rate": "txr_1"}, "taxable_amount": None, "type": "tax_rate_details"}
            ]  # fmt: skip
        else:
            made["price"] = line.price.json()
            made["proration"] = line.proration
            made["subscription"] = subscription
            made["subscription_item"] = line.item
            made["type"] = "subscription" if subscription and not line.proration else "invoiceitem"
            made["tax_amounts"] = [
                {"amount": line.tax, "inclusive": line.behavior == "inclusive", "tax_rate": "txr_1",
                 "taxability_reason": "standard_rated", "taxable_amount": None}
            ]  # fmt: skip
            made["tax_rates"] = []
        return made

    def invoice_payment(self, invoice, intent, charge, live, currency, amount, paid_at):
        payment = {
            "id": self.id("inpay"), "object": "invoice_payment", "amount_paid": amount, "amount_requested": amount,
            "created": paid_at, "currency": currency.lower(), "invoice": invoice, "is_default": True,
            "livemode": live, "payment": {"payment_intent": intent, "type": "payment_intent"}, "status": "paid",
            "status_transitions": {"canceled_at": None, "paid_at": paid_at},
        }  # fmt: skip
        self.invoice_payments.setdefault(intent, []).append(payment)
        return payment

    @staticmethod
    def intent(id, charge, live, created, currency, amount, metadata, invoice, version):
        intent = {
            "id": id, "object": "payment_intent", "amount": amount, "amount_received": amount, "created": created,
            "currency": currency.lower(), "customer": None, "latest_charge": charge, "livemode": live,
            "metadata": metadata, "status": "succeeded",
        }  # fmt: skip
        if version != BASIL:
            intent["invoice"] = invoice
        return intent

    @staticmethod
    def charge(id, intent, live, created, currency, amount, refunded, invoice, version):
        charge = {
            "id": id, "object": "charge", "amount": amount, "amount_captured": amount, "amount_refunded": refunded,
            "captured": True, "created": created, "currency": currency.lower(), "customer": None, "livemode": live,
            "metadata": {}, "paid": True, "payment_intent": intent, "refunded": refunded == amount,
            "status": "succeeded",
        }  # fmt: skip
        if version != BASIL:
            charge["invoice"] = invoice
        return charge


class API(http.server.ThreadingHTTPServer):
    """`api.stripe.com` for reading, with an account per `Stripe-Account`; lists have at most three elements a page."""

    daemon_threads = True

    def __init__(self, stripe, key, now):
        super().__init__(("127.0.0.1", 0), Handler)
        self.stripe, self.key, self.now, self.requests = stripe, key, now, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """A client that was killed is no error."""

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, path, query, account):
        parts = path.strip("/").split("/")
        if parts[:2] == ["v1", "events"]:
            low, high = int(query.get("created[gte]", 0)), int(query.get("created[lte]", 1 << 60))
            found = [
                event.body for event in self.stripe.events
                if event.account == account and low <= event.created <= min(high, self.now())
            ]  # fmt: skip
            found.sort(key=lambda event: (-event["created"], event["id"]))
            return self.page(found, query, 20)
        if parts[:3] == ["v1", "checkout", "sessions"] and parts[4:] == ["line_items"]:
            return self.page(self.stripe.line_items.get(parts[3]), query, 3)
        if parts[:2] == ["v1", "invoices"] and parts[3:] == ["lines"]:
            return self.page(self.stripe.invoice_lines.get(parts[2]), query, 3)
        if parts[:2] == ["v1", "invoice_payments"]:
            found = self.stripe.invoice_payments.get(query.get("payment[payment_intent]"), [])
            return self.page([payment for payment in found if payment["created"] <= self.now()], query, 3)
        if parts[:2] == ["v1", "prices"] and len(parts) == 3 and parts[2] in self.stripe.prices:
            return self.stripe.prices[parts[2]].json()
        return None

    @staticmethod
    def page(elements, query, most):
        if elements is None:
            return None
        place = 0
        if "starting_after" in query:
            ids = [element["id"] for element in elements]
            place = ids.index(query["starting_after"]) + 1
        limit = min(int(query.get("limit", 10)), most)
        return listing("", elements[place : place + limit], place + limit < len(elements))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.server.requests += 1
        if self.headers["Authorization"] != f"Bearer {self.server.key}":
            status, body = 401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key"}}
        else:
            body = self.server.answer(url.path, query, self.headers["Stripe-Account"])
            status = 200 if body is not None else 404
            body = body or {"error": {"type": "invalid_request_error", "code": "resource_missing"}}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def signature(body, secret):
    """The value of `Stripe-Signature`. Its time is the machine's, whatever time the event has."""
    stamp = str(int(time.time()))
    digest = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"t={stamp},v1={digest}"
