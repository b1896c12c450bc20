package import ExternalPurchaseCore
package import Ledger

extension AttentionItem {
    /// One entry of `GET /v1/attention` and `ledger attention --format json`.
    package var json: JSONValue {
        let (about, id) = subject.columns
        return .object(
            JSONObject([
                .init("sequence", .integer(sequence)), .init("bundleId", .string(bundleId.rawValue)),
                .init("kind", .string(kind.rawValue)), .init("about", .string(about)), .init("id", .string(id)),
                .init("detail", .string(detail)), .init("openedAt", .string(openedAt.description)),
            ])
        )
    }

    /// One line of text.
    package var text: String {
        let (about, id) = subject.columns
        return "\(openedAt) \(kind.rawValue): \(about) \(id) of \(bundleId): \(detail)"
    }
}
