// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import ReportPlanning
import Testing

@testable import Reporting

@Suite("Due lists from the ledger")
struct DueSurveyTests {
    static let rules = DueRules(appProgrammes: [Merchant.shop: ["eu-2026-10"]])

    /// What a list is made of when every row is read whole and looked at (RR-70, OB-51).
    struct Naive: Sendable {
        var tokens: [DueToken] = []
        var items: [DueLineItem] = []

        init(_ ledger: any LedgerQueries, app: BundleId?) throws(LedgerError) {
            var sales: [StoredSale] = []
            var stored: [StoredToken] = []
            try ledger.eachSale { sale throws(LedgerError) in sales.append(sale) }
            try ledger.eachToken { token throws(LedgerError) in stored.append(token) }
            func isOf(_ bundleId: BundleId) -> Bool { app == nil || app == bundleId }
            // The duty of a token that Apple does not know has ended (TK-74).
            for token in stored where isOf(token.token.bundleId) && token.state != .unknownToApple {
                let countries = sales.filter { sale in
                    sale.sale.bundleId == token.token.bundleId
                        && sale.attribution.externalPurchaseId == token.token.externalPurchaseId
                }
                var due = Self.subject(token, Set(countries.compactMap { $0.sale.purchase?.taxCountry }).sorted())
                var sources: Set = [token.firstSeen.source]
                for observation in try ledger.observations(
                    of: token.token.externalPurchaseId,
                    app: token.token.bundleId
                ) {
                    sources.insert(observation.seen.source)
                }
                due.isUnconfirmed = token.state == .unconfirmed && sources == [.website] && countries.isEmpty
                tokens.append(due)
            }
            for sale in sales where isOf(sale.sale.bundleId) && sale.attribution.state != .recorded {
                let token = stored.first { token in
                    token.token.bundleId == sale.sale.bundleId
                        && token.token.externalPurchaseId == sale.attribution.externalPurchaseId
                }
                items.append(Self.subject(sale, token))
            }
        }

        private static func subject(_ token: StoredToken, _ countries: [String]) -> DueToken {
            var held: String?
            if token.flags.contains(.noBaseURL) { held = "the app has no base URL for the token's environment" }
            return DueToken(
                id: token.token.externalPurchaseId,
                bundleId: token.token.bundleId,
                type: token.token.tokenType,
                createdAt: token.token.tokenCreationDate,
                expiresAt: token.token.tokenExpirationDate,
                storefront: token.storefront,
                taxCountries: countries,
                receivedAt: token.firstSeen.time,
                isReported: token.reportedAt != nil,
                heldFor: held,
                needsReview: false
            )
        }

        private static func subject(_ sale: StoredSale, _ token: StoredToken?) -> DueLineItem {
            var held: String?
            if sale.attribution.state == .held {
                held = sale.attribution.flags.map(\.rawValue).sorted().joined(separator: ", ")
            }
            if sale.reportState == .needsAttention { held = "its report was refused" }
            return DueLineItem(
                id: sale.lineItemId,
                bundleId: sale.sale.bundleId,
                createdAt: sale.sale.occurredAt,
                settledAt: sale.receivedAt,
                token: token?.token.externalPurchaseId,
                tokenKind: token.map { .type($0.token.tokenType) } ?? .none,
                storefront: token?.storefront,
                taxCountry: sale.sale.purchase?.taxCountry,
                receivedAt: sale.receivedAt,
                isReported: sale.reportState == .accepted || sale.exportId != nil,
                heldFor: held
            )
        }
    }

    @Test(
        "The first entries, their order, their words and the counts are those of a list of every row (OB-51, OB-52)",
        arguments: RandomLedger.Kind.allCases,
        [1, 2, 3] as [UInt64]
    )
    func agreement(_ kind: RandomLedger.Kind, seed: UInt64) async throws {
        var random = RandomLedger(seed: seed)
        let store = try await random.fill(kind)
        let settings = Self.rules.settings
        for app in [nil, Merchant.shop, "com.example.other"] as [BundleId?] {
            for now in [Merchant.noon, Merchant.noon.advanced(byMilliseconds: 12 * Timestamp.day)] {
                let (expected, whole) = try await store.read { ledger throws(LedgerError) in
                    let naive = try Naive(ledger, app: app)
                    let list = DueList(tokens: naive.tokens, items: naive.items, rules: Self.rules)
                    return (list, try LedgerDue(rules: Self.rules).list(of: app, at: now, in: ledger))
                }
                let texts = expected.map { $0.json(at: now, settings: settings) }
                #expect(texts.count > 20)
                #expect(whole.map { $0.json(at: now, settings: settings) } == texts)
                #expect(whole.counts(at: now) == expected.counts(at: now))

                let filter = ListFilter(app.map { [.bundleId: $0.rawValue] } ?? [:])
                var paged: [JSONValue] = []
                var place: DuePlace?
                repeat {
                    let after = place
                    let survey = try await store.read { ledger throws(LedgerError) in
                        try LedgerDue(rules: Self.rules)
                            .survey(matching: filter, limit: 7, after: after, at: now, in: ledger)
                    }
                    #expect(survey.counts == expected.counts(at: now))
                    #expect(survey.matching == texts.count)
                    paged += survey.entries.map { $0.entry.json(at: now, settings: settings) }
                    // The cursor travels as text.
                    place = survey.isCut ? DuePlace(text: try #require(survey.entries.last).place.text) : nil
                } while place != nil
                #expect(paged == texts)

                let until = now.advanced(byMilliseconds: 5 * Timestamp.day)
                let late = try await store.read { ledger throws(LedgerError) in
                    try LedgerDue(rules: Self.rules).survey(
                        matching: filter,
                        limit: .max / 4,
                        lateBy: until,
                        at: now,
                        in: ledger
                    )
                }
                #expect(
                    late.entries.map { $0.entry.json(at: now, settings: settings) }
                        == expected.late(by: until).map { $0.json(at: now, settings: settings) }
                )
            }
        }
    }

    @Test("A page goes on behind its cursor although what stood before it was reported meanwhile")
    func pagesWhileReporting() async throws {
        let merchant = Merchant()
        for digit in "abcdef" {
            let age = Int64(digit.asciiValue!) * 1_000
            try await merchant.take(Merchant.token(digit, made: Merchant.noon.advanced(byMilliseconds: age - 500_000)))
        }
        func ids(_ survey: DueSurvey) -> [Character?] {
            survey.entries.map { entry in
                guard case .token(let token) = entry.entry.subject else { return nil }
                return token.id.rawValue.last
            }
        }
        let first = try await merchant.side.dueSurvey(limit: 2)
        #expect(ids(first) == ["a", "b"])
        #expect(first.isCut)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        await merchant.side.sender.settle()
        let second = try await merchant.side.dueSurvey(after: first.entries.last?.place, limit: 9)
        #expect(ids(second) == ["c", "d", "e", "f"])
        #expect(!second.isCut)
        #expect(second.counts.total == 5)
    }

    @Test(
        "No other text is a cursor",
        arguments: ["", "7", "due.1.2.token", "due.x.2.token.3", "held.1.2.sale.3", "due.1.2.token.3.4"]
    )
    func cursors(_ text: String) {
        #expect(DuePlace(text: text) == nil)
    }

    @Test("However many entries are looked at, few are kept, and they are the first ones", arguments: [0, 1, 10])
    func bounded(_ limit: Int) {
        var survey = DueSurvey(rules: Self.rules, at: Merchant.noon, limit: limit)
        for number in 0..<20_000 {
            let made = Merchant.noon.advanced(byMilliseconds: Int64(number * 7_919 % 20_000))
            let id = ExternalPurchaseId("\(number)")
            survey.look(
                at: DueToken(id: id, bundleId: Merchant.shop, type: nil, createdAt: made, storefront: nil),
                sequence: Int64(number + 1)
            )
        }
        let made = survey.entries.map { $0.place.createdAt.milliseconds - Merchant.noon.milliseconds }
        #expect(made == (0..<Int64(limit)).map { $0 })
        #expect(survey.matching == 20_000 && survey.isCut)
        #expect(survey.counts.total == 20_000)
    }
}

/// A ledger with everything that a due list tells apart, by chance.
struct RandomLedger {
    enum Kind: String, CaseIterable, Sendable {
        case memory
        case sqlite
    }

    private var numbers: SplitMix64

    init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    private mutating func number(_ bound: Int) -> Int {
        Int(numbers.next() >> 33) % bound
    }

    private mutating func one<Value>(of values: [Value]) -> Value { values[number(values.count)] }

    mutating func fill(_ kind: Kind) async throws -> any LedgerStore {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let store: any LedgerStore = kind == .memory ? MemoryLedgerStore() : try SQLiteLedgerStore(path: path)
        var tokens: [StoredToken] = []
        for count in 0..<120 {
            // The same id under two apps tells of two tokens.
            let token = token(count / 2, of: count % 2 == 0 || number(3) > 0 ? Merchant.shop : "com.example.other")
            if await isTaken(store, { ledger throws(LedgerError) in _ = try ledger.insert(token) }) {
                tokens.append(token)
            }
        }
        for token in tokens where number(3) == 0 {
            let again = StoredToken(
                token: token.token,
                text: token.token.encoded(),
                firstSeen: FirstSeen(source: one(of: [.app, .website, .website]), time: Merchant.noon),
                checkoutId: CheckoutId("checkout")
            )
            _ = await isTaken(store) { ledger throws(LedgerError) in _ = try ledger.merge(again) }
        }
        var sales: [StoredSale] = []
        for count in 0..<200 {
            let sale = sale(count, among: tokens)
            if await isTaken(store, { ledger throws(LedgerError) in _ = try ledger.insert(sale) }) {
                sales.append(sale)
            }
        }
        for sale in sales {
            switch number(8) {
            case 0, 1: await hold(sale, in: store)
            case 2: await export(sale, in: store)
            case 3, 4: await correct(sale, in: store)
            default: break
            }
        }
        for token in tokens where number(3) == 0 {
            let (report, state) = (report(on: token, .noLineItem), one(of: ReportState.allCases))
            await write(report, holding: [], state, in: store)
        }
        return store
    }

    private func isTaken(
        _ store: any LedgerStore,
        _ change: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Void
    ) async -> Bool {
        (try? await store.write(change)) != nil
    }

    private mutating func token(_ digit: Int, of app: BundleId) -> StoredToken {
        let prefix = number(6) == 0 ? "SANDBOX_" : ""
        let made = Merchant.noon.advanced(byMilliseconds: -Int64(number(60)) * Timestamp.day / 3)
        let token = ExternalPurchaseToken(
            appAppleId: 1,
            bundleId: app,
            tokenCreationDate: made,
            externalPurchaseId: ExternalPurchaseId("\(prefix)token-\(digit)"),
            tokenType: one(of: [nil, .services, .acquisition, .inApp, .linkOut]),
            tokenExpirationDate: number(2) == 0 ? nil : made.advanced(byMilliseconds: Int64(number(90)) * Timestamp.day)
        )
        let isNamedOnly = number(5) == 0
        return StoredToken(
            token: token,
            text: isNamedOnly ? nil : token.encoded(),
            state: one(of: TokenState.allCases),
            firstSeen: FirstSeen(
                source: isNamedOnly ? .notification : one(of: [.app, .website, .website]),
                time: made
            ),
            checkoutId: CheckoutId("checkout-\(digit)"),
            storefront: one(of: [nil, nil, "NLD", "KOR", "USA"] as [String?]).flatMap { StorefrontCode($0) },
            flags: number(6) == 0 ? [.noBaseURL] : number(4) == 0 ? [.suspicious] : []
        )
    }

    private mutating func sale(_ count: Int, among tokens: [StoredToken]) -> StoredSale {
        let token = number(6) == 0 ? nil : one(of: tokens)
        let app = token?.token.bundleId ?? Merchant.shop
        let id = token?.token.externalPurchaseId
        let state: SaleState = number(5) == 0 ? .recorded : id == nil || number(3) == 0 ? .held : .planned
        let moment = Merchant.noon.advanced(byMilliseconds: -Int64(number(1_000)) * 3_600_000)
        let content = Sale(
            saleId: SaleId("sale-\(count)"),
            bundleId: app,
            occurredAt: moment,
            externalPurchaseId: id,
            kind: kind()
        )
        return StoredSale(
            sale: content,
            lineItemId: LineItemId("item-\(count)"),
            receivedAt: moment,
            attribution: Attribution(
                state: state,
                externalPurchaseId: id,
                flags: state == .held ? [.noTax, .noExchangeRate] : []
            )
        )
    }

    private mutating func kind() -> Sale.Kind {
        if number(8) == 0 { return .lapse("subscription") }
        let purchase = Purchase(
            productId: "gems",
            quantity: 1,
            currency: "EUR",
            inclusive: 9,
            tax: .rate(21),
            taxCountry: one(of: [nil, "NLD", "KOR", "JPN", "USA"])
        )
        guard number(3) == 0 else { return .purchase(purchase) }
        let period = SubscriptionPeriod(
            start: Merchant.noon,
            end: Merchant.noon.advanced(byMilliseconds: Timestamp.day)
        )
        return .subscription(
            SubscriptionCharge(subscriptionId: "subscription", period: period, event: nil, purchase: purchase)
        )
    }

    private mutating func report(on token: StoredToken, _ status: ReportStatus) -> StoredReport {
        let digits = String(1_000_000_000_000 + number(1_000_000_000)).suffix(12)
        return StoredReport(
            scope: token.scope,
            requestIdentifier: RequestIdentifier("00000000-0000-4000-8000-\(digits)")!,
            externalPurchaseId: token.token.externalPurchaseId,
            status: status,
            body: Array("{}".utf8),
            writtenAt: Merchant.noon
        )
    }

    private mutating func hold(_ sale: StoredSale, in store: any LedgerStore) async {
        guard let id = sale.attribution.externalPurchaseId else { return }
        let token = try? await store.read { ledger throws(LedgerError) in try ledger.token(id, of: sale.sale.bundleId) }
        guard let token = token ?? nil else { return }
        let (report, state) = (report(on: token, .lineItem), one(of: ReportState.allCases))
        await write(report, holding: [sale.sale.saleId], state, in: store)
    }

    private func write(
        _ report: StoredReport,
        holding sales: [SaleId],
        _ state: ReportState,
        in store: any LedgerStore
    ) async {
        // A conflict leaves everything as it was.
        _ = await isTaken(store) { ledger throws(LedgerError) in
            var kept = try ledger.insert(report, holding: sales)
            kept.state = state
            try ledger.update(kept, accepting: [])
        }
    }

    private mutating func export(_ sale: StoredSale, in store: any LedgerStore) async {
        let export = ManualExport(
            exportId: ManualExportId("export of \(sale.sale.saleId)"),
            bundleId: sale.sale.bundleId,
            programme: "jp",
            month: "2026-11",
            madeAt: Merchant.noon
        )
        _ = await isTaken(store) { ledger throws(LedgerError) in
            _ = try ledger.insert(export, holding: [sale.sale.saleId])
        }
    }

    /// Another tax country, or a sale that never happened under another line item.
    private mutating func correct(_ sale: StoredSale, in store: any LedgerStore) async {
        guard sale.sale.purchase != nil else { return }
        let changed = Sale(
            saleId: sale.sale.saleId,
            bundleId: sale.sale.bundleId,
            occurredAt: sale.sale.occurredAt,
            externalPurchaseId: sale.sale.externalPurchaseId,
            kind: kind()
        )
        let isRetracted = number(2) == 0
        let version = SaleVersion(
            version: 2,
            sale: changed,
            lineItemId: isRetracted ? LineItemId("new \(sale.lineItemId)") : sale.lineItemId,
            change: isRetracted ? .retracted : .restated,
            saidAt: Merchant.noon
        )
        _ = await isTaken(store) { ledger throws(LedgerError) in try ledger.insert(version) }
    }
}
