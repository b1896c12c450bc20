import ExternalPurchaseCore
import Ledger

@testable import Reporting

/// An accepted report.
struct ExportReport: Hashable, Sendable {
    typealias Item = AcceptedItem

    let requestIdentifier: RequestIdentifier
    let token: ExternalPurchaseId
    let status: ReportStatus
    let acceptedAt: Timestamp
    let items: [Item]

    init(
        requestIdentifier: RequestIdentifier,
        token: ExternalPurchaseId,
        status: ReportStatus,
        acceptedAt: Timestamp,
        items: [Item] = []
    ) {
        self.requestIdentifier = requestIdentifier
        self.token = token
        self.status = status
        self.acceptedAt = acceptedAt
        self.items = items
    }
}

/// The records of one app and environment, of which a month export takes its part.
struct ExportInput: Hashable, Sendable {
    var bundleId: BundleId
    var sales: [ExportSale]
    var tokens: [ExportToken]
    /// The reports in order of acceptance.
    var reports: [ExportReport]
    /// Sales submitted by hand, by sale id.
    var handedInSales: [String: ManualSubmission]
    /// Tokens submitted by hand.
    var handedInTokens: [ExternalPurchaseId: ManualSubmission]
    /// The ids of Apple's programmes in which the developer takes part.
    var developerProgrammes: Set<String>

    init(
        bundleId: BundleId,
        sales: [ExportSale] = [],
        tokens: [ExportToken] = [],
        reports: [ExportReport] = [],
        handedInSales: [String: ManualSubmission] = [:],
        handedInTokens: [ExternalPurchaseId: ManualSubmission] = [:],
        developerProgrammes: Set<String> = []
    ) {
        self.bundleId = bundleId
        self.sales = sales
        self.tokens = tokens
        self.reports = reports
        self.handedInSales = handedInSales
        self.handedInTokens = handedInTokens
        self.developerProgrammes = developerProgrammes
    }
}

extension ExportInput {
    /// Adds all records to a builder.
    func add(to builder: inout MonthExportBuilder) {
        var accepted: [LineItemId: (item: AcceptedItem, report: ExportReport)] = [:]
        var nets: [LineItemId: MilliUnits] = [:]
        for report in reports {
            for item in report.items {
                accepted[item.id] = (item, report)
                nets[item.isRefund ? item.reference ?? item.id : item.id] = item.net
            }
        }
        let open = Set(
            sales.filter { $0.isRefund && $0.amounts != nil && accepted[$0.lineItemId] == nil }.compactMap(\.reference)
        )
        for sale in sales {
            let version = accepted[sale.lineItemId].map { version in
                MonthExportBuilder.AcceptedSale(
                    item: version.item,
                    in: version.report.requestIdentifier,
                    on: version.report.token,
                    net: nets[sale.lineItemId] ?? version.item.net,
                    hasOpenRefund: open.contains(sale.lineItemId)
                )
            }
            let buy = sale.isRefund ? sales.first { !$0.isRefund && $0.lineItemId == sale.reference } : nil
            builder.add(sale, takingBack: buy, accepted: version, manualSubmission: handedInSales[sale.saleId])
        }
        for token in tokens {
            builder.add(
                token,
                reports: reports.filter { $0.token == token.id }.map { ($0.requestIdentifier, $0.status) },
                hasSales: sales.contains { $0.token == token.id },
                manualSubmission: handedInTokens[token.id]
            )
        }
        for report in reports {
            for item in report.items where !builder.add(report: report.requestIdentifier, with: item.id) {
                guard let version = accepted[item.id], version.item == item,
                    !sales.contains(where: { $0.lineItemId == item.id })
                else { continue }
                let token = tokens.first { $0.id == report.token }
                builder.add(withoutSale: item, in: report.requestIdentifier, on: token)
            }
        }
    }
}

/// The export of one programme with its rows.
@dynamicMemberLookup
struct BuiltMonth {
    let export: MonthExport
    let rows: [ExportRow]

    init(
        month id: String,
        programme: String,
        from input: ExportInput,
        rules: DeadlineRules
    ) throws(ExportRefusal) {
        try MonthExport.check(month: id, programme: programme, rules: rules)
        var builder = MonthExportBuilder(
            month: id,
            of: input.bundleId,
            programme: programme,
            rules: rules,
            developerProgrammes: input.developerProgrammes
        )
        input.add(to: &builder)
        rows = builder.takeRows().sorted { $0.isBefore($1) }
        export = builder.exports(including: [programme])[0]
    }

    subscript<Value>(dynamicMember path: KeyPath<MonthExport, Value>) -> Value { export[keyPath: path] }

    var rowsToManualSubmission: [ExportRow] { rows.filter(\.isToManualSubmission) }

    func csv(layout: ExportLayout = .standard, rows: [ExportRow]? = nil) -> String {
        String(decoding: bytes(.csv, layout, rows ?? self.rows), as: UTF8.self)
    }

    func json(layout: ExportLayout = .standard) -> [UInt8] { bytes(.json, layout, rows) }

    private func bytes(_ format: ExportFormat, _ layout: ExportLayout, _ rows: [ExportRow]) -> [UInt8] {
        let exports = MonthExports(bundleId: export.bundleId, month: export.month.id, exports: [export])
        return format.parts(of: exports, layout: layout).flatMap { part in
            switch part {
            case .bytes(let bytes): bytes
            case .rows(_, let count): Array(rows.flatMap { format.bytes(of: $0, layout: layout) }.dropFirst(count))
            }
        }
    }
}
