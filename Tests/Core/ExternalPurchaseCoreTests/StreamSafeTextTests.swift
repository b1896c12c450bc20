import Testing

@testable import ExternalPurchaseCore

@Suite("Texts from outside cost time in proportion to their length")
struct StreamSafeTextTests {
    /// A base character with two runs of combining characters, which canonical ordering exchanges one by one.
    static func hostile(_ count: Int) -> String {
        "a" + String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{316}", count: count - count / 2)
    }

    /// The exchanges of neighbours that canonical ordering needs: an oracle of its own, by insertion.
    static func exchanges(_ text: String) -> Int {
        var (work, run) = (0, [UInt8]())
        for scalar in text.unicodeScalars {
            let combining = scalar.properties.canonicalCombiningClass.rawValue
            if combining == 0 {
                run = []
                continue
            }
            var place = run.count
            while place > 0, run[place - 1] > combining {
                place -= 1
                work += 1
            }
            run.insert(combining, at: place)
        }
        return work
    }

    @Test("Thirty combining characters in a row are accepted, and no more", arguments: [0, 1, 29, 30, 31, 32, 400])
    func limit(count: Int) {
        for text in [Self.hostile(count), "x" + Self.hostile(count) + "y", "éü漢字" + Self.hostile(count)] {
            #expect(text.isStreamSafe == (count <= 30))
            #expect(text[...].isStreamSafe == (count <= 30))
        }
        // Tibetan vowels of class 0 that decompose into combining characters.
        #expect(("ཀ" + String(repeating: "\u{F73}", count: count)).isStreamSafe == (count <= 30))
    }

    static func flags(_ count: Int) -> String { String(repeating: "\u{1F1E6}", count: count) }

    /// The regional indicators that walking backwards counts: at each of them, all that stand before it (UAX #29, GB12).
    static func counted(_ text: String) -> Int {
        var (work, run) = (0, 0)
        for scalar in text.unicodeScalars {
            run = scalar.properties.isEmojiModifierBase || !(0x1F1E6...0x1F1FF).contains(scalar.value) ? 0 : run + 1
            work += run
        }
        return work
    }

    @Test("Sixty-four letters of flags in a row are accepted, and no more", arguments: [0, 2, 63, 64, 65, 66, 4_000])
    func flags(count: Int) {
        for text in [Self.flags(count), "x" + Self.flags(count) + "y", Self.flags(60) + " " + Self.flags(count)] {
            #expect(text.isStreamSafe == (count <= 64))
            let safe = text.streamSafe
            #expect(
                safe.isStreamSafe && safe.unicodeScalars.filter { $0 != "\u{34F}" }.elementsEqual(text.unicodeScalars)
            )
            #expect(Self.counted(safe) <= 64 * safe.unicodeScalars.count)
        }
        #expect(Self.counted(Self.flags(4_000)) > 64 * 4_000)
        let json = #"{"a":"\#(Self.flags(count))"}"#
        if count > 64 {
            #expect(throws: JSONReadError.tooManyCombining(offset: 5)) { try JSONReader().read(json) }
        } else {
            #expect(throws: Never.self) { try JSONReader().read(json) }
        }
    }

    @Test("An interrupted text keeps its characters, and ordering it is linear", arguments: [31, 60, 61, 4_000])
    func interrupted(count: Int) {
        let text = Self.hostile(count) + "b" + Self.hostile(30)
        let safe = text.streamSafe
        #expect(safe.isStreamSafe)
        #expect(safe.unicodeScalars.filter { $0 != "\u{34F}" }.elementsEqual(text.unicodeScalars))
        #expect(Self.exchanges(safe) <= 30 * safe.unicodeScalars.count)
        if count == 4_000 { #expect(Self.exchanges(text) > 30 * safe.unicodeScalars.count) }
        #expect(Self.hostile(30).streamSafe.unicodeScalars.elementsEqual(Self.hostile(30).unicodeScalars))
    }

    @Test("JSON refuses such a text and such a name, escaped or not, and interrupts them where it must read on")
    func json() throws {
        let escaped = "a" + String(repeating: #"\u0301"#, count: 31)
        for (text, offset) in [
            (#"{"a":"\#(Self.hostile(31))"}"#, 5), (#"{"\#(Self.hostile(100_000))":1}"#, 1), (#"["\#(escaped)"]"#, 1),
        ] {
            #expect(throws: JSONReadError.tooManyCombining(offset: offset)) { try JSONReader().read(text) }
            var reader = JSONReader()
            reader.interruptsRuns = true
            guard offset == 5 else { continue }
            let value = try reader.read(text)
            #expect(value.objectValue?["a"]?.stringValue == Self.hostile(31).streamSafe)
        }
        for text in [#"{"\#(Self.hostile(30))":1}"#, #"["\#(Self.hostile(30))"]"#] {
            #expect(throws: Never.self) { try JSONReader().read(text) }
        }
    }

    @Test("A member's name has at most 512 bytes")
    func names() throws {
        let longest = String(repeating: "é", count: 256)
        #expect(try JSONReader().read(#"{"\#(longest)":1}"#).objectValue?[longest] == .integer(1))
        #expect(throws: JSONReadError.nameTooLong(offset: 1)) { try JSONReader().read(#"{"\#(longest)x":1}"#) }
    }

    @Test("Texts compare by bytes: KELVIN SIGN is no K, and an equivalent spelling is another text")
    func bytes() {
        #expect(!"SE\u{212A}".hasSameScalars(as: "SEK") && "SEK"[...].hasSameScalars(as: "SEK"))
        #expect(!["TOKEN"].containsName("TO\u{212A}EN") && ["a", "TOKEN"].containsName("TOKEN"[...]))
        #expect(Platform.named("iOS") == .iOS && Platform.named(String(repeating: "i", count: 65)) == nil)
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(Set([JSONValue.string("\u{E9}"), .string("e\u{301}"), .string("\u{E9}")]).count == 2)
        let members = [JSONObject.Member("\u{E9}", .null), .init("e\u{301}", .null)]
        #expect(members[0] != members[1] && Set(members).count == 2)
        #expect("0123456789".clipped() == "0123456789")
        #expect(String(repeating: "é", count: 33).clipped() == String(repeating: "é", count: 32) + "…")
    }

    @Test("The nearest name is that of the complete table of edits")
    func nearest() {
        var numbers = SplitMix64(seed: 7)
        let letters = Array("abcD")
        func word() -> String {
            String(
                (0..<Int.random(in: 0...9, using: &numbers)).map { _ in letters.randomElement(using: &numbers) ?? "a" }
            )
        }
        for _ in 0..<3_000 {
            let (names, text) = ((0..<4).map { _ in word() }, word())
            let limit = min(2, text.count / 2)
            let distances = names.map { Self.distance(Array(text.lowercased()), Array($0.lowercased())) }
            let least = distances.min() ?? .max
            let expected = least <= limit ? names[distances.firstIndex(of: least) ?? 0] : nil
            #expect(names.nearest(to: text) == expected, "\(text) among \(names)")
        }
    }

    /// Optimal string alignment over the complete table.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var distance = min(rows[i][j] + (letter == other ? 0 : 1), row[j] + 1, rows[i][j + 1] + 1)
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                    distance = min(distance, rows[i - 1][j - 1] + 1)
                }
                row.append(distance)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
