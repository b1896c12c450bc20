import Foundation
import Testing

@testable import ConfigurationLint

struct UnifiedDiffTests {
    static let pairs: [(String, String)] = [
        ("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nD\ne\nf\ng\nh\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
        ("a\nb", "a\nc"), ("a\nb", "a\nb\n"), ("a\nb\n", "a\nb"), ("a", "b"), ("", "a\n"), ("a\rb\r", "a\rc\r"),
        ("a\n", ""), ("x\nx\nx\ny\n", "x\nx\ny\n"), ("\t<a/>\n", "  <a/>\n"), ("- a\n+ b\n", "+ b\n- a\n"),
    ]

    @Test("The form is that of unified diffs")
    func form() {
        let old = (1...20).map { "\($0)\n" }.joined()
        let new = old.replacing("2\n3\n", with: "2\nthree\n").replacing("18\n", with: "")
        #expect(
            String(
                decoding: UnifiedDiff.describe(Array(old.utf8), Array(new.utf8), path: "./a/Info.plist"),
                as: UTF8.self
            )
                == """
                --- a/a/Info.plist
                +++ b/a/Info.plist
                @@ -1,6 +1,6 @@
                 1
                 2
                -3
                +three
                 4
                 5
                 6
                @@ -15,6 +15,5 @@
                 15
                 16
                 17
                -18
                 19
                 20

                """
        )
        #expect(UnifiedDiff.describe(Array(old.utf8), Array(old.utf8), path: "a").isEmpty)
    }

    @Test(
        "patch and git apply make the fixed file of it",
        arguments: ["Info.plist", "My App/Info \"2\".plist", "ä/Info.plist"]
    )
    func applies(path: String) throws {
        var random = SystemRandomNumberGenerator()
        var pairs = Self.pairs.filter { !$0.0.isEmpty && !$0.1.isEmpty }.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        for count in [5, 40, 300] {
            let lines = (0..<count).map { _ in "\(Int.random(in: 0..<9, using: &random))" }
            let changed = lines.flatMap { line in
                switch Int.random(in: 0..<12, using: &random) {
                case 0: [String]()
                case 1: [line + "!"]
                case 2: [line, "new"]
                default: [line]
                }
            }
            pairs.append((Array(lines.joined(separator: "\n").utf8), Array(changed.joined(separator: "\r\n").utf8)))
            pairs.append(
                (Array(lines.joined(separator: "\n").utf8), Array((changed.joined(separator: "\n") + "\n").utf8))
            )
        }
        let tools: [[String]] = [
            ["/usr/bin/patch", "-p1", "--binary", "-s"], ["/usr/bin/git", "apply", "--whitespace=nowarn"],
        ]
        for tool in tools where FileManager.default.isExecutableFile(atPath: tool[0]) {
            for (old, new) in pairs {
                let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: folder) }
                let file = folder.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(old).write(to: file)
                let diff = UnifiedDiff.describe(old, new, path: path)
                try Data(diff).write(to: folder.appending(path: "diff"))
                let process = Process()
                process.executableURL = URL(filePath: tool[0])
                process.arguments = Array(tool.dropFirst()) + (tool[0].hasSuffix("patch") ? ["-i", "diff"] : ["diff"])
                process.currentDirectoryURL = folder
                try process.run()
                process.waitUntilExit()
                try #require(process.terminationStatus == 0, "\(tool) \(String(decoding: diff, as: UTF8.self))")
                try #require(
                    Array(try Data(contentsOf: file)) == new,
                    "\(tool) \(String(decoding: diff, as: UTF8.self))"
                )
            }
        }
    }

    @Test("Texts that differ in every line are described in one hunk, at once")
    func everywhere() {
        let old = Array((0..<20_000).map { "a\($0)\n" }.joined().utf8)
        let new = Array((0..<15_000).map { "b\($0)\n" }.joined().utf8)
        let diff = String(decoding: UnifiedDiff.describe(old, new, path: "a"), as: UTF8.self)
        #expect(diff.hasPrefix("--- a/a\n+++ b/a\n@@ -1,20000 +1,15000 @@\n-a0\n"))
        #expect(diff.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 4)
    }
}

struct FileReplacementTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test("The content is replaced, the permissions are preserved, and no other file remains")
    func replaces() throws {
        try withFolder { folder in
            let path = folder.appending(path: "Info.plist").path
            try Data("old".utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            try replaceFile(at: path, with: Array("new".utf8))
            #expect(FileManager.default.contents(atPath: path) == Data("new".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o640)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Info.plist"])
        }
    }

    @Test("A symbolic link stays and its target is replaced")
    func link() throws {
        try withFolder { folder in
            let target = folder.appending(path: "target")
            let link = folder.appending(path: "link")
            try Data("old".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "target")
            try replaceFile(at: link.path, with: Array("new".utf8))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "target")
            #expect(try Data(contentsOf: target) == Data("new".utf8))
        }
    }

    @Test("A path that cannot be replaced is refused")
    func refuses() throws {
        try withFolder { folder in
            let missing = #expect(throws: FileReplacementError.self) {
                try replaceFile(at: folder.appending(path: "none").path, with: [])
            }
            #expect(missing?.step == .find)
            let notFile = #expect(throws: FileReplacementError.self) { try replaceFile(at: folder.path, with: []) }
            #expect(notFile?.step == .refuse)
            let device = #expect(throws: FileReplacementError.self) { try replaceFile(at: "/dev/null", with: []) }
            #expect(device?.step == .refuse)
        }
    }
}
