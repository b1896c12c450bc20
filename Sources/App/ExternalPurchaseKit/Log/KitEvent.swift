/// An event of the kit for the app's log and its analytics.
///
/// No event holds a token, a customer's id or a text of the server (EK-30). A purchase tells ``tapped(_:)``, then
/// ``continued(_:)`` or ``cancelled(_:)``, and its tokens ``stored(_:)`` and ``delivered(_:)``; what the app shows, it tells by
/// ``ExternalPurchaseModel/offersShown(_:)``.
public enum KitEvent: Hashable, Sendable, CustomStringConvertible {
    /// The importance of an event.
    public enum Level: String, Hashable, Sendable {
        /// The usual course.
        case info
        /// It needs attention if it lasts.
        case warning
        /// A token may be lost, or was refused.
        case error
    }

    /// A way of buying, without its addresses.
    public enum Way: String, Hashable, Sendable {
        /// A custom link inside the app.
        case customLinkWithinApp
        /// A custom link to a website.
        case customLinkOutOfApp
        /// A link of Info.plist.
        case link
        /// A purchase in the app after the notice sheet.
        case noticeSheet
        /// In-App Purchase.
        case inAppPurchase
    }

    /// The app shows these ways of buying (EK-63).
    case offersShown([Way])
    /// The customer tapped, and the flow may begin.
    case tapped(Way)
    /// The customer continued.
    ///
    /// Of a link StoreKit does not say it: the website learns of it.
    case continued(Way)
    /// The customer declined.
    case cancelled(Way)
    /// What may be offered was read anew.
    case refreshed(storefront: String?, offers: Int)
    /// A gate is closed.
    case gateClosed(ClosedGate)
    /// StoreKit failed.
    case storeFailed(member: String, StoreFailure.Kind)
    /// StoreKit returned no token of a type.
    case noToken(type: String)
    /// A token is on disk.
    case stored(TokenName)
    /// A token could not be written.
    case notStored(TokenName, StorageFailure)
    /// The server has a token.
    case delivered(TokenName)
    /// The server refused a token.
    case refused(TokenName)
    /// An attempt to send did not succeed.
    case deliveryFailed(TokenName, reason: String, wait: Duration)
    /// The outbox was opened.
    case opened(pending: Int, refused: Int, unreadable: Int, unreachable: Int, interruptedRequests: Int)
    /// The folder of the outbox could not be used.
    case storageFailed(StorageFailure)

    /// The importance.
    public var level: Level {
        switch self {
        case .offersShown, .tapped, .continued, .cancelled, .refreshed, .gateClosed, .noToken, .stored, .delivered:
            .info
        case .opened(_, _, let unreadable, let unreachable, let interrupted):
            unreadable + unreachable + interrupted > 0 ? .warning : .info
        case .storeFailed, .deliveryFailed: .warning
        case .notStored, .refused, .storageFailed: .error
        }
    }

    /// One line of text.
    public var description: String {
        switch self {
        case .offersShown(let ways): "shown: \(ways.map(\.rawValue).joined(separator: ", "))"
        case .tapped(let way): "tapped: \(way.rawValue)"
        case .continued(let way): "continued: \(way.rawValue)"
        case .cancelled(let way): "cancelled: \(way.rawValue)"
        case .refreshed(let storefront, let offers): "storefront \(storefront ?? "none"): \(offers) offers"
        case .gateClosed(let gate): "gate \(gate.name) is closed: \(gate.reason)"
        case .storeFailed(let member, let kind): "\(member) failed: \(kind.rawValue)"
        case .noToken(let type): "no \(type) token is active"
        case .stored(let name): "token \(name) is on disk"
        case .notStored(let name, let failure): "token \(name) is in memory only: \(failure)"
        case .delivered(let name): "token \(name) is at the server"
        case .refused(let name): "token \(name) was refused by the server"
        case .deliveryFailed(let name, let reason, let wait):
            "token \(name) was not delivered: \(reason); next attempt in \(wait.components.seconds) s"
        case .opened(let pending, let refused, let unreadable, let unreachable, let interrupted):
            "outbox: \(pending) pending, \(refused) refused, \(unreadable) unreadable, \(unreachable) unreachable, "
                + "\(interrupted) interrupted requests"
        case .storageFailed(let failure): "the outbox cannot be used: \(failure)"
        }
    }
}

/// Receives the events of the kit.
public typealias KitEventHandler = @Sendable (KitEvent) -> Void
