package import ExternalPurchaseCore

/// A token of one of the merchant's apps, as stored in the ledger.
package struct StoredToken: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    /// The token's fields with their first known values; only values missing in a notification are added later (NT-61).
    package var token: ExternalPurchaseToken
    /// The text as received, which is evidence (TK-7); nil while only notifications have named the token (NT-62).
    package var text: String?
    package var state: TokenState
    package let firstSeen: FirstSeen
    /// The checkout id in the response to the token's delivery, which is the same for every repetition.
    package let checkoutId: CheckoutId
    package var customerId: CustomerId?
    package var storefront: StorefrontCode?
    package var flags: Set<TokenFlag>
    /// The time at which the first report of the token was accepted; set by the store.
    package var reportedAt: Timestamp?

    /// Creates a token from a stored row; no parameter has a default, so that no column is forgotten.
    package init(
        sequence: Int64,
        token: ExternalPurchaseToken,
        text: String?,
        state: TokenState,
        firstSeen: FirstSeen,
        checkoutId: CheckoutId,
        customerId: CustomerId?,
        storefront: StorefrontCode?,
        flags: Set<TokenFlag>,
        reportedAt: Timestamp?
    ) {
        self.sequence = sequence
        self.token = token
        self.text = text
        self.state = state
        self.firstSeen = firstSeen
        self.checkoutId = checkoutId
        self.customerId = customerId
        self.storefront = storefront
        self.flags = flags
        self.reportedAt = reportedAt
    }

    /// Creates a token for an arrival.
    package init(
        token: ExternalPurchaseToken,
        text: String?,
        state: TokenState = .unconfirmed,
        firstSeen: FirstSeen,
        checkoutId: CheckoutId,
        customerId: CustomerId? = nil,
        storefront: StorefrontCode? = nil,
        flags: Set<TokenFlag> = []
    ) {
        self.init(
            sequence: 0,
            token: token,
            text: text,
            state: state,
            firstSeen: firstSeen,
            checkoutId: checkoutId,
            customerId: customerId,
            storefront: storefront,
            flags: flags,
            reportedAt: nil
        )
    }

    package var scope: ReportingScope {
        ReportingScope(bundleId: token.bundleId, environment: token.environment)
    }
}

extension StoredToken {
    /// The fields of a token, with their name in each record form.
    ///
    /// A field is listed twice where the forms have it at different positions.
    package static let fields = RecordFields<StoredToken>([
        .init("token", in: .audit) { .json($0.token.json) },
        .init("textSHA256", in: .audit) { .json($0.text.map { .digest($0.utf8) }) },
        .init("externalPurchaseId", in: .archive, .list) { .text($0.token.externalPurchaseId.rawValue) },
        .init("bundleId", in: .list) { .text($0.token.bundleId.rawValue) },
        .init("environment", in: .archive) { .text($0.token.environment.rawValue) },
        .init("appAppleId", in: .archive, .list) { .integer($0.token.appAppleId) },
        .init("environment", in: .list) { .text($0.token.environment.rawValue) },
        .init("family", in: .list) { .text($0.token.family.interfaceName) },
        .init("tokenType", in: .archive, .list) { .text($0.token.tokenType?.rawValue) },
        .init("creationDate", in: .archive) { .time($0.token.tokenCreationDate) },
        .init("tokenCreationDate", in: .list) { .integer($0.token.tokenCreationDate.milliseconds) },
        .init("expirationDate", in: .archive) { .time($0.token.tokenExpirationDate) },
        .init("tokenExpirationDate", in: .list) { .integer($0.token.tokenExpirationDate?.milliseconds) },
        .init("state", in: .audit, .archive, .list) { .text($0.state.rawValue) },
        .init("flags", in: .list) { .texts($0.flags.map(\.rawValue)) },
        .init("source", in: .audit, .archive) { .text($0.firstSeen.source.rawValue) },
        .init("firstSeen", in: .audit, .archive) { .time($0.firstSeen.time) },
        .init("checkoutId", in: .audit, .archive, .list) { .text($0.checkoutId.rawValue) },
        .init([.audit: "customer", .archive: "customer", .list: "customerId"]) { .customer($0.customerId) },
        .init("storefront", in: .audit, .archive, .list) { .text($0.storefront?.alpha3) },
        .init("firstSeen", in: .list) { .json($0.firstSeen.json) },
        .init("flags", in: .audit, .archive) { .texts($0.flags.map(\.rawValue)) },
        .init("reportedAt", in: .archive) { .time($0.reportedAt) },
        .init("text", in: .archive) { .text($0.text) },
    ])
}

/// Whether a token is genuine, which only Apple can confirm (TK-72).
package enum TokenState: String, Hashable, Sendable, CaseIterable {
    /// Only the sender of the token has named it.
    case unconfirmed
    /// Apple accepted a report of the token, or a signed notification named it.
    case confirmed
    /// Apple responded that it does not know the token (TK-74).
    case unknownToApple
}

/// Where and when a token was first seen.
package struct FirstSeen: Hashable, Sendable {
    package let source: TokenSource
    package let time: Timestamp

    package init(source: TokenSource, time: Timestamp) {
        self.source = source
        self.time = time
    }
}

extension FirstSeen {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([.init("source", .string(source.rawValue)), .init("at", .string(time.description))])
        )
    }
}

/// The way a token arrived.
package enum TokenSource: String, Hashable, Sendable, CaseIterable {
    /// Sent by the app or the shop over an authenticated channel.
    case app
    /// Read from the query of a visited landing address.
    case website
    /// Named by a signed notification.
    case notification
    /// Imported from another system; it is not reported again.
    case imported
}

/// A note about a token for the operator; unknown flags of newer versions are preserved.
package struct TokenFlag: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The customer is known from sales only; the link ends when those sales do.
    package static let customerFromSale = Self(rawValue: "customer-from-sale")
    /// A later arrival named another customer; the first link stays.
    package static let customerContradiction = Self(rawValue: "customer-contradiction")
    /// The named checkout already had another token; the first link stays.
    package static let checkoutContradiction = Self(rawValue: "checkout-contradiction")
    /// A later arrival with the same id had other fields; the first text stays.
    package static let contentContradiction = Self(rawValue: "content-contradiction")
    /// The query parameter `bundleId` is missing or differs from the token's (TK-65).
    package static let bundleMismatch = Self(rawValue: "bundle-mismatch")
    /// The query contained several tokens; the first one is used (TK-65).
    package static let repeatedParameter = Self(rawValue: "repeated-parameter")
    /// The creation date is more than five minutes after the server's time; not reported until then (TK-75).
    package static let suspicious = Self(rawValue: "suspicious")
    /// Its report was refused and a person closed the review item; it is reported again only when Apple requests it.
    package static let reportRefused = Self(rawValue: "report-refused")
    /// The app has no base URL for the token's environment; the token is stored but not reported.
    package static let noBaseURL = Self(rawValue: "no-base-url")

    /// All flags of this version.
    package static let known: [TokenFlag] = [
        .customerFromSale, .customerContradiction, .checkoutContradiction, .contentContradiction, .bundleMismatch,
        .repeatedParameter, .suspicious, .reportRefused, .noBaseURL,
    ]
}

/// A text that arrived as a token but is not a token of the merchant; stored for the operator, never reported.
///
/// The rules are TK-68 and TK-75.
package struct QuarantinedToken: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// A valid token of another app.
        case foreign
        /// A text that cannot be decoded.
        case undecodable
    }

    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let text: String
    package let reason: Reason
    /// One sentence for the operator.
    package let detail: String
    package let firstSeen: FirstSeen

    package init(sequence: Int64 = 0, text: String, reason: Reason, detail: String, firstSeen: FirstSeen) {
        self.sequence = sequence
        self.text = text
        self.reason = reason
        self.detail = detail
        self.firstSeen = firstSeen
    }
}

/// The token and the customer that were first linked to a checkout.
package struct Checkout: Hashable, Sendable {
    package let checkoutId: CheckoutId
    package let bundleId: BundleId
    package var externalPurchaseId: ExternalPurchaseId?
    package var customerId: CustomerId?
    /// True while only sales link the token to the checkout; the link ends when those sales do.
    package var isTokenFromSale: Bool
    /// True while only sales link the customer to the checkout; the link ends when those sales do.
    package var isCustomerFromSale: Bool

    package init(
        checkoutId: CheckoutId,
        bundleId: BundleId,
        externalPurchaseId: ExternalPurchaseId? = nil,
        customerId: CustomerId? = nil,
        isTokenFromSale: Bool = false,
        isCustomerFromSale: Bool = false
    ) {
        self.checkoutId = checkoutId
        self.bundleId = bundleId
        self.externalPurchaseId = externalPurchaseId
        self.customerId = customerId
        self.isTokenFromSale = isTokenFromSale
        self.isCustomerFromSale = isCustomerFromSale
    }
}
