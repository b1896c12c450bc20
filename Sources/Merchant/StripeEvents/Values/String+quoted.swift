import ExternalPurchaseCore

extension String {
    /// The first 80 characters in quotation marks, for a message.
    var quoted: String { "\"\(String(prefix(80)).printable)\"" }
}
