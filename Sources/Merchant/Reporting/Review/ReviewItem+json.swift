package import ExternalPurchaseCore
package import Ledger

extension ReviewItem {
    /// The item as `GET /v1/review` and `ledger review list --format json` show it.
    package var json: JSONValue {
        let (about, id) = subject.columns
        var members: JSONObject = [
            "sequence": .integer(sequence), "bundleId": .string(bundleId.rawValue),
            "kind": .string(kind.rawValue), "about": .string(about), "id": .string(id),
            "detail": .string(detail), "openedAt": .string(openedAt.description),
        ]
        if let correctionId { members["correctionId"] = .string(correctionId.rawValue) }
        if let resolution {
            members["resolvedAt"] = .string(resolution.resolvedAt.description)
            members["resolvedBy"] = .string(resolution.by)
            members["note"] = .string(resolution.note)
        }
        return .object(members)
    }

    /// The item as one line of text.
    package var text: String {
        let (about, id) = subject.columns
        let what = id.isEmpty ? "\(bundleId)" : "\(about) \(id) of \(bundleId)"
        let correction = correctionId.map { "; correction \($0) restates it" } ?? ""
        return "\(sequence): \(openedAt) \(kind.rawValue): \(what): \(detail)\(correction)"
    }
}
