import Foundation
import Synchronization
import TestSupport
import Testing

/// The executable that was built beside the tests, run as a user runs it.
enum BuiltBinary {
    struct Result: Sendable {
        let exitCode: Int32
        let output: String
        let error: String

        var json: NSDictionary? {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? NSDictionary
        }
    }

    static let url: URL = {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "external-purchase")
        if let beside, FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        return PackageFolder.file(".build/debug/external-purchase")
    }()

    /// Runs a command so that the modes of files, and the ports of the system, count for root too, as for the user of a
    /// server.
    static let heedsModes: [String] = {
        let path = "/usr/bin/setpriv"
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: path) else { return [] }
        return [path, "--bounding-set", "-dac_override,-dac_read_search,-net_bind_service"]
    }()

    /// The variables of the tests, without those for the tests: `serve` refuses variables that it does not know.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("EXTERNAL_PURCHASE_TEST") }
    }

    /// Runs a command to its end.
    ///
    /// - Parameter launcher: a program, with its arguments, that runs the command; empty to run it directly.
    static func run(
        _ arguments: [String],
        input: Data = Data(),
        environment: [String: String] = [:],
        folder: URL? = nil,
        by launcher: [String] = []
    ) async throws -> Result {
        let process = Process()
        process.executableURL = launcher.first.map { URL(filePath: $0) } ?? url
        process.arguments = launcher.isEmpty ? arguments : launcher.dropFirst() + [url.path] + arguments
        process.environment = Self.environment.merging(environment) { $1 }
        process.currentDirectoryURL = folder
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        async let output = readAll(stdout)
        async let error = readAll(stderr)
        // A command that ends without reading all of its input closes the pipe.
        signal(SIGPIPE, SIG_IGN)
        try? stdin.fileHandleForWriting.write(contentsOf: input)
        try? stdin.fileHandleForWriting.close()
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

/// A server of the built binary that runs until it is stopped or killed.
final class RunningServer: Sendable {
    private let process: Mutex<Process>
    let url: String
    /// The lines of standard output that it waited for.
    let lines: [String]

    /// Starts it and waits for its first line, `listening on http://…`, or for more lines.
    init(
        _ arguments: [String],
        folder: URL? = nil,
        executable: URL = BuiltBinary.url,
        lines count: Int = 1
    ) async throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = BuiltBinary.environment
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let line = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            Thread.detachNewThread {
                var data = Data()
                while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
                    let part = output.fileHandleForReading.availableData
                    if part.isEmpty { break }
                    data += part
                }
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
        let prefix = "listening on "
        try #require(line.hasPrefix(prefix), "first line was '\(line)'")
        url = String(line.dropFirst(prefix.count).prefix { $0 != "\n" })
        lines = line.split(separator: "\n").map(String.init)
        self.process = Mutex(process)
    }

    /// The memory that the process has in RAM; nil where the system does not tell it so.
    var residentKilobytes: Int? {
        let identifier = process.withLock(\.processIdentifier)
        let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            ?? line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    /// SIGKILL: the process gets no chance to do anything.
    func kill() {
        process.withLock { process in
            _ = Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    var isRunning: Bool { process.withLock(\.isRunning) }

    /// SIGTERM, without waiting for the end.
    func beginTermination() {
        process.withLock { $0.terminate() }
    }

    /// Waits for the end of a server that was asked to end; returns its exit code.
    func awaitEnd() -> Int32 {
        process.withLock { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// SIGTERM, and the exit code.
    @discardableResult
    func terminate() -> Int32 {
        process.withLock { process in
            process.terminate()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    deinit {
        process.withLock { process in
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        }
    }
}

/// A folder that is there for one test.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "external-purchase-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
