// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

/// Claims about rows that a transaction reads, changes and reads again.
extension LedgerConformanceCase {
    static let ownChanges: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A transaction reads a token as it inserted, changed, erased or reported it",
            over: { store in
                let id = LedgerRows.token().token.externalPurchaseId
                try await store.step { ledger throws in
                    #expect(try ledger.token(id, of: LedgerRows.shop) == nil)
                    var token = try ledger.insert(LedgerRows.token(customer: "customer"))
                    #expect(try ledger.token(id, of: LedgerRows.shop) == token)
                    #expect(try ledger.tokens(withId: id) == [token])
                    token.storefront = StorefrontCode("DEU")
                    token.notes = []
                    try ledger.update(token)
                    #expect(try ledger.token(id, of: LedgerRows.shop) == token)
                    let erased = try ledger.eraseCustomer("customer", of: LedgerRows.shop)
                    #expect(try ledger.token(id, of: LedgerRows.shop)?.customerId == erased?.customerId)
                    var report = try ledger.insert(LedgerRows.report(1), holding: [])
                    #expect(try ledger.token(id, of: LedgerRows.shop)?.reportedAt == nil)
                    report.state = .accepted
                    report.changedAt = LedgerRows.now + .milliseconds(5)
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.token(id, of: LedgerRows.shop)?.reportedAt == report.changedAt)
                }
            }
        ),
        LedgerConformanceCase(
            "A transaction reads a checkout as it stored or erased it",
            over: { store in
                try await store.step { ledger throws in
                    #expect(try ledger.checkout("checkout", of: LedgerRows.shop) == nil)
                    let token = try ledger.insert(LedgerRows.token(customer: "customer"))
                    var checkout = Checkout(checkoutId: "checkout", bundleId: LedgerRows.shop)
                    try ledger.put(checkout)
                    #expect(try ledger.checkout("checkout", of: LedgerRows.shop) == checkout)
                    checkout.externalPurchaseId = token.token.externalPurchaseId
                    checkout.customerId = "customer"
                    checkout.isCustomerFromSale = true
                    try ledger.put(checkout)
                    #expect(try ledger.checkout("checkout", of: LedgerRows.shop) == checkout)
                    #expect(try ledger.checkout("checkout", of: "com.example.other") == nil)
                    let erased = try ledger.eraseCustomer("customer", of: LedgerRows.shop)
                    #expect(try ledger.checkout("checkout", of: LedgerRows.shop)?.customerId == erased?.customerId)
                }
            }
        ),
        LedgerConformanceCase(
            "A transaction reads a sale by its id as it inserted, attributed, amended, reported, handed over or erased it",
            over: { store in
                try await store.step { ledger throws in
                    // Lists read the rows; what is known by its id must be the same after every change.
                    func expectRows(_ ids: SaleId..., at line: SourceLocation = #_sourceLocation) throws {
                        let listed = try ledger.sales(LedgerPage())
                        let read = try ledger.sales(ids, of: LedgerRows.shop)
                        #expect(listed.map(\.sale.saleId) == ids, sourceLocation: line)
                        #expect(listed == ids.compactMap { read[$0] }, sourceLocation: line)
                        for sale in listed {
                            #expect(
                                try ledger.sale(sale.sale.saleId, of: LedgerRows.shop) == sale,
                                sourceLocation: line
                            )
                        }
                        #expect(try ledger.sale("first", of: "com.example.other") == nil, sourceLocation: line)
                    }
                    try expectRows()
                    #expect(try ledger.sale("first", of: LedgerRows.shop) == nil)
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("first", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.sale("second"))
                    _ = try ledger.insert(LedgerRows.sale("third", on: nil, state: .held))
                    try expectRows("first", "second", "third")
                    let planned = Attribution(
                        state: .planned,
                        externalPurchaseId: LedgerRows.token().token.externalPurchaseId
                    )
                    try ledger.update(planned, of: "first", app: LedgerRows.shop)
                    try expectRows("first", "second", "third")
                    let amended = LedgerRows.sale("second").sale.with(.lapse("s"))
                    try ledger.insert(
                        SaleVersion(
                            version: 2,
                            sale: amended,
                            lineItemId: "second",
                            change: .restated,
                            saidAt: LedgerRows.now,
                            by: "kim"
                        )
                    )
                    try expectRows("first", "second", "third")
                    var report = try ledger.insert(LedgerRows.report(1), holding: ["first"])
                    try expectRows("first", "second", "third")
                    report.state = .accepted
                    try ledger.update(report, accepting: [])
                    try expectRows("first", "second", "third")
                    _ = try ledger.insert(LedgerRows.export(), holding: ["third"])
                    try expectRows("first", "second", "third")
                    _ = try ledger.eraseCustomer("customer", of: LedgerRows.shop)
                    try expectRows("first", "second", "third")
                }
            }
        ),
        LedgerConformanceCase(
            "What a transaction asked before its changes is what it reads after each of them",
            over: { store in
                try await store.step { ledger throws in
                    let (shop, sales): (BundleId, [SaleId]) = (
                        LedgerRows.shop, ["first", "second", "third", "back", "third/1"]
                    )
                    let objects: [Set<PaymentObjectName>] = [["in_1", "pi_1"], ["pi_1"], ["ch_1"]]
                    var queries: Set<ExpectedQuery> = [
                        .sales(.customer("customer", of: shop), LedgerPage()),
                        .sales(.heldOfCustomer("customer", of: shop), LedgerPage()),
                        .tokens(.customLink(limit: 10), of: "customer", app: shop), .event("evt_1", of: .stripe),
                        .event("evt_2", of: .stripe),
                    ]
                    for id in sales {
                        let item = LineItemId(id.rawValue)
                        queries.formUnion([
                            .storedSale(id, of: shop), .sale(ofLineItem: item, of: shop), .refunds(of: id, app: shop),
                            .changes(of: id, app: shop), .accepted(item, in: LedgerRows.scope),
                            .sales(.lines(id, of: shop), LedgerPage()), .reviewItems(about: .sale(id), app: shop),
                        ])
                    }
                    for names in objects { queries.insert(.eventsAbout(names, of: .stripe)) }
                    let rows = ExpectedRows(bundleId: shop, tokens: [], checkouts: [], queries: queries)
                    // Lists are never asked ahead.
                    func expectRows(at line: SourceLocation = #_sourceLocation) throws {
                        let all = try ledger.sales(LedgerPage())
                        let live = all.filter { $0.sale.customerId == "customer" }
                        let held = live.filter { $0.attribution.state == .held && $0.exportId == nil }
                        #expect(
                            try ledger.sales(.customer("customer", of: shop), LedgerPage()) == live,
                            sourceLocation: line
                        )
                        #expect(
                            try ledger.sales(.heldOfCustomer("customer", of: shop), LedgerPage()) == held,
                            sourceLocation: line
                        )
                        for id in sales {
                            let item = LineItemId(id.rawValue)
                            let known = all.first { $0.sale.saleId == id }
                            #expect(try ledger.sale(id, of: shop) == known, sourceLocation: line)
                            #expect(
                                try ledger.sale(ofLineItem: item, of: shop) == known?.sale.saleId,
                                sourceLocation: line
                            )
                            #expect(
                                try ledger.refunds(of: id, app: shop) == all.filter { $0.sale.takenBack == id },
                                sourceLocation: line
                            )
                            #expect(
                                try ledger.sales(.lines(id, of: shop), LedgerPage()) == all.filter { $0.partOf == id },
                                sourceLocation: line
                            )
                            let items = try ledger.reviewItems(matching: ListFilter(), LedgerPage())
                            #expect(
                                try ledger.reviewItems(about: .sale(id), app: shop)
                                    == items.filter { $0.subject == .sale(id) },
                                sourceLocation: line
                            )
                            let report = try ledger.reports(matching: ListFilter(), LedgerPage()).first
                            let isAccepted = report?.state == .accepted && id == "first"
                            #expect(
                                try ledger.newestAccepted([item], in: LedgerRows.scope)[item] != nil || !isAccepted,
                                sourceLocation: line
                            )
                        }
                        let tokens = try ledger.tokens(matching: ListFilter(), LedgerPage())
                        #expect(
                            try ledger.tokens(.customLink(limit: 10), of: "customer", app: shop)
                                == tokens.filter { $0.customerId == "customer" },
                            sourceLocation: line
                        )
                        let events = try ledger.paymentEvents(matching: ListFilter(), LedgerPage())
                        for id: PaymentEventId in ["evt_1", "evt_2"] {
                            #expect(
                                try ledger.paymentEvent(id, of: .stripe) == events.first { $0.eventId == id },
                                sourceLocation: line
                            )
                        }
                        for names in objects {
                            // The second event is connected with a charge that it does not name.
                            let about = events.filter {
                                !$0.objects.isDisjoint(with: names)
                                    || $0.eventId == "evt_2" && $0.result.state != .received && names == ["ch_1"]
                            }
                            #expect(
                                try ledger.paymentEvents(about: names, of: .stripe) == about,
                                sourceLocation: line
                            )
                        }
                    }
                    func change(_ line: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
                        try ledger.readAhead([rows])
                        try body()
                        try expectRows(at: line)
                    }
                    try change {}
                    try change { _ = try ledger.insert(LedgerRows.token(customer: "customer")) }
                    try change { _ = try ledger.insert(LedgerRows.sale("first", on: nil, state: .held)) }
                    try change { _ = try ledger.insert(LedgerRows.sale("second")) }
                    try change {
                        let planned = Attribution(
                            state: .planned,
                            externalPurchaseId: LedgerRows.token().token.externalPurchaseId
                        )
                        try ledger.update(planned, of: "first", app: shop)
                    }
                    try change { _ = try ledger.insert(LedgerRows.refund("back", of: "first")) }
                    try change { _ = try ledger.insert(LedgerRows.sale("third", on: nil, state: .recorded)) }
                    try change {
                        for id: SaleId in ["third/1", "third/2"] {
                            _ = try ledger.insert(LedgerRows.sale(id, on: nil, state: .held, partOf: "third"))
                        }
                    }
                    try change {
                        let planned = Attribution(
                            state: .planned,
                            externalPurchaseId: LedgerRows.token().token.externalPurchaseId
                        )
                        try ledger.update(planned, of: "third/1", app: shop)
                    }
                    var items: [Int64] = []
                    for id in sales {
                        try change { items.append(try ledger.open(LedgerRows.review(about: id)).sequence) }
                    }
                    try change {
                        for item in items.dropFirst() {
                            try ledger.resolve(
                                item,
                                ReviewResolution(resolvedAt: LedgerRows.now, by: "kim", note: "as told")
                            )
                        }
                    }
                    for id: SaleId in ["second", "third/1"] {
                        try change {
                            let version = SaleVersion(
                                version: 2,
                                sale: LedgerRows.sale(id).sale.with(.lapse("s")),
                                lineItemId: LineItemId(id.rawValue),
                                change: .restated,
                                saidAt: LedgerRows.now,
                                by: "kim"
                            )
                            try ledger.insert(version)
                        }
                    }
                    try change {
                        var token = try #require(try ledger.tokens(matching: ListFilter(), LedgerPage()).first)
                        token = try ledger.setCustomer("other", of: token, by: "kim", reason: nil)
                        _ = try ledger.setCustomer("customer", of: token, by: "kim", reason: nil)
                    }
                    try change { _ = try ledger.insert(event("evt_1", about: ["in_1", "pi_1"])) }
                    var second = try ledger.insert(event("evt_2", about: ["pi_1"])).event
                    try change {
                        second.result = PaymentEventResult(
                            .applied,
                            detail: "sale",
                            sales: [],
                            decidedAt: LedgerRows.now
                        )
                        let stored = try #require(try ledger.paymentEvent("evt_2", of: .stripe))
                        try ledger.setResult(second.result, of: stored, app: shop)
                        try ledger.connect(stored, to: ["ch_1"])
                    }
                    try change {
                        var report = try ledger.insert(LedgerRows.report(1), holding: ["first"])
                        report.state = .accepted
                        try ledger.update(report, accepting: [LedgerRows.item("first")])
                    }
                    try change { _ = try ledger.eraseCustomer("customer", of: shop) }
                }
            }
        ),
        LedgerConformanceCase(
            "A transaction finds the sales and reports that it puts on a token which it inserted",
            over: { store in
                let id = LedgerRows.token().token.externalPurchaseId
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.sale("held", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.token())
                    #expect(try ledger.sales(.token(id, of: LedgerRows.shop), LedgerPage()).isEmpty)
                    #expect(try ledger.sales(.pendingOnToken(id, of: LedgerRows.shop), LedgerPage()).isEmpty)
                    #expect(try ledger.reportSummary(of: id, app: LedgerRows.shop) == TokenReportSummary())
                    let planned = Attribution(state: .planned, externalPurchaseId: id)
                    try ledger.update(planned, of: "held", app: LedgerRows.shop)
                    _ = try ledger.insert(LedgerRows.sale("new"))
                    for query in [SaleQuery.token(id, of: LedgerRows.shop), .pendingOnToken(id, of: LedgerRows.shop)] {
                        #expect(try ledger.sales(query, LedgerPage()).map(\.sale.saleId) == ["held", "new"])
                    }
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["new"])
                    #expect(
                        try ledger.sales(.pendingOnToken(id, of: LedgerRows.shop), LedgerPage()).map(\.sale.saleId)
                            == ["held"]
                    )
                    #expect(try ledger.reportSummary(of: id, app: LedgerRows.shop).hasOpenReport)
                }
            }
        ),
        LedgerConformanceCase(
            "The open row of a token is the same in the transaction that inserted it and in a later one",
            over: { store in
                let inserted = try await store.step { ledger throws in
                    var subjects: [StoredDeadline.Subject] = []
                    for source in TokenSource.allCases {
                        for (state, storefront) in [(TokenState.unconfirmed, "DEU"), (.confirmed, nil)] {
                            var token = LedgerRows.token(
                                ExternalPurchaseId("\(source)-\(state)"),
                                from: source
                            )
                            token.state = state
                            token.storefront = storefront.flatMap { StorefrontCode($0) }
                            if source == .notification { token.text = nil }
                            subjects.append(.init(isLineItem: false, sequence: try ledger.insert(token).sequence))
                        }
                    }
                    return try ledger.openRows(of: subjects)
                }
                #expect(inserted.count == 2 * TokenSource.allCases.count)
                try await store.step { ledger throws in
                    #expect(try ledger.openRows(of: Array(inserted.keys)) == inserted)
                }
            }
        ),
    ]
}
