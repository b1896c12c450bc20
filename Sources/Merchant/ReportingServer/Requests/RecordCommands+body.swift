package import ExternalPurchaseCore
import Ledger
import ReportPlanning
package import Reporting

extension ErasureCommand {
    /// Reads the body of `POST /v1/erasures`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    package init(body: JSONValue, apps: [BundleId: RegisteredApp], author: String? = nil) throws(RequestError) {
        var fields = try RequestDecoder(body, known: ["bundleId", "customerId"])
        let bundleId = fields.string("bundleId", maximum: 255).map { BundleId($0) }
        let customerId = fields.string("customerId", maximum: 128).map { CustomerId($0) }
        if let bundleId, apps[bundleId] == nil { fields.fault("bundleId", "is none of the apps registered here") }
        try fields.throwFaults()
        guard let bundleId, let customerId else { throw fields.refusal }
        self.init(customerId, of: bundleId, by: author)
    }
}

extension SubmissionCommand {
    /// Reads the body of `POST /v1/exports/{month}/submitted`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    package init(body: JSONValue, month: String, author: String? = nil) throws(RequestError) {
        var fields = try RequestDecoder(body, known: ["bundleId", "programme", "on", "by", "reference"])
        let bundleId = fields.optionalString("bundleId", maximum: 255).map { BundleId($0) }
        let programme = fields.optionalString("programme", maximum: 255)
        let on = fields.day("on")
        let by = fields.author("by", maximum: 255, caller: author)
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
    package init(body: JSONValue, month: String, author: String? = nil) throws(RequestError) {
        var fields = try RequestDecoder(body, known: ["bundleId", "exportId", "by", "reason"])
        let bundleId = fields.optionalString("bundleId", maximum: 255).map { BundleId($0) }
        let id = fields.string("exportId", maximum: 255).map { ManualExportId($0) }
        let by = fields.author("by", maximum: 255, caller: author)
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
    package init(body: JSONValue, author: String? = nil) throws(RequestError) {
        let known = ["invoiceId", "bundleId", "programme", "month", "issuedOn", "currency", "amount", "by"]
        var fields = try RequestDecoder(body, known: known)
        let id = fields.string("invoiceId", maximum: 255)
        let bundleId = fields.optionalString("bundleId", maximum: 255).map { BundleId($0) }
        let programme = fields.optionalString("programme", maximum: 255)
        let month = fields.string("month", maximum: 16)
        let issuedOn = fields.day("issuedOn")
        let currencyText = fields.string("currency", maximum: 3)
        let amountText = fields.string("amount", maximum: 32)
        let by = fields.author("by", maximum: 255, caller: author)
        let currency = currencyText.flatMap { Currency.code($0) }
        if currencyText != nil, currency == nil { fields.fault("currency", "is not a currency such as EUR") }
        let amount = amountText.flatMap { DecimalText.decimal($0) }
        if amountText != nil, amount == nil {
            fields.fault("amount", "is not a decimal such as \"128.40\"; a credit has a minus")
        }
        try fields.throwFaults()
        guard let id, let month, let issuedOn, let currency, let amount, let by else { throw fields.refusal }
        self.init(
            MonthChoice(month, of: bundleId, programme: programme),
            invoiceId: id,
            issuedOn: issuedOn,
            currency: currency,
            amount: amount,
            by: by
        )
    }
}
