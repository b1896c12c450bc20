import Crypto
import Foundation
import Testing

@Suite("Files that hold a secret, as the server reads them")
struct SecretFileTests {
    private static let contents: [(name: String, bytes: [UInt8], error: String)] = [
        ("random bytes", Array(200...231), "is no text in UTF-8"),
        (
            "two byte order marks",
            [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8), "U+FEFF"
        ),
        (
            "UTF-16", [0xFF, 0xFE] + "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8.flatMap { [$0, 0] },
            "is no text in UTF-8"
        ),
        ("a control character", Array("whsec_MfKQ9r8GKYqrTwj\u{7}UPD8ILPZIo2LaLaSw".utf8), "U+0007"),
        ("U+0000", Array("whsec_MfKQ9r8GKYqrTwj\0UPD8ILPZIo2LaLaSw".utf8), "U+0000"),
        ("what was random", Array(String(repeating: "\u{FFFD}", count: 32).utf8), "U+FFFD"),
        ("an invisible character", Array("whsec_MfKQ9r8GKYqrTwj\u{200B}UPD8ILPZIo2LaLaSw".utf8), "U+200B"),
    ]

    /// Each setting that names such a file, which is `secret` here.
    private static let places = [
        "alerts: {webhook: {url: 'https://a.example', secretFile: secret}}",
        "webhooks: [{name: erp, url: 'https://a.example', secretFile: secret}]",
        "payments: [{provider: custom, bundleId: com.example, secretFile: secret}]",
        "payments: [{provider: paddle, bundleId: com.example, secretFile: secret}]",
        "stripe: [{bundleId: com.example, signingSecretFile: secret}]",
        "stripe: [{bundleId: com.example, signingSecretFile: right, apiKeyFile: secret}]",
        "signIn: {oidc: {issuer: 'https://login.example.com', clientId: a, clientSecretFile: secret, roles: {a: admin}}}",
        "",
    ]

    private static func serve(_ place: String, _ secret: [UInt8]) async throws -> BuiltBinary.Result {
        let scratch = try ScratchFolder()
        try Data(secret).write(to: scratch.url.appending(path: "secret"))
        _ = try scratch.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", to: "right")
        _ = try scratch.write(P256.Signing.PrivateKey().pemRepresentation, to: "key.p8")
        // The key of an app is a secret too.
        let text = ServeTests.with(place).replacing("key.p8", with: place.isEmpty ? "secret" : "key.p8")
        let file = try scratch.write(text, to: "serve.yaml")
        return try await BuiltBinary.run(["serve", "--config", file, "--port", "0"], folder: scratch.url)
    }

    @Test("What is no plain text is refused with its file and what would be right", arguments: places)
    func refused(_ place: String) async throws {
        for (name, bytes, error) in Self.contents {
            let result = try await Self.serve(place, bytes)
            #expect(result.exitCode == 2, "\(name): \(result.error)")
            #expect(result.error.contains(error), "\(name): \(result.error)")
            #expect(result.error.contains("secret"), "\(name): \(result.error)")
            #expect(!result.error.contains("MfKQ9r8"), "\(name): \(result.error)")
        }
    }

    @Test("A secret that can be guessed is refused", arguments: places.prefix(5))
    func short(_ place: String) async throws {
        for text in ["", "\n", "short", "whsec_", "whsec_c2hvcnQ="] {
            let result = try await Self.serve(place, Array(text.utf8))
            #expect(result.exitCode == 2, "\(text): \(result.error)")
        }
    }

    @Test("Base64 of fewer than 16 bytes is refused as a signing secret", arguments: places[1...2])
    func shortKey(_ place: String) async throws {
        let result = try await Self.serve(place, Array("whsec_YWJjZGVmZ2g=".utf8))
        #expect(result.exitCode == 2 && result.error.contains("Base64 of at least 16 bytes"), "\(result.error)")
    }
}
