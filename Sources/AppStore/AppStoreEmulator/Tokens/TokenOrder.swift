import ExternalPurchaseCore

/// What `POST /emulator/v1/tokens` asks for.
enum TokenOrder: Sendable {
    /// A token minted elsewhere, taken as it is.
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

    /// A member that is left out is not the same as one that is null.
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
