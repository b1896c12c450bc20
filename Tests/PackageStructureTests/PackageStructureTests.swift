import Foundation
import Testing

@Suite("The package keeps the shape that ARCHITECTURE.md draws")
struct PackageStructureTests {
    let manifest: PackageManifest

    init() throws {
        manifest = try PackageManifest()
    }

    /// Modules that the toolchain or the system brings.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Synchronization", "Testing",
        "FoundationXML", "Glibc", "Musl", "Darwin", "Android", "RegexBuilder", "PackagePlugin", "XcodeProjectPlugin",
    ]

    @Test("Every import is declared, and every declared dependency is imported")
    func imports() throws {
        #expect(manifest.targets.count > 20)
        for target in manifest.targets.values {
            let imported = try PackageManifest.imports(in: target.folder).subtracting(Self.system)
            let declared = Set(target.targets + target.products)
            #expect(imported.subtracting(declared).isEmpty, "\(target.name) imports more than it declares")
            // A test target or plug-in names the executable so that it is built before it is run.
            let unused = declared.subtracting(imported).subtracting(["external-purchase", "external-purchase-lint"])
            #expect(unused.isEmpty, "\(target.name) declares more than it imports")
        }
    }

    @Test("The core knows nobody")
    func core() {
        #expect(manifest.targets["ExternalPurchaseCore"]?.targets == [])
    }

    @Test(
        "What an app test reaches, and the rules, depend on no other package",
        arguments: [
            "StoreKitSimulatorTesting", "StoreKitSimulator", "Eligibility", "ConfigurationLint", "AppConfiguration",
            "ReportValidation", "GemShop",
        ]
    )
    func noPackages(_ name: String) throws {
        let target = try #require(manifest.targets[name])
        let reached = manifest.reach(name).compactMap { manifest.targets[$0] } + [target]
        for target in reached { #expect(target.products.isEmpty, "\(name) → \(target.name) → \(target.products)") }
    }

    static let forbidden: [(from: String, to: [String])] = [
        ("AppStoreEmulator", ["Ledger", "LedgerSQLite", "Reporting", "ReportingServer"]),
        ("ReportingServer", ["LedgerSQLite", "AppStoreEmulator"]),
        ("Reporting", ["LedgerSQLite", "AppStoreEmulator", "ReportingServer"]),
        ("Ledger", ["LedgerSQLite", "ReportValidation", "AppStoreServerClient", "Reporting"]),
        ("ReportValidation", ["Ledger", "Reporting", "AppStoreServerClient", "AppStoreEmulator"]),
        ("StoreKitSimulator", ["AppStoreEmulator", "ReportingServer", "Reporting", "Ledger", "AppStoreServerClient"]),
        ("GemShop", ["AppStoreEmulator", "ReportingServer", "Reporting", "Ledger", "AppStoreServerClient"]),
    ]

    @Test("Forbidden arrows are absent", arguments: forbidden)
    func arrows(_ row: (from: String, to: [String])) {
        #expect(manifest.targets[row.from] != nil)
        #expect(manifest.reach(row.from).isDisjoint(with: row.to), "\(row.from) reaches \(row.to)")
    }

    @Test("No source forces an unwrap or prints a debugging mark, and none speaks of another place")
    func words() throws {
        let marks = ["FIX" + "ME", "TO" + "DO:", "/" + "work/", "shared" + "/spec", "shared" + "/vectors"]
        for target in manifest.targets.values {
            for file in PackageManifest.swiftFiles(in: target.folder) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for mark in marks { #expect(!text.contains(mark), "\(file.lastPathComponent): \(mark)") }
            }
        }
    }

    @Test("A folder Generated holds generated Swift, and no other folder does")
    func generatedFiles() throws {
        var generated = 0
        for file in PackageManifest.swiftFiles(in: PackageManifest.root.appending(path: "Sources")) {
            let isGenerated = try String(contentsOf: file, encoding: .utf8).hasPrefix("// Generated from ")
            let isInFolder = file.deletingLastPathComponent().lastPathComponent == "Generated"
            #expect(isGenerated == isInFolder, "\(file.path)")
            if isGenerated { generated += 1 }
        }
        #expect(generated > 0)
    }

    @Test("Pages, style sheets and scripts are files of a folder Web, not literals in Swift")
    func webFiles() throws {
        let markup =
            #/<!doctype html|<\/(html|head|body|main|div|span|p|table|tr|td|th|ul|li|form|label|button|script|style|svg)>/#
            .ignoresCase()
        for file in PackageManifest.swiftFiles(in: PackageManifest.root.appending(path: "Sources"))
        where file.deletingLastPathComponent().lastPathComponent != "Generated" {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: markup) == nil, "\(file.path)")
        }
        for target in ["AppStoreEmulator", "ExternalPurchaseCommands"] {
            let folder = try #require(manifest.targets[target]).folder.appending(path: "Generated")
            let text = try String(contentsOf: folder.appending(path: "WebFiles.swift"), encoding: .utf8)
            #expect(text.contains(markup), "\(target)")
        }
    }

    @Test("Every file that the documents name exists", arguments: ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"])
    func namedFiles(_ document: String) throws {
        let text = try String(contentsOf: PackageManifest.root.appending(path: document), encoding: .utf8)
        let paths = text.matches(of: #/(?:Sources|Tests|Examples|docs|Data)\/[\w\/.+-]+\.\w+/#).map { String($0.0) }
        #expect(!paths.isEmpty || document == "CONTRIBUTING.md")
        for path in paths where !path.contains("*") {
            #expect(FileManager.default.fileExists(atPath: PackageManifest.root.appending(path: path).path), "\(path)")
        }
    }
}
