import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Damaged files end in findings or in one error, never in a crash.
struct CorpusRobustnessTests {
    @Test(
        "Flipped bytes, truncated files and repeated pieces are checked or refused",
        arguments: 0..<8 as Range<UInt64>
    )
    func damaged(block: UInt64) throws {
        var random = SplitMix64(seed: block)
        var refused = 0
        var judged = 0
        for seed in block * 150..<(block + 1) * 150 {
            let drawn = CorpusGenerator.configuration(seed: seed)
            var bytes = Array("<plist>\(ReferenceValue.dictionary(drawn.info ?? []).xml)</plist>".utf8)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1:
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let piece = bytes[start..<min(bytes.count, start + 200)]
                bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &random))
            default:
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            do {
                let configuration = try AppConfiguration.parse(infoPlist: bytes, entitlements: bytes)
                let findings = ConfigurationLinter.findings(in: configuration, options: try drawn.options())
                _ = UsableConfiguration(configuration, pack: try drawn.options().pack)
                #expect(findings.allSatisfy { !$0.message.isEmpty && ConfigurationLinter.ruleIds.contains($0.rule) })
                judged += 1
            } catch let error as ConfigurationReadError {
                #expect(!error.reason.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 0 && judged > 0)
    }

    @Test(
        "Deep nesting is refused, and large numbers of entries are checked",
        .timeLimit(.minutes(10)),
        arguments: [("<array>", "</array>"), ("<dict><key>nl</key>", "</dict>")]
    )
    func hugeFiles(open: String, close: String) throws {
        func configuration(_ value: String, key: String) throws -> AppConfiguration {
            let text = "<plist><dict><key>\(key)</key>\(value)</dict></plist>"
            return try AppConfiguration.parse(infoPlist: Array(text.utf8))
        }
        for key in ReferenceTables.keys {
            let deep = String(repeating: open, count: 10_000) + String(repeating: close, count: 10_000)
            let refused = #expect(throws: ConfigurationReadError.self) { try configuration(deep, key: key) }
            #expect(refused?.cause == .tooLarge)
            let many = (0..<3_000).map { "<key>nl</key><array><string>https://a\($0).b/</string></array>" }.joined()
            let wide = "<dict>\(many)</dict>"
            #expect(!ConfigurationLinter.findings(in: try configuration(wide, key: key)).isEmpty)
        }
    }

    @Test(
        "A root that is not a dictionary is one finding (CF-70)",
        arguments: [
            ReferenceValue.array([.string("nl")]), .string("nl"), .bool(true), .date, .data, .integer(1), .real,
        ]
    )
    func root(value: ReferenceValue) throws {
        let error = #expect(throws: ConfigurationReadError.self) {
            try AppConfiguration.parse(infoPlist: Array("<plist>\(value.xml)</plist>".utf8))
        }
        #expect(Finding(try #require(error))?.rule == "plist-root-not-dictionary")
    }
}
