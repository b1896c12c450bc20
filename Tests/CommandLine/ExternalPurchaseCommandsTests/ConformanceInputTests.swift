import Foundation
import TestSupport
import Testing

@Suite("Wrong inputs of the conformance commands get one line, and nothing is sent")
struct ConformanceInputTests {
    @Test("Production needs a flag, and tokens belong to one app and environment (CS-4)")
    func production() async throws {
        let fixture = try await ConformanceFixture()
        let (sandbox, production) = (try await fixture.token(), try await fixture.token(environment: "production"))
        let cases: [(arguments: [String], words: String)] = [
            (fixture.arguments([production]), "--token: is a production token, whose reports are real"),
            (
                fixture.arguments([sandbox], url: "https://api.storekit.apple.com"),
                "is Apple's production host, where reports are real"
            ),
            (fixture.arguments([sandbox, sandbox]), "--token, number 2: was given before"),
            (
                fixture.arguments([sandbox, production]) + ["--allow-production"],
                "some tokens are of the sandbox and some of production"
            ),
            (fixture.arguments(["nonsense"]), "--token: "),
            (
                fixture.arguments([sandbox]).map { $0 == ConformanceFixture.bundleId ? "com.example.other" : $0 },
                "is of com.example.shop, not of --bundle-id com.example.other"
            ),
            (fixture.arguments([sandbox]) + ["--case", "none"], "--case 'none': no case begins so"),
            (fixture.arguments([sandbox]) + ["--pause", "soon"], "--pause"),
            (fixture.arguments([sandbox], url: "ftp://127.0.0.1"), "--base-url 'ftp://127.0.0.1' is not an address"),
        ]
        for (arguments, words) in cases {
            let result = try await BuiltBinary.run(arguments)
            #expect(result.exitCode == 2, "\(words): \(result.error)")
            #expect(result.error.contains(words), "\(result.error)")
            #expect(result.output.isEmpty)
        }
        #expect(try await fixture.journal().isEmpty)
        fixture.emulator.terminate()
    }

    @Test("A report of other tokens, of another endpoint or of another version is not continued (CS-7)")
    func foreignReports() async throws {
        let fixture = try await ConformanceFixture()
        let tokens = [try await fixture.token()]
        let file = fixture.scratch.url.appending(path: "run.json").path
        let arguments = fixture.arguments(tokens) + ["--report", file, "--case", "get-unknown"]
        let first = try await BuiltBinary.run(arguments)
        #expect(first.exitCode == 0, "\(first.error)")
        let other = try await BuiltBinary.run(fixture.arguments([try await fixture.token()]) + ["--report", file])
        #expect(other.exitCode == 2)
        #expect(other.error.contains("is of a run with 1 other tokens"), "\(other.error)")
        let elsewhere = try await BuiltBinary.run(
            fixture.arguments(tokens, url: "http://127.0.0.1:1") + ["--report", file]
        )
        #expect(elsewhere.exitCode == 2 && elsewhere.error.contains("is of a run against \(fixture.emulator.url)"))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing(#""dataSet": "1.0.0""#, with: #""dataSet": "0.9.0""#).write(
            toFile: file,
            atomically: true,
            encoding: .utf8
        )
        let version = try await BuiltBinary.run(arguments)
        #expect(version.exitCode == 2 && version.error.contains("is of a run with version 0.9.0 of the cases"))
        let damaged = try fixture.scratch.write("{", to: "damaged.json")
        let unreadable = try await BuiltBinary.run(fixture.arguments(tokens) + ["--report", damaged])
        #expect(unreadable.exitCode == 2 && unreadable.error.contains("is not the report of a conformance run"))
        fixture.emulator.terminate()
    }

    @Test(
        "A profile that the emulator cannot use is refused",
        arguments: [
            ("[]", "is not a JSON object"), ("{}", "has no member settings"),
            (#"{"settings":{"rules.clockSkew":300}}"#, "settings.rules.clockSkew is not a text"),
            (#"{"settings":{"rules.clockSkew":"soon"}}"#, "rules.clockSkew cannot be"),
            (#"{"settings":{"rules.unknown":"on"}}"#, "there is no setting rules.unknown"),
            (#"{"settings":{"answers.order":"4,4"}}"#, "expected rules, code, reversed, or codes such as 12,4,5"),
            (#"{"settings":{"answers.codes":"4"}}"#, "expected none or pairs of codes"),
            (#"{"settings":{"answers.status.refused":"99"}}"#, "expected a status from 200 to 599"),
            (#"{"settings":{"rules.off":"41"}}"#, "expected none or codes from 1 to 40"),
            (#"{"settings":{"limits.textLength":"0"}}"#, "expected a whole number from 1 to 1048576"),
        ]
    )
    func profile(_ text: String, _ words: String) async throws {
        let scratch = try ScratchFolder()
        let file = try scratch.write(text, to: "profile.json")
        let result = try await BuiltBinary.run(["emulator", "--port", "0", "--profile", file])
        #expect(result.exitCode == 2)
        #expect(result.error.contains("--profile \(file): ") && result.error.contains(words), "\(result.error)")
    }

    @Test("A profile by itself is taken, and --set comes after it (CS-11)")
    func bareProfile() async throws {
        let scratch = try ScratchFolder()
        let file = try scratch.write(
            #"{"settings":{"rules.clockSkew":"10min","messages.4":"Other."}}"#,
            to: "profile.json"
        )
        let emulator = try await RunningServer(
            ["emulator", "--port", "0", "--profile", file, "--set", "rules.clockSkew=1min"]
        )
        let settings = try await HTTP.get(emulator.url + "/emulator/v1/settings").json
        #expect(settings["rules.clockSkew"] as? String == "1min")
        #expect(settings["messages.4"] as? String == "Other.")
        #expect(settings["answers.status.malformed"] as? String == "400")
        emulator.terminate()
    }
}
