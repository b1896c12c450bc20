import ExternalPurchaseCore
import Foundation
import Testing

@Suite("Moments, money and ids preserve their values")
struct ValuesTests {
    @Test("Timestamps agree with Foundation's ISO 8601 over four centuries")
    func timestamps() throws {
        let formatter = ISO8601DateFormatter()
        var generator = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -2_000_000_000...10_000_000_000, using: &generator)
            let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            #expect(Timestamp(milliseconds: seconds * 1_000).description == text)
            #expect(Timestamp(rfc3339: text)?.milliseconds == seconds * 1_000)
        }
    }

    @Test(
        "Texts that are not a moment are refused",
        arguments: [
            "", "2026-11-21", "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T00:00:00",
            "2026-11-21T00:00:00.Z", "2026-13-01T00:00:00Z", "2026-11-21 00:00:00Z", "2026-11-21T00:00:00Zx",
            "2026-11-21T00:00:00+9:00",
        ]
    )
    func notAMoment(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("Offsets and fractions count")
    func offsets() {
        let moment = Timestamp(milliseconds: 1_795_176_000_000)
        #expect(moment.description == "2026-11-20T12:00:00Z")
        #expect(Timestamp(rfc3339: "2026-11-20T21:00:00+09:00") == moment)
        #expect(Timestamp(rfc3339: "2026-11-20T12:00:00.5Z")?.milliseconds == 1_795_176_000_500)
        #expect(Timestamp(milliseconds: 1_795_176_000_007).description == "2026-11-20T12:00:00.007Z")
    }

    @Test(
        "Decimal text is digits with an optional point and minus (SA-57)",
        arguments: [
            ("9.99", true), ("0", true), ("-1.5", true), ("007", true), ("9.99abc", false), ("1,5", false),
            ("0x10", false), ("9.9.9", false), (".5", false), ("5.", false), ("+1", false), ("1e3", false), ("", false),
            ("-", false), ("٣", false),
        ]
    )
    func decimalText(_ text: String, _ accepted: Bool) {
        #expect(DecimalText.isWellFormed(text) == accepted)
    }

    @Test("Rates compare as numbers of any length (E33)")
    func rates() throws {
        let short = try #require(ExchangeRate("0.0069"))
        let long = try #require(ExchangeRate("000.00690" + String(repeating: "0", count: 100), isString: true))
        #expect(short.isSameNumber(as: long))
        #expect(try !short.isSameNumber(as: #require(ExchangeRate("0.007"))))
        #expect(try !#require(ExchangeRate("-0.0")).isPositive)
        #expect(try !#require(ExchangeRate("-1")).isPositive)
        #expect(short.isPositive)
    }

    @Test(
        "Milli-units round half up (RR-42)",
        arguments: [("4099.795", 4_100), ("683.265", 683), ("0.5", 1), ("0.4999", 0), ("-0.5", -1), ("12", 12)]
    )
    func rounding(_ text: String, _ expected: Int64) throws {
        let decimal = try #require(DecimalText.decimal(text))
        #expect(MilliUnits(rounding: decimal)?.value == expected)
    }

    @Test("Milli-units of any number of digits are those that its text gives (RR-42)")
    func roundingByText() throws {
        var random = SplitMix64(seed: 42)
        for _ in 0..<5_000 {
            let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
            let places = Int.random(in: 0...digits.count - 1, using: &random)
            let whole = digits.dropLast(places), fraction = digits.suffix(places)
            let sign = Bool.random(using: &random) ? "-" : ""
            let text =
                sign + whole.map(String.init).joined() + (places > 0 ? "." : "")
                + fraction.map(String.init).joined()
            let decimal = try #require(DecimalText.decimal(text))
            // The oracle adds in digits: a first place of 5 or more raises the whole number by one.
            var expected = Int64(whole.map(String.init).joined())
            if let first = fraction.first, first >= 5 { expected = expected.flatMap { $0 == .max ? nil : $0 + 1 } }
            #expect(MilliUnits(rounding: decimal)?.value == expected.map { sign.isEmpty ? $0 : -$0 }, "\(text)")
        }
        for text in ["9223372036854775807.4", "-9223372036854775807.4"] {
            #expect(MilliUnits(rounding: try #require(DecimalText.decimal(text)))?.value.magnitude == .init(Int64.max))
        }
        #expect(MilliUnits(rounding: try #require(DecimalText.decimal("9223372036854775807.5"))) == nil)
        #expect(MilliUnits(rounding: .nan) == nil)
        #expect(
            MilliUnits(rounding: Decimal(sign: .plus, exponent: 16, significand: 7))?.value == 70_000_000_000_000_000
        )
        #expect(MilliUnits(rounding: Decimal(sign: .plus, exponent: -100, significand: 7))?.value == 0)
        #expect(MilliUnits(rounding: Decimal(sign: .plus, exponent: 100, significand: 7)) == nil)
    }

    @Test("Milli-units outside 64 bits are refused, not wrapped (RR-41)")
    func overflow() throws {
        let huge = try #require(DecimalText.decimal("99999999999999999999999999999999999999"))
        #expect(MilliUnits(rounding: huge) == nil)
        #expect(DecimalText.decimal("999999999999999999999999999999999999999") == nil)
    }

    @Test("Ids compare by scalars: equivalent spellings are two ids (SA-45)")
    func identifiers() {
        #expect(LineItemId("\u{E9}") != LineItemId("e\u{301}"))
        #expect(Set([LineItemId("\u{E9}"), LineItemId("e\u{301}")]).count == 2)
        #expect(LineItemId("Z") < LineItemId("a"))
    }

    @Test(
        "Ids that are equivalent but not equal have different hashes, so they cannot fill one bucket of a table (SA-45)"
    )
    func identifierHashes() {
        // Nine letters, each as one scalar or as two: 512 spellings that `String` treats as equal.
        let ids = (0..<512).map { number in
            LineItemId((0..<9).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined())
        }
        #expect(Set(ids.map(\.rawValue)).count == 1)
        #expect(Set(ids).count == 512)
        #expect(Set(ids.map(\.hashValue)).count > 500)
    }

    @Test("Request identifiers are UUIDs of any version, compared without case (spec/04 section 4)")
    func requestIdentifiers() {
        let lower = RequestIdentifier("5e7a0000-1111-4222-8333-00000000000a")
        #expect(lower != nil)
        #expect(lower == RequestIdentifier("5E7A0000-1111-4222-8333-00000000000A"))
        for wrong in ["", "5e7a000011114222833300000000000a", "5e7a0000-1111-4222-8333-00000000000g", "{5e7a0000}"] {
            #expect(RequestIdentifier(wrong) == nil)
        }
    }

    @Test("The environment is determined by seven characters with exact case (TK-3)")
    func environments() {
        #expect(ExternalPurchaseId("SANDBOX_x").environment == .sandbox)
        #expect(ExternalPurchaseId("SANDBOX").environment == .sandbox)
        #expect(ExternalPurchaseId("sandbox_x").environment == .production)
    }

    @Test(
        "OS versions are one to three numbers",
        arguments: [("17", "17.0"), ("17.5", "17.5"), ("17.5.1", "17.5.1"), ("26.10", "26.10")]
    )
    func versions(_ text: String, _ expected: String) {
        #expect(OSVersion(text)?.description == expected)
    }

    @Test("Texts that are not an OS version are refused", arguments: ["", "17.", "a", "1.2.3.4", "-1", "9999999"])
    func noVersion(_ text: String) {
        #expect(OSVersion(text) == nil)
    }
}
