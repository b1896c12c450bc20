import ExternalPurchaseCore
import Testing

@Suite("What people paste is explained")
struct PastedValuesTests {
    @Test(
        "A token as it was copied: the error says what was done to it",
        arguments: [
            (#"Optional("eyJhIjoxfQ==")"#, "unwrap it"), ("\"eyJhIjoxfQ==\"", "quotation marks"),
            ("'eyJhIjoxfQ=='", "quotation marks"), ("“eyJhIjoxfQ==”", "quotation marks"),
            ("eyJhIjoxfQ%3D%3D", "%3D for ="), ("eyJhIjoxfQ%3d%3d", "percent-encoded"),
            (#"eyJhIjoxfQ=\n="#, "backslashes"), ("https://shop.example.com/?a=b", "value of the parameter"),
            ("externalPurchaseToken=eyJhIjoxfQ==", "value of the parameter"),
            (#"{a:1}"#, "Base64URL of such an object"),
            (" Optional(\"eyJhIjoxfQ==\")\n", "unwrap it"),
        ]
    )
    func tokens(_ text: String, _ words: String) throws {
        let error = try #require(throws: TokenDecodingError.self) { try ExternalPurchaseToken.decode(text) }
        #expect(error.name == .notBase64URL)
        #expect(error.message.contains(words) && error.message.hasPrefix("the text is not Base64URL: "), "\(error)")
    }

    @Test("A text that holds no token has no such explanation", arguments: ["€", "a.b.c", "!"])
    func others(text: String) throws {
        let error = try #require(throws: TokenDecodingError.self) { try ExternalPurchaseToken.decode(text) }
        #expect(error.message == "the text is not Base64URL")
    }

    @Test("Line ends and blanks inside a token are repaired, with a warning")
    func blanks() throws {
        let token =
            "eyJhcHBBcHBsZUlkIjoxLCJidW5kbGVJZCI6ImEuYiIsInRva2VuQ3JlYXRpb25EYXRlIjoxNzk1MTc2MDAwMDAwLCJl"
            + "\n eHRlcm5hbFB1cmNoYXNlSWQiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDAifQ==\r\n"
        let decoded = try ExternalPurchaseToken.decode(token)
        #expect(decoded.warnings.map(\.name) == [.whitespace])
        #expect(decoded.token.bundleId == "a.b")
    }

    @Test(
        "An amount in units says what it is in thousandths (SA-53)",
        arguments: [
            ("9.99", "so 9.99 is 9990"), ("\"9.99\"", "so 9.99 is 9990"), ("\"9,99\"", "so 9,99 is 9990"),
            ("-0.5", "so -0.5 is -500"), ("1364.125", "so 1364.125 is 1364125"), ("0.0001", "so 9.99 is 9990"),
            ("true", "so 9.99 is 9990"), ("1e-1", "so 9.99 is 9990"), ("\"EUR 9.99\"", "so 9.99 is 9990"),
        ]
    )
    func amounts(_ value: String, _ words: String) throws {
        for field in ["amountTaxExclusive", "taxAmount", "amountTaxInclusive", "netAmountTaxExclusive"] {
            let body = #"{"lineItems":[{"\#(field)":\#(value)}]}"#
            let error = try #require(throws: MalformedReport.self) { try ReceivedReport.read(Array(body.utf8)) }
            #expect(
                error.reason.hasPrefix("lineItems[0].\(field) is not ") && error.reason.hasSuffix(words),
                "\(error)"
            )
        }
        let other = #"{"lineItems":[{"quantity":1.5}]}"#
        let error = try #require(throws: MalformedReport.self) { try ReceivedReport.read(Array(other.utf8)) }
        #expect(!error.reason.contains("thousandths"))
    }

    @Test(
        "The country that a text means",
        arguments: [
            ("EL", "GRC"), ("UK", "GBR"), ("uk", "GBR"), ("el", "GRC"), ("nl", "NLD"), ("nld", "NLD"), ("XX", nil),
            ("Holland", nil), ("", nil),
        ] as [(String, String?)]
    )
    func countries(_ text: String, _ alpha3: String?) {
        #expect(Country.meant(by: text)?.alpha3 == alpha3)
        #expect(StorefrontCode.suggestion(for: text)?.alpha3 == alpha3)
    }

    @Test(
        "Malformed JSON is named with line, column and what is expected",
        arguments: [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: a comma or } is expected"),
            ("{\"ü\" 1}", "line 1, column 6: : after the member's name is expected"),
            ("[1,\r\n 2", "line 2, column 3: a comma or ] is expected, but the text ends"),
            ("{\"a\": }", "line 1, column 7: a value is expected"),
            ("{,}", "a member's name in quotes, or } is expected"),
            ("{\"a\":1,}", "line 1, column 8: a member's name in quotes is expected"),
            ("\"a", "the closing quote of the text is expected, but the text ends"),
            ("1 2", "the end of the text is expected"),
            ("tru", "true is expected, but the text ends"), ("[1.]", "line 1, column 4: a digit is expected"),
            ("", "line 1, column 1: a value is expected, but the text ends"),
        ]
    )
    func malformed(_ text: String, _ words: String) throws {
        let error = try #require(throws: JSONReadError.self) { try JSONReader().read(text) }
        let message = error.message(in: Array(text.utf8))
        #expect(message.hasPrefix("is not JSON at line ") && message.hasSuffix(words), "\(message)")
    }
}
