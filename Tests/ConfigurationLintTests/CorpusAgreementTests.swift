import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Drawn configurations are judged a second time by a reference that was written from the rules' text.
struct CorpusAgreementTests {
    private static let perArgument: UInt64 = 500

    @Test("Linter and reference find the same, entry by entry (CF-70 to CF-77)", arguments: 0..<8 as Range<UInt64>)
    func findings(block: UInt64) throws {
        for seed in block * Self.perArgument..<(block + 1) * Self.perArgument {
            let drawn = CorpusGenerator.configuration(seed: seed)
            let found = ConfigurationLinter.findings(in: try drawn.read(), options: try drawn.options())
            let actual = found.map { ReferenceFinding($0) }.sorted()
            let expected = ReferenceLinter.findings(drawn)
            guard actual != expected else { continue }
            Issue.record(
                """
                seed \(seed)
                only the linter: \(Self.without(actual, expected))
                only the reference: \(Self.without(expected, actual))
                \(drawn.description)
                """
            )
        }
    }

    @Test(
        "The runtime uses what the reference uses, entry by entry (CF-50 to CF-53)",
        arguments: 0..<8 as Range<UInt64>
    )
    func usableEntries(block: UInt64) throws {
        for seed in block * Self.perArgument..<(block + 1) * Self.perArgument {
            let drawn = CorpusGenerator.configuration(seed: seed)
            let options = try drawn.options()
            let usable = UsableConfiguration(
                try drawn.read(),
                pack: options.pack,
                musicStreaming: options.musicStreaming
            )
            let actual = ReferenceRuntime(usable)
            let expected = ReferenceRuntime(drawn)
            guard actual != expected else { continue }
            Issue.record("seed \(seed)\nruntime: \(actual)\nreference: \(expected)\n\(drawn.description)")
        }
    }

    /// The findings that the other side has less often.
    static func without(_ findings: [ReferenceFinding], _ others: [ReferenceFinding]) -> [ReferenceFinding] {
        var rest = others
        return findings.filter { finding in
            guard let index = rest.firstIndex(of: finding) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}

extension ReferenceRuntime {
    init(_ usable: UsableConfiguration) {
        self.init()
        entitlements = Set(usable.entitlements.keys.map(\.rawValue))
        regions = Dictionary(
            uniqueKeysWithValues: usable.regions.map { ($0.key.rawValue, Set($0.value.keys)) }
        )
        allowed = Set(usable.allowedRegions.keys)
        single = usable.singleLinks.mapValues(\.url)
        multi = usable.multiLinks.mapValues { $0.map(\.url) }
    }
}
