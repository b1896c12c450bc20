package import ExternalPurchaseCore

/// A token with which cases are played.
package struct ConformanceToken: Hashable, Sendable {
    /// The id by which reports name it.
    package let externalPurchaseId: ExternalPurchaseId
    /// The type, or `plain` for a token without one.
    package let kind: String
    /// When it was created.
    let creationDate: Timestamp
    /// When it expires; nil for never.
    let expirationDate: Timestamp?

    /// Creates a token.
    init(
        externalPurchaseId: ExternalPurchaseId,
        kind: String,
        creationDate: Timestamp,
        expirationDate: Timestamp?
    ) {
        self.externalPurchaseId = externalPurchaseId
        self.kind = kind
        self.creationDate = creationDate
        self.expirationDate = expirationDate
    }

    /// Takes what a decoded token says.
    package init(_ token: ExternalPurchaseToken) {
        self.init(
            externalPurchaseId: token.externalPurchaseId,
            kind: token.tokenType?.rawValue ?? "plain",
            creationDate: token.tokenCreationDate,
            expirationDate: token.tokenExpirationDate
        )
    }

    /// The oldest token with which cases are played: an item dated at its creation can still be restated (E39).
    static let maximumAge = Duration.days(360)

    /// The kinds that have a period.
    static let expiringKinds: Set<String> = ["SERVICES", "ACQUISITION"]

    /// A number that tells tokens apart without showing them: FNV-1a with 64 bits of the id.
    var fingerprint: String {
        let hash = externalPurchaseId.rawValue.utf8.reduce(into: UInt64(0xcbf2_9ce4_8422_2325)) {
            $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return CaseValues.hexadecimal(hash)
    }
}
