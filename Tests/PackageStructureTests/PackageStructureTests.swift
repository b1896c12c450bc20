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
        "Foundation", "FoundationEssentials", "Observation", "FoundationNetworking", "Dispatch", "Synchronization",
        "Testing",
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
            "ReportValidation", "ReportConformance", "GemShop", "ExternalPurchaseKit",
            "ExternalPurchaseKitHTTP", "ExternalPurchaseKitBridge", "ExternalPurchaseKitTesting",
        ]
    )
    func noPackages(_ name: String) throws {
        let target = try #require(manifest.targets[name])
        let reached = manifest.reach(name).compactMap { manifest.targets[$0] } + [target]
        for target in reached { #expect(target.products.isEmpty, "\(name) → \(target.name) → \(target.products)") }
    }

    @Test("Without the trait Tools the linter's program needs nothing, so that it can say what it needs")
    func linterWithoutTools() throws {
        let linter = try #require(manifest.targets["external-purchase-lint"])
        #expect(linter.targets.sorted() == ["CommandSupport", "LintCommands"] && linter.unconditional == [])
        let main = try String(contentsOf: linter.folder.appending(path: "Main.swift"), encoding: .utf8)
        let other = try #require(main.components(separatedBy: "#else").last)
        #expect(
            main.contains("#if Tools\nimport CommandSupport\nimport LintCommands\n#endif\n")
                && other.contains("needs the trait Tools of the package external-purchase")
        )
    }

    @Test("What reads payments is pure: it reaches the ledger's values, and Crypto for the signature")
    func payments() throws {
        #expect(try #require(manifest.targets["Payments"]).products == ["Crypto"])
        #expect(manifest.reach("Payments") == ["ExternalPurchaseCore", "Ledger"])
    }

    @Test("A target that no product exposes declares nothing public")
    func publicDeclarations() throws {
        let hidden = manifest.targets.values.filter { target in
            ["Sources/Merchant", "Sources/CommandLine", "Tests/Support"].contains { door in
                target.folder.path.hasPrefix(PackageManifest.root.appending(path: door).path + "/")
            }
                || ["AppStoreServerClient", "AppStoreNotifications", "ReportValidation", "ReportConformance"]
                    .contains(target.name)
        }
        #expect(hidden.count > 12)
        let declaration = #/^\s*public (?!import )/#
        for file in hidden.flatMap({ PackageManifest.swiftFiles(in: $0.folder) }) {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(!lines.contains { $0.contains(declaration) }, "\(file.lastPathComponent)")
        }
    }

    static let forbidden: [(from: String, to: [String])] = [
        ("AppStoreEmulator", ["Ledger", "LedgerSQLite", "LedgerPostgres", "Reporting", "ReportingServer"]),
        ("ReportingServer", ["LedgerSQLite", "LedgerPostgres", "AppStoreEmulator"]),
        ("Reporting", ["LedgerSQLite", "LedgerPostgres", "AppStoreEmulator", "ReportingServer"]),
        ("Ledger", ["LedgerSQLite", "LedgerPostgres", "ReportValidation", "AppStoreServerClient", "Reporting"]),
        ("ReportValidation", ["Ledger", "Reporting", "AppStoreServerClient", "AppStoreEmulator"]),
        ("ReportConformance", ["ReportValidation", "AppStoreEmulator", "AppStoreServerClient", "Reporting"]),
        ("StoreKitSimulator", ["AppStoreEmulator", "ReportingServer", "Reporting", "Ledger", "AppStoreServerClient"]),
        ("ExternalPurchaseKitBridge", ["ExternalPurchaseKitHTTP", "ExternalPurchaseKitTesting"]),
        ("GemShop", ["AppStoreEmulator", "ReportingServer", "Reporting", "Ledger", "AppStoreServerClient"]),
    ]

    @Test("Forbidden arrows are absent", arguments: forbidden)
    func arrows(_ row: (from: String, to: [String])) {
        #expect(manifest.targets[row.from] != nil)
        #expect(manifest.reach(row.from).isDisjoint(with: row.to), "\(row.from) reaches \(row.to)")
    }

    @Test("Nothing that is shipped depends on code for tests")
    func testCode() {
        let isIn = { (target: PackageManifest.Target, door: String) in
            target.folder.path.hasPrefix(PackageManifest.root.appending(path: door).path + "/")
        }
        let testing = Set(manifest.targets.values.filter { isIn($0, "Tests/Support") }.map(\.name))
        #expect(testing.contains("LedgerTesting"))
        let shipped = manifest.targets.values.filter { isIn($0, "Sources") && !testing.contains($0.name) }
        #expect(shipped.count > 20)
        for target in shipped {
            #expect(manifest.reach(target.name).isDisjoint(with: testing), "\(target.name) reaches test code")
        }
    }

    @Test(
        "Planning and payments are pure: they name neither the ledger's store nor its transaction, and no other package",
        arguments: [("Reporting", "Planning"), ("Payments", "")]
    )
    func purePlanning(_ name: String, _ part: String) throws {
        let folder = try #require(manifest.targets[name]).folder.appending(path: part)
        let files = PackageManifest.swiftFiles(in: folder)
        #expect(files.count > 20)
        let names = #/\b(?:LedgerStore|LedgerTransaction|LedgerQueries|SQLConnection|ReportingDependencies|Logger)\b/#
        let imports = try PackageManifest.imports(in: folder)
        #expect(imports.isSubset(of: ["ExternalPurchaseCore", "Ledger", "ReportValidation", "Foundation", "Crypto"]))
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: names) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test("A target lies in the folder of its door, and its tests in the same folder of Tests")
    func doors() {
        let doors = ["Core", "App", "AppStore", "Merchant", "CommandLine", "Support"]
        var found: [String: String] = [:]
        for target in manifest.targets.values {
            let path = target.folder.path.dropFirst(PackageManifest.root.path.count).split(separator: "/").map(
                String.init
            )
            guard path.count == 3, ["Sources", "Tests"].contains(path[0]) else { continue }
            #expect(path[2] == target.name)
            #expect(doors.contains(path[1]), "\(target.folder.path)")
            found[target.name] = path[1]
        }
        #expect(Set(found.values) == Set(doors))
        for (name, door) in found where name.hasSuffix("Tests") {
            let tested = String(name.dropLast("Tests".count))
            #expect(found[tested] == door, "\(name) lies in \(door), \(tested) in \(found[tested] ?? "no door")")
        }
    }

    /// Names that gave way to the field's own words; the second half keeps this file from holding them.
    static let retired = [
        ("Sur", "roundings"), ("Emulator", "Sources"), ("Merchant", "Figures"), ("Report", "Judge"), ("Report", "Case"),
        ("Escalation", "Watch"), ("Attention", "Item"), ("Hand", "In"), ("Request", "Refusal"), ("Field", "Fault"),
        ("Request", "Fields"), ("Correction", "Wish"), ("Corrected", "Place"), ("Ledger", "Universe"),
        ("Planning", "Universe"), ("Customer", "Ties"), ("Set", "Aside"), ("Bearer", "TokenMint"),
        ("Responder", "Check"), ("Control", "Path"), ("Control", "Guard"), ("Apple", "Interface"), ("Rule", "Texts"),
        ("Related", "Place"), ("App", "UnderLint"), ("Artifact", "Reading"), ("Civil", "Day"), ("Mortal", "Store"),
        ("Merchant", "Side"), ("One", "Thread"), ("Post", "box"), ("Token", "Sighting"), ("Judged", "LineItem"),
        ("Usage", "Remarks"), ("Answer", "Agenda"), ("Due", "Lookout"), ("Due", "Look"), ("Due", "Survey"),
        ("Due", "Moments"), ("Due", "Place"), ("Ledger", "Due("), ("Due", "Date("), ("Due", "State"), ("Due", "Rules"),
        ("Notification", "Damage"), ("Damaged", "Message"), ("Timeline", "Ticker"), ("Endpoint", "Answer"),
        ("Send", "Answer"), ("Retrieve", "Answer"), ("History", "Answer"), ("InProcess", "Answer"),
        ("Judgement", "Order"), ("Element", "Place"), ("StoreKitSession", ".World"), ("Demo", "Story"),
        ("Recorder", ".Word"), ("TimePage", ".Place"), ("tells", "Scheduled"), ("alerts", "Told"),
        ("settle", "Waiting"),
    ]

    @Test("Retired names are in no source, test or file name")
    func retiredNames() throws {
        let names = Self.retired.map { $0.0 + $0.1 }
        for target in manifest.targets.values {
            for file in PackageManifest.swiftFiles(in: target.folder) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for name in names where text.contains(name) || file.lastPathComponent.contains(name) {
                    Issue.record("\(file.lastPathComponent): \(name)")
                }
            }
        }
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

    @Test("No task-local value is a closure, for which the optimiser of Swift 6.3 passes no type")
    func taskLocals() throws {
        var found = 0
        for file in PackageManifest.swiftFiles(in: PackageManifest.root.appending(path: "Sources")) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.split(separator: "\n") where line.contains("@TaskLocal") {
                found += 1
                #expect(!line.contains("->"), "\(file.path): the optimised program ends where it is set: \(line)")
            }
        }
        #expect(found > 0)
    }

    @Test("The command line ends by Program.end: exit tears libraries down while other threads use them")
    func processEnds() throws {
        var callers: Set<String> = []
        for file in PackageManifest.swiftFiles(in: PackageManifest.root.appending(path: "Sources"))
        where try String(contentsOf: file, encoding: .utf8).contains(#/[^\w.](Foundation\.)?exit\(/#) {
            callers.insert(file.deletingLastPathComponent().lastPathComponent)
        }
        // The linter opens no connection.
        #expect(callers == ["external-purchase-lint"])
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
        for target in ["AppStoreEmulator", "ExternalPurchaseCommands", "ReportingServer"] {
            let folder = try #require(manifest.targets[target]).folder.appending(path: "Generated")
            let text = try String(contentsOf: folder.appending(path: "WebFiles.swift"), encoding: .utf8)
            #expect(text.contains(markup), "\(target)")
        }
    }

    @Test("The body of an answer from outside is received by one function, which has a limit of time")
    func outsideBodies() throws {
        // The demo asks its own servers.
        let known: Set = ["HTTPClient+exchange.swift", "DemoBrowser.swift", "GemShopWebsite.swift"]
        var found: Set<String> = []
        for file in PackageManifest.swiftFiles(in: PackageManifest.root.appending(path: "Sources"))
        where try String(contentsOf: file, encoding: .utf8).contains(".body.collect(") {
            found.insert(file.lastPathComponent)
        }
        #expect(found == known)
    }

    @Test("Symbolic links of the package for fuzzing lead somewhere")
    func links() throws {
        let folder = "Fuzz/Sources"
        let manager = FileManager.default
        let files = try #require(manager.enumerator(atPath: PackageManifest.root.appending(path: folder).path))
        var count = 0
        while let file = files.nextObject() as? String {
            let path = PackageManifest.root.appending(path: "\(folder)/\(file)").path
            guard (try? manager.destinationOfSymbolicLink(atPath: path)) != nil else { continue }
            count += 1
            #expect(manager.fileExists(atPath: path), "\(path)")
        }
        #expect(count > 0)
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

    @Test("Every function in the table of one purchase is declared in its file")
    func functionsOfOnePurchase() throws {
        let text = try String(contentsOf: PackageManifest.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        let rows = text.matches(of: #/(?m)^\| `(Sources\/[^`]+\.swift)` \| ([^|]+) \|/#)
        #expect(rows.count > 10)
        for row in rows {
            let file = try String(contentsOf: PackageManifest.root.appending(path: String(row.1)), encoding: .utf8)
            for name in row.2.matches(of: #/`(\w+)/#).map(\.1) {
                #expect(file.contains("func \(name)("), "\(row.1): \(name)")
            }
        }
    }
}
