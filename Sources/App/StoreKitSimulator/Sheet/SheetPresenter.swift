public import Foundation

/// A customer's answer to a sheet.
public enum SheetAnswer: Hashable, Sendable {
    /// The customer continues to the external purchase.
    case `continue`
    /// The customer continues and turns off later reminders.
    ///
    /// Only disclosures in the EU offer this; elsewhere it equals `continue` (SK-67).
    case continueWithoutReminders
    /// The customer declines.
    case cancel
}

/// A sheet that the system shows, as passed to the presenter (SK-68).
public struct SheetRequest: Hashable, Sendable {
    /// The purpose of a sheet.
    public enum Kind: String, Hashable, Sendable {
        /// A notice before an external purchase inside the app.
        case notice
        /// A confirmation before a link opens in the browser.
        case continuation
        /// A disclosure before an offer of custom links.
        case disclosure
        /// A confirmation before the account pages of a reader app open in the browser.
        case account
    }

    /// The API family, `ExternalPurchaseLink`.
    public let family: String
    /// The purpose of the sheet.
    public let kind: Kind
    /// The destination of the link, without token.
    public let destination: URL?
    /// The storefront in which the flow began (SK-91).
    public let storefront: String
    /// The text for the customer: this project's own words with the documented content.
    public let text: String

    /// Creates a sheet.
    ///
    /// - Parameters:
    ///   - family: the API family.
    ///   - kind: the purpose of the sheet.
    ///   - destination: the destination of the link, without token.
    ///   - storefront: the storefront in which the flow began.
    package init(family: String, kind: Kind, destination: URL?, storefront: String) {
        self.family = family
        self.kind = kind
        self.destination = destination
        self.storefront = storefront
        let place = destination?.host().map { " at \($0)" } ?? ""
        guard kind != .account else {
            text = """
                You are about to leave the app for the developer's website\(place), where you can make or manage an \
                account. Apple is not responsible for the privacy or security of this website.
                """
            return
        }
        text = """
            You are about to buy from the developer\(place), not from Apple. \
            Your App Store account and the payment method stored there are not used. \
            Apple cannot manage subscriptions bought this way and cannot take refund requests for them.
            """
    }
}

/// Shows a sheet to a customer and returns the answer.
///
/// The session waits for the answer for at most ``StoreKitSession/SessionInputs/presenterTimeout``.
public protocol SheetPresenter: Sendable {
    /// Shows the sheet and waits for the answer.
    ///
    /// - Parameter request: the sheet.
    /// - Returns: the customer's answer.
    /// - Throws: any error that prevents the sheet from being shown. The flow then fails and nothing is opened.
    func answer(_ request: SheetRequest) async throws -> SheetAnswer
}
