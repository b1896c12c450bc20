import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

/// Every stored moment that schedules, written by a clock that was 400 days ahead and has been repaired (SA-75).
@Suite("What a clock that was ahead has stored does not stall after its repair")
struct ClockAheadTests {
    static let ahead = Duration.days(400)

    /// How the merchant's side meets the repaired clock.
    enum Repair: String, Sendable, CaseIterable {
        case running, restarted
    }

    private static func store() throws -> SQLiteLedgerStore {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ahead-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
    }

    /// Runs something while the clock is ahead, and returns the merchant's side after the repair.
    private static func merchant(
        _ repair: Repair,
        settings: ReportingSettings = ReportingSettings(),
        sends: Bool = true,
        _ work: (Merchant) async throws -> Void
    ) async throws -> Merchant {
        let merchant = Merchant(store: try store(), settings: settings)
        merchant.clock.advance(by: ahead)
        await merchant.system.sender.runUntilIdle()
        try await work(merchant)
        if sends { await merchant.system.sender.runUntilIdle() }
        merchant.clock.advance(by: .zero - ahead)
        guard repair == .restarted else { return merchant }
        return Merchant(store: merchant.store, apple: merchant.apple, settings: settings, clock: merchant.clock)
    }

    private static func delay(_ duration: Duration) throws -> ReportingSettings {
        var settings = ReportingSettings()
        settings.due = try DeadlineSettings(sendDelay: duration)
        return settings
    }

    @Test("A sale that rests for send.delay is sent at once (RR-72)", arguments: Repair.allCases)
    func restingSale(_ repair: Repair) async throws {
        let merchant = try await Self.merchant(repair, settings: try Self.delay(.hours(6)), sends: false) { merchant in
            try await merchant.take(Merchant.token())
            try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        }
        #expect(try await merchant.reports().isEmpty)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.item("s") != nil)
        // A sale by the right clock rests as always.
        try await merchant.sell(Merchant.purchase("t", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("t") == nil)
        merchant.clock.advance(by: .hours(6))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("t") != nil)
    }

    @Test("A clock of another server that is a few minutes ahead ends no rest (RR-72)")
    func skew() async throws {
        let merchant = Merchant(store: try Self.store(), settings: try Self.delay(.hours(1)))
        try await merchant.take(Merchant.token())
        merchant.clock.advance(by: .minutes(4))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        merchant.clock.advance(by: .minutes(-4))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().isEmpty)
    }

    private static func notice(at moment: Timestamp, in store: any LedgerStore, unreported: Bool) async throws {
        let token = Merchant.token()
        try await store.write { ledger throws(LedgerError) in
            _ = try ledger.merge(
                StoredToken(
                    token: token,
                    text: nil,
                    firstSeen: FirstSeen(source: .notification, time: moment),
                    checkoutId: "n-1"
                )
            )
            guard unreported else { return }
            _ = try ledger.insert(
                StoredNotification(
                    uuid: "n-1",
                    type: .externalPurchaseToken,
                    subtype: "UNREPORTED",
                    bundleId: Merchant.shop,
                    environment: .production,
                    externalPurchaseId: token.externalPurchaseId,
                    signedDate: moment,
                    payload: "e30",
                    arrival: .delivered,
                    receivedAt: moment
                )
            )
        }
    }

    @Test("A token that only Apple named is answered at its own moment (NT-65)", arguments: Repair.allCases)
    func namedToken(_ repair: Repair) async throws {
        let merchant = try await Self.merchant(repair) { merchant in
            merchant.apple.know(Merchant.token())
            try await Self.notice(at: merchant.clock.now, in: merchant.store, unreported: false)
        }
        await merchant.system.sender.runUntilIdle()
        // Made a day before noon, and answered a day before the tenth day after that.
        #expect(try await merchant.reports().isEmpty)
        merchant.clock.advance(by: .days(8))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.status) == [.unrecognizedToken])
    }

    @Test(
        "An UNREPORTED notification that waits for a delivery is followed at once (NT-65)",
        arguments: Repair.allCases
    )
    func notification(_ repair: Repair) async throws {
        let merchant = try await Self.merchant(repair) { merchant in
            merchant.apple.know(Merchant.token())
            try await Self.notice(at: merchant.clock.now, in: merchant.store, unreported: true)
            merchant.system.sender.wakeForNotification()
        }
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.status) == [.unrecognizedToken])
    }

    @Test("A sale that waits for its token comes before a person (RR-66)", arguments: Repair.allCases)
    func reviewOfHeldSale(_ repair: Repair) async throws {
        let merchant = try await Self.merchant(repair) { merchant in
            try await merchant.sell(Merchant.purchase("s", on: nil))
        }
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.subject) == [.sale("s")])
        // The next one comes after its day, whatever the clock said before.
        try await merchant.sell(Merchant.purchase("t", on: nil))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(by: .days(1))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.subject).contains(.sale("t")))
    }

    @Test(
        "The due list, its filter and its counts show such a sale as one for a person (OB-51)",
        arguments: Repair.allCases
    )
    func dueList(_ repair: Repair) async throws {
        let merchant = try await Self.merchant(repair) { merchant in
            try await merchant.sell(Merchant.purchase("s", on: nil))
        }
        try await merchant.sell(Merchant.purchase("t", on: nil))
        for filter in [ListFilter(), ListFilter([.bundleId: Merchant.shop.rawValue])] {
            let page = try await merchant.system.deadlines(matching: filter, limit: 10)
            #expect(page.counts.held == 1)
            #expect(page.entries.map { $0.position.needsReview } == [true, false])
            #expect(page.entries.map { $0.entry.subject.needsReview } == [true, false])
        }
        let (due, now) = (merchant.system.due, merchant.clock.now)
        let groups = try await merchant.store.read { ledger throws(LedgerError) in
            try due.counts(at: now, in: ledger).groups
        }
        #expect(groups.filter { $0.key.needsReview }.values.reduce(0, +) == 1)
    }

    @Test("A change that waits for the fate of a report is settled minutes later (SA-71)", arguments: Repair.allCases)
    func waitingChange(_ repair: Repair) async throws {
        let merchant = try await Self.merchant(repair) { merchant in
            try await merchant.take(Merchant.token())
            try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
            merchant.apple.fail(.answer(.noAnswer(reason: "down")))
            await merchant.system.sender.runUntilIdle()
            let reason = try JSONReader().read(#"{"by":"kim","reason":"a test"}"#)
            _ = try await merchant.system.voidSale("s", body: reason)
        }
        for _ in 1...5 {
            await merchant.system.sender.runUntilIdle()
            merchant.clock.advance(by: .seconds(61))
        }
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.sales(LedgerPage()).map(\.standing) == [.void])
        #expect(merchant.apple.item("s") == nil)
    }

    @Test("A reversal that was too late by the wrong clock is sent (RR-82)", arguments: Repair.allCases)
    func tooLate(_ repair: Repair) async throws {
        let store = try Self.store()
        let merchant = Merchant(store: store)
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        let chargeback = Merchant.refund("c", of: "s", "9.99").replacing(#""refund""#, with: #""chargeback""#)
        try await merchant.sell(chargeback)
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(by: Self.ahead)
        let reversal = """
            {"saleId":"v","bundleId":"com.example.shop","type":"chargebackReversal","occurredAt":"2026-11-20T11:40:00Z",
            "reversalOf":"c"}
            """
        #expect(try await merchant.sell(reversal).flags == [.tooLateToReport])
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(by: .zero - Self.ahead)
        let after =
            repair == .running ? merchant : Merchant(store: store, apple: merchant.apple, clock: merchant.clock)
        await after.system.sender.runUntilIdle()
        #expect(merchant.apple.item("c")?.erroneouslySubmitted == true)
        #expect(try await after.system.lists.review(LedgerPage()).isEmpty)
    }
}
