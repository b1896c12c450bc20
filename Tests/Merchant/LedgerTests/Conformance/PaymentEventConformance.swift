import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

extension LedgerConformanceCase {
    static func event(
        _ id: PaymentEventId,
        about objects: Set<PaymentObjectName>,
        of customer: CustomerId? = nil,
        app: BundleId? = LedgerRows.shop,
        received: Timestamp = LedgerRows.now
    ) -> StoredPaymentEvent {
        let metadata = JSONValue.object(["external_purchase_customer": .string(customer?.rawValue ?? "none")])
        return StoredPaymentEvent(
            eventId: id,
            provider: .stripe,
            apps: [LedgerRows.shop, "com.example.other"],
            bundleId: app,
            type: "invoice.paid",
            isLive: true,
            createdAt: LedgerRows.now - .seconds(3),
            arrival: .delivered,
            receivedAt: received,
            content: ["id": .string(id.rawValue), "metadata": metadata],
            customerId: customer,
            objects: objects
        )
    }

    static let paymentEvents: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A payment event is stored once by its id, and found by the objects that it names",
            over: { store in
                try await store.step { ledger throws in
                    let first = try ledger.insert(event("evt_1", about: ["in_1", "pi_1"]))
                    #expect(first.isNew && first.event.sequence == 1)
                    let again = try ledger.insert(event("evt_1", about: ["in_2"]))
                    #expect(!again.isNew && again.event == first.event)
                    let second = try ledger.insert(event("evt_2", about: ["pi_1", "ch_1"])).event
                    let third = try ledger.insert(event("evt_3", about: ["in_3"], app: nil)).event
                    #expect(try ledger.paymentEvent("evt_1", of: .stripe) == first.event)
                    #expect(try ledger.paymentEvent("evt_9", of: .stripe) == nil)
                    #expect(try ledger.paymentEvents(about: ["pi_1"], of: .stripe) == [first.event, second])
                    #expect(
                        try ledger.paymentEvents(about: ["in_1", "ch_1", "in_3"], of: .stripe)
                            == [first.event, second, third]
                    )
                    #expect(try ledger.paymentEvents(about: [], of: .stripe).isEmpty)
                    let received = ListFilter([.state: "received"])
                    #expect(
                        try ledger.paymentEvents(matching: received, LedgerPage(after: 1)) == [second, third]
                    )
                }
            }
        ),
        LedgerConformanceCase(
            "The result of a payment event is kept with its reason; the same result again changes nothing",
            over: { store in
                try await store.step { ledger throws in
                    let stored = try ledger.insert(event("evt_1", about: ["in_1"], app: nil)).event
                    let result = PaymentEventResult(
                        .applied,
                        detail: "two sales",
                        sales: ["il_2", "il_1"],
                        decidedAt: LedgerRows.now
                    )
                    try ledger.setResult(result, of: stored, app: LedgerRows.shop)
                    let applied = try #require(try ledger.paymentEvent("evt_1", of: .stripe))
                    #expect(applied.result == result && applied.bundleId == LedgerRows.shop)
                    #expect(try ledger.paymentEvents(matching: ListFilter([.state: "received"]), LedgerPage()).isEmpty)
                    let head = try ledger.lastAuditEntry()
                    let later = PaymentEventResult(
                        .applied,
                        detail: "two sales",
                        sales: ["il_2", "il_1"],
                        decidedAt: LedgerRows.now + .seconds(9)
                    )
                    try ledger.setResult(later, of: applied, app: LedgerRows.shop)
                    #expect(try ledger.lastAuditEntry() == head)
                    #expect(try ledger.paymentEvent("evt_1", of: .stripe) == applied)
                    let page = LedgerPage()
                    for (filter, count) in [
                        (ListFilter([.state: "applied"]), 1), (ListFilter([.state: "held"]), 0),
                        (ListFilter([.saleId: "il_1"]), 1), (ListFilter([.saleId: "il_3"]), 0),
                        (ListFilter([.kind: "invoice.paid", .bundleId: LedgerRows.shop.rawValue]), 1),
                        (ListFilter(from: LedgerRows.now + .milliseconds(1)), 0),
                    ] {
                        #expect(try ledger.paymentEvents(matching: filter, page).count == count, "\(filter)")
                    }
                }
            }
        ),
        LedgerConformanceCase(
            "The first held event of an app is found, also one of no certain app",
            over: { store in
                try await store.step { ledger throws in
                    let held = PaymentEventResult(.held, detail: "no product", decidedAt: LedgerRows.now)
                    for (id, app) in [
                        ("evt_1", LedgerRows.shop), ("evt_2", "com.example.other"), ("evt_3", nil), ("evt_4", nil),
                    ] as [(PaymentEventId, BundleId?)] {
                        let stored = try ledger.insert(event(id, about: ["in_1"], app: app)).event
                        if id != "evt_1" { try ledger.setResult(held, of: stored, app: app) }
                    }
                    // Without a certain app, the first possible one counts.
                    #expect(try ledger.firstHeldPaymentEvent(of: LedgerRows.shop)?.eventId == "evt_3")
                    #expect(try ledger.firstHeldPaymentEvent(of: "com.example.other")?.eventId == "evt_2")
                    #expect(try ledger.firstHeldPaymentEvent(of: "com.example.third") == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "The first and the last event that have waited since a time are found, without those that wait for a bank",
            over: { store in
                try await store.step { ledger throws in
                    for (number, detail) in [
                        "session: none", "unpaid: no", "refund-pending: no", "invoice: none", "x", "token: no",
                    ]
                    .enumerated() {
                        let id = PaymentEventId(rawValue: "evt_\(number + 1)")
                        let app = number == 3 ? nil : LedgerRows.shop
                        let stored = try ledger.insert(event(id, about: ["in_1"], app: app)).event
                        let result = PaymentEventResult(
                            number == 4 ? .held : .waiting,
                            detail: detail,
                            decidedAt: LedgerRows.now
                        )
                        try ledger.setResult(result, of: stored, app: app)
                    }
                    func stuck(_ app: BundleId, _ time: Timestamp) throws(LedgerError) -> [String] {
                        try ledger.stuckPaymentEvents(of: app, receivedBy: time).map(\.eventId.rawValue)
                    }
                    #expect(try stuck(LedgerRows.shop, LedgerRows.now + .days(1)) == ["evt_1", "evt_4"])
                    #expect(try stuck(LedgerRows.shop, LedgerRows.now - .days(100)) == [])
                    #expect(try stuck("com.example.third", LedgerRows.now + .days(1)) == [])
                }
            }
        ),
        LedgerConformanceCase(
            "References of payments are counted, open their events again, and connect no events",
            over: { store in
                try await store.step { ledger throws in
                    let customer = PaymentReference.customer("cus_1")
                    let rows: [(String, PaymentEventResult.Reference?, Int64, Bool, Int)] = [
                        ("evt_1", .unreferenced, 9_990, true, 3), ("evt_2", .unreferenced, 10, true, 2),
                        ("evt_3", .referenced, 5, true, 1), ("evt_4", .waiting, 7_000, false, 1),
                        ("evt_5", .unreferenced, 1, true, 99), ("evt_6", nil, 1, true, 1),
                    ]
                    for (number, (id, reference, amount, isLive, age)) in rows.enumerated() {
                        let stored = try ledger.insert(
                            StoredPaymentEvent(
                                eventId: PaymentEventId(id),
                                provider: .stripe,
                                apps: [LedgerRows.shop, "com.example.other"],
                                bundleId: number == 1 ? nil : LedgerRows.shop,
                                type: "payment_intent.succeeded",
                                isLive: isLive,
                                createdAt: LedgerRows.now - .days(age),
                                arrival: .delivered,
                                receivedAt: LedgerRows.now,
                                content: .object(JSONObject([])),
                                customerId: nil,
                                objects: [PaymentObjectName("pi_\(number)"), customer.name]
                            )
                        ).event
                        let payment = PaymentEventResult.Payment(id: id, currency: "EUR", amount: MilliUnits(amount))
                        let result = PaymentEventResult(
                            reference == .referenced ? .applied : .notUsed,
                            detail: "x",
                            decidedAt: LedgerRows.now,
                            reference: reference,
                            payment: number == 5 ? nil : payment
                        )
                        try ledger.setResult(result, of: stored, app: stored.bundleId)
                        #expect(try ledger.paymentEvent(PaymentEventId(id), of: .stripe)?.result == result)
                    }
                    let figures = try ledger.paymentFigures(after: LedgerRows.now - .days(30), through: LedgerRows.now)
                    let told = figures.map {
                        "\($0.bundleId) \($0.isLive) \($0.reference.rawValue) \($0.currency) \($0.count) \($0.amount.unitsText)"
                    }
                    #expect(
                        told == [
                            "com.example.shop false waiting EUR 1 7.00", "com.example.shop true referenced EUR 1 0.005",
                            "com.example.shop true unreferenced EUR 2 10.00",
                        ]
                    )
                    #expect(try ledger.isReferenced(customer, of: .stripe, apps: ["com.example.other"]))
                    #expect(try !ledger.isReferenced(customer, of: .stripe, apps: ["com.example.third"]))
                    #expect(try !ledger.isReferenced(.customer("cus_2"), of: .stripe, apps: [LedgerRows.shop]))
                    #expect(try ledger.paymentEvents(about: ["pi_1"], of: .stripe).map(\.paymentObjects) == [["pi_1"]])
                    try ledger.reopenPaymentEvents(with: customer)
                    let received = try ledger.paymentEvents(matching: ListFilter([.state: "received"]), LedgerPage())
                    #expect(received.map(\.eventId.rawValue) == ["evt_1", "evt_2", "evt_4", "evt_5"])
                }
            }
        ),
        LedgerConformanceCase(
            "A payment of an account with a thousand apps is counted for the first of them",
            over: { store in
                try await store.step { ledger throws in
                    // Ids that no engine can compress.
                    let apps = (0..<1_000).map { _ in BundleId("com.\(UUID().uuidString).\(UUID().uuidString)") }
                    let stored = try ledger.insert(
                        StoredPaymentEvent(
                            eventId: "evt_1",
                            provider: .stripe,
                            apps: apps,
                            bundleId: nil,
                            type: "payment_intent.succeeded",
                            isLive: true,
                            createdAt: LedgerRows.now,
                            arrival: .delivered,
                            receivedAt: LedgerRows.now,
                            content: .object([:]),
                            customerId: nil,
                            objects: ["pi_1"]
                        )
                    ).event
                    for state in [PaymentEventResult.State.waiting, .held, .notUsed] {
                        let result = PaymentEventResult(
                            state,
                            detail: "x",
                            decidedAt: LedgerRows.now,
                            reference: .unreferenced,
                            payment: PaymentEventResult.Payment(id: "pi_1", currency: "EUR", amount: MilliUnits(5))
                        )
                        try ledger.setResult(result, of: stored, app: nil)
                    }
                    let figures = try ledger.paymentFigures(after: LedgerRows.now - .days(1), through: LedgerRows.now)
                    #expect(figures.map(\.bundleId) == [apps[0]])
                }
            }
        ),
        LedgerConformanceCase(
            "A fetched object replaces the one of the same request",
            over: { store in
                try await store.step { ledger throws in
                    for number in 1...2 {
                        let object = FetchedPaymentObject(
                            request: "invoices/in_1/lines",
                            objectId: "in_1",
                            content: .array([.integer(Int64(number))]),
                            fetchedAt: LedgerRows.now + .seconds(number)
                        )
                        try ledger.put(object, of: .stripe)
                        #expect(try ledger.fetchedPaymentObject("invoices/in_1/lines", of: .stripe) == object)
                    }
                    #expect(try ledger.fetchedPaymentObject("invoices/in_2/lines", of: .stripe) == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "The erasure of a customer reaches payment events of its app only (OB-92)",
            over: { store in
                try await store.step { ledger throws in
                    for (number, app) in ([LedgerRows.shop, nil, "com.example.other"] as [BundleId?]).enumerated() {
                        _ = try ledger.insert(
                            event(
                                PaymentEventId("evt_\(number)"),
                                about: [PaymentObjectName("in_\(number)")],
                                of: "customer",
                                app: app
                            )
                        )
                    }
                    let erased = try #require(try ledger.eraseCustomer("customer", of: LedgerRows.shop))
                    let events = try ledger.paymentEvents(matching: ListFilter(), LedgerPage())
                    #expect(events.map(\.customerId) == [erased.customerId, erased.customerId, "customer"])
                    let texts = events.map {
                        $0.content.objectValue?["metadata"]?.objectValue?["external_purchase_customer"]?.stringValue
                    }
                    #expect(texts == [erased.pseudonym, erased.pseudonym, "customer"])
                }
            }
        ),
    ]
}
