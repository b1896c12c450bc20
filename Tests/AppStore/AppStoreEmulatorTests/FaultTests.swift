import AppStoreEmulator
import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite struct FaultTests {
    static let reports = "/externalPurchase/v1/reports"

    private func inject(_ emulator: EmulatorUnderTest, _ behaviour: String, times: Int = 1) async throws {
        let match = #"{"method":"PUT","path":"\#(Self.reports)"}"#
        let body = #"{"match":\#(match),"behaviour":\#(behaviour),"times":\#(times)}"#
        let answer = try await emulator.control(.POST, "/faults", body)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test(
        "An injected status is returned the requested number of times, stores nothing and is in the journal",
        arguments: [
            (400, ""), (401, "Unauthenticated"), (503, ""),
            (429, #"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#),
            (500, #"{"errorCode":5000000,"errorMessage":"An unknown error occurred."}"#),
        ]
    )
    func status(code: Int, body: String) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            try await inject(emulator, #"{"status":\#(code)}"#, times: 2)
            for _ in 0..<2 {
                let answer = try await emulator.put(Body.noLineItem(1))
                #expect(answer.status == code)
                #expect(answer.body == body)
            }
            #expect(try await emulator.get(Body.request(1)).status == 400)
            #expect(try await emulator.put(Body.noLineItem(1)).status == 200)
            let faults = try await emulator.journal().map { $0["fault"] }
            #expect(faults == [.string("status"), .string("status"), .null, .null])
        }
    }

    @Test("retryAfterMs counts from the emulator's now and travels as UNIX milliseconds (SA-81)")
    func retryAfter() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await inject(emulator, #"{"status":429,"retryAfterMs":1500}"#)
            let client = AppStoreServerClient(
                httpClient: .shared,
                signer: try emulator.signer(),
                baseURLs: .init(emulator.address.baseURL),
                now: { EmulatorUnderTest.now }
            )
            let answer = await client.send(Array(Body.noLineItem(1).utf8), environment: .production).outcome
            #expect(answer == .rateLimited(until: EmulatorUnderTest.now + .milliseconds(1_500)))
        }
    }

    @Test("dropAfterAccept stores the report and sends no response; closeConnection stores nothing")
    func dropped() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            try await inject(emulator, #"{"dropAfterAccept":true}"#)
            await #expect(throws: (any Error).self) { try await emulator.put(Body.noLineItem(1)) }
            #expect(try await emulator.get(Body.request(1)).status == 200)
            try await inject(emulator, #"{"closeConnection":true}"#)
            await #expect(throws: (any Error).self) { try await emulator.put(Body.noLineItem(2)) }
            #expect(try await emulator.get(Body.request(2)).status == 400)
        }
    }

    @Test("delayMs responds normally after the delay")
    func delayed() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            try await inject(emulator, #"{"delayMs":300}"#)
            let start = ContinuousClock.now
            #expect(try await emulator.put(Body.noLineItem(1)).status == 200)
            #expect(start.duration(to: .now) >= .milliseconds(300))
        }
    }

    @Test("Faults apply only to matching requests, in their order, until DELETE or a reset")
    func matching() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await inject(emulator, #"{"status":503}"#)
            try await inject(emulator, #"{"status":502}"#, times: 9)
            #expect(try await emulator.get(Body.request(1)).status == 400)
            #expect(try await emulator.put("{}").status == 503)
            #expect(try await emulator.put("{}").status == 502)
            #expect(try await emulator.control(.DELETE, "/faults").status == 200)
            #expect(try await emulator.put("{}").status == 400)
            try await inject(emulator, #"{"status":502}"#, times: 9)
            #expect(try await emulator.control(.POST, "/reset").status == 200)
            #expect(try await emulator.put("{}").status == 400)
        }
    }

    @Test(
        "A fault that cannot be injected is refused",
        arguments: [
            "{}", #"{"behaviour":{}}"#, #"{"behaviour":{"status":99}}"#, #"{"behaviour":{"status":429,"delayMs":5}}"#,
            #"{"behaviour":{"explode":true}}"#, #"{"behaviour":{"delayMs":1,"retryAfterMs":5}}"#,
            #"{"behaviour":{"dropAfterAccept":false}}"#, #"{"behaviour":{"status":500},"times":0}"#,
            #"{"match":{"method":"put"},"behaviour":{"status":500}}"#,
            #"{"match":{"method":"PUTT"},"behaviour":{"status":500}}"#,
            #"{"match":{"path":"/a?b=c"},"behaviour":{"status":500}}"#,
            #"{"match":{"path":"x"},"behaviour":{"status":500}}"#, #"{"match":7,"behaviour":{"status":500}}"#,
        ]
    )
    func refused(body: String) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let answer = try await emulator.control(.POST, "/faults", body)
            #expect(answer.status == 422, "\(answer.body)")
        }
    }
}
