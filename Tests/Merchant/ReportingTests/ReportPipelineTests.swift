import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import ReportValidation
@testable import Reporting

@Suite("From sale to accepted report")
struct ReportPipelineTests {
    private func merchant(
        store: any LedgerStore = MemoryLedgerStore.empty(),
        settings: ReportingSettings = ReportingSettings()
    ) async throws -> Merchant {
        let merchant = Merchant(store: store, settings: settings)
        try await merchant.take(Merchant.token())
        return merchant
    }

    private var withoutPreflight: ReportingSettings {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        return settings
    }

    @Test("A purchase and a partial refund are accepted with the right nets (RR-20, RR-44, RR-46)")
    func accepted() async throws {
        let merchant = try await merchant()
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Merchant.refund("r1", of: "s", "3.00"))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Merchant.refund("r2", of: "s", "6.99"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .accepted, .accepted])
        let items = ["s", "r1", "r2"].map { merchant.apple.item(LineItemId($0)) }
        #expect(items.map { $0?.amountTaxInclusive } == [9_990, 3_000, 6_990])
        #expect(items.map { $0?.taxAmount } == [1_734, 521, 1_213])
        #expect(items.map { $0?.netAmountTaxExclusive } == [8_256, 5_777, 0])
        #expect(items.map { $0?.taxCountry } == ["NLD", "NLD", "NLD"])
        let tokens = try await merchant.system.lists.tokens(LedgerPage())
        #expect(tokens.map(\.state) == [.confirmed])
        #expect(Set(try await merchant.reports().map(\.requestIdentifier)).count == 3)
    }

    @Test("Krona with a rate: the report of the spec's example (RR-43), its rate as it was given")
    func exchangeRate() async throws {
        let merchant = try await merchant()
        let body = SaleIntakeTests.quoted(#""0.00690""#)
            .replacing(#""taxRate":"21""#, with: #""tax":"288""#).replacing("NLD", with: "ISL")
        try await merchant.sell(body)
        await merchant.system.sender.runUntilIdle()
        let item = merchant.apple.item("s")
        #expect(item?.amountTaxInclusive == 10_281)
        #expect(item?.taxAmount == 1_987)
        #expect(item?.amountTaxExclusive == 8_294)
        #expect(item?.reportingCurrency == "EUR")
        #expect(item?.exchangeRate?.decimal == Decimal(string: "0.0069"))
    }

    @Test("A sale rests for send.delay before it is reported (RR-72)")
    func delay() async throws {
        var settings = ReportingSettings()
        settings.due = try DeadlineSettings(sendDelay: .hours(1))
        let merchant = try await merchant(settings: settings)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().isEmpty)
        merchant.clock.advance(seconds: 3_599)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().isEmpty)
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
    }

    @Test("send.delay ends a day before the sale is due; the sender's moment is the due list's (RR-72, OB-52)")
    func delayBeforeDeadline() async throws {
        var settings = ReportingSettings()
        settings.due = try DeadlineSettings(sendDelay: .days(60))
        let merchant = try await merchant(settings: settings)
        // The token is answered, so that only the sale's own due date counts.
        let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
        try await merchant.store.write { ledger throws(LedgerError) in
            try ledger.requestReport(of: Merchant.token().externalPurchaseId, in: scope)
        }
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.status) == [.noLineItem])
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        let now = merchant.clock.now
        let entry = try #require(try await merchant.dueEntries().first)
        let moment = try #require(entry.sendMoment(settings.due))
        #expect(moment == entry.due?.moment.advanced(by: .days(-1)))
        #expect(moment < now + .days(60))
        #expect(await merchant.system.sender.runUntilIdle() == moment)
        merchant.clock.advance(by: now.duration(to: moment) - .milliseconds(1))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().count == 1)
        merchant.clock.advance(by: .milliseconds(1))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .accepted])
        #expect(merchant.apple.item("s") != nil)
    }

    @Test("A token that arrived before the clock went back is answered once it is right again (RR-72)")
    func clockBehind() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        merchant.clock.advance(by: .days(-28))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(by: .days(28))
        await merchant.system.sender.runUntilIdle()
        // Made a day before noon and due ten days after that; sent a day earlier.
        merchant.clock.advance(by: .days(8))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.status) == [.noLineItem])
    }

    @Test("A sale that arrived while the clock was ahead does not rest until then (RR-72)")
    func clockAhead() async throws {
        let merchant = Merchant()
        let token = Merchant.token()
        try await merchant.take(token)
        merchant.clock.advance(by: .days(3))
        try await merchant.sell(Merchant.purchase("sale-1", on: token))
        merchant.clock.advance(by: .days(-3))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
    }

    @Test("A wait that ends while the sender looks is not slept over")
    func waitEndsMeanwhile() async throws {
        let merchant = Merchant(environments: [.production])
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        merchant.apple.fail(.answer(.serverError(status: 503)))
        let retry = await merchant.system.sender.runUntilIdle()
        #expect(retry == Merchant.noon + .seconds(1))
        merchant.clock.advance(by: .milliseconds(998))
        merchant.clock.run(millisecondsPerReading: 1)
        #expect(await merchant.system.sender.runUntilIdle() == retry)
        #expect(await merchant.system.sender.runUntilIdle() == nil)
        #expect(try await merchant.reports().map(\.state) == [.accepted])
    }

    @Test("Sales of one token go in one report, those of different tokens in reports of their own")
    func grouping() async throws {
        let merchant = try await merchant()
        try await merchant.take(Merchant.token("b"))
        for (id, token) in [("1", "a"), ("2", "b"), ("3", "a")] {
            try await merchant.sell(Merchant.purchase(id, on: Merchant.token(Character(token))))
        }
        await merchant.system.sender.runUntilIdle()
        let counts = try merchant.apple.puts.map { try ReceivedReport.read($0).lineItems?.count }
        #expect(counts == [2, 1])
    }

    private var asStrictAsApple: ReportingSettings {
        var settings = ReportingSettings()
        settings.rules.plainTokenRange = true
        return settings
    }

    @Test("What Apple refuses needs attention with code, field, item and sale")
    func rejected() async throws {
        let merchant = try await merchant(settings: withoutPreflight)
        let old = Merchant.purchase("s", on: Merchant.token()).replacing(
            "2026-11-20T11:00",
            with: "2026-11-10T11:00"
        )
        try await merchant.sell(old)
        await merchant.system.sender.runUntilIdle()
        let report = try #require(try await merchant.reports().first)
        #expect(report.state == .withdrawn)
        #expect(
            report.errors == [
                AttributedReportError(
                    error: ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "s"),
                    saleId: "s",
                    isLocal: false
                )
            ]
        )
        #expect(report.answer?.status == 400)
        #expect(report.answer?.body == Array("the body".utf8))
    }

    @Test("The pre-flight stops the same report without a request (SA-75)")
    func preflight() async throws {
        let merchant = try await merchant(settings: asStrictAsApple)
        let old = Merchant.purchase("s", on: Merchant.token()).replacing(
            "2026-11-20T11:00",
            with: "2026-11-10T11:00"
        )
        try await merchant.sell(old)
        await merchant.system.sender.runUntilIdle()
        let report = try #require(try await merchant.reports().first)
        #expect(report.state == .withdrawn)
        #expect(report.errors.map(\.isLocal) == [true])
        #expect(report.errors.map(\.error.errorCode.rawValue) == [36])
        #expect(report.errors.map(\.saleId) == ["s"])
        #expect(merchant.apple.puts.isEmpty)
    }

    @Test("A held report stops later ones of its token, no others (SA-74)")
    func heldToken() async throws {
        let merchant = try await merchant()
        try await merchant.take(Merchant.token("b"))
        // About the report, not about a sale of it.
        merchant.apple.fail(.answer(.rejected([ReportError(ReportErrorCode(rawValue: 8), field: "status")])))
        try await merchant.sell(Merchant.purchase("bad", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Merchant.purchase("same", on: Merchant.token()))
        try await merchant.sell(Merchant.purchase("other", on: Merchant.token("b")))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.needsAttention, .accepted])
        #expect(merchant.apple.item("same") == nil)
        #expect(merchant.apple.item("other") != nil)
    }

    @Test("A token that Apple does not know is marked, and its sales wait for a person (TK-74)")
    func unknownToken() async throws {
        let merchant = try await merchant()
        merchant.apple.forget(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.state) == [.unknownToApple])
        let report = try #require(try await merchant.reports().first)
        #expect(report.errors.map(\.error.fieldName) == ["externalPurchaseId"])
        let later = try await merchant.sell(Merchant.purchase("t", on: Merchant.token()))
        #expect(later.sale.attribution.state == .held)
        #expect(later.sale.attribution.flags == [.tokenUnknownToApple])
    }

    @Test("An answer that got lost is asked for and the report not sent twice (SA-71)")
    func lostAnswer() async throws {
        let merchant = try await merchant()
        merchant.apple.fail(.dropAfterAccept)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        let next = await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.unknown])
        #expect(next == Merchant.noon + .seconds(1))
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.puts.count == 1)
        #expect(merchant.apple.gets.count == 1)
        #expect(merchant.apple.item("s") != nil)
    }

    @Test(
        "A report that never arrived is sent again with the same bytes (SA-60, SA-70)",
        arguments: [SendOutcome.noAnswer(reason: "no connection"), .serverError(status: 503)]
    )
    func lostReport(_ answer: SendOutcome) async throws {
        let merchant = try await merchant()
        merchant.apple.fail(.answer(answer))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.puts.count == 2)
        #expect(Set(merchant.apple.puts).count == 1)
        #expect(merchant.apple.gets.count == 1)
    }

    @Test("Waits double from one second up to five minutes (SA-73)")
    func backoff() async throws {
        let merchant = try await merchant()
        merchant.apple.fail(.answer(.noAnswer(reason: "down")))
        for _ in 1...10 { merchant.apple.failGet(.noAnswer(reason: "down")) }
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        var waits: [Int64] = []
        for _ in 1...10 {
            let before = merchant.clock.now
            let next = try #require(await merchant.system.sender.runUntilIdle())
            waits.append((next.milliseconds - before.milliseconds) / 1_000)
            merchant.clock.advance(seconds: waits[waits.count - 1])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
        #expect(try await merchant.reports().map(\.state) == [.unknown])
    }

    @Test("A wait noted by a clock that was ahead ends when the clock is right again (SA-73)", arguments: [500, 429])
    func waitOfAClockAhead(_ status: Int) async throws {
        let merchant = try await merchant()
        merchant.clock.advance(by: .days(30))
        let isQueue = status == 429
        merchant.apple.fail(.answer(isQueue ? .rateLimited(until: nil) : .serverError(status: status)))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) != [.accepted])
        merchant.clock.advance(by: .days(-30))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
    }

    @Test("A refused key is tried once more, then nothing of the app goes out until it is resumed (SA-73)")
    func unauthorized() async throws {
        let merchant = try await merchant()
        try await merchant.take(Merchant.token("b"))
        merchant.apple.fail(.answer(.unauthorized), .answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(Merchant.purchase("t", on: Merchant.token("b")))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 86_400)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 2)
        #expect(await merchant.system.sender.stoppedApps == [Merchant.shop])
        #expect(try await merchant.reports().map(\.state) == [.written])
        await merchant.system.sender.resume(Merchant.shop)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .accepted])
    }

    @Test("A key that is refused once does no harm")
    func unauthorizedOnce() async throws {
        let merchant = try await merchant()
        merchant.apple.fail(.answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
    }

    @Test("Too many requests: the queue waits until the moment named (SA-82)")
    func rateLimited() async throws {
        let merchant = try await merchant()
        let until = Merchant.noon + .seconds(90)
        merchant.apple.fail(.answer(.rateLimited(until: until)))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        #expect(await merchant.system.sender.runUntilIdle() == until)
        merchant.clock.advance(seconds: 89)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 1)
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.gets.isEmpty)
    }

    @Test("Code 26 makes the report wait, not the others (SA-73)")
    func simultaneous() async throws {
        let merchant = try await merchant()
        try await merchant.take(Merchant.token("b"))
        merchant.apple.fail(.answer(.rejected([ReportError(.simultaneousSubmission)])))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(Merchant.purchase("t", on: Merchant.token("b")))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.written, .accepted])
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .accepted])
    }

    @Test("400 without errors: Apple's copy decides, else the report is held (SA-73)", arguments: [true, false])
    func refusedWithoutErrors(_ isKnown: Bool) async throws {
        let merchant = try await merchant()
        if isKnown { merchant.apple.fail(.dropAfterAccept) }
        merchant.apple.fail(.answer(.refusedWithoutErrors))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        if isKnown { merchant.apple.failGet(.notFound) }
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [isKnown ? .accepted : .needsAttention])
        #expect(Set(merchant.apple.puts).count == 1)
    }

    @Test("Another report under our identifier is never overwritten (SA-72)")
    func otherReport() async throws {
        let merchant = try await merchant()
        merchant.apple.fail(.answer(.noAnswer(reason: "down")))
        var other = ReceivedReport()
        other.status = .noLineItem
        merchant.apple.failGet(.found(other))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 1_000)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.needsAttention])
        #expect(merchant.apple.puts.count == 1)
    }

    /// Writes of one sale on its way: write the report as being sent, record the answer.
    @Test(
        "Whichever write fails, and however, nothing is lost and nothing is sent as a second report",
        arguments: 0..<2,
        [LedgerFault.Point.start, .answer]
    )
    func failingWrites(_ write: Int, _ point: LedgerFault.Point) async throws {
        let faults = LedgerFaultScript()
        let failing = FaultyLedgerStore(MemoryLedgerStore.empty(), faults)
        let merchant = try await merchant(store: failing)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        // A restart: waiting times are gone, everything else is in the store.
        let running = Merchant(store: failing, apple: merchant.apple, clock: merchant.clock)
        faults.failWrite(1 + write, at: point)
        await running.system.sender.runUntilIdle()
        let restarted = Merchant(store: failing, apple: merchant.apple, clock: merchant.clock)
        await restarted.system.sender.runUntilIdle()
        #expect(try await restarted.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.acceptedReports == 1)
        #expect(Set(merchant.apple.puts).count == 1)
        #expect(try await restarted.system.lists.sales(LedgerPage()).map(\.sale.saleId) == ["s"])
    }

    @Test(
        "What is not stored is not acknowledged, and may be sent again",
        arguments: [LedgerFault.Point.start, .answer]
    )
    func unacknowledged(_ point: LedgerFault.Point) async throws {
        let faults = LedgerFaultScript()
        let failing = FaultyLedgerStore(MemoryLedgerStore.empty(), faults)
        let merchant = try await merchant(store: failing)
        faults.failWrite(at: point)
        await #expect(throws: RequestError.self) {
            try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        }
        let again = try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        #expect(again.isNew == (point == .start))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.acceptedReports == 1)
    }

    @Test(
        "A restart goes on where the file says, in every state",
        arguments: [ReportState.written, .sending, .unknown],
        [true, false]
    )
    func restart(_ state: ReportState, _ arrived: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        let merchant = try await merchant(store: store)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        merchant.apple.fail(arrived ? .dropAfterAccept : .answer(.noAnswer(reason: "down")))
        await merchant.system.sender.runUntilIdle()
        var report = try #require(try await merchant.reports().first)
        report.state = state
        let stopped = report
        try await store.write { ledger throws(LedgerError) in try ledger.update(stopped, accepting: []) }

        let restarted = Merchant(store: store, apple: merchant.apple, clock: merchant.clock)
        await restarted.system.sender.runUntilIdle()
        let reports = try await restarted.reports()
        #expect(reports.map(\.state) == [.accepted])
        #expect(reports.map(\.requestIdentifier) == [report.requestIdentifier])
        #expect(merchant.apple.acceptedReports == 1)
        #expect(Set(merchant.apple.puts).count == 1)
        // A report that may be at Apple is asked for before it is sent; one that surely is not goes straight out.
        if state != .written { #expect(merchant.apple.puts.count == (arrived ? 1 : 2)) }
    }

    @Test("A report holds no more items than the endpoint takes (SA-4)")
    func limits() async throws {
        var settings = ReportingSettings()
        settings.limits = ReportLimits(bodyBytes: 1_200, lineItems: 3)
        let merchant = try await merchant(settings: settings)
        for number in 1...7 { try await merchant.sell(Merchant.purchase("s\(number)", on: Merchant.token())) }
        await merchant.system.sender.runUntilIdle()
        let counts = try merchant.apple.puts.map { try ReceivedReport.read($0).lineItems?.count ?? 0 }
        #expect(counts.reduce(0, +) == 7)
        #expect(counts.allSatisfy { $0 <= 3 })
        #expect(merchant.apple.puts.allSatisfy { $0.count <= 1_200 })
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted })
    }

    @Test("As a service it sends what a commit brings")
    func service() async throws {
        let merchant = try await merchant()
        let running = Task { await merchant.system.sender.run() }
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        for _ in 1...10_000 where merchant.apple.acceptedReports == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(merchant.apple.acceptedReports == 1)
        running.cancel()
        await running.value
    }
}
