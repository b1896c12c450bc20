import ExternalPurchaseCore
import Testing

@testable import Ledger

extension LedgerConformanceCase {
    private static func event(_ id: String, about subject: String, to webhook: String = "erp") -> WebhookDelivery {
        WebhookDelivery(
            webhook: webhook,
            eventId: id,
            type: "sale.planned",
            subject: .init(bundleId: LedgerRows.shop, kind: "sale", id: subject),
            body: [0x00, 0xFF],
            madeAt: LedgerRows.now
        )
    }

    private static func due(
        _ ledger: LedgerQueries,
        at time: Timestamp = LedgerRows.now,
        limit: Int = 9
    ) throws(LedgerError) -> [String] {
        try ledger.dueDeliveries(of: "erp", at: time, limit: limit).map(\.eventId)
    }

    private static func number(_ id: String, _ ledger: LedgerQueries) throws(LedgerError) -> Int64 {
        try ledger.deliveries(LedgerPage(limit: 100)).first { $0.eventId == id }?.sequence ?? 0
    }

    private static func record(
        _ id: String,
        _ outcome: WebhookOutcome,
        at time: Timestamp = LedgerRows.now,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let isAccepted = outcome == .delivered
        let attempt = WebhookAttempt(at: time, status: isAccepted ? 200 : nil, error: isAccepted ? nil : "no answer")
        try ledger.record([(try number(id, ledger), attempt, outcome)])
    }

    static let webhooks: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Events go out in the order of their subject, each after the one before it, and other subjects do not wait",
            over: { store in
                try await store.step { ledger throws in
                    #expect(try ledger.webhookPosition("erp") == nil)
                    let events = [("a1", "a"), ("b1", "b"), ("a2", "a"), ("a3", "a"), ("b2", "b")]
                    try ledger.insert(events.map { event($0.0, about: $0.1) }, upTo: "5", of: "erp")
                    try ledger.insert([event("c1", about: "a", to: "other")], upTo: "3", of: "other")
                    #expect(try ledger.webhookPosition("erp") == "5")
                    #expect(try ledger.webhooks() == ["erp", "other"])
                    #expect(try due(ledger) == ["a1", "b1"])
                    #expect(try due(ledger, limit: 1) == ["a1"])
                    #expect(try due(ledger, at: LedgerRows.now + .milliseconds(-1)).isEmpty)
                    let later = LedgerRows.now + .seconds(5)
                    try record("a1", .again(at: later), in: ledger)
                    try record("b1", .delivered, in: ledger)
                    #expect(try due(ledger) == ["b2"])
                    // What comes now stands behind what waits, and an event that is known is left alone.
                    try ledger.insert([event("a4", about: "a"), event("b2", about: "b")], upTo: "6", of: "erp")
                    try ledger.insert([event("d1", about: "d")], upTo: "7", of: "erp")
                    #expect(try due(ledger) == ["b2", "d1"])
                    #expect(try due(ledger, at: later) == ["b2", "d1", "a1"])
                    for id in ["a1", "a2", "a3", "a4"] {
                        #expect(try due(ledger, at: later).last == id)
                        try record(id, .delivered, at: later, in: ledger)
                    }
                    #expect(try due(ledger, at: later) == ["b2", "d1"])
                    #expect(
                        try ledger.deliveries(to: "erp", in: .waiting, LedgerPage()).map(\.eventId) == ["b2", "d1"]
                    )
                    let all = try ledger.deliveries(to: "erp", of: [LedgerRows.shop], LedgerPage())
                    #expect(all.map(\.eventId) == ["a1", "b1", "a2", "a3", "b2", "a4", "d1"])
                    #expect(all.allSatisfy { $0.body == [0x00, 0xFF] })
                    #expect(try ledger.deliveries(of: ["com.example.none"], LedgerPage()).isEmpty)
                    let first = try #require(all.first)
                    #expect(first.attempts == 2 && first.triedSince == LedgerRows.now && first.settledAt == later)
                    let attempts = try ledger.attempts(of: all.map(\.sequence))
                    #expect(attempts[first.sequence]?.map(\.status) == [nil, 200])
                    #expect(attempts.values.map(\.count).reduce(0, +) == 6)
                }
            }
        ),
        LedgerConformanceCase(
            "A parked event holds up its subject until it is sent again, and one that was accepted can be sent once more",
            over: { store in
                try await store.step { ledger throws in
                    let events = ["1", "2", "3"].map { event($0, about: "a") }
                    try ledger.insert(events, upTo: "5", of: "erp")
                    try record("1", .parked, in: ledger)
                    #expect(try due(ledger).isEmpty)
                    try ledger.insert([event("4", about: "a")], upTo: "6", of: "erp")
                    #expect(try due(ledger).isEmpty)
                    let later = LedgerRows.now + .days(4)
                    #expect(try ledger.redeliver(try number("1", ledger), by: "kim", at: later))
                    #expect(try ledger.delivery(try number("1", ledger))?.triedSince == nil)
                    #expect(try due(ledger).isEmpty)
                    #expect(try due(ledger, at: later) == ["1"])
                    try record("1", .delivered, at: later, in: ledger)
                    #expect(try due(ledger, at: later) == ["2"])
                    try record("2", .delivered, at: later, in: ledger)
                    #expect(try ledger.redeliver(try number("1", ledger), by: "kim", at: later))
                    #expect(try due(ledger, at: later) == ["1", "3"], "one that was accepted holds up none")
                    try record("1", .parked, at: later, in: ledger)
                    try ledger.insert([event("5", about: "a")], upTo: "7", of: "erp")
                    #expect(try due(ledger, at: later) == ["3"])
                    try record("3", .delivered, at: later, in: ledger)
                    #expect(try due(ledger, at: later) == ["4"])
                    try record("4", .delivered, at: later, in: ledger)
                    #expect(try due(ledger, at: later) == ["5"])
                    #expect(try ledger.parkedDeliveries(of: "erp") == [LedgerRows.shop: 1])
                    #expect(try ledger.waitingDeliveries(of: "erp") == 2)
                    #expect(try !ledger.redeliver(999, by: nil, at: later))
                }
            }
        ),
        LedgerConformanceCase(
            "What a webhook takes no longer is removed and holds up nothing; an attempt that is set for too late is due",
            over: { store in
                try await store.step { ledger throws in
                    let events = [("1", "a"), ("2", "a"), ("3", "b"), ("4", "c")]
                    try ledger.insert(events.map { event($0.0, about: $0.1) }, upTo: "5", of: "erp")
                    try ledger.insert([event("o", about: "a", to: "other")], upTo: "5", of: "other")
                    try record("1", .parked, in: ledger)
                    try record("3", .again(at: LedgerRows.now + .days(30)), in: ledger)
                    try record("4", .delivered, in: ledger)
                    func fit(_ types: Set<String>, _ apps: Set<BundleId>? = nil) throws(LedgerError) -> Int {
                        let horizon = LedgerRows.now + .days(1)
                        return try ledger.fitDeliveries(
                            of: "erp",
                            to: types,
                            of: apps,
                            horizon: horizon,
                            at: LedgerRows.now
                        )
                    }
                    #expect(try due(ledger).isEmpty)
                    #expect(try fit(["sale.planned"]) == 0)
                    #expect(try due(ledger) == ["3"])
                    #expect(try fit(["sale.planned"], ["com.example.none"]) == 3)
                    #expect(try ledger.deliveries(LedgerPage()).map(\.eventId) == ["4", "o"])
                    try ledger.insert([event("5", about: "a")], upTo: "6", of: "erp")
                    #expect(try fit(["sale.held"], [LedgerRows.shop]) == 1)
                    #expect(try ledger.waitingDeliveries(of: "other") == 1)
                }
            }
        ),
        LedgerConformanceCase(
            "What was accepted before a time is removed, some rows at once, and a purge lets go what stood behind",
            over: { store in
                try await store.step { ledger throws in
                    let events = [("1", "a"), ("2", "b"), ("3", "c"), ("4", "p"), ("5", "p")]
                    try ledger.insert(events.map { event($0.0, about: $0.1) }, upTo: "5", of: "erp")
                    for id in ["1", "2", "3"] { try record(id, .delivered, in: ledger) }
                    try record("4", .parked, in: ledger)
                    try ledger.removeDeliveries(acceptedBefore: LedgerRows.now, limit: 9)
                    #expect(try ledger.deliveries(LedgerPage()).count == 5)
                    let later = LedgerRows.now + .days(1)
                    try ledger.removeDeliveries(acceptedBefore: later, limit: 2)
                    #expect(try ledger.deliveries(LedgerPage()).map(\.eventId) == ["3", "4", "5"])
                    try ledger.purge(try ledger.purgePlan(before: LedgerRows.now), by: "kim")
                    #expect(try due(ledger, at: later).isEmpty)
                    try ledger.purge(try ledger.purgePlan(before: later), by: "kim")
                    #expect(try ledger.deliveries(LedgerPage()).map(\.eventId) == ["5"])
                    #expect(try due(ledger, at: later) == ["5"])
                    #expect(try ledger.attempts(of: [1, 2, 3, 4, 5]).isEmpty)
                }
            }
        ),
    ]
}
