package import ExternalPurchaseCore
package import Ledger

/// The reason why a request was not carried out.
package enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fields of the request are wrong.
    case invalid([FieldError])
    /// The request names another app than the only one that its caller has access to.
    case foreignApp(BundleId, of: BundleId)
    /// The identifier is known with other content, which only a correction can change.
    case conflict(String)
    /// The named resource does not exist.
    case unknown(String)
    /// The request cannot be carried out in the present state.
    case impossible(String)
    /// Apple accepted the sale, so the change needs a correction; the corrections are ready to be confirmed.
    case needsCorrection(String, [CorrectionDryRun])
    /// Apple gave no conclusive response; nothing was changed, and a retry may help.
    case unanswered(String)
    /// Nothing was stored; a retry may help.
    case notStored(LedgerError)

    package var description: String {
        switch self {
        case .invalid(let faults): faults.map(\.description).joined(separator: "; ")
        case .foreignApp(let named, let own): "the request is for \(named.rawValue.quoted), not for \(own)"
        case .needsCorrection(let detail, _): detail
        case .conflict(let detail), .unknown(let detail), .impossible(let detail), .unanswered(let detail): detail
        case .notStored(let error): error.description
        }
    }
}

extension RequestError {
    /// The error of a request that leaves open which app's record it means, while several apps have one with the id.
    ///
    /// - Parameters:
    ///   - record: the kind of the record, such as `sale`.
    ///   - apps: the apps that have the record.
    static func missingApp(of record: String, among apps: some Sequence<BundleId>) -> RequestError {
        let names = Set(apps).sorted().map(\.rawValue).joined(separator: ", ")
        return .invalid([FieldError("/bundleId", "is missing: several apps have the \(record): \(names)")])
    }
}

extension [StoredToken] {
    /// Returns the token of an app among those with one identifier.
    ///
    /// - Parameters:
    ///   - id: the identifier.
    ///   - bundleId: the app; nil if only one app has the token.
    /// - Throws: ``RequestError/unknown(_:)`` without such a token, ``RequestError/invalid(_:)`` at `/bundleId` if several
    ///   apps have it and none is named.
    package func named(
        _ id: ExternalPurchaseId,
        of bundleId: BundleId?
    ) throws(RequestError) -> StoredToken {
        let found = filter { bundleId == nil || $0.token.bundleId == bundleId }
        guard let token = found.first else { throw .unknown("there is no token \(id.rawValue.quoted)") }
        guard found.count == 1 else { throw .missingApp(of: "token", among: found.map(\.token.bundleId)) }
        return token
    }
}

/// An error about one field of a request.
package struct FieldError: Hashable, Sendable, CustomStringConvertible {
    /// A JSON pointer such as `/amount/tax`; empty for the whole body.
    package let path: String
    /// A message that states the problem and what would be valid.
    package let message: String

    package init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path.isEmpty ? "the body" : path): \(message)" }
}
