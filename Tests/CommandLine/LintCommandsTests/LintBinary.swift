import Foundation
import TestSupport

/// The executable that was built beside the tests, run as a user runs it.
enum LintBinary {
    struct Result: Sendable {
        let exitCode: Int32
        let output: String
        let error: String

        var json: [String: Any] {
            ((try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any]) ?? [:]
        }

        /// The rules of the diagnostics, for `--format json`.
        var rules: [String] {
            ((json["diagnostics"] as? [[String: Any]]) ?? []).compactMap { $0["rule"] as? String }
        }
    }

    static let url: URL = {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "external-purchase-lint")
        if let beside, FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        return PackageFolder.file(".build/debug/external-purchase-lint")
    }()

    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    static let shop = fixtures.appending(path: "Shop")

    /// Runs the program to its end, without a terminal.
    static func run(
        _ arguments: [String],
        in folder: URL,
        environment: [String: String] = [:]
    ) async throws -> Result {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = folder
        let (stdout, stderr) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        async let output = readAll(stdout)
        async let error = readAll(stderr)
        let texts = await (output, error)
        process.waitUntilExit()
        return Result(exitCode: process.terminationStatus, output: texts.0, error: texts.1)
    }

    private static func readAll(_ pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}

/// A folder that is there for one test.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "external-purchase-lint-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    func lint(_ arguments: [String], environment: [String: String] = [:]) async throws -> LintBinary.Result {
        try await LintBinary.run(["lint"] + arguments, in: url, environment: environment)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// Property lists by their content.
enum Sample {
    static func plist(_ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n\(content)\n</dict>\n</plist>\n"
    }

    /// Bundle id, minimum OS and a link for a country.
    static func infoPlist(country: String = "nl", url: String = "https://shop.acme.com/nl") -> String {
        plist(
            """
            <key>CFBundleIdentifier</key><string>com.acme.app</string>
            <key>MinimumOSVersion</key><string>26.5</string>
            <key>SKExternalPurchaseLink</key><dict><key>\(country)</key><string>\(url)</string></dict>
            """
        )
    }

    static let entitlements = plist("<key>com.apple.developer.storekit.external-purchase-link</key><true/>")

    /// An app whose link has one error that is fixable and one that is not.
    static func faulty() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.write(infoPlist(country: "NL", url: "http://shop.acme.com/nl"), to: "Info.plist")
        try folder.write(entitlements, to: "App.entitlements")
        return folder
    }

    static func clean() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.write(infoPlist(), to: "Info.plist")
        try folder.write(entitlements, to: "App.entitlements")
        return folder
    }

    static let files = ["Info.plist", "App.entitlements"]
}
