import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let lists: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Every list takes its filters, alone and together, and pages through them in the order of arrival",
            over: { store in
                try await fill(store)
                for claim in claims {
                    let found = try await store.step { ledger throws in
                        var found: [Int64] = []
                        var page = LedgerPage(limit: 1)
                        while let row = try claim.list(ledger, claim.filter, page).first {
                            found.append(row)
                            page.after = row
                        }
                        #expect(try claim.list(ledger, claim.filter, LedgerPage()) == found, "\(claim.filter)")
                        return found
                    }
                    #expect(found == claim.found, "\(claim.filter)")
                }
            }
        ),
        LedgerConformanceCase(
            "A span of time has its rows in the order of arrival, also those of a clock that was set back",
            over: { store in
                let day: Int64 = 86_400_000
                // Of each row, in the order of arrival: days since 1970 by half days, with gaps, an hour of its own and the ends.
                let times = [0, 3, 3, 4, 1, 9, 2, 9, 30, 5, 31, 0].enumerated().map { number, halves in
                    Timestamp(milliseconds: halves * day / 2 + [0, -1, 1, 3_600_000][number % 4])
                }
                try await store.step { ledger throws in
                    for (number, time) in times.enumerated() {
                        let type: NotificationType = number.isMultiple(of: 3) ? .test : .externalPurchaseToken
                        let id = NotificationUUID("n-\(number)")
                        _ = try ledger.insert(LedgerRows.notification(id, type: type, received: time))
                        let app = number.isMultiple(of: 2) ? LedgerRows.shop : other
                        let event = event(PaymentEventId("evt_\(number)"), about: ["in_1"], app: app, received: time)
                        _ = try ledger.insert(event)
                    }
                    let ends = [nil, Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] + times
                    for (from, until) in ends.flatMap({ from in ends.map { (from, $0) } }) {
                        for values in [[:], [.kind: "TEST"], [.bundleId: other.rawValue]]
                            as [[ListFilter.Parameter: String]]
                        {
                            let filter = ListFilter(values, from: from, until: until)
                            let expected = times.indices.filter { number in
                                times[number] >= from ?? times[number]
                                    && until.map { times[number] < $0 } ?? true
                                    && (values[.kind] == nil || number.isMultiple(of: 3))
                            }
                            for isNewestFirst in [false, true] {
                                let page = LedgerPage(limit: 5, isNewestFirst: isNewestFirst)
                                let inOrder = isNewestFirst ? expected.reversed() : expected
                                if values[.bundleId] == nil {
                                    let found = try paged(page) {
                                        try ledger.notifications(matching: filter, $0).map(\.sequence)
                                    }
                                    #expect(found == inOrder.map { Int64($0) + 1 }, "\(filter)")
                                }
                                if values[.kind] == nil {
                                    let found = try paged(page) {
                                        try ledger.paymentEvents(matching: filter, $0).map(\.sequence)
                                    }
                                    let ofApp = inOrder.filter { values[.bundleId] == nil || !$0.isMultiple(of: 2) }
                                    #expect(found == ofApp.map { Int64($0) + 1 }, "\(filter)")
                                }
                            }
                        }
                    }
                }
            }
        ),
        LedgerConformanceCase(
            "An order is listed by its lines, and what is recorded alone by itself",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("order", on: nil, state: .recorded))
                    _ = try ledger.insert(LedgerRows.sale("alone", on: nil, state: .recorded))
                    for (id, state) in [("first", SaleState.planned), ("second", .recorded)] {
                        let token = state == .planned ? LedgerRows.token().token.externalPurchaseId : nil
                        _ = try ledger.insert(
                            LedgerRows.sale(SaleId(id), on: token, state: state, partOf: "order")
                        )
                    }
                    func ids(_ change: (inout SaleFilter) -> Void) throws -> [SaleId] {
                        var filter = SaleFilter(bundleId: LedgerRows.shop)
                        change(&filter)
                        return try ledger.sales(matching: filter, LedgerPage()).map(\.sale.saleId)
                    }
                    #expect(try ids { _ in } == ["alone", "first", "second"])
                    #expect(try ids { $0.state = .recorded } == ["alone", "second"])
                    #expect(try ids { $0.standing = .recorded } == ["alone", "second"])
                    #expect(try ids { $0.state = .planned } == ["first"])
                }
            }
        ),
        LedgerConformanceCase(
            "The audit log is filtered by every kind that a ledger writes, and by token and sale",
            over: { store in
                for step in LedgerStory.steps { try await store.write(step.run) }
                try await store.step { ledger throws in
                    let all = try ledger.auditEntries(LedgerPage(limit: 1_000))
                    #expect(Set(all.map(\.kind)).isSubset(of: AuditEntry.kinds))
                    let filters: [ListFilter] =
                        AuditEntry.kinds.map { ListFilter([.kind: $0]) } + [
                            ListFilter([.externalPurchaseId: LedgerRows.token().token.externalPurchaseId.rawValue]),
                            ListFilter([.saleId: "s"]), ListFilter([.bundleId: LedgerRows.shop.rawValue]),
                            ListFilter([.bundleId: LedgerRows.shop.rawValue, .kind: "token-stored"]),
                            ListFilter([.saleId: "s"], from: LedgerRows.now),
                            ListFilter(until: LedgerRows.now),
                        ]
                    for filter in filters {
                        let expected = all.filter { AuditEntry.listFields.matches($0, filter) }
                        #expect(try ledger.auditEntries(matching: filter, LedgerPage(limit: 1_000)) == expected)
                        // Each of these has some, but for what is before the story.
                        #expect(!expected.isEmpty || filter.until != nil || filter[.kind] != nil, "\(filter)")
                    }
                }
            }
        ),
    ]

    /// The numbers of a list, read page by page.
    private static func paged(_ page: LedgerPage, _ list: (LedgerPage) throws -> [Int64]) throws -> [Int64] {
        var (page, found) = (page, [Int64]())
        while case let rows = try list(page), let last = rows.last {
            found += rows
            page.after = last
        }
        return found
    }

    private struct Claim: Sendable {
        let filter: ListFilter
        let found: [Int64]
        let list: @Sendable (LedgerQueries, ListFilter, LedgerPage) throws -> [Int64]
    }

    private static let other: BundleId = "com.example.other"
    private static let (first, second): (ExternalPurchaseId, ExternalPurchaseId) = ("SANDBOX_a", "b")

    /// Two tokens, two reports, three notifications, two review items, two corrections and two exports.
    private static func fill(_ store: any LedgerStore) async throws {
        try await store.step { ledger throws in
            var token = LedgerRows.token(first, customer: "anna")
            token.state = .confirmed
            _ = try ledger.insert(token)
            var later = LedgerRows.token(second, of: other, made: LedgerRows.now + .milliseconds(10))
            later.notes = [.suspicious]
            _ = try ledger.insert(later)
            for (digit, state) in [(1, ReportState.accepted), (2, .needsAttention), (3, .needsAttention)] {
                let bare = LedgerRows.report(digit, state: state)
                var report = StoredReport(
                    scope: bare.scope,
                    requestIdentifier: bare.requestIdentifier,
                    externalPurchaseId: first,
                    status: digit == 1 ? .lineItem : .noLineItem,
                    body: bare.body,
                    writtenAt: LedgerRows.now.advanced(by: .milliseconds(Int64(digit))),
                    state: state
                )
                report = try ledger.insert(report, holding: [])
                if digit == 3 {
                    report.state = .withdrawn
                    try ledger.update(report, accepting: [])
                }
            }
            for (number, type) in [NotificationType.test, .externalPurchaseToken].enumerated() {
                _ = try ledger.insert(LedgerRows.notification(NotificationUUID("n-\(number)"), type: type))
            }
            try ledger.finish("n-0", NotificationEffect(doneAt: LedgerRows.now, detail: "a test"))
            _ = try ledger.open(LedgerRows.review())
            let item = try ledger.open(LedgerRows.review(.saleHeld, about: "t"))
            try ledger.resolve(
                item.sequence,
                ReviewResolution(resolvedAt: LedgerRows.now, by: "kim", note: "settled")
            )
            _ = try ledger.open(
                ReviewItem(
                    bundleId: LedgerRows.shop,
                    kind: .contradiction,
                    subject: .token(first),
                    detail: "two customers",
                    openedAt: LedgerRows.now + .milliseconds(5)
                )
            )
            _ = try ledger.insert(LedgerRows.correction())
            var closed = try ledger.insert(LedgerRows.correction("c-2"))
            closed.closing = CorrectionStep(at: LedgerRows.now, by: "kim")
            try ledger.update(closed)
            _ = try ledger.insert(LedgerRows.export(), holding: [])
            _ = try ledger.insert(LedgerRows.export("e-2"), holding: [])
            try ledger.recordSubmission(
                "e-2",
                of: LedgerRows.shop,
                ManualSubmission(at: LedgerRows.now, by: "kim", reference: "case 1")
            )
        }
    }

    private static let claims: [Claim] =
        tokenClaims + reportClaims + notificationClaims + reviewClaims + correctionClaims + exportClaims

    private static func claims(
        _ claims: [(ListFilter, [Int64])],
        _ list: @escaping @Sendable (LedgerQueries, ListFilter, LedgerPage) throws -> [Int64]
    ) -> [Claim] {
        claims.map { Claim(filter: $0.0, found: $0.1, list: list) }
    }

    private static func after(_ milliseconds: Int64) -> Timestamp {
        LedgerRows.now + .milliseconds(milliseconds)
    }

    private static let shop = LedgerRows.shop.rawValue

    private static let tokenClaims = claims([
        (ListFilter(), [1, 2]), (ListFilter([.bundleId: shop]), [1]), (ListFilter([.environment: "production"]), [2]),
        (ListFilter([.state: "confirmed"]), [1]), (ListFilter([.state: "confirmed", .bundleId: shop]), [1]),
        (ListFilter([.state: "confirmed", .bundleId: "com.example.other"]), []),
        (ListFilter([.kind: "SERVICES"]), [1, 2]), (ListFilter([.kind: "none", .bundleId: shop]), []),
        (ListFilter([.externalPurchaseId: "b"]), [2]), (ListFilter([.customerId: "anna", .bundleId: shop]), [1]),
        (ListFilter([.flag: "suspicious"]), [2]), (ListFilter([.flag: "repeated-parameter", .bundleId: shop]), [1]),
        (ListFilter(from: after(1)), [2]), (ListFilter(until: after(10)), [1]),
        (ListFilter([.bundleId: shop], from: after(0), until: after(10)), [1]),
        (ListFilter([.bundleId: shop, .environment: "production"], from: after(0)), []),
    ]) { try $0.tokens(matching: $1, $2).map(\.sequence) }

    private static let reportClaims = claims([
        (ListFilter(), [1, 2, 3]), (ListFilter([.state: "accepted"]), [1]),
        (ListFilter([.state: "needsAttention", .bundleId: shop]), [2]),
        (ListFilter([.state: "withdrawn", .bundleId: shop]), [3]), (ListFilter([.state: "sending"]), []),
        (ListFilter([.kind: "NO_LINE_ITEM", .bundleId: shop]), [2, 3]),
        (ListFilter([.externalPurchaseId: first.rawValue, .bundleId: shop, .state: "accepted"]), [1]),
        (ListFilter([.environment: "production"]), []), (ListFilter([.bundleId: shop], from: after(2)), [2, 3]),
        (ListFilter([.bundleId: shop], from: after(2), until: after(3)), [2]),
    ]) { try $0.reports(matching: $1, $2).map(\.sequence) }

    private static let notificationClaims = claims([
        (ListFilter(), [1, 2]), (ListFilter([.kind: "TEST"]), [1]), (ListFilter([.subtype: "CREATED"]), [1, 2]),
        (ListFilter([.state: "waiting"]), [2]), (ListFilter([.state: "done"]), [1]),
        (ListFilter([.externalPurchaseId: LedgerRows.token().token.externalPurchaseId.rawValue]), [1, 2]),
        (ListFilter([.externalPurchaseId: "b"]), []),
        (ListFilter([.environment: "sandbox", .bundleId: shop]), [1, 2]),
        (ListFilter(from: after(0), until: after(1)), [1, 2]), (ListFilter(until: after(0)), []),
    ]) { try $0.notifications(matching: $1, $2).map(\.sequence) }

    private static let reviewClaims = claims([
        (ListFilter([.state: "open"]), [1, 3]), (ListFilter([.state: "resolved", .bundleId: shop]), [2]),
        (ListFilter([.kind: "contradiction", .bundleId: shop]), [1, 3]),
        (ListFilter([.saleId: "t", .bundleId: shop]), [2]),
        (ListFilter([.externalPurchaseId: first.rawValue, .bundleId: shop]), [3]),
        (ListFilter([.bundleId: shop], from: after(1)), [3]), (ListFilter(until: after(1)), [1, 2]),
    ]) { try $0.reviewItems(matching: $1, $2).map(\.sequence) }

    private static let correctionClaims = claims([
        (ListFilter([.state: "planned"]), [1]), (ListFilter([.state: "closed"]), [2]),
        (ListFilter([.state: "confirmed"]), []), (ListFilter([.saleId: "s", .bundleId: shop]), [1, 2]),
        (ListFilter([.saleId: "t"]), []), (ListFilter(from: after(1)), []),
    ]) { try $0.corrections(matching: $1, $2).map(\.sequence) }

    private static let exportClaims = claims([
        (ListFilter([.state: "made"]), [1]), (ListFilter([.state: "handedIn"]), [2]),
        (ListFilter([.state: "withdrawn"]), []), (ListFilter([.programme: "jp", .month: "2026-11"]), [1, 2]),
        (ListFilter([.month: "2026-10"]), []), (ListFilter(until: after(1)), [1, 2]),
    ]) { try $0.manualExports(matching: $1, $2).map(\.sequence) }
}
