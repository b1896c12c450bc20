import Foundation
import Testing

@Suite("explain reads the session file that the test trait reads")
struct ExplainSessionTests {
    private static func run(_ session: String, _ more: [String] = []) async throws -> BuiltBinary.Result {
        let scratch = try ScratchFolder()
        let file = try scratch.write(session, to: "session.json")
        return try await BuiltBinary.run(["explain", "--session", file, "--format", "json"] + more)
    }

    @Test("The answers are those of the same options")
    func sameAnswers() async throws {
        let folder = GemShop.folder
        let session = """
            {"storefront": "NLD", "os": "iOS 26.4", "infoPlist": "\(folder)/Info.plist",
             "entitlements": "\(folder)/GemShop.entitlements"}
            """
        let bySession = try await Self.run(session)
        let byOptions = try await BuiltBinary.run(
            ["explain", folder, "--storefront", "NLD", "--os", "iOS 26.4", "--format", "json"]
        )
        #expect(bySession.exitCode == 0, "\(bySession.error)")
        let answers = { (result: BuiltBinary.Result) in
            (result.json?["apis"] as? [NSDictionary])?.map { "\($0["name"] ?? "") \($0["answer"] ?? "")" }
        }
        #expect(answers(bySession)?.count == 5)
        #expect(answers(bySession) == answers(byOptions))
        #expect(bySession.json?["os"] as? String == "iOS 26.4")
    }

    @Test(
        "A wrong session file is refused by member, and both ways at once too",
        arguments: [
            (#"{"storefront": "NL"}"#, [], "NLD"), (#"{"store": "NLD"}"#, [], "store"),
            (#"{"storefront": "NLD"}"#, ["--os", "iOS 26.4"], "--session"),
        ]
    )
    func refused(_ session: String, _ more: [String], _ expected: String) async throws {
        let result = try await Self.run(session, more)
        #expect(result.exitCode == 2)
        #expect(result.error.contains(expected), "\(result.error)")
    }
}
