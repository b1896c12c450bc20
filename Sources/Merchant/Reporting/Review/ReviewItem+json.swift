package import ExternalPurchaseCore
package import Ledger

extension ReviewItem {
    /// The item as `GET /v1/review` and `ledger review list --format json` show it.
    package var json: JSONValue {
        let (about, id) = subject.columns
        var members: [JSONObject.Member] = [
            .init("sequence", .integer(sequence)), .init("bundleId", .string(bundleId.rawValue)),
            .init("kind", .string(kind.rawValue)), .init("about", .string(about)), .init("id", .string(id)),
            .init("detail", .string(detail)), .init("openedAt", .string(openedAt.description)),
        ]
        if let correctionId { members.append(.init("correctionId", .string(correctionId.rawValue))) }
        if let resolution {
            members += [
                .init("resolvedAt", .string(resolution.resolvedAt.description)),
                .init("resolvedBy", .string(resolution.by)), .init("note", .string(resolution.note)),
            ]
        }
        return .object(JSONObject(members))
    }

    /// The item as one line of text.
    package var text: String {
        let (about, id) = subject.columns
        let what = id.isEmpty ? "\(bundleId)" : "\(about) \(id) of \(bundleId)"
        let correction = correctionId.map { "; correction \($0) restates it" } ?? ""
        return "\(sequence): \(openedAt) \(kind.rawValue): \(what): \(detail)\(correction)"
    }
}
