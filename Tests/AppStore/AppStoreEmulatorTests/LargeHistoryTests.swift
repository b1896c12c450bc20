import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Logging
import NIOCore
import Testing

@testable import AppStoreEmulator

/// Reports of a thousand line items, in the number that a long-running emulator may receive.
@Suite struct LargeHistoryTests {
    private static func report(_ number: Int, items: Int) throws -> ReceivedReport {
        let prototype = try #require(ReceivedReport.read(Array(Body.buy(number).utf8)).lineItems?.first)
        var report = ReceivedReport()
        report.requestIdentifier = RequestIdentifier(Body.request(number))
        report.externalPurchaseId = ExternalPurchaseId(Body.token)
        report.status = .lineItem
        report.lineItems = (0..<items).map { index in
            var item = prototype
            item.lineItemId = LineItemId("item-\(number)-\(index)")
            return item
        }
        return report
    }

    private static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    @Test("Accepting a report costs the same after 30,000 line items as at the start")
    func latency() async throws {
        let state = try EmulatorState(
            configuration: EmulatorConfiguration(
                apps: [AppRegistration(bundleId: EmulatorUnderTest.shop, appAppleId: 1)],
                now: EmulatorUnderTest.now
            ),
            dependencies: .seeded(1),
            connections: ConnectionGuard(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        )
        let order = TokenOrder.Minting(
            bundleId: EmulatorUnderTest.shop,
            externalPurchaseId: ExternalPurchaseId(Body.token),
            creationDate: EmulatorUnderTest.now
        )
        _ = try await state.fulfil(.minting(order))
        func accept(_ number: Int, items: Int) async throws -> Double {
            let report = try Self.report(number, items: items)
            return await Self.seconds {
                let errors = await state.receive(report, from: EmulatorUnderTest.shop)
                #expect(errors.isEmpty, "\(errors)")
            }
        }
        var small: [Double] = []
        for number in 1...99 { small.append(try await accept(number, items: 1)) }
        for number in 200..<230 { _ = try await accept(number, items: 1_000) }
        var large: [Double] = []
        for number in 100..<199 { large.append(try await accept(number, items: 1)) }
        // Copying the history takes about fifty times as long. The best of 99 measurements excludes interruptions.
        let (start, end) = (try #require(small.min()), try #require(large.min()))
        #expect(end < 8 * start, "\(start) s at the start, \(end) s at the end")
    }

    @Test("The stored events are also limited by their size, encoded or not")
    func events() {
        let stream = EventStream()
        let entry = JournalEntry(
            at: EmulatorUnderTest.now,
            method: "PUT",
            path: "/",
            body: [UInt8](repeating: 0x20, count: 1_048_576)
        )
        let listener = stream.listen(after: nil)
        for _ in 0..<200 {
            stream.send(.request(entry))
            #expect(stream.load.bytes <= EventStream.keptBytes)
        }
        stream.send(.reset)
        var (position, count, missed) = (listener.position, 0, UInt64(0))
        var newest = ByteBuffer()
        while position < 201 {
            switch stream.next(after: position) {
            case .nothing: position = 201
            case .lost(let lost):
                missed += lost
                position += lost
            case .event(let frame):
                // Encoding all of them would take long.
                if count < 3 || frame.number == 201 { newest = stream.bytes(of: frame) }
                position = frame.number
                count += 1
            }
            #expect(stream.load.bytes <= EventStream.keptBytes)
        }
        #expect(missed > 0)
        #expect(count > 10)
        #expect(String(buffer: newest).contains("event: reset"))
    }
}
