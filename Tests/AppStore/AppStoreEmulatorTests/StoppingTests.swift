import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import RawSockets
import Testing

@Suite("An emulator that stops ends in time, whatever it was asked to delay", .timeLimit(.minutes(10)))
struct StoppingTests {
    private static let reports = "/externalPurchase/v1/reports"

    /// The waits of an emulator, each told when it begins.
    fileprivate static func waits() -> (begun: AsyncStream<Void>, dependencies: EmulatorDependencies) {
        let (begun, waiting) = AsyncStream<Void>.makeStream()
        var dependencies = EmulatorDependencies.live
        dependencies.wait = { duration in
            waiting.yield()
            try await Task.sleep(for: duration)
        }
        return (begun, dependencies)
    }

    /// Stops an emulator while a request is pending, once the emulator waits or `reached` tells something.
    ///
    /// One that waits for it exceeds the time limit of the suite.
    private func end(
        settings: [String] = [],
        reached: AsyncStream<Void>? = nil,
        prepare: @escaping @Sendable (EmulatorUnderTest) async throws -> Void = { _ in },
        request: @escaping @Sendable (EmulatorUnderTest) async throws -> EmulatorUnderTest.Answer
    ) async throws -> EmulatorUnderTest.Answer? {
        let (begun, dependencies) = Self.waits()
        return try await EmulatorUnderTest.run(
            settings: ["auth.clock=virtual", "http.shutdownTimeout=5s"] + settings,
            dependencies: dependencies
        ) { emulator in
            try await emulator.addToken(Body.token)
            try await prepare(emulator)
            let waiting = Task { try await request(emulator) }
            for await _ in reached ?? begun { break }
            await emulator.stop()
            return try? await waiting.value
        }
    }

    @Test(
        "A delayed request ends with the server and is not carried out",
        arguments: [#"{"delayMs":3600000}"#, #"{"slowBodyMs":3600000}"#]
    )
    func delayed(behaviour: String) async throws {
        let answer = try await end { emulator in
            let injected = try await emulator.control(.POST, "/faults", #"{"behaviour":\#(behaviour)}"#)
            #expect(injected.status == 201)
        } request: {
            try await $0.put(Body.noLineItem(1))
        }
        #expect(answer == nil)
    }

    @Test("A report that is held for E26 is validated and gets its response when the server stops")
    func held() async throws {
        let answer = try await end(settings: ["simultaneous.hold=1h"]) {
            try await $0.put(Body.noLineItem(1))
        }
        #expect(answer?.status == 200)
    }

    @Test("A clock that advances past undeliverable notifications stops before them with an error (NT-101)")
    func advancing() async throws {
        // Connections are established but never answered, because no process accepts them.
        try await SilentAddress.run { address, reached in
            let answer = try await end(settings: ["notify.timeout=1h"], reached: reached) { emulator in
                let app = #"{"notificationURL":"\#(address)"}"#
                #expect(try await emulator.control(.PUT, "/apps/\(EmulatorUnderTest.shop)", app).status == 200)
                // Its UNREPORTED is due in ten days.
                let minted = try await emulator.control(.POST, "/tokens", #"{"bundleId":"com.example.shop"}"#)
                #expect(minted.status == 201)
            } request: {
                try await $0.control(.POST, "/clock/advance", #"{"seconds":8640000}"#)
            }
            #expect(answer?.status == 503)
        }
    }

    @Test("A request that is half sent is closed at the deadline")
    func halfSent() async throws {
        try await EmulatorUnderTest.run(settings: ["http.shutdownTimeout=1s", "http.bodyTimeout=1h"]) { emulator in
            let connection = try RawConnection(port: emulator.address.port)
            connection.send("PUT /emulator/v1/clock HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
            connection.send("Content-Length: 100\r\n\r\n{")
            try await Task.sleep(for: .milliseconds(300))
            await emulator.stop()
            #expect(await connection.receive(silence: 20_000).isClosed)
        }
    }
}

/// An address that accepts connections and never responds.
private enum SilentAddress {
    /// - Parameter test: gets the address, and what tells that a request has come.
    static func run(_ test: @Sendable (String, AsyncStream<Void>) async throws -> Void) async throws {
        let (begun, dependencies) = StoppingTests.waits()
        try await EmulatorUnderTest.run(dependencies: dependencies) { other in
            let fault = #"{"match":{"path":"/silent"},"behaviour":{"delayMs":3600000},"times":1000}"#
            #expect(try await other.control(.POST, "/faults", fault).status == 201)
            try await test(other.address.baseURL + "/silent", begun)
        }
    }
}
