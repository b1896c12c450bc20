import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Compares the linter with a reference that was written from the text of the rules, on generated configurations.
struct CorpusAgreementTests {
    private static let perBlock: UInt64 = 375
    private static let blocks: Range<UInt64> = 0..<8

    @Test(
        "Linter, runtime and reference agree on three thousand configurations, entry by entry (CF-50 to CF-77)",
        arguments: blocks
    )
    func agreement(block: UInt64) throws {
        for seed in block * Self.perBlock..<(block + 1) * Self.perBlock {
            let drawn = CorpusGenerator.configuration(seed: seed)
            let configuration = try drawn.read()
            var options = try drawn.options()
            let found = ConfigurationLinter.findings(in: configuration, options: options)
            compareFindings(found, drawn, seed: seed)
            let usable = ReferenceRuntime(
                UsableConfiguration(configuration, pack: options.pack, musicStreaming: options.musicStreaming)
            )
            let expected = ReferenceRuntime(drawn)
            if usable != expected {
                Issue.record("seed \(seed)\nruntime: \(usable)\nreference: \(expected)\n\(drawn.description)")
            }
            // A running app is not a built bundle that is linted.
            options.built = false
            let running = drawn.built ? ConfigurationLinter.findings(in: configuration, options: options) : found
            compareEntries(usable, running, drawn, seed: seed)
        }
    }

    private func compareFindings(_ found: [Finding], _ drawn: ReferenceCase, seed: UInt64) {
        let actual = found.map { ReferenceFinding($0) }.sorted()
        let expected = ReferenceLinter.findings(drawn)
        guard actual != expected else { return }
        Issue.record(
            """
            seed \(seed)
            only the linter: \(Self.without(actual, expected))
            only the reference: \(Self.without(expected, actual))
            \(drawn.description)
            """
        )
    }

    /// The runtime omits exactly the entries with an error finding of the linter (CF-50).
    private func compareEntries(
        _ usable: ReferenceRuntime,
        _ findings: [Finding],
        _ drawn: ReferenceCase,
        seed: UInt64
    ) {
        let errors = findings.filter { $0.severity == .error && !Self.aboutFilesTogether.contains($0.rule) }
        let faulty = Set(errors.map { "\($0.file) \($0.path ?? "")" })
        let used = usable.names
        let entries = drawn.entries.filter { !$0.mayExceedLimit }
        let sound = Set(entries.filter { $0.places.allSatisfy { !faulty.contains($0) } }.map(\.name))
        for entry in entries where used.contains(entry.name) != sound.contains(entry.name) {
            let verb = sound.contains(entry.name) ? "left out" : "used"
            Issue.record("seed \(seed): \(entry.name) is \(verb)\n\(drawn.description)")
        }
    }

    // They are about another file, or about something missing, so no entry is invalid because of them.
    private static let aboutFilesTogether: Set = [
        "entitlement-missing", "streaming-entitlement-missing", "entitlement-not-signed", "entitlement-not-in-profile",
        "entitlement-value-differs", "link-account-no-default", "korea-needs-own-app",
    ]

    @Test("The drawn configurations reach every rule about values")
    func everyRuleIsReached() {
        let outside: Set = [
            "artifact-unreadable", "key-set-elsewhere", "plist-unreadable", "plist-root-not-dictionary",
        ]
        var reached: Set<String> = []
        for seed in 0..<1_000 as Range<UInt64> {
            reached.formUnion(ReferenceLinter.findings(CorpusGenerator.configuration(seed: seed)).map(\.rule))
        }
        #expect(Set(ConfigurationLinter.ruleIds).subtracting(outside) == reached)
    }

    /// The findings that occur less often on the other side.
    private static func without(_ findings: [ReferenceFinding], _ others: [ReferenceFinding]) -> [ReferenceFinding] {
        var rest = others
        return findings.filter { finding in
            guard let index = rest.firstIndex(of: finding) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}
