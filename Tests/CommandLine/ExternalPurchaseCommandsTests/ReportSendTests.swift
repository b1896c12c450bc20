import ExternalPurchaseCore
import Foundation
import Testing

@testable import ReportConformance

@Suite("report send shows every rule's answer over the wire, without a check of ours")
struct ReportSendTests {
    /// The published cases of the conformance suite.
    static var vectors: [[String: Any]] {
        let now = Timestamp(milliseconds: 1_795_176_000_000)
        let cases = (try? ConformanceSuite.published.recordedCases(now: now)) ?? []
        return cases.compactMap { recorded in
            recorded.json.flatMap { json in
                (try? JSONSerialization.jsonObject(with: Data(json.encoded()))) as? [String: Any]
            }
        }
    }

    static let bundleId = "com.example.shop"

    @Test("Every published case, through the built binary and a running emulator")
    func goldenCases() async throws {
        let scratch = try ScratchFolder()
        let emulator = try await RunningServer(
            ["emulator", "--port", "0", "--app", "\(Self.bundleId)=1234567890", "--credentials", scratch.url.path]
        )
        let keys = try Keys(folder: scratch.url)
        let control = emulator.url + "/emulator/v1"
        var codes: Set<Int> = []
        for vector in Self.vectors {
            let id = vector["id"] as? String ?? "?"
            #expect(try await HTTP.send("POST", control + "/reset", [:]).status < 300)
            try await Self.prepare(vector, control: control)
            for report in vector["accepted"] as? [[String: Any]] ?? [] {
                let result = try await Self.send(Self.text(report), to: emulator, keys, scratch.url)
                #expect(result.exitCode == 0, "\(id): \(result.output) \(result.error)")
            }
            for step in vector["steps"] as? [[String: Any]] ?? [] {
                let body = try step["raw"] as? String ?? Self.text(step["report"] as? [String: Any] ?? [:])
                let result = try await Self.send(body, to: emulator, keys, scratch.url)
                let json = try #require(result.json, "\(id): \(result.output) \(result.error)")
                let expected = step["errors"] as? [[String: Any]] ?? []
                let isMalformed = step["malformed"] != nil
                #expect(result.exitCode == (expected.isEmpty && !isMalformed ? 0 : 1), "\(id): \(result.output)")
                #expect(json["accepted"] as? Bool == (expected.isEmpty && !isMalformed), "\(id)")
                let errors = json["errors"] as? [[String: Any]] ?? []
                #expect(errors.map { $0["errorCode"] as? Int } == expected.map { $0["code"] as? Int }, "\(id)")
                #expect(
                    errors.map { $0["fieldName"] as? String } == expected.map { $0["fieldName"] as? String },
                    "\(id)"
                )
                #expect(
                    errors.map { $0["lineItemId"] as? String } == expected.map { $0["lineItemId"] as? String },
                    "\(id)"
                )
                codes.formUnion(errors.compactMap { $0["errorCode"] as? Int })
            }
        }
        // 26 needs two reports at the same moment; the emulator's own tests provoke it.
        #expect(codes == Set(ReportErrorEntry.all.map(\.code.rawValue)).subtracting([26]))
        emulator.terminate()
    }

    static func prepare(_ vector: [String: Any], control: String) async throws {
        let now = (vector["now"] as? NSNumber)?.doubleValue ?? 0
        let moment = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: now / 1_000))
        #expect(try await HTTP.send("PUT", control + "/clock", ["now": moment]).status == 200)
        for token in vector["tokens"] as? [[String: Any]] ?? [] {
            var order: [String: Any] = ["bundleId": bundleId]
            order["externalPurchaseId"] = token["externalPurchaseId"]
            order["creationDate"] = token["tokenCreationDate"]
            order["tokenType"] = token["tokenType"]
            order["expirationDate"] = token["tokenExpirationDate"]
            let answer = try await HTTP.send("POST", control + "/tokens", order)
            #expect(answer.status < 300, "\(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    static func text(_ report: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
    }

    static func send(
        _ body: String,
        to emulator: RunningServer,
        _ keys: Keys,
        _ folder: URL
    ) async throws -> BuiltBinary.Result {
        let file = folder.appending(path: "report.json")
        try Data(body.utf8).write(to: file)
        return try await BuiltBinary.run(
            ["report", "send", file.path, "--format", "json", "--base-url", emulator.url] + keys.options
        )
    }

    @Test("Keys come from the environment too; report get shows what was accepted, else ends with 1")
    func environmentAndGet() async throws {
        let scratch = try ScratchFolder()
        let emulator = try await RunningServer(
            ["emulator", "--port", "0", "--app", "\(Self.bundleId)=1234567890", "--credentials", scratch.url.path]
        )
        let keys = try Keys(folder: scratch.url)
        let environment = [
            "EXTERNAL_PURCHASE_KEY": keys.keyFile, "EXTERNAL_PURCHASE_KEY_ID": keys.keyId,
            "EXTERNAL_PURCHASE_ISSUER_ID": keys.issuerId, "EXTERNAL_PURCHASE_BUNDLE_ID": keys.bundleId,
        ]
        let minted = try await HTTP.send("POST", emulator.url + "/emulator/v1/tokens", ["bundleId": Self.bundleId])
        let decoded = try #require(minted.json["decoded"] as? [String: Any])
        let id = try #require(decoded["externalPurchaseId"] as? String)
        let request = "5e7a0000-1111-4222-8333-000000000001"
        let body = #"{"requestIdentifier":"\#(request)","externalPurchaseId":"\#(id)","status":"NO_LINE_ITEM"}"#
        let sent = try await BuiltBinary.run(
            ["report", "send", "-", "--base-url", emulator.url],
            input: Data(body.utf8),
            environment: environment
        )
        #expect(sent.exitCode == 0, "\(sent.error)")
        let found = try await BuiltBinary.run(
            ["report", "get", request, "--environment", "sandbox", "--base-url", emulator.url, "--format", "json"],
            environment: environment
        )
        #expect(found.exitCode == 0, "\(found.error)")
        #expect(found.json?["status"] as? String == "NO_LINE_ITEM")
        let missing = try await BuiltBinary.run(
            ["report", "get", "5e7a0000-1111-4222-8333-000000000002", "--base-url", emulator.url],
            environment: environment
        )
        #expect(missing.exitCode == 1)
        let wrongKey = try await BuiltBinary.run(
            ["report", "get", request, "--base-url", emulator.url],
            environment: environment.merging(["EXTERNAL_PURCHASE_KEY_ID": "NOSUCHKEY0"]) { $1 }
        )
        #expect(wrongKey.exitCode == 3)
        #expect(wrongKey.error.contains("401"))
        emulator.terminate()
    }
}
