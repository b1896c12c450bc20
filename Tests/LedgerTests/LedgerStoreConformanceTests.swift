import ExternalPurchaseCore
import Ledger
import LedgerSQLite
import Testing

@Suite("Every store keeps the contract of a ledger")
struct LedgerStoreConformanceTests {
    @Test("A token comes back as it was stored, and again after a change", arguments: StoreUnderTest.allCases)
    func tokens(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        let stored = try await store.step { ledger throws in
            try ledger.insert(Sample.token(customer: "c"))
        }
        #expect(stored.sequence == 1)
        var expected = Sample.token(customer: "c")
        expected.sequence = 1
        #expect(stored == expected)
        expected.state = .confirmed
        expected.flags.insert(TokenFlag(rawValue: "of-a-later-version"))
        let changed = expected
        try await store.step { ledger throws in try ledger.update(changed) }
        try await store.step { ledger throws in
            #expect(try ledger.token(changed.token.externalPurchaseId, of: Sample.shop) == changed)
            #expect(try ledger.tokens(withId: changed.token.externalPurchaseId) == [changed])
            #expect(try ledger.tokens(of: "c", app: Sample.shop) == [changed])
            #expect(try ledger.tokens(of: "other", app: Sample.shop).isEmpty)
            #expect(try ledger.token(changed.token.externalPurchaseId, of: "com.example.other") == nil)
        }
    }

    @Test("The same id may exist under another app but not twice under one (TK-67)", arguments: StoreUnderTest.allCases)
    func tokenIds(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        try await store.step { ledger throws in
            _ = try ledger.insert(Sample.token())
            _ = try ledger.insert(Sample.token(of: "com.example.other"))
        }
        let error = await ledgerError {
            try await store.step { ledger throws in _ = try ledger.insert(Sample.token()) }
        }
        #expect(error?.isConflict == true)
        let tokens = try await store.step { ledger throws in try ledger.tokens(LedgerPage()) }
        #expect(tokens.map(\.sequence) == [1, 2])
    }

    @Test("A transaction that throws leaves nothing behind", arguments: StoreUnderTest.allCases)
    func rollback(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        let error = await ledgerError {
            try await store.step { ledger throws in
                _ = try ledger.insert(Sample.token())
                _ = try ledger.insert(Sample.sale("s"))
                throw LedgerError.full
            }
        }
        #expect(error == .full)
        try await store.step { ledger throws in
            #expect(try ledger.tokens(LedgerPage()).isEmpty)
            #expect(try ledger.sales(LedgerPage()).isEmpty)
        }
    }

    @Test("A page begins after a sequence and ends at its limit", arguments: StoreUnderTest.allCases)
    func pages(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        try await store.step { ledger throws in
            for digit in 1...5 { _ = try ledger.insert(Sample.token(ExternalPurchaseId("\(digit)"))) }
        }
        try await store.step { ledger throws in
            #expect(try ledger.tokens(LedgerPage(after: 0, limit: 2)).map(\.sequence) == [1, 2])
            #expect(try ledger.tokens(LedgerPage(after: 3, limit: 10)).map(\.sequence) == [4, 5])
            #expect(try ledger.tokens(LedgerPage(after: 5, limit: 10)).isEmpty)
            #expect(try ledger.tokens(LedgerPage(after: 0, limit: -1)).isEmpty)
        }
    }

    @Test("Text that is no token is kept once", arguments: StoreUnderTest.allCases)
    func setAside(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        let first = TokenSetAside(
            text: "%%%",
            reason: .undecodable,
            detail: "not Base64URL",
            firstSeen: FirstSeen(source: .website, time: Sample.now)
        )
        try await store.step { ledger throws in
            try ledger.setAside(first)
            try ledger.setAside(first)
        }
        let kept = try await store.step { ledger throws in try ledger.tokensSetAside(LedgerPage()) }
        #expect(kept.map(\.text) == ["%%%"])
        #expect(kept.first?.firstSeen == first.firstSeen)
    }

    @Test("A checkout is stored, changed, and kept from naming an unknown token", arguments: StoreUnderTest.allCases)
    func checkouts(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        try await store.step { ledger throws in
            let token = try ledger.insert(Sample.token())
            var checkout = Checkout(checkoutId: "c", bundleId: Sample.shop)
            try ledger.put(checkout)
            checkout.externalPurchaseId = token.token.externalPurchaseId
            checkout.customerId = "someone"
            try ledger.put(checkout)
            #expect(try ledger.checkout("c", of: Sample.shop) == checkout)
            #expect(try ledger.checkout("c", of: "com.example.other") == nil)
        }
        let error = await ledgerError {
            try await store.step { ledger throws in
                try ledger.put(Checkout(checkoutId: "d", bundleId: Sample.shop, externalPurchaseId: "nobody's"))
            }
        }
        #expect(error?.isConflict == true)
    }

    @Test("Sales come back with all that the caller said, refunds by their buy", arguments: StoreUnderTest.allCases)
    func sales(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        try await store.step { ledger throws in
            _ = try ledger.insert(Sample.token())
            let buy = try ledger.insert(Sample.sale("buy"))
            let refund = try ledger.insert(Sample.refund("refund", of: "buy"))
            #expect(try ledger.sale("buy", of: Sample.shop) == buy)
            #expect(buy.sale == Sample.sale("buy").sale)
            #expect(try ledger.refunds(of: "buy", app: Sample.shop) == [refund])
            #expect(refund.sale == Sample.refund("refund", of: "buy").sale)
            #expect(try ledger.sales(LedgerPage()) == [buy, refund])
        }
        let error = await ledgerError {
            try await store.step { ledger throws in _ = try ledger.insert(Sample.sale("buy")) }
        }
        #expect(error?.isConflict == true)
    }

    @Test("A planned sale needs a stored token; a held one waits without", arguments: StoreUnderTest.allCases)
    func attribution(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        for sale in [Sample.sale("a"), Sample.sale("b", on: nil)] {
            let error = await ledgerError {
                try await store.step { ledger throws in _ = try ledger.insert(sale) }
            }
            #expect(error?.isConflict == true)
        }
        let id = Sample.token().token.externalPurchaseId
        try await store.step { ledger throws in
            _ = try ledger.insert(Sample.sale("c", on: nil, state: .held))
            #expect(try ledger.heldSales(LedgerPage()).map(\.sale.saleId) == ["c"])
            _ = try ledger.insert(Sample.token())
            try ledger.update(Attribution(state: .planned, externalPurchaseId: id), of: "c", app: Sample.shop)
            #expect(try ledger.heldSales(LedgerPage()).isEmpty)
            #expect(try ledger.plannedSales(on: id, of: Sample.shop, limit: 9).map(\.sale.saleId) == ["c"])
            #expect(try ledger.plannedSales(on: id, of: Sample.shop, limit: 0).isEmpty)
        }
    }

    @Test(
        "A token is up for a report until one holds its sales and Apple has accepted it (SA-74)",
        arguments: StoreUnderTest.allCases
    )
    func queue(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        let id = Sample.token().token.externalPurchaseId
        try await store.step { ledger throws in
            _ = try ledger.insert(Sample.token())
            _ = try ledger.insert(Sample.token("SANDBOX_later", made: Sample.now.advanced(byMilliseconds: 1)))
            _ = try ledger.insert(Sample.token("00000000-in-production"))
            _ = try ledger.insert(Sample.sale("later", on: "SANDBOX_later"))
            _ = try ledger.insert(Sample.sale("first"))
            _ = try ledger.insert(Sample.sale("production", on: "00000000-in-production"))
            #expect(
                try ledger.tokensToReport(in: Sample.scope, madeUntil: Sample.now, soldUntil: Sample.now, limit: 9) == [
                    id
                ]
            )
            let future = Sample.now.advanced(byMilliseconds: 1)
            #expect(
                try ledger.tokensToReport(in: Sample.scope, madeUntil: future, soldUntil: Sample.now, limit: 9) == [
                    "SANDBOX_later", id,
                ]
            )
            var report = try ledger.insert(Sample.report(1), holding: ["first"])
            _ = try ledger.insert(Sample.sale("second"))
            #expect(
                try ledger.tokensToReport(in: Sample.scope, madeUntil: Sample.now, soldUntil: Sample.now, limit: 9)
                    == []
            )
            #expect(try ledger.plannedSales(on: id, of: Sample.shop, limit: 9).map(\.sale.saleId) == ["second"])
            #expect(
                try ledger.sales(in: report.requestIdentifier, of: Sample.scope).map(\.sale.saleId) == ["first"]
            )
            report.state = .accepted
            try ledger.update(report, accepting: [])
            #expect(
                try ledger.tokensToReport(in: Sample.scope, madeUntil: Sample.now, soldUntil: Sample.now, limit: 9) == [
                    id
                ]
            )
        }
    }

    @Test(
        "A report comes back byte for byte, by its UUID in any case, with answer and errors",
        arguments: StoreUnderTest.allCases
    )
    func reports(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        try await store.step { ledger throws in
            _ = try ledger.insert(Sample.token())
            var report = try ledger.insert(Sample.report(1), holding: [])
            report.state = .needsAttention
            report.attempts = 2
            report.changedAt = Sample.now.advanced(byMilliseconds: 5)
            report.answer = ReportAnswer(
                status: 400,
                body: [0xFF, 0x00],
                receivedAt: Sample.now,
                conclusion: "refused by Apple"
            )
            report.errors = [
                AttributedReportError(
                    error: ReportError(.omittedField, field: "taxCountry", item: "s"),
                    saleId: "s",
                    isLocal: true
                )
            ]
            try ledger.update(report, accepting: [])
            let other = RequestIdentifier(report.requestIdentifier.text.lowercased())!
            let found = try ledger.report(other, in: Sample.scope)
            #expect(found == report)
            #expect(found?.requestIdentifier.text == report.requestIdentifier.text)
            #expect(try ledger.reports(in: Sample.scope, state: [.needsAttention], limit: 9) == [report])
            #expect(try ledger.reports(in: Sample.scope, state: [.written, .accepted], limit: 9).isEmpty)
            #expect(try ledger.reports(LedgerPage()) == [report])
            let production = ReportingScope(bundleId: Sample.shop, environment: .production)
            #expect(try ledger.report(other, in: production) == nil)
        }
    }

    @Test("An accepted report and the sales that it holds never change", arguments: StoreUnderTest.allCases)
    func acceptedReports(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        let report = try await store.step { ledger throws in
            _ = try ledger.insert(Sample.token())
            _ = try ledger.insert(Sample.sale("s"))
            var report = try ledger.insert(Sample.report(1), holding: ["s"])
            report.state = .accepted
            try ledger.update(report, accepting: [Sample.item("s")])
            return report
        }
        var back = report
        back.state = .written
        let changed = back
        let held = Attribution(state: .held, externalPurchaseId: nil)
        let attempts: [@Sendable (any LedgerTransaction) throws -> Void] = [
            { ledger in try ledger.update(changed, accepting: []) },
            { ledger in _ = try ledger.insert(Sample.report(1), holding: []) },
            { ledger in _ = try ledger.insert(Sample.report(2), holding: ["s"]) },
            { ledger in try ledger.update(held, of: "s", app: Sample.shop) },
        ]
        for attempt in attempts {
            let error = await ledgerError { try await store.step(attempt) }
            #expect(error?.isConflict == true)
        }
    }

    @Test(
        "The accepted history gives the newest version of an id and of what references it (RR-7, RR-20)",
        arguments: StoreUnderTest.allCases
    )
    func history(_ kind: StoreUnderTest) async throws {
        let store = try kind.open()
        try await store.step { ledger throws in
            _ = try ledger.insert(Sample.token())
            let id = Sample.token().token.externalPurchaseId
            #expect(try ledger.hasAcceptedLineItems(id, of: Sample.scope) == false)
            let versions = [
                [Sample.item("buy"), Sample.item("refund", refundOf: "buy"), Sample.item("other")],
                [Sample.item("buy", excluding: 800), Sample.item("refund", refundOf: "other")],
                [Sample.item("late", refundOf: "buy")],
            ]
            for (index, items) in versions.enumerated() {
                var report = try ledger.insert(Sample.report(index), holding: [])
                report.state = .accepted
                try ledger.update(report, accepting: items)
            }
            let newest = try ledger.newestAccepted(["buy"], in: Sample.scope)
            #expect(Set(newest.keys) == ["buy", "late"])
            #expect(newest["buy"] == AcceptedVersion(item: Sample.item("buy", excluding: 800), externalPurchaseId: id))
            #expect(try ledger.hasAcceptedLineItems(id, of: Sample.scope))
            let production = ReportingScope(bundleId: Sample.shop, environment: .production)
            #expect(try ledger.newestAccepted(["buy"], in: production).isEmpty)
        }
    }
}

/// The error of the ledger that an operation throws, nil when it succeeds.
func ledgerError(_ body: () async throws -> Void) async -> LedgerError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? LedgerError
    }
}

extension LedgerError {
    var isConflict: Bool { if case .conflict = self { true } else { false } }
}
