import Foundation

/// The manifest as SwiftPM reads it, and the imports as the sources write them.
struct PackageManifest {
    struct Target {
        let name: String
        let isTest: Bool
        let folder: URL
        /// Targets of this package.
        let targets: [String]
        /// Products of other packages.
        let products: [String]
        /// The dependencies that are there without any trait.
        let unconditional: [String]
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    let targets: [String: Target]

    init() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A scratch folder of its own: the usual one is locked by the test run.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        process.arguments = [
            "swift", "package", "--scratch-path", scratch.path, "--package-path", Self.root.path, "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let dump = try JSONDecoder().decode(Dump.self, from: data)
        targets = Dictionary(
            uniqueKeysWithValues: dump.targets.map { target in
                let parents = ["test": "Tests/", "plugin": "Plugins/"]
                let folder = target.path ?? parents[target.type, default: "Sources/"] + target.name
                return (
                    target.name,
                    Target(
                        name: target.name,
                        isTest: target.type == "test",
                        folder: Self.root.appending(path: folder),
                        targets: target.dependencies.compactMap { $0.byName?.name ?? $0.target?.name },
                        products: target.dependencies.compactMap { $0.product?.name },
                        unconditional: target.dependencies.compactMap { $0.byName ?? $0.target ?? $0.product }
                            .filter { $0.traits.isEmpty }.map(\.name)
                    )
                )
            }
        )
    }

    /// Every target of this package that one reaches, itself left out.
    func reach(_ name: String) -> Set<String> {
        var found: Set<String> = []
        var open = targets[name]?.targets ?? []
        while let next = open.popLast() {
            if found.insert(next).inserted { open += targets[next]?.targets ?? [] }
        }
        return found
    }

    /// The modules that a target's sources import.
    static func imports(in folder: URL) throws -> Set<String> {
        var modules: Set<String> = []
        let pattern =
            #/^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|typealias|var|let)\s+)?(\w+)/#
        for file in swiftFiles(in: folder) {
            var isAppleOnly = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // What only Apple hosts compile is declared on Apple hosts only.
                if line.hasPrefix("#if canImport(Darwin)") { isAppleOnly = true }
                if line.hasPrefix("#else") || line.hasPrefix("#endif") { isAppleOnly = false }
                if isAppleOnly { continue }
                if let match = line.firstMatch(of: pattern) { modules.insert(String(match.1)) }
            }
        }
        return modules
    }

    static func swiftFiles(in folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private struct Dump: Decodable {
        struct Target: Decodable {
            let name, type: String
            let path: String?
            let dependencies: [Dependency]
        }
        struct Dependency: Decodable {
            let byName: Named?
            let product: Named?
            let target: Named?
        }
        /// SwiftPM writes `["Name", package, aliases, condition]` for a product and `["Name", condition]` for a target.
        struct Named: Decodable {
            let name: String
            var traits: [String] = []

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                name = try container.decode(String.self)
                while !container.isAtEnd {
                    let element = try container.superDecoder()
                    traits += (try? Condition(from: element))?.traits ?? []
                }
            }
        }
        struct Condition: Decodable {
            let traits: [String]?
        }
        let targets: [Target]
    }
}
