package import ExternalPurchaseCore

/// A token of one of the merchant's apps as the ledger keeps it.
package struct StoredToken: Hashable, Sendable {
    /// The place in the order of arrival, from 1; 0 before it is stored.
    package var sequence: Int64
    /// The first known value of every field; only what a notification left open is filled in later (NT-61).
    package var token: ExternalPurchaseToken
    /// The text as received, which is evidence (TK-7); nil while only notifications have named the token (NT-62).
    package var text: String?
    package var state: TokenState
    package let firstSeen: FirstSeen
    /// The checkout that the token's receipt names at every repetition.
    package let checkoutId: CheckoutId
    package var customerId: CustomerId?
    package var storefront: StorefrontCode?
    package var flags: Set<TokenFlag>
    /// When the first report that names it was accepted; kept by the store.
    package var reportedAt: Timestamp?

    /// A row as a store reads it; nothing has a default, so that no column is forgotten.
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

    /// A token as it arrives.
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
    /// What each form shows of a token; a field stands twice where the forms have it in different places.
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

/// What is known of a token's truth (TK-72): only Apple can confirm it.
package enum TokenState: String, Hashable, Sendable, CaseIterable {
    /// Nobody but the bearer has named it.
    case unconfirmed
    /// A report with it was accepted, or a signed notification named it.
    case confirmed
    /// Apple answered that it does not know it (TK-74).
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

/// How a token came in.
package enum TokenSource: String, Hashable, Sendable, CaseIterable {
    /// From the app or the shop over an authenticated channel.
    case app
    /// From the address of a visit.
    case website
    /// From a signed notification.
    case notification
    /// From records of another system, taken over without being sent again.
    case imported
}

/// What a person should know of a token; unknown flags of newer versions are kept.
package struct TokenFlag: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nothing but sales say whose the token is: the link goes with them.
    package static let customerFromSale = Self(rawValue: "customer-from-sale")
    /// A later arrival named another customer; the first tie stays.
    package static let customerContradiction = Self(rawValue: "customer-contradiction")
    /// The checkout named already carried another token; the first tie stays.
    package static let checkoutContradiction = Self(rawValue: "checkout-contradiction")
    /// A later arrival under the same id had other fields; the first text stays.
    package static let contentContradiction = Self(rawValue: "content-contradiction")
    /// The query's `bundleId` is missing or not the token's (TK-65).
    package static let bundleMismatch = Self(rawValue: "bundle-mismatch")
    /// The query held more than one token; the first one counts (TK-65).
    package static let repeatedParameter = Self(rawValue: "repeated-parameter")
    /// Made more than five minutes ahead of the server's clock; not reported until then (TK-75).
    package static let suspicious = Self(rawValue: "suspicious")
    /// Its answer was refused, and a person closed the matter: it is answered again only when Apple asks.
    package static let reportRefused = Self(rawValue: "report-refused")
    /// The app has no base URL for the token's environment: kept and held.
    package static let noBaseURL = Self(rawValue: "no-base-url")

    /// The flags of this version.
    package static let known: [TokenFlag] = [
        .customerFromSale, .customerContradiction, .checkoutContradiction, .contentContradiction, .bundleMismatch,
        .repeatedParameter, .suspicious, .reportRefused, .noBaseURL,
    ]
}

/// What arrived as a token and is none of the merchant's: kept for the operator, never reported (TK-68, TK-75).
package struct QuarantinedToken: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Decodes, but names another app.
        case foreign
        /// Does not decode.
        case undecodable
    }

    /// The place in the order of arrival, from 1; 0 before it is stored.
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

/// What a checkout carries: the first token and the first customer that were tied to it.
package struct Checkout: Hashable, Sendable {
    package let checkoutId: CheckoutId
    package let bundleId: BundleId
    package var externalPurchaseId: ExternalPurchaseId?
    package var customerId: CustomerId?
    /// True while nothing but sales tie the token to it: the link goes with them.
    package var isTokenFromSale: Bool
    /// True while nothing but sales say whose it is: the link goes with them.
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
