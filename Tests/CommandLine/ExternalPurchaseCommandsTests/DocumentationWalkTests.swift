import Foundation
import TestSupport
import Testing

/// The walks of the documentation: their commands are run in order, and the answers compared with those that are printed.
@Suite("The walks of the documentation answer as they say", .serialized)
struct DocumentationWalkTests {
    /// The commands of a page, each with the answer that the page prints below it.
    private struct Step {
        let commands: String
        var answer: String?
    }

    private static func steps(of page: String) throws -> [Step] {
        let text = try String(contentsOf: PackageFolder.file("docs/\(page)"), encoding: .utf8)
        var steps: [Step] = []
        for (index, part) in text.components(separatedBy: "```").enumerated() where index % 2 == 1 {
            let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let content = lines.count == 2 ? String(lines[1]) : ""
            switch lines.first {
            case "sh": steps.append(Step(commands: content))
            case "": if !steps.isEmpty { steps[steps.count - 1].answer = content }
            default: break
            }
        }
        return steps
    }

    /// Two ports that were free a moment ago.
    private static func freePorts() async throws -> [String] {
        let servers = [
            try await RunningServer(["emulator", "--port", "0", "--no-auth"]),
            try await RunningServer(["emulator", "--port", "0", "--no-auth"]),
        ]
        defer { for server in servers { server.terminate() } }
        return servers.map { String($0.url.split(separator: ":").last ?? "") }
    }

    /// Runs all commands in one shell, in an empty folder; one output for each step.
    private static func run(_ steps: [Step]) async throws -> [String] {
        let scratch = try ScratchFolder()
        let ports = try await freePorts()
        let binaries = BuiltBinary.url.deletingLastPathComponent().path
        let mark = "--- the end of a step ---"
        var script = "export PATH=\"\(binaries):$PATH\"\ntrap 'kill $(jobs -p)' EXIT TERM\n"
        for step in steps {
            // The programs listen on these two ports where no other is given.
            script += step.commands.replacing("8801", with: ports[0]).replacing("8800", with: ports[1])
                .replacing("external-purchase emulator ", with: "external-purchase emulator --port \(ports[0]) ")
                .replacing("external-purchase serve ", with: "external-purchase serve --port \(ports[1]) ")
            script += "\necho '\(mark)'\n"
        }
        let path = try scratch.write(script, to: "walk.sh")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [path]
        process.environment = BuiltBinary.environment
        process.currentDirectoryURL = scratch.url
        let output = scratch.url.appending(path: "output.txt")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = ContinuousClock.now + .seconds(300)
        while process.isRunning, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(100)) }
        if process.isRunning { process.terminate() }
        let text = try String(contentsOf: output, encoding: .utf8)
            // Only whole numbers: a port may be a part of an id.
            .replacing(try Regex(#"\b\#(ports[0])\b"#), with: "8801")
            .replacing(try Regex(#"\b\#(ports[1])\b"#), with: "8800")
        return text.components(separatedBy: mark).dropLast().map { part in
            part.split(separator: "\n").filter { !$0.hasPrefix("listening on ") }.joined(separator: "\n")
        }
    }

    /// Whether an output is the printed answer: white space aside, and with anything for each `…`, such as a random id.
    ///
    /// The ids of tokens follow from the emulator's seed.
    private static func agrees(_ output: String, with answer: String) -> Bool {
        func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        var rest = bare(output)[...]
        let parts = bare(answer).components(separatedBy: "…")
        guard let first = parts.first, let last = parts.last, rest.hasPrefix(first) else { return false }
        if parts.count == 1 { return rest == first }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    @Test(
        "Every answer of the page is that of the programs (OB-44, OB-46)",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")),
        arguments: ["outside-app-store.md"]
    )
    func walk(page: String) async throws {
        let steps = try Self.steps(of: page)
        #expect(steps.count { $0.answer != nil } >= 5)
        let outputs = try await Self.run(steps)
        try #require(outputs.count == steps.count, "the walk ended after \(outputs.count) of \(steps.count) steps")
        for (step, output) in zip(steps, outputs) {
            guard let answer = step.answer else { continue }
            #expect(Self.agrees(output, with: answer), "\(step.commands)\nprinted\n\(output)")
        }
    }

    @Test(
        "An answer that differs is found",
        arguments: [
            ("a b", "ab", true), ("a\n b", "a b", true), ("abc", "a…c", true), ("abc", "a…d", false),
            ("abc", "b…", false),
            ("abc", "ab", false), ("abc", "ab…", true), ("", "a", false), ("acbc", "a…c", true), ("ab", "ab…b", false),
            ("0a57c98d-58f3-46bf-81b6-77ea04c8ea6d", "7b498cb7-f1cf-4ef0-a7e9-90f55f96003c", false),
        ]
    )
    func comparison(output: String, answer: String, isSame: Bool) {
        #expect(Self.agrees(output, with: answer) == isSame)
    }
}
