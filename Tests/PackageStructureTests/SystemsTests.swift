import Foundation
import Testing

@Suite("What an app links runs on the systems of the manifest")
struct SystemsTests {
    struct Newer: Sendable, CustomTestStringConvertible {
        let pattern: String
        /// The first iOS that has it.
        let since: String
        /// Code with it, so that a pattern that finds nothing is noticed.
        let sample: String
        /// The files that use it under `#available` or `@available`.
        var guarded: [String] = []

        var testDescription: String { "iOS \(since): \(sample)" }
    }

    /// No Apple SDK says here what is newer than iOS 16, tvOS 16, watchOS 9 and visionOS 1; this list does.
    static let newer: [Newer] = [
        Newer(pattern: #"import Synchronization\b"#, since: "18", sample: "import Synchronization"),
        Newer(pattern: #"\b(?:Mutex|Atomic)\b"#, since: "18", sample: "let state = Mutex(0)"),
        Newer(
            pattern: #"import Observation\b"#,
            since: "17",
            sample: "public import Observation",
            guarded: ["ModelObservation.swift"]
        ),
        Newer(
            pattern: #"@Observable\b|\bObservable\b|\bObservationRegistrar\b|withObservationTracking"#,
            since: "17",
            sample: "@Observable class Model {}",
            guarded: ["ModelObservation.swift"]
        ),
        Newer(pattern: #"\bObservations\b"#, since: "26", sample: "for await x in Observations({ 1 }) {}"),
        Newer(pattern: #"\bU?Int128\b"#, since: "18", sample: "var hash: UInt128", guarded: ["DecimalParts.swift"]),
        Newer(pattern: #"String\(validating"#, since: "18", sample: "String(validating: bytes, as: UTF8.self)"),
        Newer(
            pattern: #"encodingInvalidCharacters"#,
            since: "17",
            sample: "URL(string: text, encodingInvalidCharacters: false)",
            guarded: ["URL+exact.swift"]
        ),
        Newer(
            pattern: #"String\(contentsOf(?:File)?: [^,()]*(?:\([^()]*\))?[^,()]*\)"#,
            since: "18",
            sample: "String(contentsOf: url)"
        ),
        Newer(pattern: #"\bPredicate\b|#Predicate"#, since: "17", sample: "#Predicate<Int> { $0 > 1 }"),
        Newer(
            pattern: #"with(?:Throwing)?DiscardingTaskGroup"#,
            since: "17",
            sample: "await withDiscardingTaskGroup {"
        ),
        Newer(pattern: #"(?:any|some) AsyncSequence<"#, since: "18", sample: "any AsyncSequence<Int, Never>"),
        Newer(pattern: #"withTaskExecutorPreference|TaskExecutor\b"#, since: "18", sample: "any TaskExecutor"),
        Newer(pattern: #"DispatchSerialQueue"#, since: "17", sample: "DispatchSerialQueue(label: name)"),
        Newer(pattern: #"isolated deinit"#, since: "18.4", sample: "isolated deinit {}"),
        Newer(
            pattern: #"\bRangeSet\b|\.indices\(where|removeSubranges"#,
            since: "18",
            sample: "list.indices(where: \\.isEmpty)"
        ),
        Newer(pattern: #"\b(?:InlineArray|UTF8Span)\b"#, since: "26", sample: "InlineArray<4, Int>"),
        Newer(pattern: #"(?:struct|class|enum) \w+<each "#, since: "17", sample: "struct All<each Value> {}"),
        Newer(pattern: #"\bRecurrenceRule\b"#, since: "18", sample: "Calendar.RecurrenceRule"),
        Newer(pattern: #"import SwiftData\b"#, since: "17", sample: "import SwiftData"),
    ]

    /// What an app and its tests link.
    static let products = [
        "ExternalPurchaseKit", "ExternalPurchaseKitHTTP", "ExternalPurchaseKitBridge", "ExternalPurchaseKitTesting",
        "StoreKitSimulatorTesting",
    ]

    private static func code(_ file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
            .replacing(#/"""[\s\S]*?"""/#, with: "").replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "")
            .replacing(#/\/\/[^\n]*/#, with: "")
    }

    private static func files() throws -> [(name: String, code: String)] {
        let manifest = try PackageManifest()
        let targets = products.reduce(into: Set(products)) { $0.formUnion(manifest.reach($1)) }
        #expect(
            targets.isSuperset(of: ["ExternalPurchaseCore", "AppConfiguration", "ConfigurationLint", "Eligibility"])
        )
        #expect(targets.contains("TokenLifecycle"))
        return try targets.compactMap { manifest.targets[$0] }.flatMap { target in
            try PackageManifest.swiftFiles(in: target.folder).map { ($0.lastPathComponent, try code($0)) }
        }
    }

    @Test("They use nothing newer, except where they ask for the system")
    func newerSymbols() throws {
        let files = try Self.files()
        #expect(files.count > 200)
        for symbol in Self.newer {
            let pattern = try Regex(symbol.pattern)
            #expect(symbol.sample.contains(pattern), "the pattern of \(symbol) finds nothing")
            let found = files.filter { $0.code.contains(pattern) }
            for file in found where !symbol.guarded.contains(file.name) {
                Issue.record("\(file.name) uses what iOS \(symbol.since) brought: \(symbol.sample)")
            }
            for name in symbol.guarded {
                let code = try #require(found.first { $0.name == name }?.code, "\(name) does not use \(symbol)")
                #expect(code.contains("available(iOS \(symbol.since)"), "\(name) does not ask for the system")
            }
        }
    }

    @Test("The store over Apple's StoreKit asks for the system before each newer member (EK-70)")
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
