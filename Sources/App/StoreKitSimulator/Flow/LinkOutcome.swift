public import Foundation

/// How a link's sheet ended; known only after `open()` or `open(url:)` has returned (SK-56).
public enum LinkOutcome: Sendable {
    /// The customer went on, and the browser opened this URL.
    case continued(URL)
    /// The customer declined; no token exists and nothing opened.
    case cancelled
    /// Something failed after the method had returned; nothing opened.
    case failed(StoreKitError)
}
