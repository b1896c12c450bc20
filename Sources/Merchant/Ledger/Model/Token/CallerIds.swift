package import ExternalPurchaseCore
import Foundation

/// The caller's own opaque id of a customer, unique per app.
package struct CustomerId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The id of a checkout, chosen by the caller or assigned when a token arrives; unique per app.
package struct CheckoutId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The id for a token that arrives without one, a UUID.
    ///
    /// The same token has the same one again after a restore: sales that name it find their token. Who knows only the token's id
    /// cannot compute it (TK-77), because the moment of its creation is a part.
    package init(of token: ExternalPurchaseToken) {
        let parts = [
            token.bundleId.rawValue, String(token.appAppleId), token.externalPurchaseId.rawValue,
            String(token.tokenCreationDate.milliseconds),
        ]
        var bytes = Array(parts.joined(separator: "\n").utf8.sha256.prefix(16))
        // Version 8 and the variant of RFC 9562.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let uuid = UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        rawValue = uuid.uuidString.lowercased()
    }
}

/// The caller's own id of a sale, unique per app.
package struct SaleId: Identifier {
    /// The largest length in Unicode scalars.
    package static let maximumLength = 100

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension SaleId {
    /// An id of several parts, such as payment and line, which no other parts have.
    package init(parts: [String]) {
        self.init(parts.map(Self.part).joined(separator: "/"))
    }

    /// A provider's id as a part: without the marks that separate and count the parts.
    package static func part(_ id: String) -> String {
        id.replacing("%", with: "%25").replacing("/", with: "%2F").replacing("~", with: "%7E")
    }

    /// The provider's id of a part.
    package static func id(ofPart part: String) -> String {
        part.replacing("%7E", with: "~").replacing("%2F", with: "/").replacing("%25", with: "%")
    }
}
