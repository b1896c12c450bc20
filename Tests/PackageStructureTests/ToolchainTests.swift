import Foundation
import Testing

@Suite("./run refuses a toolchain that cannot build the package")
struct ToolchainTests {
    /// What `swift --version` prints, and whether the package builds with it: @nonexhaustive came with 6.2.3.
    static let versions: [(text: String, found: String, isEnough: Bool)] = [
        ("Swift version 6.2.3 (swift-6.2.3-RELEASE)\nTarget: x86_64-unknown-linux-gnu", "6.2.3", true),
        ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", "6.3.1", true),
        ("Swift version 6.10 (swift-6.10-RELEASE)", "6.10", true),
        ("Swift version 7.0-dev (LLVM 1234, Swift 5678)", "7.0", true),
        ("Swift version 6.2.2 (swift-6.2.2-RELEASE)", "6.2.2", false),
        ("Swift version 6.2 (swift-6.2-RELEASE)", "6.2", false),
        ("Swift version 6.1.3 (swift-6.1.3-RELEASE)", "6.1.3", false),
        ("Swift version 5.10.1 (swift-5.10.1-RELEASE)", "5.10.1", false),
        (
            "swift-driver version: 1.127.8 Apple Swift version 6.2 (swiftlang-6.2.0.17.14 clang-1700.3.17.1)", "6.2",
            false
        ),
        ("Apple Swift version 6.2.3 (swiftlang-6.2.3.3.21 clang-1700.6.3.2)", "6.2.3", true),
    ]

    /// Runs `./run build` with a stand-in for the toolchain that knows its version and builds nothing.
    private static func run(_ version: String) throws -> (exitCode: Int32, error: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "toolchain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let swift = folder.appending(path: "swift")
        let script = """
            #!/bin/sh
            [ "$1" != --version ] || printf '%s\\n' '\(version)'
            """
        try Data(script.utf8).write(to: swift)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        let process = Process()
        process.executableURL = PackageManifest.root.appending(path: "run")
        process.arguments = ["build"]
        let path = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin:/bin"]
        process.environment = ProcessInfo.processInfo.environment.merging(["PATH": "\(folder.path):\(path)"]) { $1 }
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test("An older one ends with 2, the version found and the version needed", arguments: versions)
    func version(_ row: (text: String, found: String, isEnough: Bool)) throws {
        let (exitCode, error) = try Self.run(row.text)
        #expect(exitCode == (row.isEnough ? 0 : 2), "\(error)")
        #expect(error.contains("found Swift \(row.found) ") == !row.isEnough, "\(error)")
        #expect(error.contains("needs 6.2.3 or later") == !row.isEnough, "\(error)")
        #expect(error.contains("@nonexhaustive") == !row.isEnough, "\(error)")
    }

    @Test("One whose version cannot be read is used with a warning")
    func unreadable() throws {
        let (exitCode, error) = try Self.run("a toolchain of our own")
        #expect(exitCode == 0)
        #expect(error.contains("cannot be read") && error.contains("6.2.3"))
    }

    @Test(
        "The same number stands wherever it is named",
        arguments: ["Package.swift", "README.md", "CONTRIBUTING.md", "Scripts/toolchain.sh"]
    )
    func oneNumber(_ file: String) throws {
        let text = try String(contentsOf: PackageManifest.root.appending(path: file), encoding: .utf8)
        #expect(text.contains("6.2.3"))
        #expect(!text.contains(#/Swift (?:toolchain, )?6\.2 or later/#))
    }
}
