import ExternalPurchaseCore
import Testing

@testable import Payments

// OpenSSL: printf '1795176000.{"id":"evt_1","object":"event"}' | openssl dgst -sha256 -hmac whsec_test
private let good = "dd715148795c185cd2c49e5bcb37d5d0edfa7e1031d7852587771c6a75050280"
private let old = "251c61ac3b7f31833dceff8a833b08777980cb47351d1855eb57a156c94495c8"

@Suite("Stripe-Signature is verified before anything is read")
struct StripeSignatureTests {
    static let body = Array(#"{"id":"evt_1","object":"event"}"#.utf8)
    static let time = Timestamp(milliseconds: 1_795_176_000_000)

    static func verify(
        _ header: String?,
        secrets: [String] = ["whsec_test"],
        body: [UInt8] = StripeSignatureTests.body,
        after seconds: Int64 = 0
    ) throws(StripeSignature.Failure) -> Int {
        try StripeSignature.verify(body, header: header, secrets: secrets, now: time + .seconds(seconds))
    }

    @Test("A signature that OpenSSL computed is accepted, and written in the same way")
    func accepted() throws {
        #expect(try Self.verify("t=1795176000,v1=\(good)") == 0)
        #expect(
            StripeSignature.value(of: Self.body, at: Self.time, secret: "whsec_test")
                == "t=1795176000,v1=\(good)"
        )
    }

    @Test("While a secret is rotated out, any v1 of any secret counts; other schemes are ignored")
    func rotation() throws {
        let zeros = String(repeating: "0", count: 64)
        let header = "t=1795176000, v0=\(good), v1=\(zeros), v1=\(old)"
        #expect(try Self.verify(header, secrets: ["whsec_test", "whsec_old"]) == 1)
        #expect(throws: StripeSignature.Failure.noMatch) { try Self.verify(header) }
        #expect(throws: StripeSignature.Failure.noMatch) { try Self.verify("t=1795176000,v1=\(old)", secrets: []) }
        #expect(throws: StripeSignature.Failure.noMatch) {
            try Self.verify("t=1795176000,v1=\(good)", secrets: [""])
        }
    }

    @Test(
        "The time may differ by 300 seconds in both directions",
        arguments: [
            (0, nil), (300, nil), (301, .tooOld), (-300, nil), (-301, .inTheFuture), (86_400, .tooOld),
        ] as [(Int64, StripeSignature.Failure?)]
    )
    func tolerance(_ row: (Int64, StripeSignature.Failure?)) {
        #expect(Self.failure("t=1795176000,v1=\(good)", after: row.0) == row.1)
    }

    @Test("Another body, secret or time does not match")
    func mismatch() {
        let header = "t=1795176000,v1=\(good)"
        #expect(Self.failure(header, body: Self.body + [0x20]) == .noMatch)
        #expect(Self.failure(header, secrets: ["whsec_other"]) == .noMatch)
        #expect(Self.failure("t=1795176001,v1=\(good)") == .noMatch)
        #expect(Self.failure("t=1795176001,v1=\(good)", after: 10_000) == .noMatch)
    }

    @Test(
        "A header of another form is refused",
        arguments: [
            "", "t=1795176000", "v1=\(good)", "t=,v1=\(good)", "t=-1,v1=\(good)", "t=1795176000,v1=zz",
            "t=1795176000,t=1795176000,v1=\(good)", "t=99999999999999999999,v1=\(good)", "1795176000",
            "t=1795176000;v1=\(good)", "t=1795176000,v1=\(good)00", "t=1795176000.0,v1=\(good)",
        ]
    )
    func malformed(_ header: String) {
        #expect(Self.failure(header) == .malformedHeader)
    }

    @Test("At most 20 signatures are compared, and a header with more is refused as such")
    func manySignatures() throws {
        let zeros = String(repeating: ",v1=" + String(repeating: "0", count: 64), count: 19)
        #expect(try Self.verify("t=1795176000\(zeros),v1=\(good)") == 0)
        #expect(Self.failure("t=1795176000\(zeros),v1=\(good),v1=\(good)") == .tooManySignatures)
    }

    @Test("A missing header is named")
    func missing() {
        #expect(Self.failure(nil) == .missingHeader)
    }

    static func failure(
        _ header: String?,
        secrets: [String] = ["whsec_test"],
        body: [UInt8] = StripeSignatureTests.body,
        after seconds: Int64 = 0
    ) -> StripeSignature.Failure? {
        do throws(StripeSignature.Failure) {
            _ = try verify(header, secrets: secrets, body: body, after: seconds)
            return nil
        } catch {
            return error
        }
    }
}
