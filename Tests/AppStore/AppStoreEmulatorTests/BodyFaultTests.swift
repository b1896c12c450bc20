import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite("Faults in the body of a response")
struct BodyFaultTests {
    private func inject(_ emulator: EmulatorUnderTest, _ behaviour: String, method: String = "PUT") async throws {
        let body = #"{"match":{"method":"\#(method)"},"behaviour":\#(behaviour)}"#
        #expect(try await emulator.control(.POST, "/faults", body).status == 201)
    }

    @Test("closeMidBody stores the report and aborts the response")
    func closeMidBody() async throws {
        try await EmulatorUnderTest.run { emulator in
            try await emulator.addToken(Body.token)
            try await inject(emulator, #"{"closeMidBody":true}"#)
            await #expect(throws: (any Error).self) { try await emulator.put(Body.noLineItem(1)) }
            #expect(try await emulator.get(Body.request(1)).status == 200)
            // A response without a body is aborted as well.
            try await inject(emulator, #"{"closeMidBody":true}"#)
            await #expect(throws: (any Error).self) { try await emulator.put("{") }
            #expect(
                try await emulator.journal().map { $0["fault"] }.filter { $0 == .string("closeMidBody") }.count == 2
            )
        }
    }

    @Test("slowBodyMs sends the complete body slowly")
    func slowBody() async throws {
        try await EmulatorUnderTest.run { emulator in
            try await emulator.addToken(Body.token)
            try await inject(emulator, #"{"slowBodyMs":400}"#)
            let start = ContinuousClock.now
            let answer = try await emulator.put(Body.noLineItem(1))
            #expect(start.duration(to: .now) >= .milliseconds(400))
            #expect(answer.body == #"{"requestIdentifier":"\#(Body.request(1))"}"#)
            try await inject(emulator, #"{"slowBodyMs":20}"#)
            let malformed = try await emulator.put("{")
            #expect(malformed.status == 400 && malformed.body.isEmpty)
        }
    }

    @Test("malformedJSON stores the report and responds with its status and half a body")
    func malformedJSON() async throws {
        try await EmulatorUnderTest.run { emulator in
            try await emulator.addToken(Body.token)
            try await inject(emulator, #"{"malformedJSON":true}"#)
            let answer = try await emulator.put(Body.noLineItem(1))
            #expect(answer.status == 200)
            #expect(answer.contentType == "application/json")
            #expect(answer.json == nil && !answer.body.isEmpty)
            #expect(try await emulator.get(Body.request(1)).status == 200)
            try await inject(emulator, #"{"malformedJSON":true}"#, method: "GET")
            let found = try await emulator.get(Body.request(1))
            #expect(found.status == 200 && found.json == nil)
            #expect(try await emulator.get(Body.request(1)).json != nil)
        }
    }
}
