import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import Testing

@testable import ReportConformance

/// The published cases of the conformance suite, sent to the complete endpoint.
@Suite struct ReportVectorTests {
    private static let cases: [RecordedCase] = {
        do {
            return try ConformanceSuite.published.recordedCases(now: Timestamp(milliseconds: 1_795_176_000_000))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static let vectors = cases.compactMap { $0.json?.objectValue }

    @Test("Every recorded report is sent but the one that is not UTF-8, which JSON cannot carry")
    func complete() {
        let others = Set(Self.cases.map(\.id)).subtracting(Self.vectors.compactMap { $0["id"]?.stringValue })
        #expect(!Self.vectors.isEmpty)
        #expect(others.count == 1, "\(others)")
    }

    @Test("Every recorded report is answered over HTTP as recorded (RR-90, RR-91)")
    func replay() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            for vector in Self.vectors { try await replay(vector, emulator) }
        }
    }

    func replay(_ vector: JSONObject, _ emulator: EmulatorUnderTest) async throws {
        let id = vector["id"]?.stringValue ?? "?"
        let now = Timestamp(milliseconds: try #require(vector["now"]?.int64Value))
        #expect(try await emulator.control(.POST, "/reset").status == 200)
        // The clock starts before all set-up events, because it cannot be set back to before an event (NT-102).
        try await setClock(Timestamp(milliseconds: 1_000_000_000_000), emulator)
        for token in vector["tokens"]?.arrayValue ?? [] { try await register(token, emulator) }
        for report in vector["accepted"]?.arrayValue ?? [] {
            let dates = report.objectValue?["lineItems"]?.arrayValue?.compactMap {
                $0.objectValue?["creationDate"]?.int64Value
            }
            let current = Timestamp(milliseconds: max(dates?.max() ?? 0, try await clock(emulator).milliseconds))
            try await setClock(current, emulator)
            let answer = try await emulator.put(String(decoding: report.encoded(), as: UTF8.self), now: current)
            #expect(answer.status == 200, "\(id): set-up refused: \(answer.body)")
        }
        try await setClock(now, emulator)
        for step in vector["steps"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
            try await replay(step, id: id, now: now, emulator)
        }
    }

    private func replay(_ step: JSONObject, id: String, now: Timestamp, _ emulator: EmulatorUnderTest) async throws {
        let report = step["report"].map { String(decoding: $0.encoded(), as: UTF8.self) }
        let body = try #require(step["raw"]?.stringValue ?? report)
        let answer = try await emulator.put(body, now: now)
        guard step["malformed"] == nil else {
            #expect(answer.status == 400, "\(id)")
            #expect(answer.body.isEmpty, "\(id)")
            return
        }
        let expected = try #require(step["errors"]?.arrayValue)
        #expect(answer.status == (expected.isEmpty ? 200 : 400), "\(id): \(answer.body)")
        let errors = answer["errors"]?.arrayValue?.compactMap(\.objectValue) ?? []
        #expect(errors.map { $0["errorCode"] } == expected.map { $0.objectValue?["code"] }, "\(id)")
        #expect(errors.map { $0["fieldName"] } == expected.map { $0.objectValue?["fieldName"] }, "\(id)")
        #expect(errors.map { $0["lineItemId"] } == expected.map { $0.objectValue?["lineItemId"] }, "\(id)")
    }

    private func register(_ token: JSONValue, _ emulator: EmulatorUnderTest) async throws {
        let fields = try #require(token.objectValue)
        var body: JSONObject = ["bundleId": .string(EmulatorUnderTest.shop.rawValue)]
        let names = [
            ("externalPurchaseId", "externalPurchaseId"), ("tokenCreationDate", "creationDate"),
            ("tokenType", "tokenType"), ("tokenExpirationDate", "expirationDate"),
        ]
        for (field, name) in names {
            if let value = fields[field] { body[name] = value }
        }
        let text = String(decoding: JSONValue.object(body).encoded(), as: UTF8.self)
        let answer = try await emulator.control(.POST, "/tokens", text)
        #expect(answer.status == 201, "\(answer.body)")
    }

    private func setClock(_ now: Timestamp, _ emulator: EmulatorUnderTest) async throws {
        let answer = try await emulator.control(.PUT, "/clock", #"{"now":"\#(now)"}"#)
        #expect(answer.status == 200, "\(answer.body)")
    }

    private func clock(_ emulator: EmulatorUnderTest) async throws -> Timestamp {
        let text = try #require(try await emulator.control(.GET, "/clock")["now"]?.stringValue)
        return try #require(Timestamp(rfc3339: text))
    }
}
