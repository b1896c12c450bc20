import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Payments

@Suite("Stripe's events become sales")
struct StripeInterpreterTests {
    @Test("Every row of the contract has its scenarios")
    func count() {
        #expect(StripeFixture.names.count == 150)
    }

    @Test("A scenario gives its sales, withdrawals, outcomes and requests", arguments: StripeFixture.names)
    func scenario(_ name: String) throws {
        let fixture = try StripeFixture(name)
        let reading = fixture.interpret(try fixture.events())
        var sales: [SaleId: JSONValue] = [:]
        for sale in reading.sales {
            #expect(sales.updateValue(sale.sale.json.sorted, forKey: sale.sale.saleId) == nil)
            #expect(sale.isLive == fixture.isLive)
            #expect(sale.eventIds == reading.outcomes.teller(of: sale.sale.saleId))
            #expect(!sale.eventIds.isEmpty)
        }
        for (saleId, expected) in fixture.sales where sales[saleId] != expected {
            Issue.record("\(saleId): \(sales[saleId]?.formatted() ?? "none"), expected \(expected.formatted())")
        }
        #expect(Set(sales.keys) == Set(fixture.sales.keys))
        let withdrawals = reading.withdrawals.map { ($0.saleId.rawValue, $0.reason.rawValue) }
        #expect(Dictionary(uniqueKeysWithValues: withdrawals) == fixture.withdrawals)
        #expect(
            reading.outcomes.mapValues(\.text)
                == fixture.outcomes.mapValues { outcome in
                    let words = outcome.split(separator: " ")
                    return ([words[0]] + words.dropFirst().sorted()).joined(separator: " ")
                }
        )
        #expect(reading.requests.map(\.path) == fixture.requests)
        if let payments = fixture.payments { #expect(reading.payments.mapValues(\.text) == payments) }
    }

    @Test("Sales can be stored in the order of the reading", arguments: StripeFixture.names)
    func storableOrder(_ name: String) throws {
        let fixture = try StripeFixture(name)
        var stored: Set<SaleId> = []
        for sale in fixture.interpret(try fixture.events()).sales {
            if let named = sale.sale.takenBack { #expect(stored.contains(named)) }
            stored.insert(sale.sale.saleId)
        }
    }

    @Test("Order and repetition of events do not matter", arguments: StripeFixture.names)
    func order(_ name: String) throws {
        let fixture = try StripeFixture(name)
        let events = try fixture.events()
        let expected = fixture.interpret(events)
        for delivery in Deliveries.all(of: events) {
            #expect(fixture.interpret(delivery) == expected)
        }
    }

    @Test(
        "The statement of a payment is what the scenario says that was sold and given back",
        arguments: StripeFixture.names
    )
    func statement(_ name: String) throws {
        let fixture = try StripeFixture(name)
        let reading = fixture.interpret(try fixture.events())
        let sales = fixture.sales.compactMapValues { Sale(stored: $0) }
        let reversed = Set(sales.values.compactMap(\.reversedChargeback))
        let isOpen = fixture.outcomes.values.contains { $0.hasPrefix("held") || $0.hasPrefix("waiting") }
        for statement in reading.statements {
            let sold = statement.saleIds.flatMap { sales[$0]?.purchases ?? [] }.map(\.inclusive).reduce(0, +)
            #expect(statement.given - statement.beside == sold, "\(statement)")
            let refunds = sales.values.filter { sale in
                !reversed.contains(sale.saleId) && sale.refund.map { statement.saleIds.contains($0.refundOf) } ?? false
            }
            let back = refunds.compactMap { $0.refund?.inclusive }.reduce(0, +)
            if !isOpen { #expect(statement.reportedBack == back, "\(statement)") }
        }
        if isOpen { return }
        let named = Set(reading.statements.flatMap(\.saleIds))
        for sale in sales.values where sale.purchases.contains(where: \.isCharged) {
            #expect(named.contains(sale.saleId), "\(sale.saleId) is in no statement")
        }
    }

    @Test(
        "A charge in another currency than the sale that was told before restates it; the next invoice waits for its charge"
    )
    func otherCurrency() throws {
        let fixture = try StripeFixture("invoice-presented-currency")
        let events = try fixture.events()
        let early = fixture.interpret(events.filter { $0.id == "evt_i" }).sales.map(\.sale)
        #expect(early.flatMap(\.purchases).map(\.currency) == ["EUR"])
        let reading = fixture.interpret(events, standing: early)
        #expect(reading.sales.map(\.restatement) == [.presented])
        #expect(reading.sales.flatMap(\.sale.purchases).map { "\($0.currency) \($0.inclusive)" } == ["USD 10.99"])

        // What was given back of it in the first currency is in the way: a person decides.
        let sold = try #require(early.first)
        let refund = Sale(
            saleId: "re_1",
            bundleId: sold.bundleId,
            occurredAt: sold.occurredAt,
            kind: .refund(Refund(refundOf: sold.saleId, inclusive: 1, isChargeback: false))
        )
        let held = fixture.interpret(events, standing: early + [refund])
        #expect(held.sales.filter { $0.sale.saleId == sold.saleId }.map(\.sale) == early)
        #expect(held.outcomes["evt_c"]?.text == "held currency")

        let invoice = try #require(fixture.bodies.first.map { String(decoding: $0, as: UTF8.self) })
        let names = [("in_1", "in_2"), ("il_1", "il_2"), ("pi_1", "pi_2"), ("ch_1", "ch_2"), ("evt_i", "evt_j")]
        let next = names.reduce(invoice) { $0.replacing("\"\($1.0)\"", with: "\"\($1.1)\"") }
        let renewal = try StripeEvent(body: Array(next.utf8))
        let later = fixture.interpret(events + [renewal])
        #expect(later.outcomes["evt_j"]?.text == "waiting purchase")
        #expect(fixture.interpret([renewal]).outcomes["evt_j"]?.text == "used il_2")
    }

    @Test("What changes a sale that was told restates it: more captured, and a part of a lost dispute that came back")
    func restated() throws {
        let captured = try StripeFixture("charge-captured-in-steps")
        let captures = try captured.events()
        let first = captured.interpret(Array(captures.prefix(2))).sales.map(\.sale)
        #expect(first.flatMap(\.purchases).map(\.inclusive) == [6])
        let more = captured.interpret(captures, standing: first)
        #expect(more.sales.map(\.restatement) == [.captured])
        #expect(more.sales.flatMap(\.sale.purchases).map(\.inclusive) == [9])
        // Once it is restated, nothing is left to say.
        let done = captured.interpret(captures, standing: more.sales.map(\.sale))
        #expect(done.sales.map(\.restatement) == [nil])

        let disputed = try StripeFixture("dispute-returned-in-part")
        let disputes = try disputed.events()
        let place = try #require(disputes.firstIndex { $0.type == "charge.dispute.closed" })
        let opening = [("dispute.closed", "dispute.created"), ("lost", "needs_response"), ("evt_1", "evt_0")].reduce(
            String(decoding: disputed.bodies[place], as: UTF8.self).replacing(/"amount": ?20,/, with: "\"amount\":0,")
        ) { $0.replacing($1.0, with: $1.1) }
        let created = try StripeEvent(body: Array(opening.utf8))
        let told = disputed.interpret([disputes[0], created]).sales.map(\.sale)
        #expect(told.compactMap { $0.refund?.inclusive } == [10])
        // Without funds_reinstated, the end of the dispute says it alone.
        let closed = disputes.filter { $0.type != "charge.dispute.funds_reinstated" } + [created]
        let reading = disputed.interpret(closed, standing: told)
        let chargeback = try #require(reading.sales.first { $0.sale.refund != nil })
        #expect(chargeback.restatement == .disputeReturned)
        #expect(chargeback.sale.refund?.inclusive == Decimal(string: "9.8"))
    }

    /// Each delivery reaches a ledger event by event; the API answers a request after it was made.
    @Test(
        "However events arrive, the ledger ends with the same sales and never contradicts itself",
        arguments: StripeFixture.names
    )
    func arrival(_ name: String) throws {
        let fixture = try StripeFixture(name)
        guard fixture.arrival != .decides else { return }
        let events = try fixture.events()
        for delivery in Deliveries.all(of: events) {
            var ledger = RecordingLedger(fixture)
            for count in 1...delivery.count { ledger.read(Array(delivery.prefix(count))) }
            while ledger.fetch() { ledger.read(delivery) }
            ledger.read(delivery)
            #expect(ledger.contradictions == [])
            if fixture.arrival == .choosesIds {
                let expected = RecordingLedger.balances(of: fixture.sales.values.compactMap { Sale(stored: $0) })
                #expect(RecordingLedger.balances(of: Array(ledger.sales.values)) == expected)
            } else {
                #expect(ledger.sales.mapValues(\.json.sorted) == fixture.sales)
            }
        }
    }

    /// The same without the ledger's help: what an early reading says, later ones complete or withdraw.
    @Test(
        "A reading of fewer events is completed by a reading of more, never contradicted",
        arguments: StripeFixture.names
    )
    func prefixes(_ name: String) throws {
        let fixture = try StripeFixture(name)
        guard fixture.arrival == .any else { return }
        let events = try fixture.events()
        let complete = fixture.interpret(events)
        let final = Dictionary(uniqueKeysWithValues: complete.sales.map { ($0.sale.saleId, $0.sale) })
        let withdrawn = Set(complete.withdrawals.map(\.saleId))
        for delivery in Deliveries.all(of: events) {
            for count in delivery.indices {
                let early = fixture.interpret(Array(delivery.prefix(count)))
                for sale in early.sales.map(\.sale) where !withdrawn.contains(sale.saleId) {
                    #expect(final[sale.saleId].map { $0.completing(sale) } == final[sale.saleId])
                }
            }
        }
    }
}

extension PaymentState {
    fileprivate var text: String {
        let paid = payment.map { [$0.id, $0.currency, $0.amount.unitsText] } ?? []
        return ([reference.rawValue] + paid).joined(separator: " ")
    }
}

extension [String: PaymentOutcome] {
    fileprivate func teller(of saleId: SaleId) -> [String] {
        filter { $0.value.saleIds.contains(saleId) }.keys.sorted()
    }
}

extension PaymentOutcome {
    fileprivate var saleIds: [SaleId] { if case .used(let saleIds) = self { saleIds } else { [] } }
}

/// The orders in which events may arrive.
enum Deliveries {
    /// All orders of up to four events, else 40 random ones; in each some events arrive again later.
    static func all<Event>(of events: [Event]) -> [[Event]] {
        var random = SplitMix64(seed: 2_026)
        let orders = events.count <= 4 ? permutations(events) : (0..<40).map { _ in events.shuffled(using: &random) }
        return orders.map { order in
            var delivery = order
            for event in order where Bool.random(using: &random) {
                delivery.insert(event, at: Int.random(in: 0...delivery.count, using: &random))
            }
            return delivery
        }
    }

    private static func permutations<Event>(_ events: [Event]) -> [[Event]] {
        guard !events.isEmpty else { return [[]] }
        return events.indices.flatMap { index in
            var rest = events
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }
}

/// A ledger that stores what readings say, with the rules of the real one: a known sale takes what it lacks, a void one
/// never comes back.
struct RecordingLedger {
    private let fixture: StripeFixture
    private(set) var sales: [SaleId: Sale] = [:]
    private var void: Set<SaleId> = []
    private var fetched = StripeFetched()
    private var requested: [PaymentRequest] = []
    private(set) var contradictions: [String] = []

    init(_ fixture: StripeFixture) {
        self.fixture = fixture
    }

    mutating func read(_ events: [StripeEvent]) {
        let reading = fixture.interpret(events, fetched: fetched, standing: Array(sales.values))
        requested = reading.requests
        for withdrawal in reading.withdrawals where sales.removeValue(forKey: withdrawal.saleId) != nil {
            void.insert(withdrawal.saleId)
        }
        for given in reading.sales {
            let sale = given.sale
            if void.contains(sale.saleId) { contradictions.append("\(sale.saleId) was void") }
            if let known = sales[sale.saleId], sale.completing(known) != sale, given.restatement == nil {
                contradictions.append("\(sale.json.formatted()) contradicts \(known.json.formatted())")
            }
            sales[sale.saleId] = sale
        }
        for saleId in sales.keys where !reading.sales.contains(where: { $0.sale.saleId == saleId }) {
            contradictions.append("\(saleId) is in no reading any more")
        }
    }

    /// Answers the open requests.
    ///
    /// - Returns: false if there was none that has an answer.
    mutating func fetch() -> Bool {
        let answers = requested.filter { fixture.fetched.answers[$0] != nil && fetched.answers[$0] == nil }
        for request in answers { fetched.answers[request] = fixture.fetched.answers[request] }
        return !answers.isEmpty
    }

    /// What was charged and given back, in units of each currency, refunds and chargebacks apart.
    static func balances(of sales: [Sale]) -> [String: Decimal] {
        var balances: [String: Decimal] = [:]
        for sale in sales {
            for line in sale.purchases { balances["charged \(line.currency)", default: 0] += line.inclusive }
            guard let refund = sale.refund else { continue }
            balances[refund.isChargeback ? "charged back" : "refunded", default: 0] += refund.inclusive
        }
        return balances
    }
}
