package import Ledger

/// Why a request of the caller was not carried out.
package enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fields are wrong.
    case invalid([FieldError])
    /// The id is known with other content, which a correction would change.
    case conflict(String)
    /// Nothing of that name is there.
    case unknown(String)
    /// What is asked for cannot be done as things stand.
    case impossible(String)
    /// Apple accepted the sale, so that a change of it is a correction, which is ready to be confirmed.
    case needsCorrection(String, [CorrectionDryRun])
    /// Apple gave no answer that tells; nothing was changed, and trying again may help.
    case unanswered(String)
    /// Nothing was stored; trying again may help.
    case notStored(LedgerError)

    package var description: String {
        switch self {
        case .invalid(let faults): faults.map(\.description).joined(separator: "; ")
        case .needsCorrection(let detail, _): detail
        case .conflict(let detail), .unknown(let detail), .impossible(let detail), .unanswered(let detail): detail
        case .notStored(let error): error.description
        }
    }
}

/// One field of a request that is wrong.
package struct FieldError: Hashable, Sendable, CustomStringConvertible {
    /// A JSON pointer, `/amount/tax`; empty for the body as a whole.
    package let path: String
    /// What is wrong and what would be right.
    package let message: String

    package init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path.isEmpty ? "the body" : path): \(message)" }
}
