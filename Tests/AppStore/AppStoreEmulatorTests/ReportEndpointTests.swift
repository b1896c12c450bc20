import AppStoreEmulator
import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import Testing

@Suite struct ReportEndpointTests {
    @Test(
        "The response to an accepted report has its identifier as spelled, and GET returns the report as read (SA-23)"
    )
    func acceptedReport() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let plain = Body.buy(1, rate: "0.00690")
            let report = plain.replacingOccurrences(of: #""quantity":1"#, with: #""quantity":1,"unknown":{"a":1}"#)
                .replacingOccurrences(of: Body.request(1), with: "ABCDEF00-0000-4000-8000-000000000001")
            let answer = try await emulator.put(report)
            #expect(answer.status == 200)
            #expect(answer.contentType == "application/json")
            #expect(answer.body == #"{"requestIdentifier":"ABCDEF00-0000-4000-8000-000000000001"}"#)
            let found = try await emulator.get("abcdef00-0000-4000-8000-000000000001")
            #expect(found.status == 200)
            #expect(found.body.contains(#""exchangeRate":0.00690"#))
            let expected = try ReceivedReport.read(Array(report.utf8))
            let object = try #require(found["report"]?.objectValue)
            let returned = try ReceivedReport.read(object)
            #expect(returned == expected)
            #expect(object["lineItems"]?.arrayValue?.first?.objectValue?["unknown"] == nil)
        }
    }

    @Test(
        "GET of a report that was never accepted gives 400 with code 3, never 404 (SA-20)",
        arguments: ["00000000-0000-4000-8000-000000000009", "no-uuid", "%2e%2e"]
    )
    func unknownReport(_ id: String) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let answer = try await emulator.get(id)
            #expect(answer.status == 400)
            #expect(answer.contentType == "application/json")
            #expect(answer.body == Body.unknownReport)
            _ = try await emulator.control(.PUT, "/settings", #"{"answers.getNotFound":"wrapped"}"#)
            #expect(try await emulator.get(id).body == #"{"errors":["# + Body.unknownReport + "]}")
        }
    }

    @Test(
        "Other paths are 404 and other methods 405, with empty bodies (SA-2)",
        arguments: [
            ("PUT", "/externalPurchase/v1/reports/", 404), ("PUT", "/externalpurchase/v1/reports", 404),
            ("PUT", "/", 405), ("GET", "/inApps/v1/notifications/test", 405), ("POST", "/inApps/v1/notifications", 404),
            ("POST", "/faulty", 404),
            ("GET", "/externalPurchase/v1/reports/a/b", 404), ("GET", "/externalPurchase/v1/reports", 405),
            ("POST", "/externalPurchase/v1/reports", 405), ("PUT", "/externalPurchase/v1/reports/x", 405),
        ]
    )
    func exactPaths(method: String, path: String, status: Int) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let answer = try await emulator.call(.init(rawValue: method), path)
            #expect(answer.status == status)
            #expect(answer.body.isEmpty)
        }
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let rule: String
        let body: String
        var testDescription: String { rule }

        static let all: [Malformed] = [
            .init(rule: "SA-51", body: #"{"status":"#),
            .init(rule: "SA-51", body: "[]"),
            .init(rule: "SA-51", body: ""),
            .init(rule: "SA-52", body: #"{"status":7}"#),
            .init(rule: "SA-53", body: #"{"lineItems":[{"quantity":1.5}]}"#),
            .init(rule: "SA-54", body: #"{"requestIdentifier":"7"}"#),
            .init(rule: "SA-55", body: #"{"status":"line_item"}"#),
            .init(rule: "SA-56", body: #"{"lineItems":[{"pricingCurrency":"eur"}]}"#),
            .init(rule: "SA-57", body: #"{"lineItems":[{"exchangeRate":1e3}]}"#),
        ]
    }

    @Test("A malformed body is answered 400 with an empty body, and the journal names the row (SA-50)")
    func malformed() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            for malformed in Malformed.all {
                let answer = try await emulator.put(malformed.body)
                #expect(answer.status == 400, "\(malformed.rule)")
                #expect(answer.body.isEmpty, "\(malformed.rule)")
            }
            let journal = try await emulator.journal()
            #expect(journal.map { $0["reason"]?.stringValue } == Malformed.all.map(\.rule))
            #expect(journal.map { $0["body"]?.stringValue } == Malformed.all.map(\.body))
            let unknown = journal.first { $0["reason"] == .string("SA-55") }?["message"]?.stringValue
            let known = ReportStatus.all.map(\.rawValue).joined(separator: ", ")
            #expect(unknown == "status has a value that is not known; it is one of \(known)")
            #expect(journal.allSatisfy { $0["errors"] == .array([]) && $0["status"]?.int64Value == 400 })
        }
    }

    @Test("A body of 1 MiB is read, one byte more is malformed (SA-4)")
    func bodyLimit() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let report = Body.noLineItem(1)
            let padding = String(repeating: " ", count: 1_048_576 - report.utf8.count)
            #expect(try await emulator.put(report + padding + " ").status == 400)
            #expect(try await emulator.journal().last?["reason"] == .string("SA-51"))
            #expect(try await emulator.put(report + padding).status == 200)
        }
    }

    @Test("The body is read as JSON for any Content-Type (SA-2)")
    func anyContentType() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let headers = ["Content-Type": "text/plain", "Authorization": try await emulator.bearer()]
            let path = "/externalPurchase/v1/reports"
            #expect(try await emulator.call(.PUT, path, Body.noLineItem(1), headers: headers).status == 200)
        }
    }

    @Test("A refused report keeps nothing and leaves its identifier free (SA-60, SA-61)")
    func allOrNothing() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let wrong = Body.buy(1).replacingOccurrences(of: "9990", with: "9991")
            let refused = try await emulator.put(wrong)
            #expect(refused.status == 400)
            #expect(
                refused.body
                    == #"{"errors":[{"errorCode":11,"errorMessage":"The tax exclusive amount plus the tax amount does not "#
                    + #"equal the tax inclusive amount.","fieldName":"amountTaxInclusive","lineItemId":"sale-1"}]}"#
            )
            #expect(try await emulator.get(Body.request(1)).status == 400)
            #expect(try await emulator.put(Body.buy(1)).status == 200)
            let again = try await emulator.put(Body.buy(1))
            let errors = again["errors"]?.arrayValue?.compactMap(ReportError.init(json:)) ?? []
            #expect(errors.map(\.fieldName) == ["requestIdentifier", "lineItemId"])
            #expect(errors.map(\.errorCode) == [.duplicateValue, .duplicateValue])
        }
    }

    @Test("Of 64 reports sent at once with one identifier exactly one is accepted, and GET shows that one (SA-65)")
    func parallelDuplicates() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let accepted = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<64 {
                    group.addTask {
                        (number, try await emulator.put(Body.buy(1, item: "sale-\(number)")).status)
                    }
                }
                return try await group.reduce(into: [Int]()) { if $1.1 == 200 { $0.append($1.0) } }
            }
            #expect(accepted.count == 1)
            let items = try await emulator.get(Body.request(1))["report"]?.objectValue?["lineItems"]?.arrayValue
            let item = items?.first?.objectValue?["lineItemId"]?.stringValue
            #expect(item == accepted.first.map { "sale-\($0)" })
        }
    }

    @Test("Each of 64 simultaneous reports is accepted completely or refused with code 26 alone (SA-65, SA-66)")
    func parallelReports() async throws {
        try await EmulatorUnderTest.run(settings: ["auth.clock=virtual", "simultaneous.hold=20ms"]) {
            emulator async throws in
            for number in 0..<16 { try await emulator.addToken(token(number)) }
            let answers = try await withThrowingTaskGroup(of: (Int, EmulatorUnderTest.Answer).self) { group in
                for number in 0..<64 {
                    group.addTask {
                        (number, try await emulator.put(Body.buy(number, token: token(number % 16))))
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(answers.count == 64)
            #expect(answers.values.contains { $0.status == 200 })
            for (number, answer) in answers {
                #expect(answer.status == 200 || answer.body == Self.simultaneous, "\(answer.body)")
                #expect(try await emulator.get(Body.request(number)).status == answer.status)
            }
        }
        @Sendable func token(_ number: Int) -> String { "4d3f0000-0000-4000-8000-0000000001" + String(number + 10) }
    }

    static let simultaneous =
        #"{"errors":[{"errorCode":26,"errorMessage":"One or more simultaneous submissions of reports reference the same "#
        + #"data."}]}"#

    @Test(
        "A report is refused with code 26 while another that shares its token is in process, and not after (E26, SA-66)"
    )
    func simultaneousSubmission() async throws {
        // The first report is held until the second one is answered.
        let (held, holding) = AsyncStream<Void>.makeStream()
        let (answered, answering) = AsyncStream<Void>.makeStream()
        var dependencies = EmulatorDependencies.live
        dependencies.wait = { _ in
            holding.yield()
            for await _ in answered { return }
        }
        let settings = ["auth.clock=virtual", "simultaneous.hold=1h"]
        try await EmulatorUnderTest.run(settings: settings, dependencies: dependencies) { emulator async throws in
            try await emulator.addToken(Body.token)
            async let first = emulator.put(Body.buy(1))
            for await _ in held { break }
            let second = try await emulator.put(Body.buy(2))
            #expect(second.status == 400)
            #expect(second.body == Self.simultaneous)
            answering.finish()
            #expect(try await first.status == 200)
            #expect(try await emulator.put(Body.buy(2)).status == 200)
        }
    }

    @Test("The same identifiers exist in both environments, and GET searches production first (SA-90, SA-91)")
    func twoWorlds() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let sandbox = "SANDBOX_" + Body.token
            try await emulator.addToken(Body.token)
            try await emulator.addToken(sandbox)
            #expect(try await emulator.put(Body.buy(1, token: sandbox)).status == 200)
            #expect(try await emulator.get(Body.request(1)).body.contains(sandbox))
            #expect(try await emulator.put(Body.buy(1)).status == 200)
            #expect(try await !emulator.get(Body.request(1)).body.contains(sandbox))
        }
    }

    @Test("A token at an emulator that is pinned to the other environment is unknown there (SA-91)")
    func pinned() async throws {
        try await EmulatorUnderTest.run(environment: .sandbox) { emulator async throws in
            let body = #"{"bundleId":"\#(EmulatorUnderTest.shop)","externalPurchaseId":"\#(Body.token)"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 422)
            let answer = try await emulator.put(Body.noLineItem(1))
            let errors = answer["errors"]?.arrayValue?.compactMap(ReportError.init(json:))
            #expect(errors == [ReportError(.notFound, field: "externalPurchaseId")])
        }
    }

    @Test("The journal shows the received requests, newest last, and never their authorisation")
    func journal() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let report = Body.noLineItem(1)
            _ = try await emulator.put(report)
            _ = try await emulator.put(report)
            _ = try await emulator.get(Body.request(1))
            let journal = try await emulator.journal()
            #expect(journal.map { $0["status"]?.int64Value } == [200, 400, 200])
            let keys = ["at", "method", "path", "status", "bundleId", "reason", "message", "errors", "fault", "body"]
            #expect(journal.allSatisfy { $0.members.map(\.key) == keys })
            let first = try #require(journal.first)
            #expect(first["at"] == .string("2026-11-20T12:00:00Z"))
            #expect(first["method"] == .string("PUT"))
            #expect(first["path"] == .string("/externalPurchase/v1/reports"))
            #expect(first["bundleId"] == .string(EmulatorUnderTest.shop.rawValue))
            #expect(first["body"] == .string(report))
            #expect(first["reason"] == .null && first["fault"] == .null)
            #expect(journal[1]["errors"]?.arrayValue?.count == 1)
            #expect(try await !emulator.control(.GET, "/requests").body.contains("Bearer"))
            #expect(try await emulator.control(.DELETE, "/requests").status == 200)
            #expect(try await emulator.journal().isEmpty)
        }
    }
}
