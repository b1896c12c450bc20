import ExternalPurchaseCore
import Ledger
import Reporting

extension RequestDecoder {
    /// Reads the exchange rate of money in a currency that cannot be reported (RR-45).
    ///
    /// - Parameters:
    ///   - currency: the currency of the money.
    ///   - occurredAt: the time of the sale.
    mutating func exchangeRate(for currency: Currency?, occurredAt: Timestamp?) -> QuotedRate? {
        guard has("exchangeRate") else { return nil }
        if let currency, currency.reportable {
            fault("exchangeRate", "is not allowed: \(currency.code) is reported as it is")
        }
        return quotedRate("exchangeRate", occurredAt: occurredAt)
    }

    /// Reads an exchange rate with source and time of its quotation (RR-45).
    ///
    /// - Parameters:
    ///   - key: the name of the field.
    ///   - occurredAt: the time of the sale; nil if the times are compared later.
    mutating func quotedRate(_ key: String, occurredAt: Timestamp? = nil) -> QuotedRate? {
        guard var quote = object(key, known: ["rate", "source", "asOf", "to"]) else { return nil }
        if !quote.has("rate") { quote.fault("rate", "is missing") }
        let rate = quote.decimal("rate", digits: 12, below: Self.rateLimit, example: "0.0069")
        if let rate, rate == 0 { quote.fault("rate", "is 0") }
        let source = quote.string("source", maximum: 256)
        let asOf = quote.time("asOf")
        if let asOf, let occurredAt,
            asOf < occurredAt - Self.rateWindow
                || asOf > occurredAt + Self.rateWindow
        {
            quote.fault("asOf", "is more than 48 hours away from the sale")
        }
        let to = quote.optionalString("to", maximum: 3)
        if let to, to != ForeignCurrency.euro.rawValue, to != ForeignCurrency.usDollar.rawValue {
            quote.fault("to", "is neither EUR nor USD, into which other currencies are converted (RR-51): \(to.quoted)")
        }
        add(quote)
        guard let rate, let source, let asOf, let exact = ExchangeRate(rate.description) else { return nil }
        return QuotedRate(rate: exact, source: source, asOf: asOf, to: to)
    }
}
