public import Foundation

/// The parts of StoreKit that an app needs to sell outside In-App Purchase, behind one protocol for Apple's StoreKit
/// and the simulated one.
///
/// ``SystemExternalPurchaseStore`` uses Apple's StoreKit where it exists; ``SimulatedExternalPurchaseStore`` uses the
/// simulator of this package.
public protocol ExternalPurchaseStore: Sendable {
    /// Whether the device allows payments.
    ///
    /// If it does not, offer nothing (SK-80).
    var canMakePayments: Bool { get }
    /// Whether the notice sheet can be presented (`ExternalPurchase.canPresent`).
    var canPresent: Bool { get async }
    /// Whether the one configured link can be opened (`ExternalPurchaseLink.canOpen`).
    var canOpen: Bool { get async }
    /// The links that can be opened; nil if there are none (`ExternalPurchaseLink.eligibleURLs`).
    var eligibleURLs: [URL]? { get async }
    /// Whether custom links can be used (`ExternalPurchaseCustomLink.isEligible`).
    var isEligible: Bool { get async }

    /// Presents the notice sheet and returns the customer's answer with the token.
    ///
    /// - Throws: StoreKit's error.
    func presentNoticeSheet() async throws -> ExternalPurchaseNotice
    /// Opens the one configured link after a sheet.
    ///
    /// The method returns before the customer answers.
    ///
    /// - Throws: StoreKit's error.
    func open() async throws
    /// Opens one of the eligible links after a sheet.
    ///
    /// The method returns before the customer answers.
    ///
    /// - Parameter url: one of ``eligibleURLs``.
    /// - Throws: StoreKit's error.
    func open(url: URL) async throws
    /// Returns the active custom link token of a type; nil when none is active.
    ///
    /// From OS 27.2 the typed overload is called.
    ///
    /// - Parameter tokenType: `ACQUISITION`, `SERVICES`, `IN_APP` or `LINK_OUT`.
    /// - Throws: StoreKit's error.
    func token(for tokenType: String) async throws -> String?
    /// Shows the disclosure of a custom link and returns the customer's answer.
    ///
    /// From OS 27.2 `showNotice(for:)` is called, which takes the destination; on earlier systems `showNotice(type:)`,
    /// which does not.
    ///
    /// - Parameter destination: where the customer buys.
    /// - Throws: StoreKit's error.
    func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice
}

/// The customer's answer to a notice.
public enum ExternalPurchaseNotice: Hashable, Sendable {
    /// The customer declined.
    ///
    /// Offer nothing and open nothing.
    case cancelled
    /// The customer continued.
    ///
    /// The notice sheet of `ExternalPurchase` returns a token.
    case continued(token: String?)
}

/// Where a customer buys after the disclosure of a custom link.
public enum ExternalPurchaseDestination: Hashable, Sendable {
    /// Outside the app, at a URL that the app opens after the notice.
    ///
    /// The URL may be nil only in the EU (SK-64). Systems before 27.2 ignore it.
    case outOfApp(destinationURL: URL?)
    /// Inside the app.
    case withinApp

    /// Outside the app without a destination.
    ///
    /// Systems from 27.2 accept this only in the EU (SK-64).
    @available(*, deprecated, message: "Name the page that the app opens: outOfApp(destinationURL:).")
    public static var browser: Self { .outOfApp(destinationURL: nil) }
}

/// The member does not exist on this system, or it returned a value that this package does not know.
public struct ExternalPurchaseUnavailable: Error, Hashable, Sendable {
    /// The member.
    public let member: String

    /// Creates an error.
    ///
    /// - Parameter member: the member.
    public init(member: String) {
        self.member = member
    }
}
