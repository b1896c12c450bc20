import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerTesting
import Testing

@testable import Reporting

/// Random ledgers, made by the real intakes, the sender and Apple's answers.
///
/// The oracle reads everything that is connected and plans it. The plans that arrivals make read far less, and the
/// ledger must be as if they had read everything.
@Suite("A plan that reads only what its keys can change is the plan of everything connected (RR-60 to RR-67)")
struct PlanReadingTests {
    @Test("After each arrival every record is as the plan of everything connected leaves it", arguments: 0..<12)
    func stories(_ seed: UInt64) async throws {
        try await play(RandomStory(seed: seed))
    }

    @Test("The same where sales are often voided and amended, and customers set", arguments: 100..<112)
    func changes(_ seed: UInt64) async throws {
        try await play(RandomStory(seed: seed, changesOften: true))
    }

    private func play(_ played: RandomStory) async throws {
        var story = played
        for _ in 1...30 {
            await story.step()
            try await expectSamePlans(story)
        }
        await story.merchant.system.sender.runUntilIdle()
        try await expectSamePlans(story)
    }

    private func expectSamePlans(_ story: RandomStory) async throws {
        let merchant = story.merchant
        let (settings, now) = (merchant.system.settings, merchant.clock.now)
        let differences = try await merchant.store.read { ledger throws(LedgerError) in
            try Self.differences(settings, now: now, in: ledger) + Self.unfoundedLinks(in: ledger)
        }
        let words = differences.joined(separator: "\n")
        #expect(differences.isEmpty, "\(story.words.joined(separator: "\n"))\n---\n\(words)")
    }

    /// The links from sales that nothing that remains founds (TK-78).
    ///
    /// Founded are those that follow, in any number of steps, from what sales name and from what others than sales
    /// stated. It does not matter here which of several comes first.
    private static func unfoundedLinks(in ledger: LedgerQueries) throws(LedgerError) -> [String] {
        let tokens = try ledger.tokens(
            in: ReportingScope(bundleId: Merchant.shop, environment: .production),
            madeFrom: Timestamp(milliseconds: 0),
            until: Timestamp(milliseconds: .max),
            TimePage(limit: 10_000)
        )
        let sales = try ledger.sales(LedgerPage(limit: 10_000)).filter { !$0.isVoid && $0.sale.purchase != nil }
        var checkouts: [CheckoutId: Checkout] = [:]
        for id in Set(tokens.map(\.checkoutId) + sales.compactMap(\.sale.checkoutId)) {
            checkouts[id] = try ledger.checkout(id, of: Merchant.shop)
        }
        var customersOfToken: [ExternalPurchaseId: Set<CustomerId>] = [:]
        var customersOfCheckout: [CheckoutId: Set<CustomerId>] = [:]
        var tokensOfCheckout: [CheckoutId: Set<ExternalPurchaseId>] = [:]
        for token in tokens where token.customerSource != .sales {
            if let customer = token.customerId { customersOfToken[token.token.externalPurchaseId] = [customer] }
        }
        for (id, checkout) in checkouts {
            if let customer = checkout.customerId, !checkout.isCustomerFromSale { customersOfCheckout[id] = [customer] }
            if let token = checkout.externalPurchaseId, !checkout.isTokenFromSale { tokensOfCheckout[id] = [token] }
            for environment in AppStoreEnvironment.allCases {
                let claims = try ledger.claims(on: id, of: Merchant.shop, in: environment, limit: 100)
                tokensOfCheckout[id, default: []].formUnion(claims)
            }
        }
        for sale in sales {
            guard let id = sale.sale.checkoutId, let token = sale.sale.externalPurchaseId else { continue }
            tokensOfCheckout[id, default: []].insert(token)
        }
        while true {
            let before = (customersOfToken, customersOfCheckout)
            for (id, ofCheckout) in tokensOfCheckout {
                let customers = customersOfCheckout[id] ?? []
                for token in ofCheckout { customersOfToken[token, default: []].formUnion(customers) }
            }
            for sale in sales.map(\.sale) {
                var named = Set([sale.externalPurchaseId].compactMap(\.self))
                if let id = sale.checkoutId { named.formUnion(tokensOfCheckout[id] ?? []) }
                var customers = Set([sale.customerId].compactMap(\.self))
                if let id = sale.checkoutId { customers.formUnion(customersOfCheckout[id] ?? []) }
                for token in named { customers.formUnion(customersOfToken[token] ?? []) }
                for token in named { customersOfToken[token, default: []].formUnion(customers) }
                if let id = sale.checkoutId { customersOfCheckout[id, default: []].formUnion(customers) }
            }
            if before == (customersOfToken, customersOfCheckout) { break }
        }
        var unfounded: [String] = []
        for token in tokens where token.customerSource == .sales {
            guard let customer = token.customerId else { continue }
            if customersOfToken[token.token.externalPurchaseId]?.contains(customer) != true {
                unfounded.append("token \(token.token.externalPurchaseId) of \(customer)")
            }
        }
        for (id, checkout) in checkouts {
            if checkout.isCustomerFromSale, let customer = checkout.customerId,
                customersOfCheckout[id]?.contains(customer) != true
            {
                unfounded.append("checkout \(id) of \(customer)")
            }
            if checkout.isTokenFromSale, let token = checkout.externalPurchaseId,
                !sales.contains(where: { $0.sale.checkoutId == id && $0.sale.externalPurchaseId == token })
            {
                unfounded.append("checkout \(id) with \(token)")
            }
        }
        return unfounded
    }

    private static func differences(
        _ settings: ReportingSettings,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [String] {
        let sales = try ledger.sales(LedgerPage(limit: 10_000))
        let tokens = try ledger.tokens(
            in: ReportingScope(bundleId: Merchant.shop, environment: .production),
            madeFrom: Timestamp(milliseconds: 0),
            until: Timestamp(milliseconds: .max),
            TimePage(limit: 10_000)
        )
        var differences: [String] = []
        func compare(_ keys: [PlanningKey], _ extent: ConnectedRecords.Extent) throws(LedgerError) {
            func plan(_ extent: ConnectedRecords.Extent) throws(LedgerError) -> MerchantPlanner.Planned {
                try MerchantPlanner.plan(
                    settings,
                    touching: keys,
                    of: Merchant.shop,
                    extent: extent,
                    in: ledger,
                    now: now
                )
            }
            let (few, all) = (try plan(extent), try plan(.connected))
            for (id, made) in few.plan.sales {
                guard let stored = few.part.sales[id], let expected = all.plan.sales[id] else {
                    differences.append("\(keys): \(id) is not connected")
                    continue
                }
                // Nothing of a sale in a report is stored but the correction of its figures.
                let isOpen = [.planned, .held, .recorded].contains(stored.standing)
                let isSame =
                    isOpen
                    ? made == expected
                    : made.outcome == expected.outcome && made.moment == expected.moment
                        && made.revision == expected.revision
                if !isSame { differences.append("\(keys): \(id) \(stored.standing)\n  \(made)\n  \(expected)") }
            }
            for (id, made) in few.plan.tokens {
                let expected = all.plan.tokens[id]
                if made.customerId != expected?.customerId || made.isChosen != expected?.isChosen {
                    differences.append("\(keys): \(id)\n  \(made)\n  \(String(describing: expected))")
                }
            }
            for (id, made) in few.plan.checkouts where all.plan.checkouts[id] != made {
                differences.append("\(keys): \(made)\n  \(String(describing: all.plan.checkouts[id]))")
            }
            guard extent == .pending, case .token(let id)? = keys.first else { return }
            if few.plan.tokens[id] != all.plan.tokens[id] {
                differences.append(
                    "\(keys):\n  \(String(describing: few.plan.tokens[id]))\n  "
                        + String(describing: all.plan.tokens[id])
                )
            }
            for (id, made) in all.plan.sales where few.plan.sales[id] == nil {
                // Whatever the smaller part left out is not changed by the complete plan either.
                guard let stored = all.part.sales[id], [.planned, .held].contains(stored.standing) else { continue }
                let attribution = stored.attribution
                guard attribution.holdCauses.isDisjoint(with: [.waitsForCorrection, .importedSubscription]) else {
                    continue
                }
                let waits = made.waitsFor != nil
                let state = waits && made.attribution.state == .planned ? .held : made.attribution.state
                if attribution.state != state || attribution.externalPurchaseId != made.externalPurchaseId {
                    differences.append("\(keys): left out \(id)\n  \(attribution)\n  \(made)")
                }
            }
        }
        for sale in sales { try compare([.sale(sale.sale.saleId)] + sale.sale.keys, .touched) }
        for token in tokens { try compare([.token(token.token.externalPurchaseId)], .pending) }
        return differences
    }
}

/// A merchant to whom random things happen: few customers, periods, checkouts and moments, so that much coincides.
private struct RandomStory {
    let merchant = Merchant()
    private(set) var words: [String] = []
    private var random: SplitMix64
    private var tokens: [ExternalPurchaseToken] = []
    private var buys: [String] = []
    private var charges: [String] = []
    private var chargebacks: [String] = []
    private var sales: [String] = []
    private var number = 0

    /// Whether every third step voids or amends a sale, or sets a customer.
    private let changesOften: Bool

    init(seed: UInt64, changesOften: Bool = false) {
        random = SplitMix64(seed: seed)
        self.changesOften = changesOften
    }

    private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }

    mutating func step() async {
        number += 1
        if changesOften, chance(3) {
            if chance(2) { await change() } else { await setCustomer() }
            return
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: await token()
        case 5..<8: await purchase()
        case 8..<11: await charge()
        case 11..<13: await refund()
        case 13: await order()
        case 14: await change()
        case 15: await setCustomer()
        case 16: await correct()
        case 17:
            merchant.clock.advance(by: .days(Int64.random(in: 0...3, using: &random)))
            words.append("later")
        default:
            words.append("send")
            await merchant.system.sender.runUntilIdle()
        }
    }

    private mutating func customer(_ oneIn: Int) -> String? { chance(oneIn) ? nil : pick(["a", "a", "b"]) }

    private mutating func checkout() -> String? {
        chance(2) ? nil : chance(3) ? pick(["k1", "k2", "k3"]) : "own-\(number)"
    }

    private mutating func token() async {
        let known = chance(5) ? pick(tokens) : nil
        var token = known
        if token == nil {
            let type = pick([TokenType.services, .services, .acquisition, nil, nil, .linkOut]) ?? nil
            let isCustomLink = type == .services || type == .acquisition
            let made = Merchant.noon - .days(pick([90, 60, 40, 5]) ?? 5)
            token = ExternalPurchaseToken(
                appAppleId: Merchant.appAppleId,
                bundleId: Merchant.shop,
                tokenCreationDate: made,
                externalPurchaseId: ExternalPurchaseId("4d3f0000-0000-4000-8000-\(100_000_000_000 + number)"),
                tokenType: type,
                tokenExpirationDate: isCustomLink ? made + .days(pick([60, 60, 120]) ?? 60) : nil
            )
        }
        guard let token else { return }
        if known == nil { tokens.append(token) }
        // Apple does not know a forged one.
        if known == nil, !chance(7) { merchant.apple.know(token) }
        let arrival = TokenArrival(
            text: token.encoded(),
            source: chance(3) ? .website : .app,
            customerId: customer(3).map { CustomerId($0) },
            checkoutId: checkout().map { CheckoutId($0) }
        )
        words.append("\(arrival) \(token)")
        _ = try? await merchant.system.tokens.receive(arrival)
    }

    private mutating func moment() -> Timestamp { Merchant.noon - .days(Int64.random(in: 0...88, using: &random)) }

    private mutating func names() -> String {
        var names = ""
        if chance(3), let token = pick(tokens) { names += #""externalPurchaseId":"\#(token.externalPurchaseId)","# }
        if chance(20) { names += #""externalPurchaseId":"never-came","# }
        if let customer = customer(4) { names += #""customerId":"\#(customer)","# }
        if let checkout = checkout() { names += #""checkoutId":"\#(checkout)","# }
        return names
    }

    private mutating func sell(_ type: String, at moment: Timestamp, _ members: String, as id: String? = nil) async
        -> String?
    {
        let id = id ?? "s\(number)"
        let body =
            #"{"saleId":"\#(id)","bundleId":"com.example.shop","type":"\#(type)","#
            + #""occurredAt":"\#(moment)",\#(members)}"#
        words.append(body)
        do {
            _ = try await merchant.sell(body)
        } catch {
            words.append("  \(error)")
            return nil
        }
        sales.append(id)
        return id
    }

    private mutating func amount(_ inclusive: String = "12.00") -> String {
        let tax = chance(10) ? "" : #""taxRate":"21","#
        return #""amount":{"currency":"EUR",\#(tax)"inclusive":"\#(inclusive)","taxCountry":"NLD"}"#
    }

    private mutating func purchase() async {
        let members = names() + #""productId":"gems","quantity":1,"# + amount()
        if let id = await sell("purchase", at: moment(), members) { buys.append(id) }
    }

    private mutating func order() async {
        let line = #"{"productId":"gems","quantity":1,\#(amount())}"#
        let members = names() + #""lines":[\#(line),\#(line)]"#
        if let id = await sell("purchase", at: moment(), members) { buys.append(id) }
    }

    private mutating func charge() async {
        let subscription = pick(["sub1", "sub1", "sub2"]) ?? "sub1"
        let from = moment()
        switch Int.random(in: 0..<8, using: &random) {
        case 0: _ = await sell("lapse", at: from, #""subscriptionId":"\#(subscription)""#)
        case 1: _ = await sell("cancellation", at: from, #""subscriptionId":"\#(subscription)""#)
        default:
            let event = chance(4) ? #""event":"\#(pick(["renewal", "change", "payment"]) ?? "renewal")","# : ""
            let to = from + .days(Int64.random(in: 1...40, using: &random))
            let members =
                names() + #""subscriptionId":"\#(subscription)",\#(event)"#
                + #""period":{"start":"\#(from)","end":"\#(to)"},"productId":"\#(pick(["club", "club+"]) ?? "club")","#
                + #""quantity":1,"# + amount(chance(5) ? "0.00" : "6.00")
            if let id = await sell("subscription", at: from, members) { charges.append(id) }
        }
    }

    private mutating func refund() async {
        let at = chance(2) ? Merchant.noon : moment()
        if chance(4), let chargeback = pick(chargebacks) {
            _ = await sell("chargebackReversal", at: at, #""reversalOf":"\#(chargeback)""#)
            return
        }
        guard let buy = pick(chance(10) ? ["never"] : buys + charges) else { return }
        let isChargeback = chance(3)
        let inclusive = pick(["1.00", "3.00", "6.00", "12.00"]) ?? "1.00"
        let members = #""refundOf":"\#(buy)","amount":{"inclusive":"\#(inclusive)"}"#
        let id = await sell(isChargeback ? "chargeback" : "refund", at: at, members)
        if isChargeback, let id { chargebacks.append(id) }
    }

    private mutating func change() async {
        guard let id = pick(sales) else { return }
        if chance(2) {
            words.append("void \(id)")
            let body = JSONValue.object(["by": "kim", "reason": "a test"])
            do { _ = try await merchant.system.voidSale(SaleId(id), body: body) } catch { words.append("  \(error)") }
        } else {
            let members =
                names() + #""amends":true,"by":"kim","reason":"a test","productId":"gems","quantity":2,"#
                + amount("8.00")
            _ = await sell("purchase", at: moment(), members, as: id)
        }
    }

    private mutating func setCustomer() async {
        guard let token = pick(tokens) else { return }
        let customer = chance(3) ? "null" : #""\#(customer(9) ?? "b")""#
        words.append("customer of \(token.externalPurchaseId): \(customer)")
        do {
            let body = try JSONReader().read(#"{"customerId":\#(customer),"by":"kim","reason":"a test"}"#)
            _ = try await merchant.system.setCustomer(of: token.externalPurchaseId, body: body)
        } catch {
            words.append("  \(error)")
        }
    }

    private mutating func correct() async {
        guard let id = pick(sales) else { return }
        let action = pick(["retract", "undo"]) ?? "retract"
        let wish =
            #"{"bundleId":"com.example.shop","saleId":"\#(id)","action":"\#(action)","#
            + #""requestedBy":"maria","reason":"r"}"#
        words.append(wish)
        do {
            let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
            let confirmation = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
            _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(confirmation))
        } catch {
            words.append("  \(error)")
        }
    }
}
