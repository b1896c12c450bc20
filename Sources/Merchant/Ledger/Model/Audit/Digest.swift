import Crypto

extension Sequence<UInt8> {
    /// The SHA-256 of the bytes, 32 bytes.
    package var sha256: [UInt8] { Array(SHA256.hash(data: Array(self))) }
}

extension [UInt8] {
    /// The bytes as lower-case hexadecimal digits, two for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
