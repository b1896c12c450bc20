import AppStoreAPI
import AppStoreEmulator
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import Testing

@Suite struct ClientRoundTripTests {
    private func client(_ emulator: EmulatorUnderTest, bundleId: BundleId = EmulatorUnderTest.shop) throws
        -> AppStoreServerClient
    {
        AppStoreServerClient(
            httpClient: .shared,
            mint: try emulator.mint(bundleId: bundleId),
            baseURLs: .init(emulator.address.baseURL),
            now: { EmulatorUnderTest.now }
        )
    }

    @Test("The client's reports are accepted, refused with their errors, and found again")
    func roundTrip() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let client = try client(emulator)
            let id = try #require(RequestIdentifier(Body.request(1)))
            #expect(await client.retrieve(id, environment: .production).answer == .notFound)
            let body = Array(Body.buy(1).utf8)
            let accepted = await client.send(body, environment: .production)
            #expect(accepted.answer == .accepted)
            #expect(accepted.status == 200)
            #expect(String(decoding: accepted.body, as: UTF8.self) == #"{"requestIdentifier":"\#(id)"}"#)
            let again = await client.send(body, environment: .production)
            #expect(
                again.answer
                    == .rejected([
                        ReportError(.duplicateValue, field: "requestIdentifier"),
                        ReportError(.duplicateValue, field: "lineItemId", item: "sale-1"),
                    ])
            )
            #expect(await client.send(Array("{".utf8), environment: .production).answer == .refusedWithoutErrors)
            let found = await client.retrieve(id, environment: .production)
            let report = try ReceivedReport.read(body)
            #expect(found.answer == .found(report))
        }
    }

    @Test("A request for an app that is not the key's comes back as unauthorised")
    func unauthorised() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let client = try client(emulator, bundleId: "com.example.other")
            let sent = await client.send(Array(Body.noLineItem(1).utf8), environment: .production)
            #expect(sent.answer == .unauthorized)
            #expect(sent.status == 401)
            let id = try #require(RequestIdentifier(Body.request(1)))
            #expect(await client.retrieve(id, environment: .sandbox).answer == .unauthorized)
        }
    }

    @Test("An emulator that stops in the middle of the story answers nothing any more")
    func stopped() async throws {
        let client: AppStoreServerClient = try await EmulatorUnderTest.run { emulator in try self.client(emulator) }
        // The port closes when the task that served it has ended.
        try await Task.sleep(for: .milliseconds(300))
        guard case .noAnswer = await client.send(Array(Body.noLineItem(1).utf8), environment: .production).answer else {
            Issue.record("a stopped emulator answered")
            return
        }
    }
}
