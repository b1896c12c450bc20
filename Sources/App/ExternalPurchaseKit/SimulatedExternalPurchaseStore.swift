public import Foundation
public import StoreKitSimulator

/// The simulated StoreKit with its own session, on every platform.
public struct SimulatedExternalPurchaseStore: ExternalPurchaseStore {
    /// The session, with its outcomes and diagnostics.
    public let session: StoreKitSession

    /// Creates a store that uses a session.
    ///
    /// - Parameter session: the session.
    public init(session: StoreKitSession) {
        self.session = session
    }

    /// `AppStore.canMakePayments` in the session.
    public var canMakePayments: Bool {
        session.readCanMakePayments()
    }

    /// `ExternalPurchase.canPresent` in the session.
    public var canPresent: Bool {
        get async { await StoreKitSession.withValue(session) { await StoreKitSimulator.ExternalPurchase.canPresent } }
    }

    /// `ExternalPurchaseLink.canOpen` in the session.
    public var canOpen: Bool {
        get async { await StoreKitSession.withValue(session) { await StoreKitSimulator.ExternalPurchaseLink.canOpen } }
    }

    /// `ExternalPurchaseLink.eligibleURLs` in the session.
    public var eligibleURLs: [URL]? {
        get async {
            await StoreKitSession.withValue(session) { await StoreKitSimulator.ExternalPurchaseLink.eligibleURLs }
        }
    }

    /// `ExternalPurchaseCustomLink.isEligible` in the session.
    public var isEligible: Bool {
        get async {
            await StoreKitSession.withValue(session) { await StoreKitSimulator.ExternalPurchaseCustomLink.isEligible }
        }
    }

    /// `ExternalPurchase.presentNoticeSheet()` in the session.
    public func presentNoticeSheet() async throws -> ExternalPurchaseNotice {
        try await StoreKitSession.withValue(session) {
            switch try await StoreKitSimulator.ExternalPurchase.presentNoticeSheet() {
            case .cancelled: .cancelled
            case .continuedWithExternalPurchaseToken(let token): .continued(token: token)
            @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchase.NoticeResult")
            }
        }
    }

    /// `ExternalPurchaseLink.open()` in the session.
    public func open() async throws {
        try await StoreKitSession.withValue(session) { try await StoreKitSimulator.ExternalPurchaseLink.open() }
    }

    /// `ExternalPurchaseLink.open(url:)` in the session.
    public func open(url: URL) async throws {
        try await StoreKitSession.withValue(session) {
            try await StoreKitSimulator.ExternalPurchaseLink.open(url: url)
        }
    }

    /// The overload of `ExternalPurchaseCustomLink.token(for:)` that the session's system has.
    public func token(for tokenType: String) async throws -> String? {
        try await StoreKitSession.withValue(session) {
            guard session.hasTypedMembers else {
                return try await StoreKitSimulator.ExternalPurchaseCustomLink.token(for: tokenType)?.value
            }
            let type = StoreKitSimulator.ExternalPurchaseCustomLink.TokenType(rawValue: tokenType)
            return try await StoreKitSimulator.ExternalPurchaseCustomLink.token(for: type)?.value
        }
    }

    /// `ExternalPurchaseCustomLink.showNotice(for:)` in the session, or `showNotice(type:)` on systems before 27.2.
    public func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice {
        try await StoreKitSession.withValue(session) {
            switch try await notice(destination) {
            case .cancelled: return .cancelled
            case .continued: return .continued(token: nil)
            @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.NoticeResult")
            }
        }
    }

    private func notice(
        _ destination: ExternalPurchaseDestination
    ) async throws -> StoreKitSimulator.ExternalPurchaseCustomLink.NoticeResult {
        typealias CustomLink = StoreKitSimulator.ExternalPurchaseCustomLink
        switch (destination, session.hasTypedMembers) {
        case (.outOfApp(let url), true): return try await CustomLink.showNotice(for: .outOfApp(destinationURL: url))
        case (.withinApp, true): return try await CustomLink.showNotice(for: .withinApp)
        case (.outOfApp, false): return try await CustomLink.showNotice(type: .browser)
        case (.withinApp, false): return try await CustomLink.showNotice(type: .withinApp)
        }
    }
}
