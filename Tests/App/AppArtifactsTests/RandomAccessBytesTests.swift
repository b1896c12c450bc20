import AppConfiguration
import Foundation
import Testing

@testable import AppArtifacts

struct RandomAccessBytesTests {
    @Test("A file gives any piece of it, and nothing beyond it")
    func file() throws {
        let file = try Fixture.open("openssl.mobileprovision")
        let whole = try Data(contentsOf: URL(filePath: file.path))
        #expect(file.count == whole.count)
        #expect(try file.bytes(at: 0, count: file.count) == Array(whole))
        #expect(try file.bytes(at: 100, count: 7) == Array(whole[100..<107]))
        #expect(try file.bytes(at: file.count, count: 0) == [])
        for (offset, count) in [(file.count, 1), (-1, 1), (0, -1), (1, Int.max), (Int.max, 1)] {
            let error = try #require(throws: ConfigurationReadError.self) {
                try file.bytes(at: offset, count: count)
            }
            #expect(error == ConfigurationReadError(cause: .notArtifact, file: file.path, reason: "it is cut off"))
        }
    }

    @Test("A section of a section has the sum of the offsets and its own name")
    func section() throws {
        let memory = MemoryBytes(Array(0..<100), path: "whole")
        let part = try ByteSection(of: memory, at: 10, count: 50, path: "part")
        let inner = try ByteSection(of: part, at: 5, count: 10, path: "inner")
        #expect(try inner.bytes(at: 0, count: 10) == Array(15..<25))
        let error = try #require(throws: ConfigurationReadError.self) { try inner.bytes(at: 1, count: 10) }
        #expect(error.file == "inner")
        #expect(throws: ConfigurationReadError.self) { try ByteSection(of: part, at: 41, count: 10, path: "x") }
        #expect(throws: ConfigurationReadError.self) { try ByteSection(of: part, at: -1, count: 1, path: "x") }
    }

    @Test("Missing, unreadable and irregular files are distinguished")
    func noFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bytes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = folder.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let loop = folder.appending(path: "loop").path
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        for (path, cause) in [
            (folder.appending(path: "absent").path, .missing), (folder.path, .unreadable), (pipe, .unreadable),
            (loop, .unreadable),
        ] as [(String, ConfigurationReadError.Cause)] {
            let error = try #require(throws: ConfigurationReadError.self) { try FileBytes(path: path) }
            #expect(error.cause == cause)
            #expect(error.file == path)
        }
    }

    @Test("A file that becomes shorter while it is open is refused")
    func shrinking() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "bytes-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(count: 1000).write(to: URL(filePath: path))
        let file = try FileBytes(path: path)
        try #require(truncate(path, 500) == 0)
        #expect(try file.bytes(at: 0, count: 500).count == 500)
        let error = try #require(throws: ConfigurationReadError.self) { try file.bytes(at: 400, count: 200) }
        #expect(error.reason == "it became shorter while it was read")
    }
}
