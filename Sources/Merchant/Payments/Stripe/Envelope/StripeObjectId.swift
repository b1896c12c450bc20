import ExternalPurchaseCore

/// The id of an object of Stripe, such as `pi_3Nabc`: ASCII letters, digits, `_` and `-`, at most 255 characters.
package struct StripeObjectId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads an id; nil for a text with other characters, which must not become part of a path.
    init?(checking text: String) {
        let isSafe = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard isSafe, (1...255).contains(text.utf8.count) else { return nil }
        rawValue = text
    }

    /// True for the objects of one payment: session, intent, charge, invoice, subscription, refund and dispute.
    ///
    /// A customer is none of them: events of a customer's different payments do not belong together.
    var isOfPayment: Bool {
        Self.prefixes.contains { rawValue.hasPrefix($0) }
    }

    /// True for an object of a single payment: not for a subscription.
    var isOfOnePayment: Bool { isOfPayment && !rawValue.hasPrefix("sub_") }

    private static let prefixes = ["cs_", "pi_", "ch_", "py_", "in_", "sub_", "re_", "pyr_", "dp_", "du_"]
}
