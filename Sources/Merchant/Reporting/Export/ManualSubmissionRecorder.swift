package import ExternalPurchaseCore
package import Ledger

/// Records manual submissions of month exports, and their withdrawal (OB-61, OB-62).
package struct ManualSubmissionRecorder: Sendable {
    private let rules: DeadlineRules
    private let settings: ReportingSettings
    private let uuid: @Sendable () -> UUID

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - rules: the deadlines and programmes.
    ///   - settings: the settings of the reporting system.
    ///   - uuid: creates identifiers of corrections that follow when sales are planned again.
    package init(rules: DeadlineRules, settings: ReportingSettings, uuid: @escaping @Sendable () -> UUID) {
        self.rules = rules
        self.settings = settings
        self.uuid = uuid
    }

    /// The submission as a person states it.
    package struct Request: Hashable, Sendable {
        let month: String
        let programme: String
        let bundleId: BundleId
        /// The day of the submission.
        let on: CalendarDate
        let by: String
        let reference: String

        package init(
            month: String,
            programme: String,
            bundleId: BundleId,
            on: CalendarDate,
            by: String,
            reference: String
        ) {
            self.month = month
            self.programme = programme
            self.bundleId = bundleId
            self.on = on
            self.by = by
            self.reference = reference
        }
    }

    /// A manual export with its sales.
    package struct Outcome: Hashable, Sendable {
        package let export: ManualExport
        package let sales: [SaleId]
        /// False if the same submission or withdrawal was recorded before.
        package let isNew: Bool

        /// The entry as `POST` and `GET /v1/exports` show it.
        package var json: JSONValue {
            [
                "exportId": .string(export.exportId.rawValue),
                "bundleId": .string(export.bundleId.rawValue),
                "programme": .string(export.programme), "month": .string(export.month),
                "madeAt": .string(export.madeAt.description),
                "handedIn": export.submission.map { manualSubmission in
                    [
                        "on": .string(CalendarDate(inUTC: manualSubmission.at).description),
                        "by": .string(manualSubmission.by),
                        "reference": .string(manualSubmission.reference),
                    ]
                } ?? .null,
                "withdrawn": export.withdrawal.map { withdrawal in
                    [
                        "at": .string(withdrawal.at.description),
                        "by": .string(withdrawal.by), "reason": .string(withdrawal.reason),
                    ]
                } ?? .null,
                "sales": .array(sales.map { .string($0.rawValue) }),
            ]
        }
    }

    /// Marks the month's sales that wait for manual submission as submitted, so that no report includes them.
    ///
    /// Repeating a reference changes nothing; later sales need a submission with another reference. A month may be
    /// submitted before it ends, but no sale before it happened (OB-62).
    ///
    /// - Throws: ``RequestError``.
    package func record(
        _ request: Request,
        now: Timestamp,
        in store: any LedgerStore
    ) async throws(RequestError) -> Outcome {
        guard request.on <= CalendarDate(inUTC: now) else {
            throw .invalid([FieldError("/on", "lies in the future; today is \(CalendarDate(inUTC: now))")])
        }
        let exporter = LedgerExport(rules: rules, settings: settings)
        return try await write(to: store) { ledger throws(LedgerError) in
            var waiting: [ExportRow] = []
            let month = try exporter.month(
                request.month,
                programme: request.programme,
                of: request.bundleId,
                now: now,
                in: ledger
            ) { row in if row.isToManualSubmission { waiting.append(row) } }
            guard case .success = month else {
                return .failure(.invalid([FieldError("/programme", "asks for no reports of \(request.month)")]))
            }
            let earlier = try ledger.exports(of: request.bundleId, programme: request.programme, month: request.month)
            if let same = earlier.first(where: {
                $0.submission?.reference == request.reference && $0.withdrawal == nil
            }) {
                let sales = try ledger.sales(in: same.exportId, of: request.bundleId).map(\.sale.saleId)
                return .success(Outcome(export: same, sales: sales, isNew: false))
            }
            let sales = waiting.sorted { $0.isBefore($1) }.compactMap { $0.sale.map { SaleId($0.saleId) } }
            guard !sales.isEmpty else {
                return .failure(
                    .impossible("no sale of \(request.month) under \(request.programme) waits to be submitted by hand")
                )
            }
            if let latest = waiting.compactMap(\.sale).max(by: { $0.createdAt < $1.createdAt }),
                case let day = CalendarDate(inUTC: latest.createdAt), request.on < day
            {
                return .failure(.invalid([FieldError("/on", "is before the sale \(latest.saleId.quoted), of \(day)")]))
            }
            let keys = sales.map { PlanningKey.sale($0) }
            try ConnectedRecords.part(touching: keys, of: request.bundleId, extent: .touched, in: ledger)
                .storeAmounts(of: sales, at: now, in: ledger)
            let id = ManualExportId("\(request.programme)-\(request.month)-\(earlier.count + 1)")
            var made = try ledger.insert(
                ManualExport(
                    exportId: id,
                    bundleId: request.bundleId,
                    programme: request.programme,
                    month: request.month,
                    madeAt: now
                ),
                holding: sales
            )
            let manualSubmission = ManualSubmission(
                at: request.on.startInUTC,
                by: request.by,
                reference: request.reference
            )
            try ledger.recordSubmission(id, of: request.bundleId, manualSubmission)
            made.submission = manualSubmission
            // Submitted sales need no review, so their review items are closed.
            try review(sales, of: request.bundleId, now: now, in: ledger)
            return .success(Outcome(export: made, sales: sales, isNew: true))
        }
    }

    /// Withdraws a manual submission with a reason; its sales are planned again for a report or another submission.
    ///
    /// - Throws: ``RequestError``.
    package func withdraw(
        _ id: ManualExportId,
        month: String,
        programme: String? = nil,
        of bundleId: BundleId,
        by person: String,
        reason: String,
        now: Timestamp,
        in store: any LedgerStore
    ) async throws(RequestError) -> Outcome {
        let planner = MerchantPlanner(settings: settings, uuid: uuid)
        return try await write(to: store) { ledger throws(LedgerError) in
            guard var export = try ledger.manualExport(id, of: bundleId), export.month == month,
                export.programme == programme ?? export.programme
            else {
                let place = [programme, month].compactMap { $0?.quoted }.joined(separator: " of ")
                return .failure(.unknown("\(bundleId) has no manual export \(id.rawValue.quoted) of \(place)"))
            }
            let withdrawal = ExportWithdrawal(at: now, by: person, reason: reason)
            if let known = export.withdrawal {
                guard known.by == person, known.reason == reason else {
                    return .failure(.impossible("\(id) was withdrawn at \(known.at) by \(known.by)"))
                }
                return .success(Outcome(export: export, sales: [], isNew: false))
            }
            let sales = try ledger.sales(in: id, of: bundleId).map(\.sale.saleId)
            try ledger.withdraw(id, of: bundleId, withdrawal)
            let keys = sales.map { PlanningKey.sale($0) }
            try planner.replan(touching: keys, of: bundleId, in: ledger, now: now)
            try review(sales, of: bundleId, now: now, in: ledger)
            export.withdrawal = withdrawal
            return .success(Outcome(export: export, sales: sales, isNew: true))
        }
    }

    /// Opens or closes the review items of sales according to their present state.
    private func review(
        _ sales: [SaleId],
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let review = MerchantPlanner(settings: settings, uuid: uuid).review
        for id in sales {
            guard let sale = try ledger.sale(id, of: bundleId) else { continue }
            try review.review(sale, why: "it is in no manual export any more", now: now, in: ledger)
        }
    }

    private func write(
        to store: any LedgerStore,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Result<Outcome, RequestError>
    ) async throws(RequestError) -> Outcome {
        let result: Result<Outcome, RequestError>
        do {
            result = try await store.write(body)
        } catch {
            throw .notStored(error)
        }
        return try result.get()
    }
}

extension LedgerQueries {
    /// Returns the manual exports of a programme and month in the order of creation.
    func exports(
        of bundleId: BundleId,
        programme: String,
        month: String
    ) throws(LedgerError) -> [ManualExport] {
        var found: [ManualExport] = []
        try eachManualExport { export throws(LedgerError) in
            if export.bundleId == bundleId, export.programme == programme, export.month == month {
                found.append(export)
            }
        }
        return found
    }
}
