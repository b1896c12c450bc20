import ExternalPurchaseCore
import Ledger

/// The differences between a sale that the merchant sends and the same sale as Apple accepted it from another system.
///
/// An accepted item contains no customer, checkout or tax rate, and a chargeback is a refund there (SA-43). Compared are
/// type, time to the second, product, quantity, currency, amount, tax to one minor unit of the currency, tax country and
/// period. Amounts that are derived from a total or from the refund of an order are not compared.
struct SaleDifferences: Hashable, Sendable {
    private var parts: [String] = []

    /// The differences with both figures, as one text; nil if there are none.
    var words: String? { parts.isEmpty ? nil : parts.joined(separator: "; ") }

    /// No differences.
    init() {}

    /// Compares two sales.
    ///
    /// - Parameters:
    ///   - sale: the sale as the merchant sends it.
    ///   - accepted: the sale of the accepted item.
    ///   - buy: the purchase of a refund.
    ///   - lines: the number of accepted items of the refund.
    ///   - isStated: whether the merchant stated the amount of the refund; otherwise any amount is equal that converts
    ///     to the accepted one.
    init(of sale: Sale, from accepted: Sale, buy: Purchase?, lines: Int = 1, isStated: Bool = false) {
        if !Self.isSameKind(sale, accepted) {
            add("type", sale.typeName, accepted.typeName)
            return
        }
        if abs(sale.occurredAt.milliseconds - accepted.occurredAt.milliseconds) >= 1_000 {
            add("occurredAt", sale.occurredAt, accepted.occurredAt)
        }
        if let mine = sale.purchase, let its = accepted.purchase { compare(mine, its) }
        if let mine = sale.subscriptionCharge, let its = accepted.subscriptionCharge {
            if mine.period.start != its.period.start { add("period.start", mine.period.start, its.period.start) }
            if mine.period.end != its.period.end { add("period.end", mine.period.end, its.period.end) }
            if let event = mine.event, event != its.event {
                add("event", event.rawValue, its.event?.rawValue ?? "start")
            }
        }
        if let mine = sale.refund, let its = accepted.refund {
            if mine.refundOf != its.refundOf { add("refundOf", mine.refundOf, its.refundOf) }
            if its.isChargeback, !mine.isChargeback { add("type", sale.typeName, accepted.typeName) }
            if let currency = mine.currency, let buy, currency != buy.currency {
                add("amount.currency", currency, buy.currency)
            }
            let converts = !isStated && buy.flatMap { its.billed(as: mine, of: $0, lines: lines) } != nil
            if mine.inclusive != its.inclusive, !converts, mine.refundedTotal == nil, !mine.isShare {
                add("amount.inclusive", mine.inclusive, its.inclusive, in: buy?.currency ?? "")
            }
        }
    }

    /// Adds the differences of a part, such as a line.
    mutating func add(_ other: SaleDifferences, of part: String) {
        parts += other.parts.map { "\(part): \($0)" }
    }

    private mutating func compare(_ mine: Purchase, _ its: Purchase) {
        if !mine.productId.hasSameScalars(as: its.productId) { add("productId", mine.productId, its.productId) }
        if mine.quantity != its.quantity { add("quantity", mine.quantity, its.quantity) }
        if mine.currency != its.currency { return add("amount.currency", mine.currency, its.currency) }
        // Several billed amounts convert to the same accepted one, so the accepted amount decides until the billed one
        // is known.
        let billed = its.isComputedBack ? its.billed(as: mine) : nil
        let (money, accepted) = (LineMoney(billed ?? mine), LineMoney(its))
        let minorUnit = Decimal(sign: .plus, exponent: -(Currency.code(mine.currency)?.exponent ?? 2), significand: 1)
        let isSameAmount = mine.inclusive == its.inclusive || billed != nil
        if !isSameAmount { add("amount.inclusive", mine.inclusive, its.inclusive, in: mine.currency) }
        if let money, let accepted, let factor = its.milliUnitsPerUnit, isSameAmount {
            let slack = MilliUnits(rounding: minorUnit * factor)?.value ?? 0
            if abs(money.tax.value - accepted.tax.value) > slack {
                add("tax in thousandths", money.tax.value, accepted.tax.value)
            }
        }
        if let to = mine.exchangeRate?.to, let accepted = its.exchangeRate?.to, to != accepted {
            add("amount.exchangeRate.to", to, accepted)
        }
        if let country = mine.taxCountry, country != its.taxCountry {
            add("amount.taxCountry", country, its.taxCountry ?? "none")
        }
    }

    mutating func add(_ name: String, _ mine: Decimal, _ its: Decimal, in currency: String) {
        add(name, Currency.text(of: mine, in: currency), Currency.text(of: its, in: currency))
    }

    mutating func add(_ name: String, _ mine: some CustomStringConvertible, _ its: some CustomStringConvertible) {
        parts.append("\(name) \(mine) against the accepted \(its)")
    }

    private static func isSameKind(_ left: Sale, _ right: Sale) -> Bool {
        switch (left.kind, right.kind) {
        case (.purchase, .purchase), (.subscription, .subscription), (.refund, .refund): true
        default: false
        }
    }
}
