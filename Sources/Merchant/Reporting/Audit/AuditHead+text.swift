import ExternalPurchaseCore
package import Ledger

extension AuditHead {
    /// The head as text, `120:9f86d0…`, which `ledger verify` prints and its option `--head` reads.
    package var text: String { "\(sequence):\(Self.hexadecimal(hash))" }

    /// Reads ``text``; nil if the text has another form.
    package init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), parts[1].utf8.count == 64,
            parts[1].allSatisfy(\.isHexDigit)
        else { return nil }
        let digits = Array(parts[1].utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
        }
        guard bytes.count == 32 else { return nil }
        self.init(sequence: sequence, hash: bytes)
    }

    /// Encodes bytes as hexadecimal, two lower-case digits per byte.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
