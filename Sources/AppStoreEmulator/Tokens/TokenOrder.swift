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

extension TokenType {
    /// How long a token of the type lives (TK-39, D4); nil for types that do not expire.
    func lifetime(in environment: AppStoreEnvironment) -> Int64? {
        switch (self, environment) {
        case (.services, .sandbox), (.acquisition, .sandbox): 3_600_000
        case (.services, .production): 365 * Timestamp.day
        case (.acquisition, .production): 180 * Timestamp.day
        default: nil
        }
    }
}
