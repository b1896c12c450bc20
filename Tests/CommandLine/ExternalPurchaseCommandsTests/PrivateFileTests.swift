import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("Files with keys")
struct PrivateFileTests {
    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private static func send(_ keys: Keys, file: String) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run([
            "report", "get", UUID().uuidString.lowercased(), "--base-url", "http://127.0.0.1:9", "--key", file,
            "--key-id", keys.keyId, "--issuer-id", keys.issuerId, "--bundle-id", "com.example.shop",
        ])
    }

    @Test("The emulator's credentials are for their owner; a key that others may read is warned about")
    func permissions() async throws {
        let scratch = try ScratchFolder()
        let emulator = try await RunningServer([
            "emulator", "--port", "0", "--app", "com.example.shop=1234567890", "--credentials", scratch.url.path,
        ])
        emulator.terminate()
        let keys = try Keys(folder: scratch.url)
        let file = keys.keyFile
        #expect(try Self.mode(file) == 0o600)
        #expect(try Self.mode(scratch.url.appending(path: "credentials.json").path) == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
        #expect(left.count == 2, "\(left)")

        #expect(try await !Self.send(keys, file: file).error.contains("warning"))
        for (mode, isWarned) in [(0o644, true), (0o640, true), (0o400, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let error = try await Self.send(keys, file: file).error
            let warning = "warning: \(file): others than its owner may read it (mode 0\(String(mode, radix: 8)))"
            #expect(error.contains(warning) == isWarned, "\(error)")
        }
    }

    @Test("The server warns of a key that others may read", .timeLimit(.minutes(10)))
    func served() async throws {
        let setup = try await ServerUnderTest()
        let file = try Keys(folder: setup.scratch.url).keyFile
        // Ends by itself: what stands there is no key, which is found after it was read.
        try Data("no key".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let result = try await BuiltBinary.run(setup.arguments)
        #expect(result.exitCode == 2)
        #expect(result.error.contains("others than its owner may read it (mode 0644)"), "\(result.error)")
        setup.emulator.terminate()
    }

    @Test("A named pipe as key or configuration is refused at once", .timeLimit(.minutes(10)))
    func namedPipes() async throws {
        let scratch = try ScratchFolder()
        let pipe = scratch.url.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let commands = [
            [
                "report", "get", UUID().uuidString.lowercased(), "--key", pipe, "--key-id", "2X9R4HXF34",
                "--issuer-id", "57246542-96fe-1a63-e053-0824d011072a", "--bundle-id", "com.example.shop",
            ],
            ["serve", "--config", pipe], ["ledger", "due", "--config", pipe], ["report", "validate", pipe],
            ["explain", "--session", pipe],
        ]
        for command in commands {
            let result = try await BuiltBinary.run(command)
            #expect(result.exitCode == 2, "\(command): \(result.error)")
            #expect(result.error.contains("it is a named pipe"), "\(command): \(result.error)")
        }
    }
}
