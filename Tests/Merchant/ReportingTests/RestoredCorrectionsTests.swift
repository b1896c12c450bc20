import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import TestSupport
import Testing

@testable import Reporting

/// An older copy of a ledger, restored with the records of what Apple accepted since, against the same ledger that was never
/// lost and against Apple's books (RR-80, RR-81, RR-83).
@Suite("After a restore with the kept records, corrections count as if nothing had been lost")
struct RestoredCorrectionsTests {
    enum Event: Sendable {
        case told(String)
        case corrected(_ sale: String, _ action: String, _ fields: String?)

        var body: String? {
            if case .told(let body) = self { body } else { nil }
        }
    }

    private static let tokens = ["a", "b", "c"].map { Merchant.token($0, made: Merchant.noon - .days(50)) }

    // MARK: Stories

    /// A random history: sales, money back and corrections of every kind.
    struct Story {
        private(set) var events: [Event] = []
        /// What happens after the restore.
        private(set) var news: [Event] = []
        /// The number of events before the backup.
        private(set) var cut = 0
        private var random: SplitMix64
        private var buys: [(id: String, at: Timestamp, isForeign: Bool)] = []
        private var backs: [String] = []

        init(_ seed: Int) {
            random = SplitMix64(seed: UInt64(seed))
            for place in 0..<7 { sell(place) }
            for step in 0..<16 { events += self.step("\(step)") }
            cut = number(3...events.count)
            for step in 0..<4 { news += self.step("n\(step)") }
            for buy in buys {
                news.append(.told(back("last-\(buy.id.replacing("/", with: "-"))", buy.id, "1.00", "refund", buy.at)))
            }
            for buy in buys where number(0...1) == 0 {
                news.append(.corrected(buy.id, "restate", #"{"inclusive":"\#(number(300...400)).00","taxRate":"7"}"#))
            }
        }

        private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        private mutating func moment(after earliest: Timestamp = Merchant.noon - .days(49)) -> Timestamp {
            let seconds = Int(earliest.duration(to: Merchant.noon - .hours(1)).components.seconds)
            return earliest + .seconds(number(0...max(0, seconds)))
        }

        private mutating func sell(_ place: Int) {
            let (id, at) = ("s\(place)", moment())
            let token = tokens[number(0...2)].externalPurchaseId
            let cents = number(2_000...20_000)
            let price = "\(cents / 100).\(cents % 90 + 10)"
            let euro = #""amount":{"currency":"EUR","inclusive":"\#(price)","taxRate":"21","taxCountry":"NLD"}"#
            func body(_ id: String, _ type: String, _ at: Timestamp, _ more: String) -> String {
                """
                {"saleId":"\(id)","bundleId":"com.example.shop","type":"\(type)","occurredAt":"\(at)",
                "externalPurchaseId":"\(token)",\(more)}
                """
            }
            switch place % 4 {
            case 1:
                let line = #"{"productId":"gems","quantity":1,\#(euro)}"#
                events.append(.told(body(id, "purchase", at, #""lines":[\#(line),\#(line)]"#)))
                buys += [("\(id)/1", at, false), ("\(id)/2", at, false)]
            case 2:
                let rate = #""exchangeRate":{"rate":"0.0205","source":"bank","asOf":"\#(at)"}"#
                let money =
                    #""amount":{"currency":"UAH","inclusive":"\#(price)","taxRate":"20","taxCountry":"NLD",\#(rate)}"#
                events.append(.told(body(id, "purchase", at, #""productId":"gems","quantity":1,\#(money)"#)))
                buys.append((id, at, true))
            case 3:
                for (charge, from) in [(id, at), ("\(id)w", at + .days(30))] where from < Merchant.noon - .hours(1) {
                    let period = #""period":{"start":"\#(from)","end":"\#(from + .days(30))"}"#
                    let more = #""subscriptionId":"sub-\#(id)",\#(period),"productId":"plus","quantity":1,\#(euro)"#
                    events.append(.told(body(charge, "subscription", from, more)))
                    buys.append((charge, from, false))
                }
            default:
                events.append(.told(body(id, "purchase", at, #""productId":"gems","quantity":1,\#(euro)"#)))
                buys.append((id, at, false))
            }
        }

        private mutating func back(_ id: String, _ buy: String, _ amount: String, _ type: String, _ soldAt: Timestamp)
            -> String
        {
            """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"\(type)","refundOf":"\(buy)",
            "occurredAt":"\(moment(after: soldAt))","amount":{"inclusive":"\(amount)"}}
            """
        }

        /// Money goes back, or something is corrected.
        private mutating func step(_ name: String) -> [Event] {
            let buy = buys[number(0...buys.count - 1)]
            switch number(0...9) {
            case 0, 1, 2:
                let id = "r\(name)"
                let isChargeback = number(0...1) == 0
                let amount = "\(number(1...9)).\(number(10...99))"
                let told = back(id, buy.id, amount, isChargeback ? "chargeback" : "refund", buy.at)
                guard isChargeback, number(0...1) == 0 else {
                    backs.append(id)
                    return [.told(told)]
                }
                let reversal = """
                    {"saleId":"v\(name)","bundleId":"com.example.shop","type":"chargebackReversal","reversalOf":"\(id)",
                    "occurredAt":"\(Merchant.noon - .minutes(10))"}
                    """
                return [.told(told), .told(reversal)]
            case 3 where !backs.isEmpty:
                let refund = backs[number(0...backs.count - 1)]
                let fields = #"{"inclusive":"\#(number(1...4)).00","tax":"0.\#(number(10...60))"}"#
                return [
                    number(0...2) > 0
                        ? .corrected(refund, "restate", fields)
                        : .corrected(refund, number(0...1) == 0 ? "retract" : "undo", nil)
                ]
            case 4: return [.corrected(buy.id, "move", #"{"occurredAt":"\#(moment())"}"#)]
            case 5:
                let token = tokens[number(0...2)].externalPurchaseId
                return [.corrected(buy.id, "move", #"{"externalPurchaseId":"\#(token)"}"#)]
            case 6: return [.corrected(buy.id, "retract", nil)]
            case 7: return buys.map { .corrected($0.id, "undo", nil) }
            case 8:
                let fields = [
                    #"{"taxCountry":"DEU"}"#, #"{"productId":"map"}"#, #"{"quantity":3}"#, #"{"taxRate":"19"}"#,
                ]
                return [.corrected(buy.id, "restate", fields[number(0...3)])]
            default:
                if buy.isForeign, number(0...1) == 0 {
                    let rate = #""exchangeRate":{"rate":"0.02\#(number(10...40))","source":"bank","asOf":"\#(buy.at)"}"#
                    return [.corrected(buy.id, "restate", "{\(rate)}")]
                }
                let fields = #"{"inclusive":"\#(number(40...300)).\#(number(10...99))","taxRate":"\#(number(0...25))"}"#
                return [.corrected(buy.id, "restate", fields)]
            }
        }
    }

    // MARK: Worlds

    private static func newPath() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
    }

    private static func merchant(at path: String, beside other: Merchant? = nil) throws -> Merchant {
        let store = try SQLiteLedgerStore(path: path)
        guard let other else { return Merchant(store: store, programmes: ["eu-custom-link"]) }
        return Merchant(store: store, apple: other.apple, clock: other.clock, programmes: ["eu-custom-link"])
    }

    private static func run(_ event: Event, at merchant: Merchant) async throws {
        do {
            switch event {
            case .told(let body):
                _ = try await merchant.sell(body)
                await merchant.system.sender.runUntilIdle()
            case .corrected(let sale, let action, let fields): try await correct(sale, action, fields, at: merchant)
            }
        } catch let error as RequestError {
            // What cannot be corrected so is refused, and changes nothing.
            guard case .invalid = error, event.body == nil else { throw error }
        }
    }

    /// Corrects a sale if that can be done as things stand.
    private static func correct(
        _ sale: String,
        _ action: String,
        _ fields: String?,
        at merchant: Merchant
    ) async throws {
        let stated = fields.map { #","fields":\#($0)"# } ?? ""
        let wish =
            #"{"bundleId":"com.example.shop","saleId":"\#(sale)","action":"\#(action)"\#(stated),"#
            + #""requestedBy":"maria","reason":"the till was wrong"}"#
        let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        guard run.isAllowed else { return }
        let order = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
        _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
        await merchant.system.sender.runUntilIdle()
    }

    /// Copies the ledger of an idle merchant.
    private static func copy(_ path: String) throws -> String { try copy(path + ".copy", of: path) }

    private static func copy(_ copy: String, of path: String) throws -> String {
        for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: path + ending) {
            try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
        }
        return copy
    }

    /// The file that `docs/production.md` makes of the kept tokens and reports.
    private static func records(
        of merchant: Merchant,
        _ tokens: [ExternalPurchaseToken] = tokens
    ) async throws -> [UInt8] {
        let bodies = try await merchant.reports().filter { $0.state == .accepted }
            .map { String(decoding: $0.body, as: UTF8.self) }
        let texts = tokens.map { "\"\($0.encoded())\"" }
        return Array(
            #"{"tokens":[\#(texts.joined(separator: ","))],"reports":[\#(bodies.joined(separator: ","))]}"#.utf8
        )
    }

    private static func take(_ file: [UInt8], _ merchant: Merchant) async throws {
        let apps = [
            Merchant.shop: LedgerImport.App(appAppleId: Merchant.appAppleId, environments: [.production, .sandbox])
        ]
        let work = LedgerImport(apps: apps, settings: ReportingSettings(), dependencies: merchant.clock.dependencies)
        _ = try await work.run(file, into: merchant.store)
    }

    /// The merchant after a story, with or without a loss of the ledger before its news.
    private static func play(_ story: Story, losing isLost: Bool) async throws -> Merchant {
        let path = newPath()
        var merchant = try merchant(at: path)
        merchant.apple.allowEarlySales()
        for token in tokens { try await merchant.take(token) }
        var backup = ""
        for (place, event) in story.events.enumerated() {
            if place == story.cut { backup = try copy(path) }
            try await run(event, at: merchant)
        }
        if backup.isEmpty { backup = try copy(path) }
        if isLost {
            let records = try await records(of: merchant)
            merchant = try Self.merchant(at: backup, beside: merchant)
            try await take(records, merchant)
            let reports = merchant.apple.puts.count
            for body in story.events.compactMap(\.body) { try await run(.told(body), at: merchant) }
            #expect(merchant.apple.puts.count == reports, "something was reported again")
        }
        for event in story.news { try await run(event, at: merchant) }
        return merchant
    }

    /// The newest version of each item that Apple has.
    private static func items(of merchant: Merchant) -> [String] {
        merchant.apple.items.map { String(decoding: $0.json.encoded(), as: UTF8.self) }.sorted()
    }

    /// The lines and sums of the exports of every month.
    private static func exports(of merchant: Merchant) async throws -> [String] {
        var lines: [String] = []
        for month in ["2026-09", "2026-10", "2026-11", "2026-12"] {
            for row in try await merchant.system.exports.rows(MonthChoice(month)) {
                guard case .sale(let sale) = row.subject else { continue }
                let amounts = sale.amounts.map { "\($0.taxExclusive) \($0.tax) \($0.netTaxExclusive)" } ?? ""
                lines.append(
                    "\(month) \(sale.saleId) \(sale.lineItemId) \(sale.createdAt) \(row.state) \(sale.event) "
                        + "\(sale.product ?? "") \(sale.quantity ?? 0) \(amounts) \(sale.taxCountry ?? "") "
                        + "\(sale.token?.rawValue ?? "") \(sale.reference?.rawValue ?? "")"
                )
            }
            for export in try await merchant.system.exports.make(MonthChoice(month)).exports {
                lines.append("\(month) \(export.reconciliation.sales.money)")
                #expect(export.reconciliation.differences == [], "\(month)")
            }
        }
        return lines.sorted()
    }

    @Test(
        "Any history with corrections, lost at any point and recovered, is the history that was never lost",
        arguments: sample(1...40, 12)
    )
    func recovered(_ seed: Int) async throws {
        let story = Story(seed)
        let (kept, lost) = (try await Self.play(story, losing: false), try await Self.play(story, losing: true))
        #expect(Self.items(of: lost) == Self.items(of: kept))
        #expect(try await Self.exports(of: lost) == Self.exports(of: kept))
        let details = try await kept.system.lists.review(LedgerPage()).map(\.detail)
        #expect(try await lost.system.lists.review(LedgerPage()).map(\.detail) == details)
        // Both agree with the books at Apple, summed up by themselves.
        let books = try AppleBooks(lost.apple.puts)
        for id in books.liveBuys.keys { #expect(books.net(of: id) >= 0, "\(id)") }
        let reported = try await Self.exports(of: lost).filter { $0.contains(" reported ") }
        #expect(reported.count == books.live.count)
        for id in books.live.keys { #expect(reported.contains { $0.contains(" \(id) 2026-") }, "\(id)") }
        #expect(try await lost.system.lists.verifyAudit().broken == nil)
    }

    // MARK: Chargebacks that are won back

    /// The stories of money that goes back, told without amendments.
    private static let returns = ReturnOrderTests.stories.filter { story in
        story.events.allSatisfy { if case .told = $0 { true } else { false } }
    }

    /// Takes everything that Apple says that it has as accepted; a held sale may wait for another one.
    private static func acceptAll(_ merchant: Merchant) async throws {
        var last: Int64 = 0
        for _ in 0..<12 {
            let items = try await merchant.system.lists.review(LedgerPage())
            let seen = last
            guard let item = items.first(where: { $0.kind == .reportRefused && $0.sequence > seen }) else { return }
            try await accept(item, merchant)
            last = item.sequence
        }
    }

    private static func accept(_ item: ReviewItem, _ merchant: Merchant) async throws {
        do {
            let decision = ReviewDecision(.accepted, by: "kim", note: "")
            _ = try await merchant.system.review.decide(decision, on: item.sequence)
        } catch {
            // Apple does not have it, and what else is told decides.
            guard case .impossible = error else { throw error }
        }
        await merchant.system.sender.runUntilIdle()
    }

    @Test(
        "RR-85: whatever order money goes back in, once more after a restore: both books have the same sum, nothing waits",
        arguments: returns,
        [(kept: false, together: true), (true, true), (true, false)]
    )
    func returned(_ story: ReturnOrderTests.Story, _ way: (kept: Bool, together: Bool)) async throws {
        for order in sample(ReturnOrderTests.orders(of: story.events).prefix(10), 3) {
            let bodies = order.compactMap { if case .told(let body) = $0 { body } else { nil } }
            let path = Self.newPath()
            let lost = try Self.merchant(at: path)
            try await lost.take(Merchant.token())
            let backup = try Self.copy(path)
            for body in bodies { try await lost.sell(body) }
            await lost.system.sender.runUntilIdle()
            let merchant = try Self.merchant(at: backup, beside: lost)
            if way.kept { try await Self.take(try await Self.records(of: lost, [Merchant.token()]), merchant) }
            for body in bodies {
                try await merchant.sell(body)
                if way.together { continue }
                await merchant.system.sender.runUntilIdle()
                try await Self.acceptAll(merchant)
            }
            await merchant.system.sender.runUntilIdle()
            try await Self.acceptAll(merchant)
            var live: [String: Int64] = [:]
            for item in merchant.apple.items where item.erroneouslySubmitted != true {
                let sale = item.lineItemId?.rawValue.prefix { $0 != "/" && $0 != "." } ?? ""
                live[String(sale), default: 0] += item.amountTaxInclusive ?? 0
            }
            #expect(live == story.live, "\(bodies)")
            let waiting = try await merchant.system.lists.sales(LedgerPage()).filter { $0.standing == .held }
            #expect(waiting.map { "\($0.sale.saleId) \($0.attribution.flags)" } == [], "\(bodies)")
            #expect(try await merchant.system.lists.review(LedgerPage()).map(\.detail) == [], "\(bodies)")
        }
    }

    /// Orders in which the chargeback was dropped with its reversal, so that Apple never saw it.
    private static let unseen = [[1, 2, 0, 3, 4], [2, 1, 4, 0, 3], [3, 1, 2, 0, 4]]

    @Test(
        "RR-85: a chargeback that Apple never had is dropped with its reversal, whenever the backup was made",
        arguments: 1...4
    )
    func neverTold(_ cut: Int) async throws {
        let story = try #require(
            ReturnOrderTests.stories.first {
                $0.testDescription == "a chargeback is won back, then two refunds take all"
            }
        )
        let orders =
            Self.unseen.map { $0.map { story.events[$0] } }
            + sample(ReturnOrderTests.orders(of: story.events), 10)
        for order in orders {
            let bodies = order.compactMap { if case .told(let body) = $0 { body } else { nil } }
            let path = Self.newPath()
            let lost = try Self.merchant(at: path)
            try await lost.take(Merchant.token())
            var backup = ""
            for (place, body) in bodies.enumerated() {
                if place == cut { backup = try Self.copy(path) }
                try await lost.sell(body)
                await lost.system.sender.runUntilIdle()
            }
            let merchant = try Self.merchant(at: backup, beside: lost)
            for body in bodies {
                try await merchant.sell(body)
                await merchant.system.sender.runUntilIdle()
                try await Self.acceptAll(merchant)
            }
            let told = bodies.map { $0.prefix(14) }
            let live = merchant.apple.items.filter { $0.erroneouslySubmitted != true }
            let sums = Dictionary(
                live.map { ($0.lineItemId?.rawValue ?? "", $0.amountTaxInclusive ?? 0) },
                uniquingKeysWith: +
            )
            #expect(sums == story.live, "\(told)")
            let waiting = try await merchant.system.lists.sales(LedgerPage()).filter { $0.standing == .held }
            #expect(waiting.map { "\($0.sale.saleId) \($0.attribution.flags)" } == [], "\(told)")
            #expect(try await merchant.system.lists.review(LedgerPage()).map(\.detail) == [], "\(told)")
        }
    }

    // MARK: Corrections that nobody kept

    @Test(
        "RR-85: a correction that Apple has already and refuses is accepted, with or without the identifier of its report",
        arguments: [
            Event.corrected("s", "retract", nil), .corrected("s", "move", #"{"occurredAt":"2026-11-20T10:00:00Z"}"#),
            .corrected("s", "move", #"{"externalPurchaseId":"\#(Merchant.token("b").externalPurchaseId)"}"#),
        ],
        [false, true]
    )
    func lostCorrection(_ event: Event, isNamed: Bool) async throws {
        let path = Self.newPath()
        let lost = try Self.merchant(at: path)
        for token in [Merchant.token(), Merchant.token("b")] { try await lost.take(token) }
        try await Self.run(.told(Merchant.purchase("s", on: Merchant.token())), at: lost)
        try await Self.run(.told(Merchant.refund("r", of: "s", "3.00")), at: lost)
        let backup = try Self.copy(path)
        let before = try await lost.reports().count
        try await Self.run(event, at: lost)
        let corrections = try await lost.reports().dropFirst(before).map(\.requestIdentifier)
        // Apple's copies are imported one by one, which the parts of one correction on two tokens do not allow.
        if isNamed, corrections.count > 1 { return }
        let books = try AppleBooks(lost.apple.puts)
        let merchant = try Self.merchant(at: backup, beside: lost)
        try await Self.run(event, at: merchant)
        for _ in corrections {
            let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
            #expect(item.kind == .reportRefused)
            let decision = ReviewDecision(
                .accepted,
                by: "kim",
                note: "",
                requestIdentifier: isNamed ? corrections.first : nil
            )
            _ = try await merchant.system.review.decide(decision, on: item.sequence)
            await merchant.system.sender.runUntilIdle()
        }
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.detail) == [])
        // The token goes on, and the exports have what Apple has.
        try await Self.run(.told(Merchant.purchase("new", on: Merchant.token())), at: merchant)
        #expect(merchant.apple.item("new") != nil)
        let reported = try await Self.exports(of: merchant).filter { $0.contains(" reported ") }
        #expect(reported.count == books.live.count + 1, "\(reported)")
        for id in books.live.keys { #expect(reported.contains { $0.contains(" \(id) 2026-") }, "\(id)") }
        if case .corrected(_, "move", _) = event {
            try await Self.run(.told(Merchant.refund("r9", of: "s", "6.99")), at: merchant)
            #expect(merchant.apple.item("r9")?.netAmountTaxExclusive == 0)
        }
    }

    // MARK: Converted currencies

    /// Sales in a converted currency, and how a part of them was given back.
    struct Converted: Sendable, CustomTestStringConvertible {
        let currency: String
        let country: String
        let rate: String
        /// One price is a purchase, several are an order.
        let prices: [String]
        let refund: String

        var testDescription: String { "\(refund) of \(prices) \(currency)" }

        var order: String {
            let rate = #","exchangeRate":{"rate":"\#(rate)","source":"B","asOf":"2026-11-20T11:00:00Z"}"#
            let lines = prices.map {
                """
                "productId":"gems","quantity":1,"amount":{"currency":"\(currency)","inclusive":"\($0)","taxRate":"20",
                "taxCountry":"\(country)"\(currency == "EUR" ? "" : rate)}
                """
            }
            let content = lines.count == 1 ? lines[0] : "\"lines\":[{\(lines.joined(separator: "},{"))}]"
            return """
                {"saleId":"s","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",
                "externalPurchaseId":"\(Merchant.token().externalPurchaseId)",\(content)}
                """
        }

        func place(_ number: Int) -> String { prices.count == 1 ? "s" : "s/\(number)" }
    }

    private static let converted = [
        Converted(
            currency: "UAH",
            country: "UKR",
            rate: "0.0205",
            prices: ["64.56", "37.63", "93.02"],
            refund: "76.53"
        ),
        Converted(
            currency: "UAH",
            country: "UKR",
            rate: "0.0205",
            prices: ["10.01", "20.02", "30.03"],
            refund: "31.07"
        ),
        Converted(
            currency: "UAH",
            country: "UKR",
            rate: "0.0205",
            prices: ["199.99", "0.99", "5.55"],
            refund: "100.01"
        ),
        Converted(
            currency: "RSD",
            country: "SRB",
            rate: "0.0085",
            prices: ["999.99", "450.50", "77.77"],
            refund: "512.34"
        ),
        Converted(currency: "ISK", country: "ISL", rate: "0.0069", prices: ["1490", "991", "2377"], refund: "1601"),
        Converted(currency: "UAH", country: "UKR", rate: "0.0205", prices: ["64.56"], refund: "50.01"),
        Converted(currency: "RSD", country: "SRB", rate: "0.0085", prices: ["999.99"], refund: "512.34"),
    ]

    /// When the lost records are told to the restored ledger, and what its copy has.
    enum Retelling: CaseIterable, Sendable {
        case refundLost, refundTwice, allLost, refundFirst, beforeImport, refundBeforeImport
    }

    @Test(
        "RR-46: an imported refund in a converted currency has the amounts that were reported, once it is told again",
        arguments: converted.flatMap { story in [false, true].map { (story, $0) } },
        Retelling.allCases
    )
    func amounts(_ story: (Converted, isTotal: Bool), _ retelling: Retelling) async throws {
        let (sales, isTotal) = story
        let path = Self.newPath()
        let lost = try Self.merchant(at: path)
        try await lost.take(Merchant.token())
        let empty = try Self.copy(path)
        try await lost.sell(sales.order)
        await lost.system.sender.runUntilIdle()
        let backup = [.refundLost, .refundTwice].contains(retelling) ? try Self.copy(path + ".sold", of: path) : empty
        let told =
            isTotal
            ? ReturnOrderTests.total("r", sales.refund, at: 10) : ReturnOrderTests.refund("r", sales.refund, at: 10)
        guard case .told(let refund) = told else { return }
        try await lost.sell(refund)
        await lost.system.sender.runUntilIdle()
        let amounts = try await Self.refunds(of: lost)
        #expect(amounts.count == sales.prices.count)
        let file = try await Self.records(of: lost, [Merchant.token()])
        let merchant = try Self.merchant(at: backup, beside: lost)
        switch retelling {
        case .refundLost, .refundTwice, .allLost, .refundFirst: try await Self.take(file, merchant)
        case .beforeImport:
            for body in [sales.order, refund] { try await merchant.sell(body) }
            try await Self.take(file, merchant)
        case .refundBeforeImport:
            try await merchant.sell(refund)
            try await Self.take(file, merchant)
        }
        let puts = merchant.apple.puts.count
        for body in retelling == .refundFirst ? [refund, sales.order] : [sales.order, refund] {
            try await merchant.sell(body)
        }
        if retelling == .refundTwice { try await merchant.sell(refund) }
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == puts)
        let now = try await Self.refunds(of: merchant)
        #expect(now == amounts, "\(now) \(amounts)")
        for (number, price) in sales.prices.enumerated() {
            let place = sales.place(number + 1)
            let rest = try #require(Decimal(string: price)) - (amounts[SaleId(place)] ?? 0)
            if case .told(let body) = ReturnOrderTests.refund("rest\(number)", "\(rest)", at: 20, of: place) {
                try await merchant.sell(body)
            }
        }
        await merchant.system.sender.runUntilIdle()
        let held = try await merchant.system.lists.sales(LedgerPage()).filter { $0.standing == .held }
        #expect(held.map { "\($0.sale.saleId) \($0.attribution.flags)" } == [])
        let books = try await merchant.appleBooks()
        for buy in books.liveBuys.keys { #expect(books.net(of: buy) == 0, "\(buy)") }
    }

    // MARK: Totals

    /// A purchase or order with two refunds of which the later one is a total or not, and a still later total.
    struct Contained: Sendable, CustomTestStringConvertible {
        let sold: Converted
        /// What the earlier refund and the later ones give back.
        let early: String
        let late: String
        let amounts = (early: "21.40", late: "33.70")
        let last: String

        var testDescription: String { "\(early) before \(late) of \(sold.prices) \(sold.currency)" }
    }

    private static let withTotals = [
        ("EUR", ["87.30"], "s", "s", "60.00"), ("UAH", ["87.30"], "s", "s", "60.00"),
        ("UAH", parts, "s/1", "s", "60.00"), ("UAH", parts, "s", "s", "60.00"), ("UAH", parts, "s/1", "s/1", "58.00"),
        ("UAH", parts, "s", "s/1", "58.00"),
    ].map { currency, prices, early, late, last in
        Contained(
            sold: Converted(currency: currency, country: "ISL", rate: "0.0227", prices: prices, refund: ""),
            early: early,
            late: late,
            last: last
        )
    }

    private static let parts = ["60.10", "9.90", "17.30"]

    @Test(
        "RR-46: a refund before an imported one waits until that one is told, which may contain it, whichever comes first",
        arguments: withTotals.flatMap { story in [false, true].map { (story, $0) } },
        sample([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], 3)
    )
    func contained(_ story: (Contained, isTotal: Bool), _ order: [Int]) async throws {
        let (refunds, isTotal) = story
        for (isEarlyTotal, isPaused) in [(false, true), (true, false)] {
            let early = Self.refund("e", refunds.amounts.early, at: 10, of: refunds.early, isTotal: isEarlyTotal)
            let late = Self.refund("l", refunds.amounts.late, at: 20, of: refunds.late, isTotal: isTotal)
            let last = Self.refund("f", refunds.last, at: 30, of: refunds.late, isTotal: true)
            let news = order.map { [early, late, last][$0] }
            var amounts: [[String: Int64]] = []
            var held: [[String]] = []
            for isLost in [false, true] {
                let path = Self.newPath()
                var merchant = try Self.merchant(at: path)
                try await merchant.take(Merchant.token())
                try await Self.tell([refunds.sold.order], isPaused: false, to: merchant)
                let backup = try Self.copy(path)
                try await Self.tell([late], isPaused: false, to: merchant)
                if isLost {
                    let file = try await Self.records(of: merchant, [Merchant.token()])
                    merchant = try Self.merchant(at: backup, beside: merchant)
                    try await Self.take(file, merchant)
                }
                try await Self.tell(news, isPaused: isPaused, to: merchant)
                // The net depends on what else is in the report.
                let items = merchant.apple.items.map { ($0.lineItemId?.rawValue ?? "", $0.amountTaxInclusive ?? 0) }
                amounts.append(Dictionary(items) { first, _ in first })
                let waiting = try await merchant.system.lists.sales(LedgerPage()).filter { $0.standing == .held }
                held.append(waiting.map { "\($0.sale.saleId) \($0.attribution.flags)" })
                let books = try await merchant.appleBooks()
                for buy in books.liveBuys.keys { #expect(books.net(of: buy) >= 0, "\(buy)") }
            }
            #expect(held[0] == held[1], "total: \(isEarlyTotal), paused: \(isPaused)")
            // What an imported refund in a converted currency gave back exactly is known when it is told again.
            let rounding: Int64 = refunds.sold.currency != "EUR" && order.first == 2 ? 1 : 0
            let ids = Set(amounts[0].keys).union(amounts[1].keys)
            let differing = ids.filter { abs((amounts[0][$0] ?? 0) - (amounts[1][$0] ?? 0)) > rounding }
            #expect(differing == [], "\(amounts), total: \(isEarlyTotal), paused: \(isPaused)")
        }
    }

    private static func tell(_ bodies: [String], isPaused: Bool, to merchant: Merchant) async throws {
        for body in bodies {
            try await merchant.sell(body)
            if isPaused { await merchant.system.sender.runUntilIdle() }
        }
        await merchant.system.sender.runUntilIdle()
    }

    private static func refund(
        _ id: String,
        _ amount: String,
        at minute: Int,
        of buy: String,
        isTotal: Bool
    ) -> String {
        let event =
            isTotal
            ? ReturnOrderTests.total(id, amount, at: minute, of: buy)
            : ReturnOrderTests.refund(id, amount, at: minute, of: buy)
        return if case .told(let body) = event { body } else { "" }
    }

    /// The amounts of the refunds by the purchase or line.
    private static func refunds(of merchant: Merchant) async throws -> [SaleId: Decimal] {
        try await merchant.system.lists.sales(LedgerPage()).reduce(into: [:]) { amounts, sale in
            guard sale.attribution.state != .recorded, let refund = sale.sale.refund else { return }
            amounts[refund.refundOf] = refund.inclusive
        }
    }
}
