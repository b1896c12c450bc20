import Foundation
import ReportConformance
import TestSupport
import Testing

@Suite("A recorded dialogue is compared without a connection (CS-9)")
struct ConformanceReplayTests {
    @Test("A dialogue has neither tokens nor keys, and its replay says what the run said")
    func recorded() async throws {
        let fixture = try await ConformanceFixture()
        let tokens = try await fixture.tokens()
        let endpoint = try SeededEndpoint(before: fixture.emulator.url) { exchange in
            exchange.errors = exchange.errors?.map { error in
                error["errorCode"] as? Int == 16 ? error.merging(["errorCode": 116]) { $1 } : error
            }
        }
        let file = fixture.scratch.url.appending(path: "dialogue.jsonl").path
        let run = try await fixture.run(tokens, url: endpoint.url, ["--record", file])
        #expect(run.exitCode == 1, "\(run.error)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for token in tokens {
            let decoded = try await BuiltBinary.run(["token", "decode", token, "--format", "json"])
            let id = try #require(decoded.json?["externalPurchaseId"] as? String, "\(decoded.output)")
            #expect(!text.contains(id) && !text.contains(token))
        }
        for secret in [fixture.keys.keyId, fixture.keys.issuerId, "Bearer", "eyJ"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.contains("{{token}}"))
        let replay = try await BuiltBinary.run(["conformance", "replay", file, "--format", "json"])
        #expect(replay.exitCode == 1, "\(replay.error)")
        #expect(answers(of: replay) == answers(of: run))
        #expect(replay.settings == ["answers.codes": "16=116"])
        #expect(replay.different.count == run.different.count)
        fixture.emulator.terminate()
    }

    @Test(
        "The replay tells what was not asked, and why, as the run does (CS-5, CS-9)",
        arguments: [[], ["--allow-accepted"]]
    )
    func notAsked(_ more: [String]) async throws {
        let fixture = try await ConformanceFixture()
        let file = fixture.scratch.url.appending(path: "dialogue.jsonl").path
        let run = try await BuiltBinary.run(
            fixture.arguments([try await fixture.token()]) + ["--format", "json", "--record", file] + more
        )
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(run.summary["notAsked"] ?? 0 > 0)
        let replay = try await BuiltBinary.run(["conformance", "replay", file, "--format", "json"])
        #expect(replay.summary == run.summary)
        let (said, omitted) = (replay.json?["notAsked"] as? NSArray, run.json?["notAsked"] as? NSArray)
        #expect(said == omitted, "\(replay.output)")
        fixture.emulator.terminate()
    }

    static let dialogue = PackageFolder.file("Conformance/dialogues/emulator.jsonl")

    @Test("The committed dialogue with the emulator has every case and no difference")
    func committed() async throws {
        let result = try await BuiltBinary.run(["conformance", "replay", Self.dialogue.path, "--format", "json"])
        #expect(result.exitCode == 0, "\(result.output.prefix(2_000)) \(result.error)")
        #expect(result.summary["asked"] == ConformanceSuite.published.cases.count)
    }

    @Test("A line that is no exchange is named; one that a killed run cut off is not part of the dialogue")
    func damaged() async throws {
        let scratch = try ScratchFolder()
        let lines = try String(contentsOf: Self.dialogue, encoding: .utf8).split(separator: "\n")
        let start = lines.prefix(5).joined(separator: "\n") + "\n"
        let cut = try scratch.write(start + lines[5].prefix(60), to: "cut.jsonl")
        let shorter = try await BuiltBinary.run(["conformance", "replay", cut, "--format", "json"])
        #expect(shorter.exitCode == 0 && shorter.summary["asked"] == 4, "\(shorter.error)")
        #expect(shorter.output.contains("is not in the dialogue"))
        let wrong = try scratch.write(start + "{}\n", to: "wrong.jsonl")
        let refused = try await BuiltBinary.run(["conformance", "replay", wrong])
        #expect(refused.exitCode == 2 && refused.error.contains("line 6: is not a recorded exchange of a known case"))
        let empty = try await BuiltBinary.run(["conformance", "replay", try scratch.write("", to: "empty.jsonl")])
        #expect(empty.exitCode == 2 && empty.error.contains("line 1: is not the head of a recorded dialogue"))
    }

    @Test("The page names each difference and its setting, escapes what came, and needs no script")
    func page() async throws {
        let scratch = try ScratchFolder()
        let lines = try String(contentsOf: Self.dialogue, encoding: .utf8)
        let file = try scratch.write(
            lines.replacing("A required field is missing.", with: "<b>missing</b> & gone"),
            to: "changed.jsonl"
        )
        let page = scratch.url.appending(path: "page.html")
        let result = try await BuiltBinary.run(["conformance", "replay", file, "--html", page.path])
        #expect(result.exitCode == 1)
        #expect(result.error.contains("written: \(page.path)"))
        let html = try String(contentsOf: page, encoding: .utf8)
        #expect(html.contains("<code>messages.4=&lt;b&gt;missing&lt;/b&gt; &amp; gone</code>"))
        #expect(html.contains("E4-one-time-buy") && !html.contains("<b>missing") && !html.contains("<script"))
        let wrong = try await BuiltBinary.run(["conformance", "replay", file, "--html", "/nowhere/page.html"])
        #expect(wrong.exitCode == 2 && wrong.error.contains("--html /nowhere/page.html: cannot be written"))
    }

    @Test("The program carries the files of the data set (CS-1)")
    func files() async throws {
        for name in ["suite.json", "cases/06-line-items.json"] {
            let result = try await BuiltBinary.run(["conformance", "cases", "--file", name])
            let file = try String(contentsOf: PackageFolder.file("Conformance/" + name), encoding: .utf8)
            #expect(result.output == file)
        }
        let list = try await BuiltBinary.run(["conformance", "cases"])
        let suite = ConformanceSuite.published
        #expect(list.output.contains("version \(suite.version), \(suite.cases.count) cases"))
        #expect(list.output.contains("E26 has no case: "))
        let unknown = try await BuiltBinary.run(["conformance", "cases", "--file", "cases/10.json"])
        #expect(unknown.exitCode == 2 && unknown.error.contains("is not a file of the data set"))
    }
}
