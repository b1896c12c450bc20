import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func report(_ id: RequestIdentifier, in scope: ReportingScope) -> StoredReport? {
        ledger.reportPlaces[ScopeKey(scope, id)].map { ledger.reports[$0] }
    }

    func reports(matching filter: ListFilter, _ page: LedgerPage) -> [StoredReport] {
        slice(ledger.reports, page) { StoredReport.listFields.matches($0, filter) }
    }

    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) -> [StoredReport] {
        let rows =
            state.contains(.accepted)
            ? ledger.reports : ledger.openReports.keys.sorted().map { ledger.reports[$0] }
        return Array(rows.lazy.filter { $0.scope == scope && state.contains($0.state) }.prefix(max(0, limit)))
    }

    func reports(on token: ExternalPurchaseId, of bundleId: BundleId) -> [StoredReport] {
        (ledger.reportPlacesByToken[AppKey(bundleId, token)] ?? []).map { ledger.reports[$0] }
    }

    func reportSummary(of token: ExternalPurchaseId, app bundleId: BundleId) -> TokenReportSummary {
        var summary = TokenReportSummary()
        for report in reports(on: token, of: bundleId) where report.state != .withdrawn {
            if report.state != .needsAttention { summary.statuses.insert(report.status) }
            summary.holdsSales = summary.holdsSales || report.status == .lineItem
            summary.hasOpenReport = summary.hasOpenReport || report.state.isOpen
        }
        return summary
    }

    func sales(in report: RequestIdentifier, of scope: ReportingScope) -> [StoredSale] {
        (ledger.salePlacesByReport[ScopeKey(scope, report)] ?? []).sorted().map { sale(at: $0) }
    }

    func add(
        _ report: StoredReport,
        holding sales: [SaleId],
        accepting items: [ReceivedLineItem]
    ) throws(LedgerError) -> Int64 {
        let (bundleId, key) = (report.scope.bundleId, ScopeKey(report.scope, report.requestIdentifier))
        guard ledger.reportPlaces[key] == nil else { throw .conflict("the request identifier is used") }
        guard token(report.externalPurchaseId, of: bundleId) != nil else {
            throw .conflict("the token of the report is not stored")
        }
        guard !report.body.isEmpty else { throw .conflict("a report has bytes") }
        let place = ledger.reports.count
        for sale in sales {
            let index = try self.place(ofOpen: sale, bundleId)
            var held = ledger.sales[index]
            guard held.attribution.state == .planned,
                held.attribution.externalPurchaseId == report.externalPurchaseId
            else { throw .conflict("the sale is not planned on the token of the report") }
            held.requestIdentifier = report.requestIdentifier
            replace(index, in: \.sales, by: held)
            set(\.openSales, index, nil)
            add(index, to: \.salePlacesByReport, under: key)
        }
        var report = report
        report.sequence = Int64(place + 1)
        set(\.reportPlaces, key, place)
        add(place, to: \.reportPlacesByToken, under: AppKey(bundleId, report.externalPurchaseId))
        if report.state == .accepted { markReported(report) } else { set(\.openReports, place, true) }
        append(report, to: \.reports)
        for item in report.sentItems {
            guard let id = item.lineItemId else { continue }
            let sent = MemoryLedger.SentItem(
                scope: report.scope,
                requestIdentifier: report.requestIdentifier,
                item: item
            )
            add(ledger.sentItems.count, to: \.sentItemPlaces, under: ScopeKey(report.scope, id))
            append(sent, to: \.sentItems)
        }
        try accept(items, in: report)
        return report.sequence
    }

    func change(_ report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError) {
        let key = ScopeKey(report.scope, report.requestIdentifier)
        guard let place = ledger.reportPlaces[key], ledger.reports[place].state != .accepted else {
            throw .conflict("no such report that is not accepted")
        }
        guard ledger.reports[place].state != .withdrawn else { throw .conflict("a withdrawn report does not change") }
        if report.state == .withdrawn {
            guard ledger.reports[place].state == .needsAttention else {
                throw .conflict("only a report that was refused is withdrawn")
            }
            for index in ledger.salePlacesByReport[key] ?? [] {
                var free = ledger.sales[index]
                free.requestIdentifier = nil
                free.reportState = nil
                replace(index, in: \.sales, by: free)
                set(\.openSales, index, true)
            }
            set(\.salePlacesByReport, key, nil)
        }
        var changed = report
        changed.sequence = ledger.reports[place].sequence
        replace(place, in: \.reports, by: changed)
        if changed.state == .accepted {
            set(\.openReports, place, nil)
            markReported(changed)
        }
        try accept(items, in: changed)
    }

    private func accept(_ items: [ReceivedLineItem], in report: StoredReport) throws(LedgerError) {
        for item in items {
            guard let id = item.lineItemId else { throw .conflict("an accepted item has no id") }
            set(\.acceptedCount, to: ledger.acceptedCount + 1)
            let version = AcceptedVersion(
                item: item,
                externalPurchaseId: report.externalPurchaseId,
                sequence: ledger.acceptedCount,
                requestIdentifier: RequestIdentifier(report.requestIdentifier.key)
            )
            add(version, to: \.accepted, under: ScopeKey(report.scope, id))
            if let reference = item.referenceLineItemId {
                add(id, to: \.referrers, under: ScopeKey(report.scope, reference))
            }
        }
    }

    // MARK: Line items

    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) -> Bool {
        reports(on: token, of: scope.bundleId).contains {
            $0.scope == scope && $0.state == .accepted && $0.status == .lineItem
        }
    }

    func newestAccepted(_ ids: Set<LineItemId>, in scope: ReportingScope) -> [LineItemId: AcceptedVersion] {
        var newest: [LineItemId: AcceptedVersion] = [:]
        for id in ids {
            newest[id] = ledger.accepted[ScopeKey(scope, id)]?.last ?? newest[id]
            for referrer in ledger.referrers[ScopeKey(scope, id)] ?? [] {
                // An item that references the id only in an older version is not a referrer.
                guard let version = ledger.accepted[ScopeKey(scope, referrer)]?.last,
                    version.item.referenceLineItemId == id
                else { continue }
                newest[referrer] = version
            }
        }
        return newest
    }

    func lineItemVersions(_ id: LineItemId, in scope: ReportingScope) -> [LineItemVersion] {
        (ledger.sentItemPlaces[ScopeKey(scope, id)] ?? []).compactMap(version)
    }

    func lineItems(
        in scope: ReportingScope,
        createdFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) -> [LineItemVersion] {
        let places = ledger.sentItems.indices.filter { ledger.sentItems[$0].scope == scope }
        return slice(places.compactMap(version), page, by: \.placeByCreation) { version in
            guard let date = version.item.creationDate else { return false }
            return date >= createdFrom.milliseconds && date < until.milliseconds
        }
    }

    private func version(at place: Int) -> LineItemVersion? {
        let sent = ledger.sentItems[place]
        return report(sent.requestIdentifier, in: sent.scope).map { report in
            LineItemVersion(
                sequence: Int64(place + 1),
                scope: sent.scope,
                externalPurchaseId: report.externalPurchaseId,
                requestIdentifier: report.requestIdentifier,
                reportState: report.state,
                writtenAt: report.writtenAt,
                item: sent.item
            )
        }
    }
}

extension LineItemVersion {
    fileprivate var placeByCreation: TimePage.Position {
        TimePage.Position(time: Timestamp(milliseconds: item.creationDate ?? 0), sequence: sequence)
    }
}
