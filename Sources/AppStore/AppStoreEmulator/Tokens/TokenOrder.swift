import ExternalPurchaseCore

/// The request of `POST /emulator/v1/tokens`.
enum TokenOrder: Sendable {
    /// A token that was issued elsewhere, registered unchanged.
    case registration(String)
    case minting(Minting)

    struct Minting: Sendable {
        var bundleId: BundleId
        var environment: AppStoreEnvironment?
        var tokenType: Choice<TokenType> = .open
        var externalPurchaseId: ExternalPurchaseId?
        var creationDate: Timestamp?
        var expirationDate: Choice<Timestamp> = .open
    }

    /// A member of a request.
    ///
    /// An absent member differs from one that is null.
    enum Choice<Value: Sendable>: Sendable {
        case open
        case chosen(Value?)

        func value(or alternative: @autoclosure () -> Value?) -> Value? {
            switch self {
            case .open: alternative()
            case .chosen(let value): value
            }
        }
    }
}
