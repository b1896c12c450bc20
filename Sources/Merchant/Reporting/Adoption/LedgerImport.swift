package import ExternalPurchaseCore
package import Ledger
import ReportValidation

/// Imports tokens, and reports that Apple accepted from another system; it sends nothing.
///
/// A file is imported completely or not at all.
package struct LedgerImport: Sendable {
    /// A registered app, with the values that its tokens are compared with.
    package struct App: Hashable, Sendable {
        let appAppleId: Int64
        /// The environments that have a base URL.
        let environments: Set<AppStoreEnvironment>

        package init(appAppleId: Int64, environments: Set<AppStoreEnvironment>) {
            self.appAppleId = appAppleId
            self.environments = environments
        }
    }

    /// Counts of the imported rows, and of those that the ledger already had.
    package struct Summary: Hashable, Sendable {
        package var newTokens = 0
        package var knownTokens = 0
        package var newReports = 0
        package var knownReports = 0
        package var lineItems = 0
        /// Sales that were in the ledger and that an imported report holds.
        package var sales = 0
        /// Sales created from line items that were in no sale of the ledger.
        package var newSales = 0
        /// Charges of imported subscriptions that this file names for the first time.
        package var linkedCharges = 0
    }

    let apps: [BundleId: App]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies

    package init(apps: [BundleId: App], settings: ReportingSettings, dependencies: ReportingDependencies = .live) {
        self.apps = apps
        self.settings = settings
        self.dependencies = dependencies
    }

    /// Imports a file.
    ///
    /// - Throws: ``ImportRefusal``; the ledger is then unchanged.
    package func run(_ file: [UInt8], into store: any LedgerStore) async throws(ImportRefusal) -> Summary {
        let content = try ImportFile.read(file)
        let now = dependencies.now()
        do {
            return try await store.write { ledger throws(LedgerError) in
                var taking = Taking(work: self, now: now, ledger: ledger)
                try taking.add(content)
                // The error rolls the transaction back.
                if !taking.problems.isEmpty { throw .conflict(taking.problems.joined(separator: "\n")) }
                return taking.summary
            }
        } catch {
            guard case .conflict(let detail) = error else { throw .store(error) }
            throw .contradictions(detail.split(separator: "\n").map(String.init))
        }
    }

    /// The import of one file within one transaction.
    struct Taking {
        /// A sale of one of the apps.
        struct AppSale: Hashable {
            let saleId: SaleId
            let bundleId: BundleId
        }

        let work: LedgerImport
        let now: Timestamp
        let ledger: LedgerTransaction
        var summary = Summary()
        var problems: [String] = []
        var touched: [BundleId: Set<PlanningKey>] = [:]
        /// The merchant's subscription names, by the line item of the subscription start.
        var names: [LineItemId: SubscriptionId] = [:]
        /// Accepted charges that were stored as sales before the import, with their subscription names.
        var storedNames: [(LineItemId, SubscriptionId)] = []
        /// The orders of the file, and the refunds of orders.
        var lines = ImportedLines([])
        /// The sales of several lines that this file created.
        var madeWholes: Set<SaleId> = []
        /// Refunds that were told as totals or for an order, before this file that has them was imported.
        var told: Set<AppSale> = []

        /// The number of problems after which the import stops reading.
        private static let mostProblems = 20

        init(work: LedgerImport, now: Timestamp, ledger: LedgerTransaction) {
            self.work = work
            self.now = now
            self.ledger = ledger
        }

        mutating func add(_ file: ImportFile) throws(LedgerError) {
            for (index, text) in file.tokens.enumerated() where problems.count < Self.mostProblems {
                if let problem = try receiveToken(text) { problems.append("tokens[\(index)]: \(problem)") }
            }
            let reports = file.reports.compactMap { try? ReceivedReport.read($0, limits: work.settings.limits) }
            readNames(file.subscriptions, of: reports)
            lines = ImportedLines(reports)
            for (index, body) in file.reports.enumerated() where problems.count < Self.mostProblems {
                if let problem = try takeReport(body) { problems.append("reports[\(index)]: \(problem)") }
            }
            for (id, name) in file.subscriptions + storedNames where problems.count < Self.mostProblems {
                if let problem = try link(id, to: name) { problems.append("subscriptions.\(id): \(problem)") }
            }
            for total in told where problems.count < Self.mostProblems {
                if let problem = try settle(total) { problems.append("sale \(total.saleId): \(problem)") }
            }
            guard problems.isEmpty else { return }
            let planner = MerchantPlanner(settings: work.settings, uuid: work.dependencies.uuid)
            for (bundleId, keys) in touched.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for key in keys { try planner.replan(touching: [key], of: bundleId, in: ledger, now: now) }
            }
        }

        /// - Returns: an error message; nil if the token was imported.
        private mutating func receiveToken(_ text: String) throws(LedgerError) -> String? {
            let token: ExternalPurchaseToken
            do {
                token = try ExternalPurchaseToken.decode(text).token
            } catch {
                return error.description
            }
            guard let app = work.apps[token.bundleId], app.appAppleId == token.appAppleId else {
                return "is of \(token.bundleId) (\(token.appAppleId)), which is none of the configured apps"
            }
            let candidate = StoredToken(
                token: token,
                text: text,
                firstSeen: FirstSeen(source: .imported, time: now),
                checkoutId: CheckoutId(of: token),
                endpoint: app.environments.contains(token.environment) ? .configured : .missing
            )
            let merged = try ledger.merge(candidate)
            if merged.contradicts { return "the ledger knows token \(token.externalPurchaseId) with other content" }
            if merged.outcome == .new {
                summary.newTokens += 1
                try ledger.put(
                    Checkout(
                        checkoutId: merged.token.checkoutId,
                        bundleId: token.bundleId,
                        externalPurchaseId: token.externalPurchaseId
                    )
                )
            } else {
                summary.knownTokens += 1
            }
            touched[token.bundleId, default: []].insert(.token(token.externalPurchaseId))
            return nil
        }

        /// - Returns: an error message; nil if the report was imported.
        private mutating func takeReport(_ body: [UInt8]) throws(LedgerError) -> String? {
            let report: ReceivedReport
            do {
                report = try ReceivedReport.read(body, limits: work.settings.limits)
            } catch {
                return "is no report: \(error)"
            }
            guard let id = report.requestIdentifier, let tokenId = report.externalPurchaseId,
                let status = report.status
            else { return "requestIdentifier, externalPurchaseId or status is missing" }
            let tokens = try ledger.tokens(withId: tokenId).filter { work.apps[$0.token.bundleId] != nil }
            guard var token = tokens.first, tokens.count == 1 else {
                return tokens.isEmpty
                    ? "its token \(tokenId) is neither in this file nor in the ledger"
                    : "its token \(tokenId) belongs to several apps"
            }
            if let known = try ledger.report(id, in: token.scope) {
                guard known.state == .accepted, let read = try? ReceivedReport.read(known.body),
                    read.isEqual(to: report)
                else { return "the ledger has another report, or one that is not accepted, as \(id)" }
                summary.knownReports += 1
                return nil
            }
            let open = try ledger.reports(on: tokenId, of: token.token.bundleId).first(where: \.state.isOpen)
            if let open { return "report \(open.requestIdentifier) of the same token waits here and is not accepted" }
            // Records an observation of the token with source `imported`, which the search for imported sales uses.
            _ = try ledger.merge(
                StoredToken(
                    token: token.token,
                    text: token.text,
                    firstSeen: FirstSeen(source: .imported, time: now),
                    checkoutId: token.checkoutId
                )
            )
            let history = try ledger.history(for: report, in: token.scope)
            // A decision without the report's identifier may have brought a part of it; the whole would be a second report.
            let unknown = (report.lineItems ?? []).filter { item in
                guard let known = item.lineItemId.flatMap({ history.newest[$0] }) else { return true }
                return known.externalPurchaseId != tokenId || !known.item.tellsTheSame(as: item)
            }
            var rest = report
            if !unknown.isEmpty { rest.lineItems = unknown }
            let items = rest.lineItems ?? []
            // Apple accepted the report in time, so it is validated as of its newest moment instead of now.
            let dates = items.compactMap(\.creationDate).map { Timestamp(milliseconds: $0) }
            let moment = max(token.token.tokenCreationDate, dates.max() ?? token.token.tokenCreationDate)
            let errors = ReportValidator(settings: work.settings.rules).validate(rest, history: history, now: moment)
            guard errors.isEmpty else { return "contradicts what is known: \(errors.words)" }
            var held: [SaleId] = []
            let ids = Set(items.compactMap(\.lineItemId))
            for item in items.inOrderOfReference {
                switch try takeItem(item, among: ids, of: token) {
                case .problem(let problem): return problem
                case .held(let id): held.append(id)
                case .known: break
                }
            }
            let stored = StoredReport(
                scope: token.scope,
                requestIdentifier: id,
                externalPurchaseId: tokenId,
                status: status,
                body: body,
                writtenAt: now,
                state: .accepted,
                isImported: true
            )
            _ = try ledger.importAccepted(stored, holding: held, items: items)
            if token.state != .confirmed {
                token.state = .confirmed
                try ledger.update(token)
            }
            summary.newReports += 1
            summary.lineItems += items.count
            touched[token.token.bundleId, default: []].insert(.token(tokenId))
            return nil
        }
    }
}

extension ReceivedLineItem {
    /// Whether two versions differ in nothing but the net amount, which depends on what else the report has.
    fileprivate func tellsTheSame(as other: ReceivedLineItem) -> Bool {
        var (own, others) = (self, other)
        (own.netAmountTaxExclusive, others.netAmountTaxExclusive) = (nil, nil)
        return own == others
    }
}

/// The reason why nothing was imported.
package enum ImportRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not have the expected format.
    case unreadable(String)
    /// Parts of the file contradict the ledger, the rules or each other; one message per place in the file.
    case contradictions([String])
    case store(LedgerError)

    package var description: String {
        switch self {
        case .unreadable(let message): message
        case .contradictions(let list): list.joined(separator: "\n")
        case .store(let error): error.description
        }
    }
}
