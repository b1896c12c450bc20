public import Foundation

/// How the sheet of a link ended.
///
/// It is known only after `open()` or `open(url:)` has returned (SK-56).
public enum LinkOutcome: Sendable {
    /// The customer continued, and the browser opened this URL.
    case continued(URL)
    /// The customer declined.
    ///
    /// No token was issued and nothing was opened.
    case cancelled
    /// An error occurred after the method had returned.
    ///
    /// Nothing was opened.
    case failed(StoreKitError)
}
