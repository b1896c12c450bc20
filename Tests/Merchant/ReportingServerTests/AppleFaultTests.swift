import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ReportValidation
import Testing

@testable import Reporting

@Suite("Apple's faults, from the request to the server through SQLite to an emulator")
struct AppleFaultTests {
    @Test("429: nothing is sent before the moment that Retry-After names, and the same bytes then (SA-81, SA-82)")
    func rateLimited() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.fault("PUT", #"{"status":429,"retryAfterMs":90000}"#)
            try await sides.sell("s", checkout: checkout)
            #expect(await sides.runUntilIdle() == EmulatedMerchant.start + .seconds(90))
            sides.advance(by: .milliseconds(89_999))
            await sides.runUntilIdle()
            #expect(try await sides.journal() == ["PUT 429"])
            sides.advance(by: .milliseconds(1))
            await sides.runUntilIdle()
            #expect(try await sides.journal() == ["PUT 429", "PUT 200"])
            let reports = try await sides.list("/v1/reports", "reports")
            #expect(reports.map { $0["attempts"] as? Int } == [2])
            #expect(reports.map { $0["state"] as? String } == ["accepted"])
        }
    }

    @Test(
        "A report of unknown fate is asked for before it is sent again, and accepted once (SA-71)",
        arguments: [
            (#"{"status":500}"#, false), (#"{"closeConnection":true}"#, false), (#"{"dropAfterAccept":true}"#, true),
            (#"{"closeMidBody":true}"#, true),
        ]
    )
    func unknownFate(_ behaviour: String, _ isKept: Bool) async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.fault("PUT", behaviour)
            try await sides.sell("s", checkout: checkout)
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["unknown"])
            let conclusion = try #require(
                (try await sides.list("/v1/reports", "reports").first?["answer"] as? [String: Any])?["conclusion"]
                    as? String
            )
            for word in ["Error", "HTTPClient", "NIO"] { #expect(!conclusion.contains(word), "\(conclusion)") }
            sides.advance(by: .milliseconds(1_250))
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["accepted"])
            let methods = try await sides.journal().map { $0.prefix(3) }
            #expect(methods == (isKept ? ["PUT", "GET"] : ["PUT", "GET", "PUT"]))
            #expect(try await sides.acceptances().values.allSatisfy { $0 == 1 })
        }
    }

    @Test("Waits grow with jitter up to a cap, and end when Apple answers again (SA-73)")
    func backoff() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.fault("PUT", #"{"status":503}"#)
            try await sides.fault("GET", #"{"status":503}"#, times: 11)
            try await sides.sell("s", checkout: checkout)
            var moments: [Int64] = []
            while moments.count < 13 {
                let before = try await sides.journal().count
                let next = await sides.runUntilIdle()
                if try await sides.journal().count > before { moments.append(sides.now.milliseconds) }
                guard let next else { break }
                sides.advance(by: sides.now.duration(to: next))
            }
            let waits = zip(moments.dropFirst(), moments).map { Double($0 - $1) / 1_000 }
            #expect(waits.count == 12)
            for (index, wait) in waits.enumerated() {
                let least = min(300, Double(1 << min(index, 20)))
                #expect((least...least * 1.25).contains(wait), "\(waits)")
            }
            // By chance: twelve waits that are all whole seconds would be no jitter.
            #expect(waits.contains { $0 != $0.rounded() })
            #expect(try await sides.states() == ["accepted"])
        }
    }

    @Test("401 twice stops the app's queue and says so; retry goes on with it (SA-73)")
    func unauthorized() async throws {
        try await EmulatedMerchant.run { sides in
            let first = try await sides.receiveToken()
            let second = try await sides.receiveToken()
            try await sides.fault("PUT", #"{"status":401}"#, times: 2)
            try await sides.sell("s", checkout: first)
            try await sides.sell("t", checkout: second)
            await sides.runUntilIdle()
            sides.advance(by: .hours(1))
            await sides.runUntilIdle()
            #expect(try await sides.journal() == ["PUT 401", "PUT 401"])
            let open = try await sides.list("/v1/review", "review")
            #expect(open.map { $0["kind"] as? String } == ["key-refused"])
            #expect(open.map { $0["about"] as? String } == ["app"])
            #expect(
                try await String(buffer: sides.get("/metrics").body)
                    .contains(#"external_purchase_queue_stopped{app="com.example.shop"} 1"#)
            )
            let retried = try await sides.post("/v1/review/1", #"{"action":"retry","by":"kim"}"#)
            #expect(retried.status == .ok, "\(retried.json)")
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["accepted", "accepted"])
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            #expect(
                try await String(buffer: sides.get("/metrics").body)
                    .contains(#"external_purchase_queue_stopped{app="com.example.shop"} 0"#)
            )
        }
    }

    @Test("400: each error stands beside its sale, and one item waits for a person (SA-73)")
    func refused() async throws {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        try await EmulatedMerchant.run(emulator: ["rules.plainTokenRange=on"], settings: settings) { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("old-1", checkout: checkout, at: "2026-11-10T11:00:00Z")
            try await sides.sell("new", checkout: checkout)
            try await sides.sell("old-2", checkout: checkout, at: "2026-11-09T11:00:00Z")
            await sides.runUntilIdle()
            let report = try #require(try await sides.list("/v1/reports", "reports").first)
            let errors = report["errors"] as? [[String: Any]] ?? []
            #expect(errors.map { $0["errorCode"] as? Int } == [36, 36])
            #expect(errors.map { $0["saleId"] as? String } == ["old-2", "old-1"])
            #expect(errors.allSatisfy { $0["local"] == nil })
            let open = try await sides.list("/v1/review", "review")
            #expect(open.map { $0["kind"] as? String } == ["report-refused"])
            #expect(open.first?["id"] as? String == (report["requestIdentifier"] as? String)?.lowercased())
        }
    }

    @Test("A token with more sales than one report takes is reported in several, each sale once (SA-4)")
    func batches() async throws {
        var settings = ReportingSettings()
        settings.limits = ReportLimits(bodyBytes: 4_096, lineItems: 3)
        try await EmulatedMerchant.run(
            emulator: ["limits.lineItems=3", "limits.bodyBytes=4096"],
            settings: settings
        ) { sides in
            let checkout = try await sides.receiveToken()
            for number in 1...8 { try await sides.sell("s-\(number)", checkout: checkout) }
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["accepted", "accepted", "accepted"])
            let accepted = try await sides.acceptances()
            #expect(accepted.count == 8)
            #expect(accepted.values.allSatisfy { $0 == 1 })
            #expect(try await sides.journal() == ["PUT 200", "PUT 200", "PUT 200"])
        }
    }
}
