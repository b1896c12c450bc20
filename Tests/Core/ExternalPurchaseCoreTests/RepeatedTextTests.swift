import ExternalPurchaseCore
import Testing

@Suite("Messages repeat texts in one bounded form, without secrets")
struct RepeatedTextTests {
    /// Secrets as people paste them in wrong places.
    static let secrets = [
        "whsec_Zm9vYmFyYmF6cXV1eA/+9x", "sk_live_51Habcdefghijklmnop", "rk_test_51Habcdefghijklmnop",
        "epk_0123456789abcdefghij", "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQgevZzL1gd",
        "-----BEGIN PRIVATE KEY-----", "correct horse battery staple", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
        "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "Zm9vYmFyYmF6cXV1eDEyMw==", "ledger:geheim@db.example.com",
        "host=db user=ledger password=geheim", "AKIAIOSFODNN7EXAMPLE", String(repeating: "a", count: 65),
        "12345678901234567890123",
    ]

    /// Texts of configurations and options that a message must show, so that people find what is wrong.
    static let plain = [
        "", "on", "5,2,1", "2h", "com.example.shop", "http.maxConnectionsPerAddress", "eu-2026-10", "10.0.0.0/8",
        "2001:db8::/129", "2026-11-21T12:00:00Z", "AuthKey_2X9R4HXF34.p8", "2X9R 4HXF34", "price_1Nabc", "1234567890",
        "57246542-96fe-1a63-e053-0824d011072a", "EXTERNAL_PURCHASE_SEND_DELAYY", "iOS 26.4", "nl", "é", "a'b",
    ]

    @Test("A value that may be a secret is not shown", arguments: secrets)
    func secret(_ text: String) {
        #expect(text.mayBeSecret)
        #expect(text.shown() == "a value (not shown, because it may be a secret)")
        #expect(text[...].shown(in: "") == text.shown())
    }

    @Test("Other values are shown in quotes", arguments: plain)
    func plainValue(_ text: String) {
        #expect(!text.mayBeSecret)
        #expect(text.shown() == "'\(text)'" && text.shown(in: "\"") == "\"\(text)\"")
    }

    @Test(
        "What was pasted where a file or a record is named is known as a secret",
        arguments: [
            "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg", "MIGTAgEAMBMGByqGSM49AgEGCC/GSM49AwEHBHkwdwIBAQQg+w==",
            "AKIAIOSFODNN7EXAMPLE", "xoxb-123456789012-1234567890123-AbCdEfGhIjKl", "correct horse battery staple",
            "epk_admin_0123456789abcdefghij", "epk_admin_0123456789abcdefghij.sqlite", "sk_live_51Habcdefghijklmnop",
            "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "Zm9vYmFyYmF6cXV1eDEyMw==",
            "postgres://ledger:geheim@db/ledger", "SG.aBcDeFgHiJkLmNoPqRsT.uVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVw",
            "pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH", String(repeating: "a", count: 33),
        ]
    )
    func pasted(_ text: String) { #expect(text.mayBeSecretInsteadOfName) }

    @Test(
        "Names of files and records, and paths, are none",
        arguments: [
            "", "ledger.sqlite", "l6.sqlite", "backups/2026-11-22.sqlite", "../shop/serve.yaml", "ledger-20261122",
            "backup-20261122T120000Z", "0f1e2d3c4b5a69788796a5b4c3d2e1f0.sqlite", "AuthKey_2X9R4HXF34.p8",
            "/tmp/0f1e2d3c4b5a69788796a5b4c3d2e1f0/a_b=c", "/home/kim/My Shop/Reports of the year 2026",
            "Reports of the year 2026.csv", "Sources/External Purchase/Reports of November",
            "~/Shop2026OfTheWholeCompany",
            "Sources/ExternalPurchaseCommands/Ledger/LedgerBackupCommand", "57246542-96fe-1a63-e053-0824d011072a",
            "SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "com.example.shop", "kim",
            "sqlite:ledger.sqlite", "postgres://ledger@db.example.com/external_purchase", "https://a.example/x?y=z",
            "Kim Example", "/dev/fd/63", "--database", "--format=json", "state=overdue",
        ]
    )
    func named(_ text: String) { #expect(!text.mayBeSecretInsteadOfName) }

    @Test(
        "An address is shown without name, password and query",
        arguments: [
            ("http://me:geheim@127.0.0.1:80/x", "'http://…@127.0.0.1:80/x'"),
            ("https://me:gehe/im@nowhere", "'https://…@nowhere'"),
            ("postgres://ledger:s3cret@db/ledger?sslmode=x", "'postgres://…@db/ledger?…'"),
            ("https://a.example/?key=geheim", "'https://a.example/?…'"), ("https://a.example", "'https://a.example'"),
        ]
    )
    func address(_ text: String, _ shown: String) { #expect(text.shown() == shown) }

    @Test("A clipped text has at most the bytes and no half character", arguments: [0, 1, 63, 64, 65, 66, 1_000_000])
    func clipped(_ count: Int) {
        for letter in ["a", "é", "漢", "\u{1F1E6}"] {
            let text = String(repeating: letter, count: count)
            let clipped = text.clipped()
            #expect(clipped.utf8.count <= 64 + 3 && (clipped == text) == (text.utf8.count <= 64))
            #expect(text.quoted.utf8.count <= 64 + 5 && text.shown().utf8.count <= 64 + 5)
            #expect(text.clipped(to: 10).utf8.count <= 13)
        }
        #expect("a\u{1B}[31m\n\u{202E}".quoted == #""a\u001b[31m\n\u202E""#)
    }

    @Test(
        "A message keeps its words and loses what is certainly a secret",
        arguments: [
            ("sk_live_51Habcdefghijklmnop: no such file", "sk_live_…: no such file"),
            ("'whsec_Zm9vYmFyYmF6cXV1eA/+9x' is wrong", "'whsec_…' is wrong"),
            ("postgres://a:b@db/l: no such file", "postgres://…@db/l: no such file"),
            ("two: http://a:b@c/ and http://d:x/@e", "two: http://…@c/ and http://…@e"),
            ("use postgres://USER@HOST/DATABASE", "use postgres://USER@HOST/DATABASE"),
            ("host=db password=geheim user=me", "host=db password=… user=me"),
            ("xoxb-1234567890-abc: no such file", "xoxb-…: no such file"),
            ("AKIAIOSFODNN7EXAMPLE: no such file", "AKIA…: no such file"),
            ("p8:MIGTAgEAMBMGByqGSM49=1 and MIGHAgEAMBMGByq/x", "p8:MIGTAgEA… and MIGHAgEA…"),
            ("token eyJhbGciOi.e30.c2ln is", "token … is"), ("one begins with whsec_", "one begins with whsec_"),
            ("serve.yaml:3:4: apps[0].key.keyId '2X9R 4' is", "serve.yaml:3:4: apps[0].key.keyId '2X9R 4' is"),
            (
                "/tmp/0f1e2d3c4b5a69788796a5b4c3d2e1f0/a_b=c: no such file",
                "/tmp/0f1e2d3c4b5a69788796a5b4c3d2e1f0/a_b=c: no such file"
            ),
        ]
    )
    func message(_ text: String, _ expected: String) { #expect(text.withoutSecrets == expected) }
}
