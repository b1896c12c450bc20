public import Foundation

/// What an app asks of StoreKit to sell outside In-App Purchase, so that it can pick Apple's StoreKit or the simulated one.
///
/// ``SystemExternalPurchaseStore`` is Apple's where it exists; ``SimulatedExternalPurchaseStore`` is this package's.
public protocol ExternalPurchaseStore: Sendable {
    /// Whether the device may pay at all; if not, offer nothing (SK-80).
    var canMakePayments: Bool { get }
    /// Whether the notice sheet can be presented (`ExternalPurchase.canPresent`).
    var canPresent: Bool { get async }
    /// Whether the one configured link can be opened (`ExternalPurchaseLink.canOpen`).
    var canOpen: Bool { get async }
    /// The links that can be opened, nil for none (`ExternalPurchaseLink.eligibleURLs`).
    var eligibleURLs: [URL]? { get async }
    /// Whether custom links can be used (`ExternalPurchaseCustomLink.isEligible`).
    var isEligible: Bool { get async }

    /// Presents the notice sheet and returns the customer's answer with the token.
    ///
    /// - Throws: StoreKit's error.
    func presentNoticeSheet() async throws -> ExternalPurchaseNotice
    /// Opens the one configured link after a sheet; returns before the customer's answer.
    ///
    /// - Throws: StoreKit's error.
    func open() async throws
    /// Opens one of the eligible links after a sheet; returns before the customer's answer.
    ///
    /// - Parameter url: one of ``eligibleURLs``.
    /// - Throws: StoreKit's error.
    func open(url: URL) async throws
    /// The active custom link token of a type, nil when none is active; by the typed overload from OS 27.2 on.
    ///
    /// - Parameter tokenType: `ACQUISITION`, `SERVICES`, `IN_APP` or `LINK_OUT`.
    /// - Throws: StoreKit's error.
    func token(for tokenType: String) async throws -> String?
    /// Shows the disclosure of a custom link and returns the customer's answer.
    ///
    /// From OS 27.2 on by `showNotice(for:)`, which names the destination; below by `showNotice(type:)`, which does not.
    ///
    /// - Parameter destination: where the customer buys.
    /// - Throws: StoreKit's error.
    func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice
}

/// What a customer answered to a notice.
public enum ExternalPurchaseNotice: Hashable, Sendable {
    /// Offer nothing, open nothing.
    case cancelled
    /// The purchase goes on; the notice sheet of `ExternalPurchase` brings a token.
    case continued(token: String?)
}

/// Where a customer buys after the disclosure of a custom link.
public enum ExternalPurchaseDestination: Hashable, Sendable {
    /// Outside the app, at a URL that the app opens after the notice.
    ///
    /// The URL may be left out in the EU only (SK-64); systems before 27.2 do not use it.
    case outOfApp(destinationURL: URL?)
    /// Inside the app.
    case withinApp

    /// Outside the app without a named destination, which systems from 27.2 on accept in the EU only (SK-64).
    @available(*, deprecated, message: "Name the page that the app opens: outOfApp(destinationURL:).")
    public static var browser: Self { .outOfApp(destinationURL: nil) }
}

/// The member does not exist on this system, or its answer is one that this package does not know.
public struct ExternalPurchaseUnavailable: Error, Hashable, Sendable {
    /// The member.
    public let member: String

    /// An error about a member.
    ///
    /// - Parameter member: the member.
    public init(member: String) {
        self.member = member
    }
}
