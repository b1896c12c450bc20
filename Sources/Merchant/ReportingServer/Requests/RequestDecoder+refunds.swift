import ExternalPurchaseCore
import Ledger
import Reporting

extension RequestDecoder {
    /// Reads a refund: its own amount in `amount`, or instead `refundedTotal` in the body or in `amount`.
    ///
    /// The number of decimal places is checked later against the currency of the purchase.
    mutating func refund(isChargeback: Bool) -> (Refund?, minorUnits: RefundMinorUnits?) {
        let refundOf = string("refundOf", maximum: SaleId.maximumLength)
        var total = isChargeback ? nil : decimal("refundedTotal", digits: 4, below: Self.moneyLimit, example: "9.99")
        var totalMinor = isChargeback ? nil : minorUnits("refundedTotal")
        let hasTotal = has("refundedTotal") || has("refundedTotalMinor")
        guard has("amount") || !hasTotal else {
            return made(refundOf, total: total, minor: RefundMinorUnits(refundedTotal: totalMinor))
        }
        let totals = isChargeback ? [] : ["refundedTotal", "refundedTotalMinor"]
        let members = ["currency", "inclusive", "inclusiveMinor", "tax", "taxMinor"] + totals
        guard var amount = object("amount", known: members) else { return (nil, nil) }
        let currency = amount.currency(required: false)
        var minor = RefundMinorUnits()
        if amount.has("refundedTotal") || amount.has("refundedTotalMinor") {
            if hasTotal { amount.fault("refundedTotal", "stands twice, beside the amount and in it") }
            total = amount.money("refundedTotal", in: currency, required: false)
            totalMinor = amount.minorUnits("refundedTotal")
        }
        minor.refundedTotal = totalMinor
        var (inclusive, tax): (Decimal?, Decimal?)
        if total != nil || totalMinor != nil || hasTotal {
            for key in ["inclusive", "inclusiveMinor", "tax", "taxMinor"] where amount.has(key) {
                amount.fault(key, "stands beside refundedTotal; its own amount and tax follow from that")
            }
        } else {
            minor.inclusive = amount.minorUnits("inclusive")
            minor.tax = amount.minorUnits("tax")
            inclusive = amount.money("inclusive", in: currency, required: !amount.has("inclusiveMinor"))
            tax = amount.money("tax", in: currency, required: false)
            if inclusive == 0 || minor.inclusive == 0 {
                amount.fault(inclusive == 0 ? "inclusive" : "inclusiveMinor", "is 0; a refund gives something back")
            }
        }
        if let currency {
            inclusive = inclusive ?? minor.inclusive.map(currency.units(ofMinor:))
            tax = tax ?? minor.tax.map(currency.units(ofMinor:))
            total = total ?? minor.refundedTotal.map(currency.units(ofMinor:))
            minor = RefundMinorUnits()
        }
        if let inclusive, let tax, tax > inclusive { amount.fault("tax", "is more than the amount with tax") }
        add(amount)
        return made(
            refundOf,
            inclusive: inclusive,
            tax: tax,
            total: total,
            isChargeback: isChargeback,
            currency: currency?.code,
            minor: minor
        )
    }

    /// Reads what the reversal of a chargeback states came back.
    mutating func returned() -> SaleCommand.Returned? {
        guard has("amount"), var amount = object("amount", known: ["currency", "inclusive", "inclusiveMinor"]) else {
            return nil
        }
        defer { add(amount) }
        let currency = amount.currency(required: false)
        let minor = amount.minorUnits("inclusive")
        let inclusive = amount.money("inclusive", in: currency, required: !amount.has("inclusiveMinor"))
        return SaleCommand.Returned(inclusive: inclusive, minorUnits: minor, currency: currency?.code)
    }

    private mutating func made(
        _ refundOf: String?,
        inclusive: Decimal? = nil,
        tax: Decimal? = nil,
        total: Decimal?,
        isChargeback: Bool = false,
        currency: String? = nil,
        minor: RefundMinorUnits
    ) -> (Refund?, minorUnits: RefundMinorUnits?) {
        if total == 0 || minor.refundedTotal == 0 {
            fault("refundedTotal", "is 0; a refund gives something back")
        }
        guard let refundOf,
            inclusive != nil || total != nil || minor.inclusive != nil || minor.refundedTotal != nil
        else { return (nil, nil) }
        let refund = Refund(
            refundOf: SaleId(refundOf),
            inclusive: inclusive ?? 0,
            tax: tax,
            isChargeback: isChargeback,
            refundedTotal: total,
            currency: currency
        )
        return (refund, minor == RefundMinorUnits() ? nil : minor)
    }
}
