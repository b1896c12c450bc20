import Crypto
import CryptoExtras
import ExternalPurchaseCore
import Ledger

/// A password's hash by scrypt (RFC 7914), with its parameters and salt.
///
/// The text is `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>` in hexadecimal, so that the parameters of new hashes can change.
package struct PasswordHash: Hashable, Sendable {
    private let logRounds: Int
    private let blockSize: Int
    private let parallelism: Int
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password with r = 8 and p = 1.
    ///
    /// - Parameters:
    ///   - password: the password; its Unicode scalars count as they are.
    ///   - logRounds: the logarithm of N; 15 takes 32 MiB and about 0.1 seconds.
    ///   - generator: the source of the salt.
    package init(
        of password: String,
        logRounds: Int = 15,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let salt = [UInt8].random(count: 16, using: &generator)
        self.init(
            logRounds: logRounds,
            blockSize: 8,
            parallelism: 1,
            salt: salt,
            hash: try Self.derive(password, salt: salt, logRounds: logRounds, blockSize: 8, parallelism: 1, length: 32)
        )
    }

    private init(logRounds: Int, blockSize: Int, parallelism: Int, salt: [UInt8], hash: [UInt8]) {
        self.logRounds = logRounds
        self.blockSize = blockSize
        self.parallelism = parallelism
        self.salt = salt
        self.hash = hash
    }

    /// Parses the text of a hash; nil for another format or parameters that would take too much memory.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt",
            let logRounds = Int(parts[1]), (1...20).contains(logRounds),
            let blockSize = Int(parts[2]), (1...16).contains(blockSize),
            let parallelism = Int(parts[3]), (1...16).contains(parallelism),
            let salt = [UInt8](hexadecimal: parts[4]), let hash = [UInt8](hexadecimal: parts[5]), hash.count >= 16
        else { return nil }
        self.init(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism, salt: salt, hash: hash)
    }

    package var text: String {
        "scrypt$\(logRounds)$\(blockSize)$\(parallelism)$\(salt.hexadecimal)$\(hash.hexadecimal)"
    }

    /// Whether a password is the hashed one; takes as long as hashing it.
    func matches(_ password: String) throws -> Bool {
        // HMAC pads short keys with zero bytes, so that a password and one with zero bytes behind it are the same.
        guard !password.utf8.contains(0) else { return false }
        let other = try Self.derive(
            password,
            salt: salt,
            logRounds: logRounds,
            blockSize: blockSize,
            parallelism: parallelism,
            length: hash.count
        )
        return other.count == hash.count && zip(other, hash).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func derive(
        _ password: String,
        salt: [UInt8],
        logRounds: Int,
        blockSize: Int,
        parallelism: Int,
        length: Int
    ) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8),
            salt: Data(salt),
            outputByteCount: length,
            rounds: 1 << logRounds,
            blockSize: blockSize,
            parallelism: parallelism
        )
        return key.withUnsafeBytes { Array($0) }
    }
}

extension [UInt8] {
    fileprivate init?(hexadecimal text: Substring) {
        guard text.utf8.count.isMultiple(of: 2), !text.isEmpty else { return nil }
        var bytes: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16), rest.prefix(1) != "+" else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = bytes
    }
}
