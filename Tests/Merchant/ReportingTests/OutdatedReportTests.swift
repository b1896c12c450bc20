import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import ReportValidation
import Testing

@testable import Reporting

@Suite("Reports of a subscription's charge when an earlier event arrives after them (RR-31)")
struct OutdatedReportTests {
    private static let token = Merchant.token(made: Merchant.noon - .days(100))

    /// A charge whose days are counted from 90 days before noon.
    private static func charge(_ id: String, _ from: Int64, _ to: Int64) -> String {
        func moment(_ day: Int64) -> String {
            Merchant.noon.advanced(by: .days(day - 90)).description
        }
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"subscription","subscriptionId":"sub",
            "occurredAt":"\(moment(from))","externalPurchaseId":"\(token.externalPurchaseId)",
            "period":{"start":"\(moment(from))","end":"\(moment(to))"},"productId":"club","quantity":1,
            "amount":{"currency":"EUR","inclusive":"12.10","taxRate":"21","taxCountry":"NLD"}}
            """
    }

    private static let start = charge("s", 0, 30)
    private static let first = charge("r1", 30, 60)
    private static let second = charge("r2", 60, 90)

    private func merchant(onDisk: Bool = false) async throws -> Merchant {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let store: any LedgerStore = onDisk ? try SQLiteLedgerStore(path: path) : MemoryLedgerStore.empty()
        let merchant = Merchant(store: store)
        try await merchant.take(Self.token)
        try await merchant.sell(Self.start)
        await merchant.system.sender.runUntilIdle()
        return merchant
    }

    @Test("One that was never sent is withdrawn, and its charges go out with the right days", arguments: [false, true])
    func written(onDisk: Bool) async throws {
        let merchant = try await merchant(onDisk: onDisk)
        merchant.apple.fail(.answer(.rateLimited(until: nil)))
        try await merchant.sell(Self.second)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .written])
        try await merchant.sell(Self.first)
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .withdrawn, .accepted])
        #expect(merchant.apple.item("r1")?.subscriptionDaysOfPaidService == 30)
        #expect(merchant.apple.item("r2")?.subscriptionDaysOfPaidService == 60)
        #expect(merchant.apple.item("r2")?.restatement != true)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
    }

    @Test("A refused charge waits for a person; one that arrives late goes out right", arguments: [false, true])
    func refused(onDisk: Bool) async throws {
        let merchant = try await merchant(onDisk: onDisk)
        merchant.apple.fail(.answer(.rejected([ReportError(.unknownEnum, field: "taxCountry", item: "r2")])))
        try await merchant.sell(Self.second)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.kind) == [.reportRefused])
        try await merchant.sell(Self.first)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .withdrawn, .accepted])
        #expect(merchant.apple.item("r1")?.subscriptionDaysOfPaidService == 30)
        // What Apple refused waits for a person, whatever arrives meanwhile, and goes out with the right days then.
        #expect(merchant.apple.item("r2") == nil)
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        #expect(item.kind == .reportRefused)
    }

    @Test("One of unknown fate stays: Apple may have it, and then its figures are restated")
    func unknown() async throws {
        let merchant = try await merchant()
        merchant.apple.fail(.dropAfterAccept)
        try await merchant.sell(Self.second)
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Self.first)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted })
        #expect(merchant.apple.item("r2")?.subscriptionDaysOfPaidService == 30)
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        #expect(item.kind == .subscriptionFigures)
        #expect(item.correctionId != nil)
    }

    @Test("Days that a person stated in a correction stay as they are")
    func stated() async throws {
        let merchant = try await merchant()
        try await merchant.sell(Self.second)
        await merchant.system.sender.runUntilIdle()
        let wish = """
            {"bundleId":"com.example.shop","saleId":"r2","action":"restate","fields":{"daysOfPaidService":44},
            "requestedBy":"maria","reason":"as the provider counts"}
            """
        let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        let order = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
        _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r2")?.subscriptionDaysOfPaidService == 44)
        try await merchant.sell(Self.first)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        #expect(merchant.apple.item("r1")?.subscriptionDaysOfPaidService == 30)
        #expect(merchant.apple.item("r2")?.subscriptionDaysOfPaidService == 44)
    }

    @Test("A person asks for a recount, which restates only what differs")
    func recount() async throws {
        let merchant = try await merchant()
        let wish = """
            {"bundleId":"com.example.shop","saleId":"s","action":"recount","requestedBy":"maria","reason":"checked"}
            """
        let body = try JSONReader().read(wish)
        await #expect(throws: RequestError.self) { try await merchant.system.planCorrection(body: body) }
        for sale in [Self.second, Self.first] {
            try await merchant.sell(sale)
            await merchant.system.sender.runUntilIdle()
        }
        let run = try await merchant.system.planCorrection(body: body)
        #expect(run.isAllowed)
        let reports = try #require(run.plan.objectValue?["reports"]?.arrayValue)
        #expect(reports.count == 1)
        #expect(reports.first?.objectValue?["items"]?.arrayValue?.count == 1)
    }
}
