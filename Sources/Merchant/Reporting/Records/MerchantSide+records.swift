package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

extension MerchantSide {
    /// Columns of month exports as configured (OB-61).
    package var exportLayout: ExportLayout { settings.exportLayout }

    /// Takes the body of `POST /v1/erasures`: erases a customer's id (OB-92).
    ///
    /// - Throws: ``RequestError/unknown(_:)`` when the app has no customer of that id.
    package func eraseCustomer(body: JSONValue) async throws(RequestError) -> StoredCustomer {
        var fields = try RequestDecoder(body, known: ["bundleId", "customerId"])
        let bundleId = fields.string("bundleId", maximum: 255).map { BundleId($0) }
        let customerId = fields.string("customerId", maximum: 128).map { CustomerId($0) }
        if let bundleId, apps[bundleId] == nil { fields.fault("bundleId", "is none of the apps registered here") }
        try fields.throwFaults()
        guard let bundleId, let customerId else { throw fields.refusal }
        let erased: StoredCustomer?
        do {
            erased = try await CustomerErasure(store: store).erase(customerId, of: bundleId)
        } catch {
            throw .notStored(error)
        }
        guard let erased else { throw .unknown("\(bundleId) knows no customer of that id, or not any more") }
        return erased
    }

    /// Takes the body of `POST /v1/exports/{month}/submitted` (OB-62).
    ///
    /// - Throws: ``RequestError``.
    package func manualSubmission(month: String, body: JSONValue) async throws(RequestError)
        -> ManualSubmissionRecorder.Outcome
    {
        var fields = try RequestDecoder(body, known: ["bundleId", "programme", "on", "by", "reference"])
        let bundleId = fields.optionalString("bundleId", maximum: 255).map { BundleId($0) }
        let programme = fields.optionalString("programme", maximum: 255)
        let on = fields.day("on")
        let by = fields.string("by", maximum: 255)
        let reference = fields.string("reference", maximum: 255)
        try fields.throwFaults()
        guard let on, let by, let reference else { throw fields.refusal }
        let chosen = try choice(month: month, of: bundleId, programme: programme, place: "/")
        let word = ManualSubmissionRecorder.Word(
            month: month,
            programme: chosen.programme,
            bundleId: chosen.app,
            on: on,
            by: by,
            reference: reference
        )
        return try await ManualSubmissionRecorder(rules: due.rules, settings: settings, uuid: dependencies.uuid)
            .manualSubmission(
                word,
                now: now,
                in: store
            )
    }

    /// Takes the body of `POST /v1/exports/{month}/withdrawn` (OB-62).
    ///
    /// - Throws: ``RequestError``.
    package func withdrawManualSubmission(
        month: String,
        body: JSONValue
    ) async throws(RequestError) -> ManualSubmissionRecorder.Outcome {
        var fields = try RequestDecoder(body, known: ["bundleId", "exportId", "by", "reason"])
        let bundleId = fields.optionalString("bundleId", maximum: 255).map { BundleId($0) }
        let id = fields.string("exportId", maximum: 255).map { ManualExportId($0) }
        let by = fields.string("by", maximum: 255)
        let reason = fields.string("reason", maximum: 1_000)
        try fields.throwFaults()
        guard let id, let by, let reason else { throw fields.refusal }
        let app: BundleId
        do throws(ExportRefusal) {
            app = try ExportChoice(rules: due.rules, apps: Array(apps.keys)).app(named: bundleId)
        } catch {
            throw .invalid([FieldError("/bundleId", error.message)])
        }
        let export = try await read { ledger throws(LedgerError) in try ledger.manualExport(id, of: app) }
        guard export?.month == month else { throw .unknown("\(app) has no manual export \(id) of \(month)") }
        let outcome = try await ManualSubmissionRecorder(rules: due.rules, settings: settings, uuid: dependencies.uuid)
            .withdraw(id, of: app, by: by, reason: reason, now: now, in: store)
        if outcome.isNew { sender.wake() }
        return outcome
    }

    /// A page of manual exports in the order of making, each with its sales.
    package func manualExports(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [ManualSubmissionRecorder.Outcome] {
        try await read { ledger throws(LedgerError) in
            var outcomes: [ManualSubmissionRecorder.Outcome] = []
            for export in try ledger.manualExports(matching: filter, page) {
                let sales = try ledger.sales(in: export.exportId, of: export.bundleId).map(\.sale.saleId)
                outcomes.append(ManualSubmissionRecorder.Outcome(export: export, sales: sales, isNew: false))
            }
            return outcomes
        }
    }
}

extension RequestDecoder {
    /// A day such as `2026-12-10`.
    mutating func day(_ key: String) -> CalendarDate? {
        guard let text = string(key, maximum: .max) else { return nil }
        guard let day = CalendarDate(text) else {
            fault(key, "is not a day such as 2026-12-10")
            return nil
        }
        return day
    }
}
