public import ExternalPurchaseCore

/// A token that StoreKit handed to the app.
///
/// Descriptions and dumps of the value do not contain the token (EK-30).
public struct PurchaseToken: Hashable, Sendable {
    /// The token as StoreKit handed it over, for the developer's server.
    public let text: String
    /// The type that was requested; nil for the token of the notice sheet.
    public let type: TokenType?
    /// The alpha-3 code of the storefront in which it was requested; nil if there was none, or if it changed meanwhile.
    public let storefront: String?
    /// The developer's opaque id of the customer who was signed in; nil for nobody.
    public let customerId: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - text: the token as StoreKit handed it over.
    ///   - type: the type that was requested; nil for the token of the notice sheet.
    ///   - storefront: the alpha-3 code of the storefront.
    ///   - customerId: the developer's opaque id of the customer, at most 128 characters.
    public init(text: String, type: TokenType?, storefront: String? = nil, customerId: String? = nil) {
        self.text = text
        self.type = type
        self.storefront = storefront
        self.customerId = customerId
    }

    /// The id that sales and reports name; nil if the text is no token that this package reads.
    public var externalPurchaseId: ExternalPurchaseId? {
        (try? ExternalPurchaseToken.decode(text))?.token.externalPurchaseId
    }

    /// The name in logs and files: a digest of token and customer.
    public var name: TokenName { TokenName(of: self) }
}

extension PurchaseToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the name.
    public var description: String { "\(type?.rawValue ?? "plain") token \(name)" }
    /// The type and the name.
    public var debugDescription: String { description }
    /// The type and the name.
    public var customMirror: Mirror { Mirror(self, children: ["type": type?.rawValue ?? "plain", "name": name]) }
}

/// Names a token in logs, in file names and in the status without saying what it is.
public struct TokenName: Hashable, Sendable, CustomStringConvertible, Comparable {
    /// 32 hexadecimal digits: the FNV-1a hash of token and customer with 128 bits.
    public let description: String

    init(of token: PurchaseToken) {
        // Without CryptoKit outside Apple's platforms: nobody gains by two tokens with one name, and the random id in a
        // token cannot be guessed from the hash.
        // In halves of 64 bits, because UInt128 needs iOS 18. The prime is 2^88 + 0x13b.
        var (high, low): (UInt64, UInt64) = (0x6c62_272e_07bb_0142, 0x62b8_2175_6295_c58d)
        for byte in Array(token.text.utf8) + [0] + Array((token.customerId ?? "").utf8) {
            low ^= UInt64(byte)
            let product = low.multipliedFullWidth(by: 0x13b)
            (high, low) = (high &* 0x13b &+ product.high &+ low << 24, product.low)
        }
        description = [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    init(_ description: String) {
        self.description = description
    }

    /// Compares the digits.
    public static func < (left: TokenName, right: TokenName) -> Bool { left.description < right.description }
}
