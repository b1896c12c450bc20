package import ExternalPurchaseCore
import Ledger
package import Reporting

extension CorrectionCommand {
    /// Reads the body of `POST /v1/corrections` that requests a dry run.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    package init(
        body: JSONValue,
        apps: [BundleId: RegisteredApp],
        caller: Caller
    ) throws(RequestError) {
        var members = try RequestDecoder(
            body,
            known: RequestMembers.correctionRequest
        )
        let bundleId = members.app(of: caller, isRequired: true)
        if let bundleId, apps[bundleId] == nil {
            let known = apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
            members.fault("bundleId", "is none of the apps registered here: \(known)")
        }
        let saleId = members.string("saleId", maximum: 100).map { SaleId($0) }
        var action: Action?
        if let text = members.string("action", maximum: .max) {
            action = Action.named(text)
            if action == nil {
                let known = Action.allCases.map(\.rawValue).joined(separator: ", ")
                members.fault("action", "is none of \(known): \(text.quoted)")
            }
        }
        let requestedBy = members.author("requestedBy", maximum: 256, caller: caller.author)
        let reason = members.string("reason", maximum: 2_000)
        let fields = members.correctedFields(for: action)
        try members.throwFaults()
        guard let bundleId, let saleId, let action, let requestedBy, let reason else { throw members.refusal }
        var kept = (body.objectValue?.members ?? []).filter { !["requestedBy", "reason"].containsName($0.key) }
        if body.objectValue?["bundleId"] == nil { kept.append(.init("bundleId", .string(bundleId.rawValue))) }
        self.init(
            bundleId: bundleId,
            saleId: saleId,
            action: action,
            fields: fields,
            requestedBy: requestedBy,
            reason: reason,
            request: .object(JSONObject(kept))
        )
    }
}

extension ConfirmationCommand {
    /// Reads the body of `POST /v1/corrections` that confirms a dry run.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    init(body: JSONValue, caller: Caller) throws(RequestError) {
        var members = try RequestDecoder(body, known: RequestMembers.correctionConfirmation)
        let id = members.string("correctionId", maximum: 128)
        let bundleId = members.app(of: caller)
        let confirmedBy = members.author("confirmedBy", maximum: 256, caller: caller.author)
        if !members.isTrue("confirm") { members.fault("confirm", "is not true") }
        try members.throwFaults()
        guard let id, let confirmedBy else { throw members.refusal }
        self.init(CorrectionId(id), of: bundleId, confirmedBy: confirmedBy)
    }
}

extension RequestDecoder {
    fileprivate mutating func correctedFields(for action: CorrectionCommand.Action?) -> CorrectionCommand.Fields {
        var corrected = CorrectionCommand.Fields()
        guard has("fields") else {
            if action == .restate { fault("fields", "is missing; say what is right instead") }
            if action == .move { fault("fields", "is missing; say the right occurredAt or externalPurchaseId") }
            return corrected
        }
        guard var fields = object("fields", known: CorrectionCommand.Fields.allNames) else { return corrected }
        let names = CorrectionCommand.Fields.allNames.filter(fields.has)
        fields.readMoney(into: &corrected)
        corrected.productId = fields.optionalString("productId", maximum: 256)
        if fields.has("quantity") { corrected.quantity = fields.quantity("quantity") }
        if let text = fields.optionalString("event", maximum: .max) {
            corrected.event = SubscriptionCharge.Event.named(text)
            if corrected.event == nil {
                let known = SubscriptionCharge.Event.allCases.map(\.rawValue).joined(separator: ", ")
                fields.fault("event", "is none of \(known): \(text.quoted)")
            }
        }
        if fields.has("periodStart") { corrected.periodStart = fields.time("periodStart") }
        if fields.has("periodEnd") { corrected.periodEnd = fields.time("periodEnd") }
        corrected.daysOfPaidService = fields.days("daysOfPaidService")
        if fields.has("occurredAt") { corrected.occurredAt = fields.time("occurredAt") }
        corrected.externalPurchaseId = fields.optionalString("externalPurchaseId", maximum: 256)
            .map { ExternalPurchaseId($0) }
        switch action {
        case .retract:
            for name in names { fields.fault(name, "is not said of a sale that never happened") }
        case .recount:
            for name in names {
                fields.fault(name, "is not stated here: a recount takes all from the events")
            }
        case .restate, .undo:
            for name in ["occurredAt", "externalPurchaseId"] where fields.has(name) {
                fields.fault(name, "is changed by the action move only")
            }
            if action == .restate, names.isEmpty, fields.faults.isEmpty {
                fault("fields", "names nothing that changes")
            }
        case .move:
            if !fields.has("occurredAt"), !fields.has("externalPurchaseId") {
                fault("fields", "has neither occurredAt nor externalPurchaseId; other fields are restated")
            }
        case nil:
            break
        }
        add(fields)
        return corrected
    }

    /// Reads the money fields; the number of decimal places is checked later against the sale's currency.
    private mutating func readMoney(into corrected: inout CorrectionCommand.Fields) {
        if let text = optionalString("currency", maximum: .max) {
            corrected.currency = Currency.code(text)?.code
            if corrected.currency == nil {
                let right = Currency.code(text.uppercased()).map { "; \($0.code) would be right" } ?? ""
                fault("currency", "is not a currency of ISO 4217 such as EUR: \(text.quoted)\(right)")
            }
        }
        func money(_ name: String) -> Decimal? {
            decimal(name, digits: 4, below: Self.moneyLimit, example: "9.99")
        }
        corrected.inclusive = money("inclusive")
        corrected.taxExclusive = money("taxExclusive")
        corrected.tax = money("tax")
        corrected.taxRate = decimal("taxRate", digits: 6, below: 1_000, example: "21")
        if has("taxRate"), has("tax") || has("taxExclusive") {
            fault("taxRate", "stands beside \(has("tax") ? "tax" : "taxExclusive"); one of the two is needed")
        }
        if has("inclusive"), has("taxExclusive") {
            fault("taxExclusive", "stands beside inclusive; one of the two is needed")
        }
        if has("taxExclusive"), !has("tax") { fault("tax", "is missing beside taxExclusive") }
        if let inclusive = corrected.inclusive, let tax = corrected.tax, tax > inclusive {
            fault("tax", "is more than the amount with tax")
        }
        corrected.taxCountry = optionalString("taxCountry", maximum: .max)
        if let country = corrected.taxCountry, Country.alpha3(country) == nil {
            let right = Country.meant(by: country).map { "; \($0.alpha3) would be right" } ?? ""
            fault("taxCountry", "is not a country of ISO 3166-1 alpha-3 such as NLD: \(country.quoted)\(right)")
        }
        if has("exchangeRate") { corrected.exchangeRate = quotedRate("exchangeRate") }
    }

    private mutating func days(_ key: String) -> Int32? {
        guard has(key) else { return nil }
        guard let days = wholeNumber(key), let days = Int32(exactly: days), days >= 0 else {
            fault(key, "is not a whole number from 0 to \(Int32.max)")
            return nil
        }
        return days
    }
}
