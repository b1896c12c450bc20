public import Foundation

/// What a customer answers at a sheet.
public enum SheetAnswer: Hashable, Sendable {
    /// Goes on to the external purchase.
    case `continue`
    /// Goes on and switches later reminders off, which disclosures in the EU offer; elsewhere as `continue` (SK-67).
    case continueWithoutReminders
    /// Declines.
    case cancel
}

/// A sheet that the system shows, as passed to the presenter that answers it (SK-68).
public struct SheetRequest: Hashable, Sendable {
    /// What the sheet is for.
    public enum Kind: String, Hashable, Sendable {
        /// Before an external purchase inside the app.
        case notice
        /// Before a link opens in the browser.
        case continuation
        /// Before an offer of custom links.
        case disclosure
    }

    /// The API family, `ExternalPurchaseLink`.
    public let family: String
    /// What the sheet is for.
    public let kind: Kind
    /// Where the customer would go, without token.
    public let destination: URL?
    /// The storefront in which the flow began (SK-91).
    public let storefront: String
    /// What the customer reads: our own words with the documented content.
    public let text: String

    /// A sheet.
    ///
    /// - Parameters:
    ///   - family: the API family.
    ///   - kind: what the sheet is for.
    ///   - destination: where the customer would go, without token.
    ///   - storefront: the storefront in which the flow began.
    package init(family: String, kind: Kind, destination: URL?, storefront: String) {
        self.family = family
        self.kind = kind
        self.destination = destination
        self.storefront = storefront
        let place = destination?.host().map { " at \($0)" } ?? ""
        text = """
            You are about to buy from the developer\(place), not from Apple. \
            Your App Store account and the payment method stored there are not used. \
            Apple cannot manage subscriptions bought this way and cannot take refund requests for them.
            """
    }
}

/// Shows a sheet to a customer and returns the answer.
///
/// The session waits for the answer as long as ``StoreKitSession/SessionInputs/presenterTimeout`` allows.
public protocol SheetPresenter: Sendable {
    /// Shows the sheet and waits for the answer.
    ///
    /// - Parameter request: what the sheet says.
    /// - Returns: the customer's choice.
    /// - Throws: whatever keeps the sheet from being shown; the flow then fails and nothing opens.
    func answer(_ request: SheetRequest) async throws -> SheetAnswer
}
