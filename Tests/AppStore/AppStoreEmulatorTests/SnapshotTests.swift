import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite("Snapshots, resets and seeds")
struct SnapshotTests {
    /// The state as clients see it.
    private static let views = ["/tokens", "/apps", "/notifications", "/settings", "/clock", "/root.pem"]

    private func view(_ emulator: EmulatorUnderTest) async throws -> [String] {
        var bodies: [String] = []
        for path in Self.views { bodies.append(try await emulator.control(.GET, path).body) }
        return bodies
    }

    /// Two tokens, a report, a customer's period, a delivered notification and a changed setting.
    private func fill(_ emulator: EmulatorUnderTest) async throws {
        try await emulator.addToken(Body.token)
        #expect(try await emulator.put(Body.buy(1)).status == 200)
        let services = #"{"bundleId":"com.example.shop","environment":"production","tokenType":"SERVICES"}"#
        #expect(try await emulator.control(.POST, "/tokens", services).status == 201)
        #expect(try await emulator.control(.POST, "/accounts").status == 201)
        #expect(try await emulator.control(.POST, "/devices", #"{"account":1}"#).status == 201)
        let call = #"{"tokenType":"SERVICES"}"#
        #expect(try await emulator.control(.POST, "/devices/1/calls", call).status == 200)
        #expect(try await emulator.control(.PUT, "/settings", #"{"rules.clockSkew":"77s"}"#).status == 200)
        #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":60}"#).status == 200)
    }

    private func app(_ address: String) -> AppRegistration {
        AppRegistration(
            bundleId: EmulatorUnderTest.shop,
            appAppleId: 1_234_567_890,
            notificationURLs: NotificationURLs(address)
        )
    }

    private static let later = EmulatorUnderTest.now + .minutes(1)

    @Test(
        "A restored snapshot has the same tokens, reports, notifications and due events, in this emulator and another"
    )
    func roundTrip() async throws {
        try await NotificationReceiver.run { receiver, address in
            try await EmulatorUnderTest.run(apps: [app(address)]) { emulator in
                try await fill(emulator)
                #expect(receiver.payloads.count == 2)
                let before = try await view(emulator)
                let snapshot = try await emulator.control(.GET, "/snapshot").body
                #expect(try await emulator.control(.POST, "/reset").status == 200)
                #expect(try await emulator.get(Body.request(1)).status == 400)
                #expect(try await emulator.control(.PUT, "/snapshot", snapshot).status == 200)
                try await holds(emulator, before)
                try await EmulatorUnderTest.run { other async throws in
                    #expect(try await other.control(.PUT, "/snapshot", snapshot).status == 200)
                    #expect(try await view(other) == before)
                    #expect(try await other.control(.GET, "/snapshot").body == snapshot)
                }
                // Monthly reminders for both SERVICES tokens until the sandbox's hour has passed.
                _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":2592000}"#)
                let subtypes = receiver.payloads.compactMap { $0["subtype"]?.stringValue }
                #expect(subtypes.sorted() == ["ACTIVE_TOKEN_REMINDER", "CREATED", "CREATED", "UNREPORTED"])
            }
        }
    }

    private func holds(_ emulator: EmulatorUnderTest, _ before: [String]) async throws {
        #expect(try await view(emulator) == before)
        #expect(try await emulator.get(Body.request(1), now: Self.later).status == 200)
        let again = try await emulator.put(Body.buy(1), now: Self.later)
        let codes = again["errors"]?.arrayValue?.compactMap(ReportError.init(json:)).map(\.errorCode)
        #expect(codes == [.duplicateValue, .duplicateValue])
        // The customer is in the same period, and the next account gets the next number.
        let call = try await emulator.control(.POST, "/devices/1/calls", #"{"tokenType":"SERVICES"}"#)
        #expect(call["created"] == .bool(false))
        #expect(try await view(emulator) == before)
    }

    @Test("A reset removes events and preserves root, issuer and keys, so that a server needs no new set-up")
    func reset() async throws {
        try await EmulatorUnderTest.run { emulator in
            let kept = ["/root.pem", "/apps", "/clock", "/settings"]
            var before: [String] = []
            for path in kept { before.append(try await emulator.control(.GET, path).body) }
            try await fill(emulator)
            #expect(try await emulator.control(.POST, "/reset").status == 200)
            for (path, body) in zip(kept, before) {
                #expect(try await emulator.control(.GET, path).body == body, "\(path)")
            }
            for path in ["/tokens", "/notifications", "/requests"] {
                #expect(try await emulator.control(.GET, path).body == "[]", "\(path)")
            }
            #expect(try await emulator.control(.POST, "/devices", #"{"account":1}"#).status == 422)
            // The key that was returned before is still valid.
            try await emulator.addToken(Body.token)
            #expect(try await emulator.put(Body.buy(1)).status == 200)
        }
    }

    @Test(
        "A document that is not a snapshot is refused and changes nothing",
        arguments: [
            ("", 400), ("[]", 400), (#"{"version":1}"#, 400), (#"{"version":2,"changes":[]}"#, 422),
            (#"{"version":1,"changes":[{"token":{"_0":"x"}}]}"#, 422), (#"{"version":1,"changes":[{}]}"#, 400),
            (#"{"version":1,"changes":[{"clock":{"_0":{"virtual":-1}}}]}"#, 422),
            (#"{"version":1,"changes":[{"clock":{"_0":{"newestEvent":9223372036854775807}}}]}"#, 422),
            (#"{"version":1,"changes":[{"settings":{"_0":{"no":"on"}}}]}"#, 422),
            (#"{"version":1,"changes":[{"key":{"_0":{"issuerId":"a","privateKey":"secret"}}}]}"#, 422),
            (
                #"{"version":1,"changes":[{"report":{"_0":{"bundleId":"a","environment":"sandbox","body":"{"}}}]}"#, 422
            ),
        ]
    )
    func refused(body: String, status: Int) async throws {
        try await EmulatorUnderTest.run { emulator in
            try await fill(emulator)
            let before = try await view(emulator)
            let answer = try await emulator.control(.PUT, "/snapshot", body)
            #expect(answer.status == status, "\(answer.body)")
            #expect(answer["message"]?.stringValue?.isEmpty == false)
            #expect(!answer.body.contains("secret"))
            #expect(try await view(emulator) == before)
        }
    }

    @Test("A snapshot with any number out of bounds is restored or refused, and the next request is served")
    func extremeNumbers() async throws {
        try await EmulatorUnderTest.run { emulator in
            try await fill(emulator)
            let snapshot = try await emulator.control(.GET, "/snapshot").body
            let numbers = snapshot.matches(of: /":(-?[0-9]+)[,}]/).map { $0.output.1.startIndex..<$0.output.1.endIndex }
            #expect(numbers.count > 10)
            for number in numbers {
                for extreme in [Int64.max, .min, -1, 0] {
                    let body = snapshot.replacingCharacters(number, with: String(extreme))
                    let answer = try await emulator.control(.PUT, "/snapshot", body)
                    #expect([200, 400, 422].contains(answer.status), "\(answer.body)")
                    for path in ["/tokens", "/notifications", "/snapshot"] {
                        #expect(try await emulator.control(.GET, path).status == 200)
                    }
                    _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
                    _ = try await emulator.control(.POST, "/devices/1/calls", #"{"tokenType":"SERVICES"}"#)
                }
            }
        }
    }

    @Test("The same seed makes the same ids and keys, another seed others")
    func seeds() async throws {
        func ids(_ seed: UInt64) async throws -> [String] {
            try await EmulatorUnderTest.run(dependencies: .seeded(seed)) { emulator in
                var ids = [emulator.app.privateKey, emulator.app.keyId, emulator.app.issuerId]
                for _ in 0..<3 {
                    let minted = try await emulator.control(.POST, "/tokens", #"{"bundleId":"com.example.shop"}"#)
                    ids.append(minted["decoded"]?.objectValue?["externalPurchaseId"]?.stringValue ?? "?")
                }
                let order = #"{"externalPurchaseId":"\#(ids.last ?? "")","subtype":"UNREPORTED"}"#
                let sent = try await emulator.control(.POST, "/notifications", order)
                return ids + [sent["notificationUUID"]?.stringValue ?? "?"]
            }
        }
        let first = try await ids(7)
        #expect(Set(first).count == 7)
        #expect(try await ids(7) == first)
        #expect(Set(try await ids(8)).isDisjoint(with: first))
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
