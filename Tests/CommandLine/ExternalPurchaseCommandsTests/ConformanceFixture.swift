import Foundation
import Testing

/// An emulator with tokens of several kinds, and runs of the suite against it.
struct ConformanceFixture {
    static let bundleId = "com.example.shop"

    let scratch: ScratchFolder
    let emulator: RunningServer
    let keys: Keys

    init(_ arguments: [String] = []) async throws {
        scratch = try ScratchFolder()
        emulator = try await RunningServer(
            ["emulator", "--port", "0", "--app", "\(Self.bundleId)=1234567890", "--credentials", scratch.url.path]
                + arguments
        )
        keys = try Keys(folder: scratch.url)
    }

    /// The request for a token of a device; a `SERVICES` token is of two hours ago and has expired.
    static func order(_ type: String? = nil, environment: String = "sandbox") -> [String: Any] {
        var order: [String: Any] = ["bundleId": bundleId, "environment": environment]
        order["tokenType"] = type
        if type == "SERVICES" {
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            order["creationDate"] = now - 7_200_000
            order["expirationDate"] = now - 3_600_000
        }
        return order
    }

    /// The requests for a plain token, an expired one, and one of a transaction: together they permit every case.
    static var orders: [[String: Any]] { [order(), order("SERVICES"), order("IN_APP")] }

    /// Creates a token as a device would.
    func token(_ type: String? = nil, environment: String = "sandbox") async throws -> String {
        let order = Self.order(type, environment: environment)
        let answer = try await HTTP.send("POST", emulator.url + "/emulator/v1/tokens", order)
        return try #require(answer.json["token"] as? String, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    /// A plain token, an expired one, and one of a transaction: together they permit every case.
    func tokens() async throws -> [String] {
        [try await token(), try await token("SERVICES"), try await token("IN_APP")]
    }

    /// The arguments of a run.
    func arguments(_ tokens: [String], url: String? = nil) -> [String] {
        ["conformance", "run", "--base-url", url ?? emulator.url, "--pause", "0ms"] + keys.options
            + tokens.flatMap { ["--token", $0] }
    }

    /// Runs all cases and returns the report.
    func run(_ tokens: [String], url: String? = nil, _ more: [String] = []) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(arguments(tokens, url: url) + ["--format", "json", "--allow-accepted"] + more)
    }

    /// The requests that the emulator answered.
    func journal() async throws -> [[String: Any]] {
        let answer = try await HTTP.get(emulator.url + "/emulator/v1/requests")
        return answer.list.isEmpty ? answer.json["requests"] as? [[String: Any]] ?? [] : answer.list
    }
}

/// The report of a run as JSON.
protocol ConformanceResult {
    var json: NSDictionary? { get }
}

extension BuiltBinary.Result: ConformanceResult {}

extension ConformanceResult {
    /// The cases of a report.
    var cases: [[String: Any]] { json?["cases"] as? [[String: Any]] ?? [] }

    var settings: [String: String] { (json?["profile"] as? [String: Any])?["settings"] as? [String: String] ?? [:] }

    var summary: [String: Int] { json?["summary"] as? [String: Int] ?? [:] }

    var different: [[String: Any]] { cases.filter { $0["outcome"] as? String == "different" } }
}

/// What came for each case, without the ids of the run.
func answers(of result: some ConformanceResult) -> [String: String] {
    Dictionary(
        result.cases.map { entry in
            let came = entry["came"] as? [String: Any] ?? [:]
            let errors = (came["errors"] as? [[String: Any]] ?? [came["error"] as? [String: Any]].compactMap(\.self))
                .map { error in
                    // The id of a line item has the run, the case and the name in the case.
                    let item = (error["lineItemId"] as? String)?.split(separator: "-").dropFirst(2).joined(
                        separator: "-"
                    )
                    return [
                        "\(error["errorCode"] ?? "")", "\(error["errorMessage"] ?? "")", "\(error["fieldName"] ?? "")",
                        item ?? "",
                    ].joined(separator: "|")
                }
            let form = ["errors", "error", "json", "text"].first { came[$0] != nil } ?? ""
            let text = came["text"] as? String ?? ""
            return (
                entry["id"] as? String ?? "",
                "\(came["status"] ?? "") \(form) \(text) \(errors.joined(separator: "; "))"
            )
        }
    ) { $1 }
}
