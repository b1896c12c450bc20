import Foundation
import Testing

@Suite("rules lists the built-in facts by the age of their source")
struct RulesTests {
    private static func facts(_ more: [String] = []) async throws -> [NSDictionary] {
        let result = try await BuiltBinary.run(["rules", "--as-of", "2026-11-26", "--format", "json"] + more)
        try #require(result.exitCode == 0, "\(result.error)")
        let json = try #require(result.json)
        #expect(json["asOf"] as? String == "2026-11-26")
        return try #require(json["facts"] as? [NSDictionary])
    }

    private static func named(_ id: String, in facts: [NSDictionary]) throws -> NSDictionary {
        try #require(facts.first { $0["id"] as? String == id }, "\(id)")
    }

    @Test("Every figure of every programme, rule pack and table once, the oldest first (OB-4)")
    func all() async throws {
        let facts = try await Self.facts()
        let dates = facts.compactMap { $0["date"] as? String }
        #expect(dates.count == facts.count && dates == dates.sorted())
        let ids = facts.compactMap { $0["id"] as? String }
        #expect(Set(ids).count == facts.count)
        for id in [
            "countries", "currencies", "errors", "fiscal-calendar", "regions/2026-10", "jp/deadlineDays", "kr/rates/kr",
            "jp-custom-link/inAppPurchase", "br-custom-link/minors",
            "agesOfConsent", "us-none/mustReport", "eu-2025-06/fixedFees/core-technology-fee", "ru/rates",
        ] {
            #expect(ids.contains(id), "\(id)")
        }
        for fact in facts {
            #expect((fact["what"] as? String)?.isEmpty == false && (fact["value"] as? String)?.isEmpty == false)
            let level = try #require(fact["confidence"] as? String)
            #expect(["apple", "secondHand", "assumed", "published"].contains(level), "\(fact)")
            // What is assumed has no source, everything else has one.
            #expect((fact["source"] as? String == nil) == (level == "assumed"), "\(fact)")
        }
    }

    @Test("A fact has the values of its table (OB-4)")
    func values() async throws {
        let facts = try await Self.facts()
        let page = "https://developer.apple.com/support/payment-options-on-the-app-store-in-japan"
        let days: NSDictionary = [
            "id": "jp/deadlineDays", "what": "Japan, smartphone act: deadlineDays", "value": "15",
            "confidence": "secondHand", "source": page, "date": "2026-09-06", "ageDays": 81, "note": NSNull(),
        ]
        #expect(try Self.named("jp/deadlineDays", in: facts) == days)
        let rate = try Self.named("jp/rates/link", in: facts)
        #expect(rate["value"] as? String == "15 %")
        // A year alone is as old as it can be, a fact without a date has that of its table.
        #expect(try Self.named("nl-dating/rates/nl", in: facts)["date"] as? String == "2022-01-01")
        #expect(try Self.named("kr/tokenTypes", in: facts)["date"] as? String == "2026-11-22")
        #expect(try Self.named("kr/tokenTypes", in: facts)["value"] as? String == "plain")
        #expect(try Self.named("countries", in: facts)["value"] as? String == "249 rows")
    }

    @Test("--older-than leaves the older ones; text has a line for each")
    func older() async throws {
        let all = try await Self.facts()
        let old = try await Self.facts(["--older-than", "81d"])
        #expect(old.count == all.count { ($0["ageDays"] as? Int ?? 0) > 81 })
        #expect(!old.isEmpty && old.count < all.count)
        #expect(!old.contains { $0["id"] as? String == "jp/deadlineDays" })
        #expect(try await Self.facts(["--older-than", "80d"]).contains { $0["id"] as? String == "jp/deadlineDays" })
        let text = try await BuiltBinary.run(["rules", "--as-of", "2026-11-26", "--older-than", "81d"])
        #expect(text.exitCode == 0 && text.output.split(separator: "\n").count == old.count)
        #expect(text.output.hasPrefix("2022-01-01 (1790 d) nl-dating/"), "\(text.output.prefix(200))")
        let none = try await BuiltBinary.run(["rules", "--as-of", "2026-11-26", "--older-than", "9000d"])
        #expect(none.exitCode == 0 && none.output.isEmpty)
        #expect(none.error.contains("no fact has an older source"))
        // Without a day it is today.
        #expect(try await BuiltBinary.run(["rules"]).output.split(separator: "\n").count == all.count)
    }

    @Test(
        "Wrong values end with 2 and what would be right",
        arguments: [
            ("--older-than", "90", "is not a number of days such as 90d"),
            ("--older-than", "1h", "is not a number of days such as 90d"),
            ("--older-than", "99999999999999999999d", "is not a number of days such as 90d"),
            ("--as-of", "2026-13-01", "is not a day such as 2026-11-26"),
            ("--as-of", "yesterday", "is not a day such as 2026-11-26"),
            ("--format", "xml", "--format"),
        ]
    )
    func wrong(_ option: String, _ value: String, _ message: String) async throws {
        let result = try await BuiltBinary.run(["rules", option, value])
        #expect(result.exitCode == 2 && result.output.isEmpty)
        #expect(result.error.contains(option) && result.error.contains(message), "\(result.error)")
    }
}
