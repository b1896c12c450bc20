// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("Due lists from the ledger")
struct DeadlineListTests {
    static let rules = DeadlineRules(appProgrammes: [Merchant.shop: ["eu-2026-10"]])

    /// What a list is made of when every row is read whole and looked at (RR-70, OB-51).
    struct Naive: Sendable {
        /// The rows that are not reported.
        var subjects: [DeadlineSubject] = []

        init(_ ledger: LedgerQueries, app: BundleId?) throws(LedgerError) {
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
                let reports = try ledger.reports(on: token.token.externalPurchaseId, of: token.token.bundleId)
                let isRefused = reports.contains { $0.state == .needsAttention }
                let known = Set(countries.compactMap { $0.sale.purchase?.taxCountry }).sorted()
                var sources: Set = [token.firstSeen.source]
                for observation in try ledger.observations(
                    of: token.token.externalPurchaseId,
                    app: token.token.bundleId
                ) {
                    sources.insert(observation.seen.source)
                }
                let isVisit = token.state == .unconfirmed && sources == [.website] && countries.isEmpty
                if token.reportedAt == nil { subjects.append(Self.subject(token, isRefused, known, isVisit)) }
            }
            for sale in sales where isOf(sale.sale.bundleId) && sale.attribution.state != .recorded {
                let token = stored.first { token in
                    token.token.bundleId == sale.sale.bundleId
                        && token.token.externalPurchaseId == sale.attribution.externalPurchaseId
                }
                let isReported = sale.reportState == .accepted || sale.exportId != nil
                if !isReported { subjects.append(Self.subject(sale, token)) }
            }
        }

        private static func subject(
            _ token: StoredToken,
            _ isRefused: Bool,
            _ countries: [String],
            _ isVisit: Bool
        ) -> DeadlineSubject {
            var readiness = HoldClassifier.Readiness.scheduled
            if token.flags.contains(.noBaseURL) {
                readiness = .waiting("the app has no base URL for the token's environment")
            }
            if isRefused { readiness = .needsReview("its report was refused") }
            let row = row(token, countries, isVisit)
            return DeadlineSubject(row: .token(row), readiness: readiness, answerAt: answerMoment(of: token))
        }

        private static func row(_ token: StoredToken, _ countries: [String] = [], _ isVisit: Bool = false) -> OpenToken
        {
            OpenToken(
                sequence: token.sequence,
                bundleId: token.token.bundleId,
                externalPurchaseId: token.token.externalPurchaseId,
                type: token.token.tokenType,
                createdAt: token.token.tokenCreationDate,
                expiresAt: token.token.tokenExpirationDate,
                storefront: token.storefront,
                state: token.state,
                reporting: token.reporting,
                endpoint: token.endpoint,
                firstSeen: token.firstSeen,
                isKnownFromNotificationsOnly: token.text == nil && token.firstSeen.source == .notification,
                isUnconfirmedVisit: isVisit,
                taxCountries: countries,
                customerId: token.customerId,
                hasRefusedReport: false
            )
        }

        /// RR-70 and RR-72 for a token without sales, and NT-65 for one that only Apple has named.
        private static func answerMoment(of token: StoredToken) -> Timestamp? {
            guard let due = DeadlineListTests.rules.deadline(of: row(token))?.moment.milliseconds else { return nil }
            let lead = min(
                Timestamp.millisecondsPerDay,
                max(0, (due - token.token.tokenCreationDate.milliseconds) / 10)
            )
            let isOnlyNamed = token.text == nil && token.firstSeen.source == .notification
            let earliest = isOnlyNamed ? token.firstSeen.time.milliseconds + Timestamp.millisecondsPerDay : .min
            return Timestamp(milliseconds: max(due - lead, earliest))
        }

        /// OB-51: of its token, else of the token that it names, else as stated, else production.
        private static func environment(of sale: StoredSale) -> AppStoreEnvironment {
            for id in [sale.attribution.externalPurchaseId, sale.sale.externalPurchaseId] {
                if let id { return id.rawValue.hasPrefix("SANDBOX") ? .sandbox : .production }
            }
            return sale.sale.environment == .sandbox ? .sandbox : .production
        }

        private static func subject(_ sale: StoredSale, _ token: StoredToken?) -> DeadlineSubject {
            var readiness = HoldClassifier.Readiness.scheduled
            if sale.attribution.state == .held {
                readiness = .needsReview(sale.attribution.flags.map(\.rawValue).sorted().joined(separator: ", "))
            }
            if sale.reportState == .needsAttention { readiness = .needsReview("its report was refused") }
            let row = OpenSale(
                sequence: sale.sequence,
                bundleId: sale.sale.bundleId,
                environment: environment(of: sale),
                lineItemId: sale.lineItemId,
                occurredAt: sale.sale.occurredAt,
                receivedAt: sale.receivedAt,
                token: token.map { token in
                    OpenSale.Token(
                        externalPurchaseId: token.token.externalPurchaseId,
                        type: token.token.tokenType,
                        storefront: token.storefront
                    )
                },
                taxCountry: sale.sale.purchase?.taxCountry,
                state: sale.attribution.state,
                holdCauses: [],
                review: .open,
                flags: [],
                reportState: nil,
                customerId: nil,
                productId: nil
            )
            return DeadlineSubject(row: .sale(row), readiness: readiness)
        }
    }

    @Test(
        "Pages, their order, their words and the counts are those of a list of every row, however much of it is stored (OB-51, OB-52)",
        arguments: RandomLedger.Kind.allCases,
        [(1, .stored), (2, .outdated), (3, .mixed)] as [(UInt64, RandomLedger.Deadlines)]
    )
    func agreement(_ kind: RandomLedger.Kind, _ draw: (seed: UInt64, deadlines: RandomLedger.Deadlines)) async throws {
        var random = RandomLedger(seed: draw.seed)
        let calculator = DeadlineCalculator(rules: Self.rules)
        let store = try await random.fill(kind, draw.deadlines, calculator)
        let questions: [(app: BundleId?, now: Timestamp)] = [
            (nil, Merchant.noon), (Merchant.shop, Merchant.noon + .days(12)), ("com.example.other", Merchant.noon),
            (nil, Merchant.noon + .days(12)),
        ]
        for (app, now) in questions {
            let states = DeadlineClassifier(at: now, warnDays: Self.rules.settings.warnDays)
            let (expected, differences) = try await store.read { ledger throws(LedgerError) in
                (
                    NaiveList(try Naive(ledger, app: app), Self.rules, at: now),
                    try ledger.deadlineDifferences(
                        version: calculator.version,
                        at: now,
                        computing: calculator.deadline
                    )
                )
            }
            #expect(differences == [])
            func texts(_ entries: [DeadlineEntry]) -> [JSONValue] {
                entries.map { $0.json(states, settings: Self.rules.settings) }
            }
            #expect(expected.entries.count > 20)
            let filter = ListFilter(app.map { [.bundleId: $0.rawValue] } ?? [:])
            var paged: [DeadlineEntry] = []
            var position: DeadlinePosition?
            repeat {
                let after = position
                let page = try await store.read { ledger throws(LedgerError) in
                    try calculator.page(matching: filter, limit: 7, after: after, at: now, in: ledger)
                }
                #expect(page.counts == expected.counts)
                #expect(page.matching == expected.entries.count)
                paged += page.entries.map(\.entry)
                // The cursor travels as text.
                position =
                    page.isCut ? DeadlinePosition(text: try #require(page.entries.last).position.text) : nil
            } while position != nil
            #expect(texts(paged) == texts(expected.entries))

            let until = now + .days(5)
            let late = try await store.read { ledger throws(LedgerError) in
                try calculator.page(
                    matching: filter,
                    limit: .max / 4,
                    lateBy: until,
                    at: now,
                    in: ledger
                )
            }
            let expectedLate = expected.entries.filter { entry in
                !entry.subject.isUnconfirmed && entry.due.map { $0.moment < until } ?? false
            }
            #expect(texts(late.entries.map(\.entry)) == texts(expectedLate))
            #expect(late.matching == expectedLate.count)
            #expect(late.counts == expected.counts)
            for filter in Self.filters(app, expected.entries, now) {
                let page = try await store.read { ledger throws(LedgerError) in
                    try calculator.page(matching: filter, limit: .max / 4, at: now, in: ledger)
                }
                let wanted = expected.entries.filter { Self.takes($0, filter, expected, now) }
                #expect(texts(page.entries.map(\.entry)) == texts(wanted), "\(filter)")
                #expect(page.matching == wanted.count && page.counts.total == wanted.count)
            }
        }
    }

    /// A list of every row, sorted and counted by itself.
    struct NaiveList {
        var entries: [DeadlineEntry] = []
        var counts = DeadlineCounts()

        init(_ naive: Naive, _ rules: DeadlineRules, at now: Timestamp) {
            var rows: [(key: [Int64], entry: DeadlineEntry)] = []
            for subject in naive.subjects {
                let (kind, sequence, created): (Int64, Int64, Timestamp) =
                    switch subject.row {
                    case .token(let token): (0, token.sequence, token.createdAt)
                    case .sale(let sale): (1, sale.sequence, sale.occurredAt)
                    }
                let entry = subject.entry(by: rules)
                let due = entry.due?.moment.milliseconds ?? .max
                let held: Int64 = subject.needsReview ? 0 : 1
                rows.append(([held, due, created.milliseconds, kind, sequence], entry))
            }
            entries = rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.entry)
            for entry in entries {
                if entry.subject.needsReview { counts.held += 1 }
                switch Self.state(entry, now) {
                case "unconfirmed": counts.unconfirmed += 1
                case "noDeadline": counts.withoutDueDate += 1
                case "overdue":
                    counts.overdue += 1
                    if entry.subject.needsReview { counts.overdueHeld += 1 }
                case "open": counts.open += 1
                default:
                    guard let due = entry.due?.moment else { continue }
                    let days = [1, 2, 5].first {
                        Int64($0) * Timestamp.millisecondsPerDay >= due.milliseconds - now.milliseconds
                    }
                    counts.warned[days ?? 0, default: 0] += 1
                }
            }
        }

        /// The state as OB-51 says it, in the word of the interface.
        static func state(_ entry: DeadlineEntry, _ now: Timestamp) -> String {
            if entry.subject.isUnconfirmed { return "unconfirmed" }
            guard let due = entry.due?.moment else { return "noDeadline" }
            if due < now { return "overdue" }
            return now.duration(to: due) <= .days(5) ? "warned" : "open"
        }
    }

    /// Filters by every parameter, with values that some entries have.
    private static func filters(_ app: BundleId?, _ entries: [DeadlineEntry], _ now: Timestamp) -> [ListFilter] {
        let states = ["unconfirmed", "open", "warned", "overdue", "noDeadline"]
        let later = now + .days(9)
        var filters = states.map { ListFilter([.state: $0]) }
        filters += states.map { ListFilter([.state: $0], from: now, until: later) }
        filters += ["token", "lineItem"].map { ListFilter([.kind: $0]) }
        filters += ["sandbox", "production"].map { ListFilter([.environment: $0, .state: "overdue"]) }
        filters.append(ListFilter(from: now))
        filters.append(ListFilter([.customerId: "nobody"]))
        for entry in entries.prefix(60) {
            switch entry.subject.row {
            case .token(let token):
                filters.append(ListFilter([.externalPurchaseId: token.externalPurchaseId.rawValue]))
            case .sale(let sale): filters.append(ListFilter([.saleId: sale.lineItemId.rawValue]))
            }
        }
        return filters.map { filter in
            var filter = filter
            filter[.bundleId] = app?.rawValue
            return filter
        }
    }

    private static func takes(_ entry: DeadlineEntry, _ filter: ListFilter, _ list: NaiveList, _ now: Timestamp) -> Bool
    {
        if let state = filter[.state], state != NaiveList.state(entry, now) { return false }
        if filter.from != nil || filter.until != nil {
            guard let due = entry.due?.moment, filter.from.map({ due >= $0 }) ?? true,
                filter.until.map({ due < $0 }) ?? true
            else { return false }
        }
        if filter[.customerId] != nil { return false }
        switch entry.subject.row {
        case .token(let token):
            return filter[.kind] != "lineItem" && filter[.saleId] == nil
                && (filter[.environment].map { $0 == token.externalPurchaseId.environment.rawValue } ?? true)
                && (filter[.externalPurchaseId].map { $0 == token.externalPurchaseId.rawValue } ?? true)
        case .sale(let sale):
            return filter[.kind] != "token"
                && (filter[.environment].map { $0 == sale.environment.rawValue } ?? true)
                && (filter[.externalPurchaseId].map { $0 == sale.token?.externalPurchaseId.rawValue } ?? true)
                && (filter[.saleId].map { $0 == sale.lineItemId.rawValue } ?? true)
        }
    }

    @Test("Every setting that decides about stored deadlines makes other rules of them, and no other setting does")
    func versions() throws {
        func version(
            _ settings: DeadlineSettings = .defaults,
            wait: Duration = .days(1),
            tokenWait: Duration = .days(1)
        ) -> String {
            DeadlineCalculator(
                rules: DeadlineRules(settings: settings),
                unrecognizedWait: wait,
                classifier: HoldClassifier(tokenWait: tokenWait)
            ).version
        }
        // Each setting has a version below, except `warnDays`, which moves no deadline.
        let settings = Mirror(reflecting: DeadlineSettings.defaults).children.compactMap(\.label)
        #expect(Set(settings) == ["timeZone", "unreportedHorizon", "sendDelay", "sendLead", "warnDays"])
        let versions = try [
            version(), version(DeadlineSettings(unreportedHorizon: .days(5))),
            version(DeadlineSettings(sendLead: .milliseconds(1))),
            version(DeadlineSettings(sendDelay: .milliseconds(1))),
            version(DeadlineSettings(timeZone: ReportingTimeZone("+09:00"))), version(wait: .milliseconds(1)),
            version(tokenWait: .milliseconds(1)),
        ]
        #expect(Set(versions).count == versions.count)
        #expect(try version(DeadlineSettings(warnDays: [9])) == versions[0])
    }

    @Test("A page goes on behind its cursor although what stood before it was reported meanwhile")
    func pagesWhileReporting() async throws {
        let merchant = Merchant()
        for digit in "abcdef" {
            let age = Int64(digit.asciiValue!) * 1_000
            try await merchant.take(
                Merchant.token(digit, made: Merchant.noon.advanced(by: .milliseconds(age - 500_000)))
            )
        }
        func ids(_ page: DeadlinePage) -> [Character?] {
            page.entries.map { entry in
                guard case .token(let token) = entry.entry.subject.row else { return nil }
                return token.externalPurchaseId.rawValue.last
            }
        }
        let first = try await merchant.system.deadlines(limit: 2)
        #expect(ids(first) == ["a", "b"])
        #expect(first.isCut)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        await merchant.system.sender.runUntilIdle()
        let second = try await merchant.system.deadlines(after: first.entries.last?.position, limit: 9)
        #expect(ids(second) == ["c", "d", "e", "f"])
        #expect(!second.isCut)
        #expect(second.counts.total == 5)
    }

    @Test(
        "No other text is a cursor",
        arguments: ["", "7", "due.1.2.token", "due.x.2.token.3", "held.1.2.sale.3", "due.1.2.token.3.4"]
    )
    func cursors(_ text: String) {
        #expect(DeadlinePosition(text: text) == nil)
    }

    @Test(
        "Other rules outdate every deadline, and batches compute them anew (OB-50)",
        arguments: RandomLedger.Kind.allCases
    )
    func otherRules(_ kind: RandomLedger.Kind) async throws {
        var random = RandomLedger(seed: 9)
        let store = try await random.fill(kind, .stored, DeadlineCalculator(rules: Self.rules))
        let settings = try DeadlineSettings(unreportedHorizon: .days(4))
        let other = DeadlineCalculator(
            rules: DeadlineRules(settings: settings, appProgrammes: Self.rules.appProgrammes)
        )
        let clock = Merchant.Clock()
        let maintaining = DeadlineMaintainingStore(store, calculator: other, dependencies: clock.dependencies)
        func page() async throws -> ([DeadlinePosition], DeadlineCounts) {
            try await store.read { ledger throws(LedgerError) in
                let page = try other.page(limit: .max / 4, at: Merchant.noon, in: ledger)
                return (page.entries.map(\.position), page.counts)
            }
        }
        let before = try await page()
        var commits = 0
        while try await maintaining.recalculate(limit: 50) { commits += 1 }
        #expect(commits > 2)
        let after = try await page()
        #expect(after.0 == before.0 && after.1 == before.1)
        let (differences, outdated) = try await store.read { ledger throws(LedgerError) in
            var outdated = 0
            let rules = try ledger.deadlineRules()
            try ledger.eachOutdatedDeadline(notBy: rules?.id) { _, _ throws(LedgerError) in outdated += 1 }
            let differences = try ledger.deadlineDifferences(
                version: other.version,
                at: Merchant.noon,
                computing: other.deadline
            )
            return (differences, outdated)
        }
        #expect(differences == [] && outdated == 0)
        #expect(try await !maintaining.recalculate(limit: 50))
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

    /// How much of the ledger has a deadline that is up to date.
    enum Deadlines: Sendable {
        case stored
        /// None: as after a migration, or under other rules.
        case outdated
        case mixed
    }

    mutating func fill(
        _ kind: Kind,
        _ deadlines: Deadlines,
        _ calculator: DeadlineCalculator
    ) async throws -> any LedgerStore {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let plain: any LedgerStore = kind == .memory ? MemoryLedgerStore.empty() : try SQLiteLedgerStore(path: path)
        let maintaining = DeadlineMaintainingStore(
            plain,
            calculator: calculator,
            dependencies: Merchant.Clock().dependencies
        )
        var store: any LedgerStore = deadlines == .outdated ? plain : maintaining
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
        if deadlines == .mixed { store = plain }
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
        return plain
    }

    private func isTaken(
        _ store: any LedgerStore,
        _ change: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Void
    ) async -> Bool {
        (try? await store.write(change)) != nil
    }

    private mutating func token(_ digit: Int, of app: BundleId) -> StoredToken {
        let prefix = number(6) == 0 ? "SANDBOX_" : ""
        let made = Merchant.noon.advanced(by: .milliseconds(-Int64(number(60)) * Timestamp.millisecondsPerDay / 3))
        let token = ExternalPurchaseToken(
            appAppleId: 1,
            bundleId: app,
            tokenCreationDate: made,
            externalPurchaseId: ExternalPurchaseId("\(prefix)token-\(digit)"),
            tokenType: one(of: [nil, .services, .acquisition, .inApp, .linkOut]),
            tokenExpirationDate: number(2) == 0 ? nil : made.advanced(by: .days(Int64(number(90))))
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
            endpoint: number(6) == 0 ? .missing : .configured,
            notes: number(4) == 0 ? [.suspicious] : []
        )
    }

    private mutating func sale(_ count: Int, among tokens: [StoredToken]) -> StoredSale {
        let token = number(6) == 0 ? nil : one(of: tokens)
        let app = token?.token.bundleId ?? Merchant.shop
        let id = token?.token.externalPurchaseId
        let state: SaleState = number(5) == 0 ? .recorded : id == nil || number(3) == 0 ? .held : .planned
        let moment = Merchant.noon.advanced(by: .milliseconds(-Int64(number(1_000)) * 3_600_000))
        let named = number(3) == 0 ? ExternalPurchaseId(number(2) == 0 ? "SANDBOX_never-came" : "never-came") : nil
        let content = Sale(
            saleId: SaleId("sale-\(count)"),
            bundleId: app,
            occurredAt: moment,
            externalPurchaseId: id ?? named,
            environment: id == nil ? one(of: [nil, .sandbox, .production]) : nil,
            kind: kind()
        )
        return StoredSale(
            sale: content,
            lineItemId: LineItemId("item-\(count)"),
            receivedAt: moment,
            attribution: Attribution(
                state: state,
                externalPurchaseId: id,
                holdCauses: state == .held ? [.noTax, .noExchangeRate] : []
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
            end: Merchant.noon + .days(1)
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
