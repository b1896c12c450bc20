import Foundation
import Testing

@Suite("serve asks responders about the certificates of notifications, when it is told to (NT-31)", .serialized)
struct OnlineCheckTests {
    private static func serve(_ stub: ResponderStub, onlineChecks: String) async throws -> (
        RunningServer, ScratchFolder
    ) {
        let scratch = try ScratchFolder()
        let emulator = try await RunningServer([
            "emulator", "--port", "0", "--app", "\(TwoSides.bundleId)=1234567890", "--credentials", scratch.url.path,
        ])
        emulator.terminate()
        let keys = try Keys(folder: scratch.url)
        try Data(stub.rootDER).write(to: scratch.url.appending(path: "stub.cer"))
        let config = try scratch.write(
            """
            apps:
              - bundleId: \(TwoSides.bundleId)
                appAppleId: 1234567890
                key: {file: \(keys.keyFile), keyId: \(keys.keyId), issuerId: \(keys.issuerId)}
                baseURL: {production: "http://127.0.0.1:9"}
            notifications: {roots: [stub.cer]\(onlineChecks)}
            """,
            to: "serve.yaml"
        )
        let database = scratch.url.appending(path: "ledger.sqlite").path
        let server = try await RunningServer([
            "serve", "--config", config, "--port", "0", "--database", "sqlite:\(database)",
        ])
        return (server, scratch)
    }

    @Test(
        "Good passes, revoked is refused for good, silence is asked to be sent again (NT-31, NT-37)",
        arguments: [
            (ResponderStub.Answer.good, ResponderStub.Answer.good, 200, nil),
            (.revoked, .good, 400, "certificate-revoked"), (.good, .revoked, 400, "certificate-revoked"),
            (.failure, .good, 503, "revocation-unavailable"), (.good, .rubbish, 503, "revocation-unavailable"),
        ] as [(ResponderStub.Answer, ResponderStub.Answer, Int, String?)]
    )
    func answers(leaf: ResponderStub.Answer, intermediate: ResponderStub.Answer, status: Int, kind: String?)
        async throws
    {
        let stub = try ResponderStub()
        defer { withExtendedLifetime(stub) {} }
        stub.answer(leaf: leaf, intermediate: intermediate)
        let (server, scratch) = try await Self.serve(stub, onlineChecks: ", onlineChecks: true")
        // Without its files the server stores nothing: the folder goes last.
        defer { withExtendedLifetime(scratch) {} }
        let body = try stub.notification("8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a11")
        let answer = try await HTTP.send("POST", server.url + "/v1/notifications", body)
        #expect(answer.status == status, "\(answer.json)")
        if let kind { #expect((answer.json["type"] as? String)?.hasSuffix(":\(kind)") == true, "\(answer.json)") }
        #expect(stub.asked.contains("POST /leaf application/ocsp-request"))
        let stored = try await HTTP.get(server.url + "/v1/notifications").json["notifications"] as? [Any]
        #expect(stored?.count == (kind == nil ? 1 : 0))
        server.terminate()
    }

    @Test("Without the setting nobody is asked; another value than true or false is refused by its place (NT-31)")
    func off() async throws {
        let stub = try ResponderStub()
        defer { withExtendedLifetime(stub) {} }
        stub.answer(leaf: .revoked, intermediate: .revoked)
        let (server, scratch) = try await Self.serve(stub, onlineChecks: "")
        // Without its files the server stores nothing: the folder goes last.
        defer { withExtendedLifetime(scratch) {} }
        let body = try stub.notification("8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a12")
        #expect(try await HTTP.send("POST", server.url + "/v1/notifications", body).status == 200)
        #expect(stub.asked.isEmpty)
        server.terminate()
        let config = scratch.url.appending(path: "serve.yaml").path
        let text = try String(contentsOfFile: config, encoding: .utf8)
        _ = try scratch.write(text.replacing("[stub.cer]", with: "[stub.cer], onlineChecks: maybe"), to: "serve.yaml")
        let refused = try await BuiltBinary.run(["serve", "--config", config, "--port", "0"])
        #expect(
            refused.exitCode == 2 && refused.error.contains("onlineChecks must be true or false"),
            "\(refused.error)"
        )
    }
}
