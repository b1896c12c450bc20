package import ExternalPurchaseCore
package import Ledger
import ReportPlanning
import ReportRules

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
    }

    private let apps: [BundleId: App]
    private let settings: ReportingSettings
    private let surroundings: Surroundings

    package init(apps: [BundleId: App], settings: ReportingSettings, surroundings: Surroundings = .live) {
        self.apps = apps
        self.settings = settings
        self.surroundings = surroundings
    }

    /// Takes a file over.
    ///
    /// - Throws: ``ImportRefusal``; nothing was changed then.
    package func take(_ file: [UInt8], into store: any LedgerStore) async throws(ImportRefusal) -> Summary {
        let content = try ImportFile.read(file)
        let now = surroundings.now()
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
    private struct Taking {
        let work: LedgerImport
        let now: Timestamp
        let ledger: any LedgerTransaction
        var summary = Summary()
        private(set) var problems: [String] = []
        private var touched: [BundleId: Set<ExternalPurchaseId>] = [:]

        /// After so many a person has enough to look at.
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
            for (index, body) in file.reports.enumerated() where problems.count < Self.mostProblems {
                if let problem = try takeReport(body) { problems.append("reports[\(index)]: \(problem)") }
            }
            guard problems.isEmpty else { return }
            let planner = MerchantPlanner(settings: work.settings, uuid: work.surroundings.uuid)
            for (bundleId, tokens) in touched.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for token in tokens.sorted(by: { $0.rawValue < $1.rawValue }) {
                    try planner.replan(touching: [.token(token)], of: bundleId, in: ledger, now: now)
                }
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
                checkoutId: CheckoutId(work.surroundings.uuid().uuidString.lowercased()),
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
            touched[token.bundleId, default: []].insert(token.externalPurchaseId)
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
            let items = report.lineItems ?? []
            // What Apple accepted was in time then: judged as of its own newest moment.
            let dates = items.compactMap(\.creationDate).map { Timestamp(milliseconds: $0) }
            let moment = max(token.token.tokenCreationDate, dates.max() ?? token.token.tokenCreationDate)
            let history = try ledger.history(for: report, in: token.scope)
            let errors = ReportJudge(settings: work.settings.rules).judge(report, history: history, now: moment)
            guard errors.isEmpty else { return "contradicts what is known: \(errors.words)" }
            var held: [SaleId] = []
            for id in items.compactMap(\.lineItemId) {
                let bundleId = token.token.bundleId
                guard let sale = try ledger.sale(SaleId(id.rawValue), of: bundleId), sale.lineItemId == id else {
                    continue
                }
                switch sale.standing {
                case .planned, .held, .recorded:
                    let attribution = Attribution(state: .planned, externalPurchaseId: tokenId)
                    try ledger.update(attribution, of: sale.sale.saleId, app: bundleId)
                    held.append(sale.sale.saleId)
                case .reported: break
                case .inReport: return "sale \(id) is in a report that waits here and is not accepted"
                case .handedOver: return "sale \(id) is in a manual export"
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
            summary.sales += held.count
            touched[token.token.bundleId, default: []].insert(tokenId)
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

/// `{"tokens": ["…"], "reports": [{…}]}`, reports in the order in which Apple accepted them.
private struct ImportFile {
    var tokens: [String] = []
    var reports: [[UInt8]] = []

    static func read(_ bytes: [UInt8]) throws(ImportRefusal) -> ImportFile {
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            switch error {
            case .notUTF8: throw .unreadable("is not UTF-8")
            case .notJSON(let offset): throw .unreadable("is not JSON at byte \(offset)")
            case .tooDeep(let offset): throw .unreadable("is nested too deep at byte \(offset)")
            }
        }
        guard let object = value.objectValue else { throw .unreadable("is not a JSON object") }
        var file = ImportFile()
        for member in object.members {
            guard let elements = member.value.arrayValue else { throw .unreadable("\(member.key): is not an array") }
            switch member.key {
            case "tokens":
                for (index, element) in elements.enumerated() {
                    guard let text = element.stringValue else {
                        throw .unreadable("tokens[\(index)]: is not the text of a token")
                    }
                    file.tokens.append(text)
                }
            case "reports": file.reports += elements.map { $0.encoded() }
            default: throw .unreadable("\(member.key): is not known here; known are tokens, reports")
            }
        }
        return file
    }
}
