import ExternalPurchaseCore
import Foundation
import Testing

@Suite("JSON is read to the letter of RFC 8259")
struct JSONReaderTests {
    @Test(
        "Texts that are not JSON are refused with the offset of the fault",
        arguments: [
            ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\":1,}", 7), ("01", 1), ("1.", 2), ("+1", 0), (".5", 0), ("1e", 2),
            ("nul", 3), ("\"a", 2), ("\"\u{01}\"", 1), (#""\x""#, 2), (#""\ud800""#, 1), (#""\ud800A""#, 1),
            ("1 2", 2), ("NaN", 0), ("{\"a\" 1}", 5), ("'a'", 0), ("{a:1}", 1), ("[1 2]", 3), (#""\u12g4""#, 5),
        ]
    )
    func refused(_ text: String, _ offset: Int) {
        let error = #expect(throws: JSONReadError.self) { try JSONReader().read(text) }
        #expect(error?.offset == offset)
        guard case .notJSON(_, let expected) = error else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
        #expect(!expected.isEmpty)
    }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() {
        #expect(throws: JSONReadError.notUTF8) { try JSONReader().read([0x22, 0xC3, 0x28, 0x22]) }
    }

    @Test("Depth is counted from the outermost value and bounded")
    func depth() throws {
        let fits = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(throws: Never.self) { try JSONReader(maximumDepth: 16).read(fits) }
        #expect(throws: JSONReadError.tooDeep(offset: 16)) { try JSONReader(maximumDepth: 16).read("[" + fits + "]") }
    }

    @Test("Escapes and surrogate pairs are undone")
    func escapes() throws {
        let value = try JSONReader().read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#)
        #expect(value == .string("\"\\/\u{08}\u{0C}\n\r\té😀"))
    }

    @Test("Keys that look alike but differ in scalars are different keys")
    func keysByScalars() throws {
        let object = try #require(JSONReader().read(#"{"\u00e9":1,"e\u0301":2}"#).objectValue)
        #expect(object.repeatedKeys.isEmpty)
        #expect(object["e\u{301}"]?.int64Value == 2)
        #expect(try JSONReader().read(#"{"a":1,"b":2,"a":3}"#).objectValue?.repeatedKeys == ["a"])
    }

    @Test(
        "Numbers are evaluated exactly in any spelling",
        arguments: [
            ("0", JSONNumber.Integral.integer(0)), ("-0", .integer(0)), ("10.0", .integer(10)),
            ("1e3", .integer(1_000)),
            ("1.5", .fraction), ("15e-1", .fraction), ("150e-1", .integer(15)), ("1E+2", .integer(100)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .outOfRange), ("1e400", .outOfRange), ("1e-400", .fraction),
            ("0e999999999999999999999", .integer(0)), ("1e999999999999999999999", .outOfRange),
            ("1e-999999999999999999999", .fraction), ("100000000000000000000e-2", .integer(1_000_000_000_000_000_000)),
            ("0.00", .integer(0)), ("123456789012345678.90e1", .integer(1_234_567_890_123_456_789)),
        ]
    )
    func integral(_ text: String, _ expected: JSONNumber.Integral) throws {
        guard case .number(let number) = try JSONReader().read(text) else {
            Issue.record("not a number")
            return
        }
        #expect(number.integral == expected)
        #expect(number.text == text)
    }

    @Test("The reader and Foundation read the writer's output")
    func roundTrip() throws {
        let text = #"{"a":[1,-2.50,"x/\"\\\n\u0007",true,null,{}],"é":[]}"#
        let value = try JSONReader().read(text)
        #expect(try JSONReader().read(value.encoded()) == value)
        #expect(try JSONReader().read(value.formatted()) == value)
        let ours = try JSONSerialization.jsonObject(with: Data(value.encoded())) as? NSDictionary
        let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
        #expect(ours == theirs)
    }

    @Test("Reader and Foundation agree on which generated texts are JSON")
    func agreesWithFoundation() {
        var generator = SplitMix64(seed: 11)
        let pieces = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-", "0", ".5", "e1", "true", "null", " "]
        var valid = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...7, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let ours = (try? JSONReader().read(text)) != nil
            let theirs =
                (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
            // Foundation accepts a comma before a closing bracket, which RFC 8259 does not.
            let hasTrailingComma = text.contains(#/,\s*[\]}]/#)
            #expect(ours == (theirs && !hasTrailingComma), "\(text)")
            if ours { valid += 1 }
        }
        #expect(valid > 500)
    }
}
