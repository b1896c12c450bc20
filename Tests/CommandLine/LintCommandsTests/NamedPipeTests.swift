import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("Named pipes and devices are refused at once")
struct NamedPipeTests {
    private static func folder() throws -> ScratchFolder {
        let folder = try Sample.clean()
        try #require(mkfifo(folder.url.appending(path: "pipe.plist").path, 0o600) == 0)
        return folder
    }

    @Test(
        "A pipe that nobody writes to, a device",
        .timeLimit(.minutes(10)),
        arguments: [
            (["pipe.plist"], "pipe.plist cannot be read: it is a named pipe"),
            (["/dev/zero"], "/dev/zero cannot be read: it is a device"),
            (["Info.plist", "--config", "pipe.plist"], "pipe.plist: cannot be read: it is a named pipe"),
            (["Info.plist", "--baseline", "pipe.plist"], "pipe.plist: cannot be read: it is a named pipe"),
            (["Info.plist", "--reviewed", "pipe.plist"], "it is a named pipe"),
            (["Info.plist", "--config", "/dev/null"], "/dev/null: cannot be read: it is a device"),
        ]
    )
    func refused(_ arguments: [String], _ message: String) async throws {
        let folder = try Self.folder()
        let result = try await folder.lint(arguments)
        #expect(result.exitCode == 2)
        #expect(result.error.contains(message), "\(result.error)")
        #expect(!result.output.contains("no findings in 0 files"))
    }

    @Test("What a shell opened is read: <(command)", .timeLimit(.minutes(10)))
    func processSubstitution() async throws {
        let folder = try Self.folder()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "\"$0\" lint <(cat Info.plist) --format json", LintBinary.url.path]
        process.currentDirectoryURL = folder.url
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: data, as: UTF8.self).contains("\"files\":1"))
    }
}
