import Foundation
import Testing

@Suite("A text that is no bundle id is refused by every command that takes one")
struct BundleIdOptionTests {
    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    private static let key = ["--key", "none.p8", "--key-id", "2X9R4HXF34", "--issuer-id", issuer]

    /// The arguments before the bundle id, whose option is the last one.
    static let commands: [[String]] = [
        ["token", "mint", "--app-apple-id", "1", "--bundle-id"],
        ["report", "get", issuer] + key + ["--bundle-id"],
        ["conformance", "run", "--base-url", "http://127.0.0.1:1", "--token", "t"] + key + ["--bundle-id"],
        ["notification", "verify", "none.json", "--root", "none.cer", "--bundle-id"],
        ["init", "--api", "custom-link", "--country", "nl", "--bundle-id"],
        ["keys", "create", "--scope", "read", "--database", "sqlite:none.sqlite", "--app"],
        ["users", "set-role", "kim", "viewer", "--database", "sqlite:none.sqlite", "--app"],
        ["users", "set-password", "kim", "--database", "sqlite:none.sqlite", "--app"],
        ["ledger", "due", "--bundle-id"], ["ledger", "plan", "--bundle-id"],
        ["ledger", "erase", "--customer", "c", "--bundle-id"], ["ledger", "programmes", "--bundle-id"],
        ["ledger", "export", "--month", "2026-10", "--bundle-id"],
        ["ledger", "archive", "--month", "2026-10", "--bundle-id"],
        ["ledger", "submitted", "--month", "2026-10", "--bundle-id"],
        ["ledger", "invoice", "show", "--month", "2026-10", "--bundle-id"],
        ["ledger", "invoice", "add", "--month", "2026-10", "--bundle-id"],
        ["ledger", "reconcile", "payments", "--bundle-id"], ["ledger", "sale", "void", "s", "--bundle-id"],
    ]

    private static let wrong = [
        "..", ".", "", "com..shop", "com.example.", "com/example", "com.example.shop\u{A0}", "com.exаmple.shop",
        String(repeating: "a", count: 300),
    ]

    @Test("The command ends with 2 and names what is wrong", arguments: commands)
    func option(_ arguments: [String]) async throws {
        let scratch = try ScratchFolder()
        for text in Self.wrong {
            let result = try await BuiltBinary.run(
                arguments + [text],
                input: Data("correct horse".utf8),
                folder: scratch.url
            )
            #expect(result.exitCode == 2 && result.output.isEmpty, "\(text): \(result.output)")
            let isNamed = result.error.contains("bundle id") || text.isEmpty && result.error.contains("--bundle-id")
            #expect(isNamed, "\(text): \(result.error)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
    }

    @Test("The emulator refuses it among its apps")
    func emulator() async throws {
        for text in Self.wrong {
            let result = try await BuiltBinary.run(["emulator", "--port", "0", "--app", "\(text)=1234567890"])
            #expect(result.exitCode == 2 && result.output.isEmpty && result.error.contains("--app"), "\(result.error)")
        }
    }
}
