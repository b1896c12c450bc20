import AppStoreEmulator
import AppStoreServerClient
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
            signer: try emulator.signer(bundleId: bundleId),
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
            #expect(await client.retrieve(id, environment: .production).outcome == .notFound)
            let body = Array(Body.buy(1).utf8)
            let accepted = await client.send(body, environment: .production)
            #expect(accepted.outcome == .accepted)
            #expect(accepted.status == 200)
            #expect(String(decoding: accepted.body, as: UTF8.self) == #"{"requestIdentifier":"\#(id)"}"#)
            let again = await client.send(body, environment: .production)
            #expect(
                again.outcome
                    == .rejected([
                        ReportError(.duplicateValue, field: "requestIdentifier"),
                        ReportError(.duplicateValue, field: "lineItemId", item: "sale-1"),
                    ])
            )
            #expect(await client.send(Array("{".utf8), environment: .production).outcome == .refusedWithoutErrors)
            let found = await client.retrieve(id, environment: .production)
            let report = try ReceivedReport.read(body)
            #expect(found.outcome == .found(report))
        }
    }

    @Test("A request for an app that is not the key's comes back as unauthorised")
    func unauthorised() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let client = try client(emulator, bundleId: "com.example.other")
            let sent = await client.send(Array(Body.noLineItem(1).utf8), environment: .production)
            #expect(sent.outcome == .unauthorized)
            #expect(sent.status == 401)
            let id = try #require(RequestIdentifier(Body.request(1)))
            #expect(await client.retrieve(id, environment: .sandbox).outcome == .unauthorized)
        }
    }

    @Test("After its service group shuts down an emulator's port is closed, and the client reports it at once")
    func stopped() async throws {
        let httpClient = HTTPClient(configuration: AppStoreServerClient.httpConfiguration)
        let client: AppStoreServerClient = try await EmulatorUnderTest.run { emulator in
            let client = AppStoreServerClient(
                httpClient: httpClient,
                signer: try emulator.signer(),
                baseURLs: .init(emulator.address.baseURL),
                now: { EmulatorUnderTest.now }
            )
            // This leaves an open connection, which must not prevent the emulator from ending.
            #expect(await client.send([], environment: .production).outcome == .refusedWithoutErrors)
            return client
        }
        let answer = await client.send([], environment: .production).outcome
        if case .noAnswer = answer {} else { Issue.record("a stopped emulator answered \(answer)") }
        try await httpClient.shutdown()
    }
}
