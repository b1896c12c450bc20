package import ExternalPurchaseCore
package import Ledger
import ReportPlanning
import ReportValidation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes over tokens, and reports that Apple accepted from another system; nothing of it is sent.
///
/// All of a file is taken over or none of it.
package struct LedgerImport: Sendable {
    /// An app of the merchant, as far as tokens name it.
    package struct App: Hashable, Sendable {
        package let appAppleId: Int64
        /// The environments that have a base URL.
        package let environments: Set<AppStoreEnvironment>

        package init(appAppleId: Int64, environments: Set<AppStoreEnvironment>) {
            self.appAppleId = appAppleId
            self.environments = environments
        }
    }

    /// What was taken over, and what the ledger had before.
    package struct Summary: Hashable, Sendable {
        package var newTokens = 0
        package var knownTokens = 0
        package var newReports = 0
        package var knownReports = 0
        package var lineItems = 0
        /// Sales of the ledger that an imported report holds.
        package var sales = 0
        /// Line items that the ledger had no sale of: they stand as sales now.
        package var newSales = 0
        /// Charges of imported subscriptions whose name this file says first.
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

    /// Takes a file over.
    ///
    /// - Throws: ``ImportRefusal``; nothing was changed then.
    package func take(_ file: [UInt8], into store: any LedgerStore) async throws(ImportRefusal) -> Summary {
        let content = try ImportFile.read(file)
        let now = dependencies.now()
        do {
            return try await store.write { ledger throws(LedgerError) in
                var taking = Taking(work: self, now: now, ledger: ledger)
                try taking.take(content)
                // Rolls everything back.
                if !taking.problems.isEmpty { throw .conflict(taking.problems.joined(separator: "\n")) }
                return taking.summary
            }
        } catch {
            guard case .conflict(let detail) = error else { throw .store(error) }
            throw .contradictions(detail.split(separator: "\n").map(String.init))
        }
    }

    /// One file on its way into one transaction.
    struct Taking {
        let work: LedgerImport
        let now: Timestamp
        let ledger: any LedgerTransaction
        var summary = Summary()
        var problems: [String] = []
        var touched: [BundleId: Set<PlanningKey>] = [:]
        /// The merchant's names of the subscriptions, by the line item of the start.
        var names: [LineItemId: SubscriptionId] = [:]
        /// Accepted charges that were stored as sales before, with the names that the merchant gave them.
        var storedNames: [(LineItemId, SubscriptionId)] = []

        /// The number of differences that are listed; the others are counted.
        private static let mostProblems = 20

        init(work: LedgerImport, now: Timestamp, ledger: any LedgerTransaction) {
            self.work = work
            self.now = now
            self.ledger = ledger
        }

        mutating func take(_ file: ImportFile) throws(LedgerError) {
            for (index, text) in file.tokens.enumerated() where problems.count < Self.mostProblems {
                if let problem = try takeToken(text) { problems.append("tokens[\(index)]: \(problem)") }
            }
            readNames(file.subscriptions, of: file.reports)
            for (index, body) in file.reports.enumerated() where problems.count < Self.mostProblems {
                if let problem = try takeReport(body) { problems.append("reports[\(index)]: \(problem)") }
            }
            for (id, name) in file.subscriptions + storedNames where problems.count < Self.mostProblems {
                if let problem = try link(id, to: name) { problems.append("subscriptions.\(id): \(problem)") }
            }
            guard problems.isEmpty else { return }
            let planner = MerchantPlanner(settings: work.settings, uuid: work.dependencies.uuid)
            for (bundleId, keys) in touched.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for key in keys { try planner.replan(touching: [key], of: bundleId, in: ledger, now: now) }
            }
        }

        /// - Returns: what is wrong; nil when it was taken.
        private mutating func takeToken(_ text: String) throws(LedgerError) -> String? {
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
                checkoutId: CheckoutId(work.dependencies.uuid().uuidString.lowercased()),
                flags: app.environments.contains(token.environment) ? [] : [.noBaseURL]
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

        /// - Returns: what is wrong; nil when it was taken.
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
            // Noted beside the token too, so that its imported sales are looked for.
            _ = try ledger.merge(
                StoredToken(
                    token: token.token,
                    text: token.text,
                    firstSeen: FirstSeen(source: .imported, time: now),
                    checkoutId: token.checkoutId
                )
            )
            let items = report.lineItems ?? []
            // What Apple accepted was in time then: judged as of its own newest moment.
            let dates = items.compactMap(\.creationDate).map { Timestamp(milliseconds: $0) }
            let moment = max(token.token.tokenCreationDate, dates.max() ?? token.token.tokenCreationDate)
            let history = try ledger.history(for: report, in: token.scope)
            let errors = ReportValidator(settings: work.settings.rules).validate(report, history: history, now: moment)
            guard errors.isEmpty else { return "contradicts what is known: \(errors.words)" }
            var held: [SaleId] = []
            for item in items.inOrderOfReference {
                switch try takeItem(item, of: token) {
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

/// Why nothing was taken over.
package enum ImportRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is not of the form that is read.
    case unreadable(String)
    /// Parts of the file contradict the ledger, the rules or each other, each with its place.
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
