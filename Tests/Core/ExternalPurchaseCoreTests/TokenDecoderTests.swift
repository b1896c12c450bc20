import ExternalPurchaseCore
import Foundation
import Testing

@Suite("Tokens are decoded by spec/03 section 2 (TK-1 to TK-21, TK-80)")
struct TokenDecoderTests {
    @Test("The fixture is complete")
    func fixtureIsWhole() {
        #expect(TokenVectors.file.decode.count == 78)
        #expect(TokenVectors.file.encode.count == 3)
        #expect(TokenVectors.file.append.count == 5)
    }

    @Test("Every vector has its outcome in both modes", arguments: TokenVectors.file.decode, ["lenient", "strict"])
    func outcome(_ vector: TokenVectors.Decode, _ mode: String) throws {
        let expected = try #require(vector.expect[mode])
        let decodingMode = try #require(TokenDecodingMode(rawValue: mode))
        do {
            let decoded = try ExternalPurchaseToken.decode(vector.text, mode: decodingMode)
            #expect(expected.outcome == "ok", "expected \(expected)")
            let warnings = decoded.warnings.map { TokenVectors.Fault(name: $0.name.rawValue, field: $0.field) }
            #expect(warnings == expected.warnings ?? [])
            #expect(decoded.unknownFields.map(\.key) == vector.unknownFields ?? [])
            #expect(decoded.text == vector.text)
            let fields = try #require(vector.decoded)
            #expect(decoded.token.appAppleId == fields.appAppleId)
            #expect(decoded.token.bundleId.rawValue == fields.bundleId)
            #expect(decoded.token.tokenCreationDate.milliseconds == fields.tokenCreationDate)
            #expect(decoded.token.externalPurchaseId.rawValue == fields.externalPurchaseId)
            #expect(decoded.token.tokenType?.rawValue == fields.tokenType)
            #expect(decoded.token.tokenExpirationDate?.milliseconds == fields.tokenExpirationDate)
            #expect(decoded.token.environment.rawValue == fields.environment)
            #expect(decoded.token.family.rawValue == fields.family)
        } catch let error as TokenDecodingError {
            #expect(expected.outcome == "error", "\(error)")
            #expect(error.name.rawValue == expected.error)
            #expect(error.field == expected.field)
        }
    }

    @Test("Every name of a fault occurs in a vector")
    func everyFaultOccurs() {
        let names = TokenVectors.file.decode.flatMap { vector in
            vector.expect.values.flatMap { [$0.error].compactMap(\.self) + ($0.warnings ?? []).map(\.name) }
        }
        #expect(Set(names) == Set(TokenFault.allCases.map(\.rawValue)))
    }

    @Test("The token in the documents' sample URL decodes byte for byte")
    func sampleURL() throws {
        let vector = try #require(TokenVectors.file.decode.first { $0.id == "apple-plain-production" })
        let url = "https://example.com?externalPurchaseToken=\(vector.text)&bundleId=com.example"
        let arrival = WebsiteURL.arrival(query: String(url.split(separator: "?")[1]))
        #expect(arrival.token == vector.text)
        let base64 = vector.text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        #expect(Data(base64Encoded: padded).map { String(decoding: $0, as: UTF8.self) } == vector.json)
    }

    @Test("No input crashes the decoder, whatever its bytes")
    func anyInput() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<3_000 {
            let length = Int.random(in: 0..<200, using: &generator)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = try? ExternalPurchaseToken.decode(String(decoding: bytes, as: UTF8.self))
            _ = try? ExternalPurchaseToken.decode(Data(bytes).base64EncodedString(), mode: .strict)
        }
        let deep = String(repeating: "[", count: 12_000)
        #expect(throws: TokenDecodingError.self) {
            try ExternalPurchaseToken.decode(Data(deep.utf8).base64EncodedString())
        }
    }
}

@Suite("Minted tokens are strict tokens (TK-25 to TK-27)")
struct TokenEncodingTests {
    @Test("Every vector encodes to its text", arguments: TokenVectors.file.encode)
    func encode(_ vector: TokenVectors.Encode) throws {
        let fields = vector.fields
        let token = ExternalPurchaseToken(
            appAppleId: fields.appAppleId,
            bundleId: BundleId(fields.bundleId),
            tokenCreationDate: Timestamp(milliseconds: fields.tokenCreationDate),
            externalPurchaseId: ExternalPurchaseId(fields.externalPurchaseId),
            tokenType: fields.tokenType.map(TokenType.init(rawValue:)),
            tokenExpirationDate: fields.tokenExpirationDate.map(Timestamp.init(milliseconds:))
        )
        #expect(token.encoded() == vector.token)
        #expect(String(decoding: token.json.encoded(), as: UTF8.self) == vector.json)
        #expect(try ExternalPurchaseToken.decode(vector.token, mode: .strict).token == token)
    }

    @Test("Padding is added on request only (D7)")
    func padding() {
        let token = ExternalPurchaseToken(
            appAppleId: 1,
            bundleId: "a.b",
            tokenCreationDate: Timestamp(milliseconds: 1_790_000_000_000),
            externalPurchaseId: ExternalPurchaseId(uuid: UUID(), environment: .sandbox)
        )
        #expect(!token.encoded().contains("="))
        #expect(token.encoded(padding: true).count % 4 == 0)
        #expect(token.environment == .sandbox)
    }
}

@Suite("A token travels in the website's URL (TK-60 to TK-65)")
struct WebsiteURLTests {
    @Test("Every vector appends to its result", arguments: TokenVectors.file.append)
    func append(_ vector: TokenVectors.Append) {
        let result = WebsiteURL.appending(token: vector.token, bundleId: BundleId(vector.bundleId), to: vector.url)
        #expect(result == vector.result)
    }

    @Test("Padding is encoded as %3D and decoded again (TK-61, TK-64)")
    func padding() {
        let url = WebsiteURL.appending(token: "YQ==", bundleId: "a.b", to: "https://a.example")
        #expect(url == "https://a.example?externalPurchaseToken=YQ%3D%3D&bundleId=a.b")
        #expect(WebsiteURL.arrival(query: "externalPurchaseToken=YQ%3D%3D&bundleId=a.b").token == "YQ==")
    }

    struct Arrival: Sendable, CustomTestStringConvertible {
        let query: String
        let token: String?
        let bundle: String?
        let repeated: Bool
        var testDescription: String { query }
    }

    @Test(
        "Arrivals are read by TK-64, TK-65 and TK-85",
        arguments: [
            Arrival(query: "", token: nil, bundle: nil, repeated: false),
            Arrival(query: "externalpurchasetoken=a", token: nil, bundle: nil, repeated: false),
            Arrival(query: "externalPurchaseToken=a+b", token: "a+b", bundle: nil, repeated: false),
            Arrival(query: "x=1&externalPurchaseToken=a=b", token: "a=b", bundle: nil, repeated: false),
            Arrival(query: "externalPurchaseToken=a&externalPurchaseToken=b", token: "a", bundle: nil, repeated: true),
            Arrival(query: "bundleId=c%2Ed&externalPurchaseToken=%", token: "%", bundle: "c.d", repeated: false),
            Arrival(query: "externalPurchaseToken=%4", token: "%4", bundle: nil, repeated: false),
            Arrival(query: "bundleID=c.d&externalPurchaseToken=a", token: "a", bundle: nil, repeated: false),
        ]
    )
    func arrival(_ row: Arrival) {
        let arrival = WebsiteURL.arrival(query: row.query)
        #expect(arrival.token == row.token)
        #expect(arrival.bundleId?.rawValue == row.bundle)
        #expect(arrival.isTokenRepeated == row.repeated)
    }
}
