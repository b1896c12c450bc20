import ExternalPurchaseCore
import TokenLifecycle

/// The external purchase tokens that Apple's side knows.
///
/// Each belongs to one app.
struct TokenRegistry: Sendable {
    /// The tokens in the order of registration.
    private(set) var tokens: [DecodedToken] = []
    private var indexes: [ExternalPurchaseId: Int] = [:]

    /// The result of an order.
    struct Entry: Sendable {
        let token: DecodedToken
        /// False when the same token was already recorded.
        let isNew: Bool
    }

    subscript(id: ExternalPurchaseId) -> DecodedToken? { indexes[id].map { tokens[$0] } }

    /// True when no token of either environment has that UUID in its id.
    func isFree(_ uuid: UUID) -> Bool {
        AppStoreEnvironment.allCases.allSatisfy { self[ExternalPurchaseId(uuid: uuid, environment: $0)] == nil }
    }

    /// Returns the token if it belongs to that app and environment (SA-17, SA-90).
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId, in environment: AppStoreEnvironment) -> DecodedToken? {
        guard let decoded = self[id], decoded.token.bundleId == bundleId, id.environment == environment else {
            return nil
        }
        return decoded
    }

    mutating func fulfil(
        _ order: TokenOrder,
        apps: AppRegistry,
        pinned: AppStoreEnvironment?,
        now: Timestamp,
        lifecycle: LifecycleSettings,
        dependencies: EmulatorDependencies
    ) throws(EmulatorInputError) -> Entry {
        switch order {
        case .registration(let text):
            return try record(Self.decode(text, field: "token"), apps: apps, pinned: pinned)
        case .minting(let minting):
            let token = try mint(
                minting,
                apps: apps,
                pinned: pinned,
                now: now,
                lifecycle: lifecycle,
                dependencies: dependencies
            )
            return try record(Self.decode(token.encoded(), field: nil), apps: apps, pinned: pinned)
        }
    }

    private func mint(
        _ minting: TokenOrder.Minting,
        apps: AppRegistry,
        pinned: AppStoreEnvironment?,
        now: Timestamp,
        lifecycle: LifecycleSettings,
        dependencies: EmulatorDependencies
    ) throws(EmulatorInputError) -> ExternalPurchaseToken {
        guard let app = apps[minting.bundleId] else { throw Self.unknownApp(minting.bundleId) }
        let environment = minting.externalPurchaseId?.environment ?? minting.environment ?? pinned ?? .sandbox
        if let asked = minting.environment, asked != environment {
            throw EmulatorInputError(
                "environment-mismatch",
                field: "environment",
                "externalPurchaseId belongs to \(environment.rawValue), not to \(asked.rawValue); ids of the sandbox begin"
                    + " with SANDBOX"
            )
        }
        // Members that a repeated order omits have the values of the existing token.
        let known = minting.externalPurchaseId.flatMap { self[$0]?.token }
        let type = minting.tokenType.value(or: known?.tokenType)
        let creation = minting.creationDate ?? known?.tokenCreationDate ?? now
        let expiration: Timestamp? =
            if let known, known.tokenType == type, known.tokenCreationDate == creation {
                known.tokenExpirationDate
            } else {
                type.flatMap { lifecycle.expiration(of: $0, mintedAt: creation, in: environment) }
            }
        return ExternalPurchaseToken(
            appAppleId: app.appAppleId,
            bundleId: app.bundleId,
            tokenCreationDate: creation,
            externalPurchaseId: minting.externalPurchaseId
                ?? ExternalPurchaseId(uuid: freshUUID(dependencies), environment: environment),
            tokenType: type,
            tokenExpirationDate: minting.expirationDate.value(or: expiration)
        )
    }

    /// Returns a random UUID that no token has.
    ///
    /// After a restart with the same seed the generator repeats its bytes, while the tokens made from them still exist.
    func freshUUID(_ dependencies: EmulatorDependencies) -> UUID {
        for _ in 0..<4 * (tokens.count + 64) {
            let uuid = dependencies.uuid()
            if isFree(uuid) { return uuid }
        }
        return UUID()
    }

    /// Records a token that Apple's side created.
    mutating func record(_ token: ExternalPurchaseToken) throws(EmulatorInputError) {
        guard self[token.externalPurchaseId] == nil else { return }
        let decoded = try Self.decode(token.encoded(), field: nil)
        indexes[token.externalPurchaseId] = tokens.count
        tokens.append(decoded)
    }

    /// Restores a stored token.
    mutating func restore(_ text: String) throws(EmulatorInputError) {
        let decoded = try Self.decode(text, field: "token")
        guard self[decoded.token.externalPurchaseId] == nil else { return }
        indexes[decoded.token.externalPurchaseId] = tokens.count
        tokens.append(decoded)
    }

    private mutating func record(
        _ decoded: DecodedToken,
        apps: AppRegistry,
        pinned: AppStoreEnvironment?
    ) throws(EmulatorInputError) -> Entry {
        let token = decoded.token
        guard let app = apps[token.bundleId] else { throw Self.unknownApp(token.bundleId) }
        guard app.appAppleId == token.appAppleId else {
            throw EmulatorInputError(
                "foreign-token",
                field: "appAppleId",
                "the token names App Store id \(token.appAppleId); \(app.bundleId) is registered with \(app.appAppleId)"
            )
        }
        if let pinned, token.environment != pinned {
            throw EmulatorInputError(
                "environment-mismatch",
                field: "environment",
                "the token belongs to \(token.environment.rawValue); this emulator plays \(pinned.rawValue) only"
            )
        }
        if let known = self[token.externalPurchaseId] {
            guard known.token == token else {
                throw EmulatorInputError(
                    "token-known",
                    field: "externalPurchaseId",
                    kind: .conflict,
                    "a token with id \(token.externalPurchaseId) and other fields is on record"
                )
            }
            return Entry(token: known, isNew: false)
        }
        indexes[token.externalPurchaseId] = tokens.count
        tokens.append(decoded)
        return Entry(token: decoded, isNew: true)
    }

    private static func decode(_ text: String, field: String?) throws(EmulatorInputError) -> DecodedToken {
        do {
            return try ExternalPurchaseToken.decode(text)
        } catch {
            throw EmulatorInputError(error.name.rawValue, field: error.field ?? field, error.message)
        }
    }

    static func unknownApp(_ bundleId: BundleId) -> EmulatorInputError {
        EmulatorInputError(
            "unknown-app",
            field: "bundleId",
            "no app \(bundleId) is registered; PUT /emulator/v1/apps/\(bundleId) registers it"
        )
    }
}
