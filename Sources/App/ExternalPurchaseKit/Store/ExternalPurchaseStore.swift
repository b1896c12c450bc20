public import ExternalPurchaseCore
import Foundation

/// The parts of StoreKit that an app needs to sell outside In-App Purchase, behind one protocol for Apple's StoreKit
/// and the simulated one.
///
/// ``SystemExternalPurchaseStore`` uses Apple's StoreKit where it exists; `SimulatedExternalPurchaseStore` uses the
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

    /// The alpha-3 code of the storefront, `NLD`; nil if there is none (`Storefront.current`).
    var storefront: String? { get async }
    /// The storefront now and after every change (`Storefront.current`, `Storefront.updates`).
    ///
    /// The first element is read after the observation has begun, so that no change is missed. The stream ends with
    /// the task that reads it.
    var storefrontUpdates: AsyncStream<String?> { get }
    /// Whether ``showNotice(_:)`` passes the destination to the system, as from OS 27.2.
    ///
    /// Where it does not, the app shows its own disclosure in Japan and Brazil (SK-66).
    var noticeNamesDestination: Bool { get }
    /// The name and version of the system, `iOS 26.3`.
    var system: String { get }
    /// Whether the app has no In-App Purchase in a storefront, as its Info.plist says: an app for South Korea has none (SK-87).
    ///
    /// - Parameter storefront: the alpha-3 code; nil for none.
    func isSoldWithoutInAppPurchase(in storefront: String?) -> Bool

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

    /// Learns that the app showed its own disclosure in place of the system's notice (SK-66).
    ///
    /// A simulated store tells its session. The default does nothing, as for Apple's StoreKit.
    ///
    /// - Parameters:
    ///   - flow: where the customer would buy.
    ///   - isContinued: whether the customer continued.
    func disclosureShown(_ flow: ProgrammeTerms.Flow, isContinued: Bool)
    /// Learns that a parental gate was passed before the purchase that begins now (SK-88).
    ///
    /// A simulated store tells its session. The default does nothing.
    func parentalGatePassed()

    /// Says what an error of the other members means.
    ///
    /// - Parameter error: an error that a member of this store threw.
    func failure(_ error: any Error) -> StoreFailure
    /// Explains the answer of a property; nil where the system gives no reason, as Apple's StoreKit does.
    ///
    /// - Parameter property: the property.
    func explanation(of property: EligibilityProperty) -> String?
}

extension ExternalPurchaseStore {
    /// Does nothing.
    ///
    /// - Parameters:
    ///   - flow: where the customer would buy.
    ///   - isContinued: whether the customer continued.
    public func disclosureShown(_ flow: ProgrammeTerms.Flow, isContinued: Bool) {}

    /// Does nothing.
    public func parentalGatePassed() {}

    /// The version of the system that the process runs on, with the name of its platform.
    public var system: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        #if os(macOS)
        let name = "macOS"
        #elseif os(tvOS)
        let name = "tvOS"
        #elseif os(watchOS)
        let name = "watchOS"
        #elseif os(visionOS)
        let name = "visionOS"
        #else
        let name = "iOS"
        #endif
        return "\(name) \(version.majorVersion).\(version.minorVersion)"
    }

    /// Returns false.
    public func isSoldWithoutInAppPurchase(in storefront: String?) -> Bool { false }

    /// Returns nil: the system gives no reason.
    ///
    /// - Parameter property: the property.
    public func explanation(of property: EligibilityProperty) -> String? { nil }
}

/// A property of StoreKit that says whether an API may be used.
public enum EligibilityProperty: String, Hashable, Sendable, CaseIterable {
    /// `ExternalPurchase.canPresent`.
    case canPresent
    /// `ExternalPurchaseLink.canOpen`.
    case canOpen
    /// `ExternalPurchaseLink.eligibleURLs`.
    case eligibleURLs
    /// `ExternalPurchaseCustomLink.isEligible`.
    case isEligible
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

    /// Where the customer buys, without the address.
    public var flow: ProgrammeTerms.Flow {
        switch self {
        case .outOfApp: .outOfApp
        case .withinApp: .withinApp
        }
    }
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
