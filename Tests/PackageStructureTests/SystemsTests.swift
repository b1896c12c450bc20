import Foundation
import Testing

@Suite("What an app links runs on the systems of the manifest")
struct SystemsTests {
    struct Newer: Sendable, CustomTestStringConvertible {
        /// Words, or pieces of code.
        let texts: [String]
        /// The first iOS that has it.
        let since: String
        /// The files that use it under `#available` or `@available`.
        var guarded: [String] = []

        var testDescription: String { "iOS \(since): \(texts.joined(separator: ", "))" }
    }

    /// No Apple SDK says here what is newer than iOS 16, tvOS 16, watchOS 9 and visionOS 1; this list does.
    static let newer: [Newer] = [
        Newer(texts: ["Synchronization", "Mutex", "Atomic"], since: "18"),
        Newer(
            texts: ["Observation", "Observable", "ObservationRegistrar", "withObservationTracking"],
            since: "17",
            guarded: ["ModelObservation.swift"]
        ),
        Newer(texts: ["Observations", "InlineArray", "UTF8Span"], since: "26"),
        Newer(texts: ["Int128", "UInt128"], since: "18", guarded: ["DecimalParts.swift"]),
        Newer(texts: ["String(validating", "RangeSet", "removeSubranges", ".indices(where"], since: "18"),
        // With an encoding it is older; nothing here needs it.
        Newer(texts: ["String(contentsOf"], since: "18"),
        Newer(texts: ["encodingInvalidCharacters"], since: "17", guarded: ["URL+exact.swift"]),
        Newer(texts: ["Predicate", "DispatchSerialQueue", "SwiftData", "<each "], since: "17"),
        Newer(texts: ["withDiscardingTaskGroup", "withThrowingDiscardingTaskGroup"], since: "17"),
        Newer(texts: ["AsyncSequence<", "TaskExecutor", "withTaskExecutorPreference", "RecurrenceRule"], since: "18"),
        Newer(texts: ["isolated deinit"], since: "18.4"),
    ]

    /// What an app and its tests link.
    static let products = [
        "ExternalPurchaseKit", "ExternalPurchaseKitHTTP", "ExternalPurchaseKitBridge", "ExternalPurchaseKitTesting",
        "StoreKitSimulatorTesting",
    ]

    /// Code without comments.
    private struct Code {
        let name: String
        let text: String
        let words: Set<Substring>

        init(_ text: String, name: String) {
            self.name = name
            let lines = text.split(separator: "\n").map { line in
                line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
            }
            self.text = lines.joined(separator: "\n")
            words = lines.reduce(into: []) { words, line in
                words.formUnion(line.split { !($0.isLetter || $0.isNumber || $0 == "_") })
            }
        }

        func uses(_ text: String) -> Bool {
            text.allSatisfy { $0.isLetter || $0.isNumber } ? words.contains(text[...]) : self.text.contains(text)
        }

        func uses(_ symbol: Newer) -> Bool { symbol.texts.contains { uses($0) } }
    }

    private static func files() throws -> [Code] {
        let manifest = try PackageManifest()
        let targets = products.reduce(into: Set(products)) { $0.formUnion(manifest.reach($1)) }
        #expect(
            targets.isSuperset(of: ["ExternalPurchaseCore", "AppConfiguration", "ConfigurationLint", "Eligibility"])
        )
        #expect(targets.contains("TokenLifecycle"))
        return try targets.compactMap { manifest.targets[$0] }.flatMap { target in
            try PackageManifest.swiftFiles(in: target.folder).filter { !$0.path.contains("/Generated/") }.map { file in
                Code(try String(contentsOf: file, encoding: .utf8), name: file.lastPathComponent)
            }
        }
    }

    @Test("They use nothing newer, except where they ask for the system")
    func newerSymbols() throws {
        let files = try Self.files()
        #expect(files.count > 200)
        for symbol in Self.newer {
            let found = files.filter { $0.uses(symbol) }
            for file in found where !symbol.guarded.contains(file.name) {
                Issue.record("\(file.name) uses what iOS \(symbol.since) brought: \(symbol.testDescription)")
            }
            for name in symbol.guarded {
                let file = try #require(
                    found.first { $0.name == name },
                    "\(name) does not use \(symbol.testDescription)"
                )
                #expect(file.text.contains("available(iOS \(symbol.since)"), "\(name) does not ask for the system")
            }
        }
    }

    @Test("A newer symbol is found in code, and not in a comment or as a part of a word")
    func search() {
        let code = Code(
            "let a = Mutex(0) // InlineArray\nlet b = PredicateList()\nfor x: any AsyncSequence<Int, Never>",
            name: ""
        )
        #expect(Self.newer.filter { code.uses($0) }.map(\.since) == ["18", "18"])
    }

    @Test("The store over Apple's StoreKit asks for the system before each newer member (EK-71)")
    func storeMembers() throws {
        let path = "Sources/App/ExternalPurchaseKit/Store/SystemExternalPurchaseStore.swift"
        let lines = try String(contentsOf: PackageManifest.root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains(#/^\s*\/\//#) }
        let members: [(call: String, iOS: String?)] = [
            ("await ExternalPurchase.canPresent", "17.4"), ("await ExternalPurchase.presentNoticeSheet()", "17.4"),
            ("await ExternalPurchaseLink.eligibleURLs", "17.5"), ("await ExternalPurchaseLink.open(url: url)", "17.5"),
            ("await ExternalPurchaseLink.canOpen", nil), ("await ExternalPurchaseLink.open()", nil),
            ("await ExternalPurchaseCustomLink.isEligible", "18.1"),
            ("await ExternalPurchaseCustomLink.token(for: tokenType)", "18.1"),
        ]
        for member in members {
            let index = try #require(lines.firstIndex { $0.contains(member.call) }, "\(member.call)")
            // The nearest line above that begins a member of the type.
            let start = try #require(lines[..<index].lastIndex { $0.hasPrefix("    public ") })
            let guarding = lines[start..<index].filter { $0.contains("guard #available(") }
            #expect(guarding.count == 1, "\(member.call)")
            let system = member.iOS.map { "iOS \($0)," } ?? "tvOS 17.4, watchOS 10.4, visionOS 1.1,"
            #expect(guarding.first?.contains(system) == true, "\(member.call) needs \(system)")
        }
    }

    @Test("The manifest names the systems that the decision and the kit's page name")
    func manifest() throws {
        let manifest = try String(contentsOf: PackageManifest.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.contains("platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)]"))
        let page = try String(contentsOf: PackageManifest.root.appending(path: "docs/app-kit.md"), encoding: .utf8)
        #expect(page.contains("needs iOS 16, macOS 15, tvOS 16, watchOS 9 or visionOS 1"))
    }
}
