package import ExternalPurchaseCore
import Ledger
package import Reporting

extension ErasureCommand {
    /// Reads the body of `POST /v1/erasures`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    init(body: JSONValue, apps: [BundleId], caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.erasureRequest)
        let bundleId = fields.app(of: caller, isRequired: true)
        let customerId = fields.string("customerId", maximum: 128).map { CustomerId($0) }
        if let bundleId, !apps.contains(bundleId) { fields.fault("bundleId", "is none of the apps registered here") }
        try fields.throwFaults()
        guard let bundleId, let customerId else { throw fields.refusal }
        self.init(customerId, of: bundleId, by: caller.author)
    }
}

extension SubmissionCommand {
    /// Reads the body of `POST /v1/exports/{month}/submitted`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    init(body: JSONValue, month: String, caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.submissionRequest)
        let bundleId = fields.app(of: caller)
        let programme = fields.optionalString("programme", maximum: 255)
        let on = fields.day("on")
        let by = fields.author("by", maximum: 255, caller: caller.author)
        let reference = fields.string("reference", maximum: 255)
        try fields.throwFaults()
        guard let on, let by, let reference else { throw fields.refusal }
        self.init(MonthChoice(month, of: bundleId, programme: programme), on: on, by: by, reference: reference)
    }
}

extension WithdrawalCommand {
    /// Reads the body of `POST /v1/exports/{month}/withdrawn`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    init(body: JSONValue, month: String, caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.withdrawalRequest)
        let bundleId = fields.app(of: caller)
        let id = fields.string("exportId", maximum: 255).map { ManualExportId($0) }
        let by = fields.author("by", maximum: 255, caller: caller.author)
        let reason = fields.string("reason", maximum: 1_000)
        try fields.throwFaults()
        guard let id, let by, let reason else { throw fields.refusal }
        self.init(id, month: month, of: bundleId, by: by, reason: reason)
    }
}

extension InvoiceCommand {
    /// Reads the body of `POST /v1/invoices`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    package init(body: JSONValue, caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.invoiceRequest)
        let id = fields.string("invoiceId", maximum: 255)
        let bundleId = fields.app(of: caller)
        let programme = fields.optionalString("programme", maximum: 255)
        let month = fields.string("month", maximum: 16)
        let issuedOn = fields.day("issuedOn")
        let dueOn = fields.has("dueOn") ? fields.day("dueOn") : nil
        if let issuedOn, let dueOn, dueOn < issuedOn { fields.fault("dueOn", "is before the invoice, of \(issuedOn)") }
        let purchaseOrder = fields.optionalString("purchaseOrder", maximum: 255)
        let currencyText = fields.string("currency", maximum: 3)
        let currency = currencyText.flatMap { Currency.code($0) }
        if currencyText != nil, currency == nil { fields.fault("currency", "is not a currency such as EUR") }
        if !fields.has("amount") { fields.fault("amount", "is missing") }
        let amount = fields.billed("amount", in: currency)
        let surcharge = fields.billed("surcharge", in: currency)
        let tax = fields.billed("tax", in: currency)
        let by = fields.author("by", maximum: 255, caller: caller.author)
        if let total = fields.billed("total", in: currency), let amount, let currency {
            let parts = [amount, surcharge, tax].compactMap(\.self)
            let sum = parts.reduce(0, +)
            if total != sum {
                let words = parts.map { Currency.text(of: $0, in: currency.code) }.joined(separator: " + ")
                fields.fault(
                    "total",
                    "is not the sum of amount, surcharge and tax: \(words) is \(Currency.text(of: sum, in: currency.code))"
                )
            }
        }
        try fields.throwFaults()
        guard let id, let month, let issuedOn, let currency, let amount, let by else { throw fields.refusal }
        self.init(
            MonthChoice(month, of: bundleId, programme: programme),
            invoiceId: id,
            issuedOn: issuedOn,
            dueOn: dueOn,
            purchaseOrder: purchaseOrder,
            currency: currency,
            amount: amount,
            surcharge: surcharge,
            tax: tax,
            by: by
        )
    }
}

extension RequestDecoder {
    /// Reads an amount of an invoice, which is negative in a credit; nil if it is absent or wrong.
    fileprivate mutating func billed(_ key: String, in currency: Currency?) -> Decimal? {
        guard let text = optionalString(key, maximum: 32) else { return nil }
        guard DecimalText.isWellFormed(text), let amount = DecimalText.decimal(text) else {
            fault(key, "is not a decimal such as \"128.40\"; a credit has a minus")
            return nil
        }
        if let currency, amount.exponent < -currency.exponent {
            fault(key, "has more than \(currency.exponent) digits after the point, which \(currency.code) lacks")
        }
        return amount
    }
}
