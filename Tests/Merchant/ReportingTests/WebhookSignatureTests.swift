import ExternalPurchaseCore
import Testing

@testable import Reporting

@Suite("Messages are signed as receivers check them")
struct WebhookSignatureTests {
    /// RFC 4231, sections 4.2 to 4.8 without the truncated one.
    static let vectors: [(secret: [UInt8], message: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            (1...25).map { UInt8($0) }, [UInt8](repeating: 0xCD, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("HMAC-SHA256 gives the codes of RFC 4231", arguments: 0..<5)
    func codes(_ index: Int) {
        let vector = Self.vectors[index]
        let code = WebhookSignature.authenticationCode(of: vector.message, secret: vector.secret)
        #expect(code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == vector.code)
    }

    @Test("The header carries the seconds that are signed with the body")
    func header() {
        let body = Array("{}".utf8)
        let value = WebhookSignature.value(
            of: body,
            at: Timestamp(milliseconds: 1_795_176_000_999),
            secret: Array("Jefe".utf8)
        )
        #expect(value.hasPrefix("t=1795176000,v1="))
        let later = WebhookSignature.value(
            of: body,
            at: Timestamp(milliseconds: 1_795_176_001_000),
            secret: Array("Jefe".utf8)
        )
        #expect(value.split(separator: "=").last != later.split(separator: "=").last)
    }
}
