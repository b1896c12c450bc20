"""What Apple's side must have accepted, by the test's own arithmetic, from the objects of the stand-in for Stripe alone.

Amounts are whole thousandths of the reporting currency. The rules: docs/spec/05-report-rules.md, RR-20 (net), RR-31 and
RR-32 (subscriptions), RR-40 to RR-46 (money), RR-50 and RR-51 (currencies).
"""

import datetime
from fractions import Fraction

from fake_stripe import rounded, units
from shop import PRODUCTS

DAY = 86_400
# Markets of the stand-in whose currency Apple does not take, and of them those in the EEA.
EEA = {"ISL"}
WHOLE_COINS = {"ISK", "UGX"}


def reporting(market):
    currency, country, rate = market[0], market[2], market[6]
    return currency if rate is None else "EUR" if country in EEA else "USD"


def thousandths(value, market):
    rate = Fraction(market[6]) if market[6] else 1
    return rounded(value * 1_000 * rate)


def line_figures(line, market):
    """Inclusive amount and tax of a line."""
    if getattr(line, "rate", None) is not None:
        inclusive = units(line.total, market[0])
        return thousandths(inclusive, market), thousandths(inclusive * line.rate / (100 + line.rate), market)
    tax = units(line.tax, market[0])
    if market[0] in WHOLE_COINS:
        tax = Fraction(rounded(tax))
    return thousandths(units(line.total, market[0]), market), thousandths(tax, market)


class Expected:
    """A net group: the lines of a sale with everything that was given back of it."""

    def __init__(self, payment, sale, given):
        self.payment, self.sale, self.market = payment, sale, payment.market
        self.lines = [line_figures(line, self.market) for line in sale.lines]
        self.total = sum(line.total for line in sale.lines)
        # Stripe's units: (the id of its event's object or None, amount).
        self.given = given


def shared(amount, sales, step):
    """An amount by the prices of sales in whole coins, the largest remainder first."""
    prices = [sum(line.total for line in sale.lines) // step for sale in sales]
    return [part * step for part in parts(prices, amount // step)]


def parts(weights, coins):
    """Coins by weights, the largest remainder first."""
    shares = [coins * weight // sum(weights) for weight in weights]
    remainders = sorted(range(len(weights)), key=lambda place: (-(coins * weights[place] % sum(weights)), place))
    for place in remainders[: coins - sum(shares)]:
        shares[place] += 1
    return shares


def expectations(shop):
    groups = []
    for payment in shop.payments:
        charged = [sale for sale in payment.sales if any(line.total for line in sale.lines)]
        given = [(r.id if r.named else None, r.amount) for r in payment.refunds if r.state == "succeeded"]
        given += [(d.id, d.amount - d.returned) for d in payment.disputes if d.reversed_at is None]
        if payment.shipping:
            # Shipping takes its part of what goes back, and is not reported.
            coin, total = 100 if payment.market[0] in WHOLE_COINS else 1, payment.amount - payment.shipping
            weights, whole, told, shares = [total // coin, payment.shipping // coin], 0, 0, []
            for id, amount in given:
                # What all of them give back is shared, so that no rounding adds up.
                whole += amount // coin
                share = parts(weights, whole)[0] - told
                told += share
                shares.append((id, share * coin))
            given = [(id, amount) for id, amount in shares if amount]
        for sale in payment.sales:
            mine = []
            if sale in charged:
                mine = given
                if len(charged) > 1:  # One refund at most, of the whole or of a part.
                    shares = [shared(amount, charged, payment.market[5])[charged.index(sale)] for _, amount in given]
                    mine = [(None, share) for share in shares if share]
            groups.append(Expected(payment, sale, mine))
    return groups


def month_of(milliseconds):
    moment = datetime.datetime.fromtimestamp(milliseconds / 1_000, datetime.timezone.utc)
    return moment.strftime("%Y-%m")


class Accepted:
    """What Apple's side accepted: the newest version of every line item, and the order of acceptance."""

    def __init__(self, reports):
        self.items, self.tokens, self.statuses, self.order = {}, {}, {}, {}
        for place, report in enumerate(reports):
            token = report["externalPurchaseId"]
            self.statuses.setdefault(token, []).append(report["status"])
            for item in report.get("lineItems") or []:
                self.items[item["lineItemId"]] = item
                self.tokens[item["lineItemId"]] = token
                self.order[item["lineItemId"]] = place

    def live(self):
        return {id: item for id, item in self.items.items() if not item.get("erroneouslySubmitted")}


def compare(shop, reports):
    """Returns what differs, one text each."""
    accepted, wrong = Accepted(reports), []
    live = accepted.live()
    referring = {}
    for item in live.values():
        if item["eventType"] == "REFUND":
            referring.setdefault(item["referenceLineItemId"], []).append(item)
    matched = set()
    groups = expectations(shop)
    for group in groups:
        found = [ids for ids in group.sale.ids if any(id in live for id in ids)]
        if len(found) != 1 or not all(id in live for id in found[0]):
            wrong.append(f"{group.sale.ids} is accepted as {found}, token {group.payment.visit.id}")
            continue
        ids = found[0]
        group.found = ids
        matched.update(ids)
        wrong += check_buy(group, ids, accepted)
        refunds = [refund for id in ids for refund in referring.get(id, [])]
        matched.update(refund["lineItemId"] for refund in refunds)
        wrong += check_refunds(group, ids, refunds, accepted)
    wrong += [f"{id} is accepted and was never sold: {item}" for id, item in live.items() if id not in matched]
    for visit in shop.visits:
        statuses = accepted.statuses.get(visit.id, [])
        has_sales = any(group.payment.visit is visit for group in groups)
        if not statuses:
            wrong.append(f"the token {visit.id} was never reported")
        elif not has_sales and set(statuses) != {"NO_LINE_ITEM"}:
            wrong.append(f"the token {visit.id} without sales was reported as {statuses}")
    for subscription in shop.subscriptions:
        wrong += check_subscription(subscription, groups, accepted)
    return wrong


def check_buy(group, ids, accepted):
    wrong = []
    for id, line, (inclusive, tax) in zip(ids, group.sale.lines, group.lines):
        item = accepted.items[id]
        expected = {
            "eventType": "BUY", "amountTaxInclusive": inclusive, "taxAmount": tax,
            "amountTaxExclusive": inclusive - tax, "reportingCurrency": reporting(group.market),
            "pricingCurrency": group.market[0], "taxCountry": group.market[2], "quantity": line.quantity,
            "productIdentifier": PRODUCTS.get(line.price.product) or line.price.lookup_key or line.price.product,
        }  # fmt: skip
        for name, value in expected.items():
            if item.get(name) != value:
                wrong.append(f"{id}: {name} is {item.get(name)}, not {value}")
        rate = item.get("exchangeRate")
        if (Fraction(str(rate)) if rate is not None else None) != (Fraction(group.market[6]) if group.market[6] else None):
            wrong.append(f"{id}: exchangeRate is {rate}, not {group.market[6]}")
        if item["creationDate"] // 1_000 not in group.sale.moments:
            wrong.append(f"{id}: creationDate is {item['creationDate']}, not one of {group.sale.moments}")
        if accepted.tokens[id] != group.payment.visit.id:
            wrong.append(f"{id}: is on the token {accepted.tokens[id]}, not {group.payment.visit.id}")
    return wrong


def check_refunds(group, ids, refunds, accepted):
    """The sum of what was given back, its tax, and the net that is left."""
    wrong, name = [], " and ".join(ids)
    truth = sum(amount for _, amount in group.given)
    inclusive = sum(item["amountTaxInclusive"] for item in refunds)
    tax = sum(item["taxAmount"] for item in refunds)
    bought, bought_tax = sum(line[0] for line in group.lines), sum(line[1] for line in group.lines)
    for item in refunds:
        if item["amountTaxInclusive"] - item["taxAmount"] != item["amountTaxExclusive"]:
            wrong.append(f"{item['lineItemId']}: the amounts do not add up")
        if item["reportingCurrency"] != reporting(group.market) or item["taxCountry"] != group.market[2]:
            wrong.append(f"{item['lineItemId']}: currency or country differ from those of {name}")
    # Each item with a rate is rounded by itself; without one every amount is exact.
    slack = len(refunds) if group.market[6] else 0
    if truth == group.total:
        if (inclusive, tax) != (bought, bought_tax):
            wrong.append(f"{name}: given back {inclusive} with tax {tax}, of {bought} with tax {bought_tax}; all was")
    else:
        given = thousandths(units(truth, group.market[0]), group.market)
        if abs(inclusive - given) > slack:
            wrong.append(f"{name}: given back {inclusive}, not {given}: {[i['lineItemId'] for i in refunds]}, {group.given}")
        share = sum(
            Fraction(line_tax) * sum(i["amountTaxInclusive"] for i in refunds if i["referenceLineItemId"] == id) / line
            for id, (line, line_tax) in zip(ids, group.lines) if line
        )  # fmt: skip
        # A correction states the tax of a chargeback in the currency's units.
        stated = thousandths(units(group.market[5], group.market[0]), group.market)
        stated = stated if any(d.returned for d in group.payment.disputes) else 0
        if abs(tax - share) > max(len(refunds), 1) + stated:
            wrong.append(f"{name}: given back with tax {tax}, not {float(share)}")
    # A refund that has an event of its own and is told by no sum has its own line item, and nothing else has.
    if getattr(group.payment, "style", None) == "named" and len(ids) == 1 and len(group.payment.sales) == 1:
        ours = sorted(id for id, _ in group.given)
        theirs = sorted(item["lineItemId"] for item in refunds)
        if [i.removesuffix(".2") for i in theirs] != ours:
            wrong.append(f"{name}: given back as {theirs}, not {ours}")
    for id, (line, line_tax) in zip(ids, group.lines):
        mine = [item for item in refunds if item["referenceLineItemId"] == id]
        net = line - line_tax - sum(item["amountTaxExclusive"] for item in mine)
        versions = [item for item in accepted.items.values()
                    if item["lineItemId"] == id or item.get("referenceLineItemId") == id
                    and item["eventType"] == "REFUND"]  # fmt: skip
        newest = max(versions, key=lambda item: accepted.order[item["lineItemId"]])
        if newest["netAmountTaxExclusive"] != net:
            wrong.append(f"{id}: the net is {newest['netAmountTaxExclusive']}, not {net}")
    return wrong


def check_subscription(subscription, groups, accepted):
    wrong = []
    charges = sorted(subscription.charges, key=lambda charge: charge.at)
    group_of = {group.sale.charge: group for group in groups if group.sale.charge}
    if any(not hasattr(group_of[charge], "found") for charge in charges):
        return wrong
    start = group_of[charges[0]].found[0] if charges else None
    for charge in charges:
        item = accepted.items[group_of[charge].found[0]]
        event, reference = item.get("subscriptionEvent"), item.get("referenceLineItemId")
        if event != charge.event:
            wrong.append(f"{item['lineItemId']}: {event}, not {charge.event}")
        if reference != (None if item["lineItemId"] == start else start):
            wrong.append(f"{item['lineItemId']}: refers to {reference}, not {start}")
        days = paid_days(subscription, charge)
        if charge.days_known and not is_doubtful(charge, charges) and item.get("subscriptionDaysOfPaidService") != days:
            wrong.append(f"{item['lineItemId']}: {item.get('subscriptionDaysOfPaidService')} paid days, not {days}")
        if item.get("subscriptionStartDate") != charge.period[0] * 1_000:
            wrong.append(f"{item['lineItemId']}: the period starts {item.get('subscriptionStartDate')}")
        if item.get("subscriptionEndDate") != charge.period[1] * 1_000:
            wrong.append(f"{item['lineItemId']}: the period ends {item.get('subscriptionEndDate')}")
    return wrong


def is_doubtful(charge, charges):
    """True after a period was given back wholly, and its money came back or a payment inside it was not given back.

    RR-31 and RR-34 leave open whether, and from when on, such a period counts.
    """
    for other in charges:
        if other.at < charge.at and other.amount:
            given = sum(r.amount for r in other.payment.refunds) + sum(d.amount for d in other.payment.disputes)
            undone = any(r.state != "succeeded" for r in other.payment.refunds)
            undone = undone or any(d.reversed_at for d in other.payment.disputes)
            shared = any(c.event == "SUBSCRIPTION_PAYMENT" and other.period[0] <= c.at < other.period[1] for c in charges)
            if given >= other.amount and (undone or shared):
                return True
    return False


def paid_days(subscription, charge):
    """RR-31: whole days of each paid period before the charge; a charged period ends the one in which it begins.

    A payment inside a period begins no period.
    """
    paid = []
    charges = sorted(subscription.charges, key=lambda charge: charge.at)
    earlier = charges[: charges.index(charge)]
    charges = [other for other in charges if other.event != "SUBSCRIPTION_PAYMENT"]
    for other in earlier:
        if other not in charges:
            continue
        start, end = other.period
        # Refunded wholly before this charge.
        given = sum(r.amount for r in other.payment.refunds if r.state == "succeeded" and r.created <= charge.at)
        given += sum(d.amount for d in other.payment.disputes if d.reversed_at is None and d.created <= charge.at)
        if not other.amount or given >= other.amount:
            continue
        stops = [end, charge.at] + [moment for moment in subscription.ends if moment > start]
        stops += [c.period[0] for c in charges if c.amount and c is not other and start <= c.period[0] < end
                  and c.at > other.at and c.at <= charge.at]  # fmt: skip
        if min(stops) > start:
            paid.append((start, min(stops)))
    # Contiguous periods are one run, of which the whole days count.
    days, run = 0, None
    for start, end in sorted(paid):
        if run and start <= run[1]:
            run = (run[0], max(run[1], end))
            continue
        days += (run[1] - run[0]) // DAY if run else 0
        run = (start, end)
    return days + ((run[1] - run[0]) // DAY if run else 0)
