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
    package var customerSource: CustomerSource
    /// True while only public arrivals lead to the customer, so that anybody may have named it (TK-78).
    package var isCustomerClaimed: Bool
    package var storefront: StorefrontCode?
    package var periodChoice: TokenPeriodChoice
    package var reporting: TokenReporting
    package var endpoint: BaseURLStatus
    package var notes: Set<TokenNote>
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
        customerSource: CustomerSource,
        isCustomerClaimed: Bool,
        storefront: StorefrontCode?,
        periodChoice: TokenPeriodChoice,
        reporting: TokenReporting,
        endpoint: BaseURLStatus,
        notes: Set<TokenNote>,
        reportedAt: Timestamp?
    ) {
        self.sequence = sequence
        self.token = token
        self.text = text
        self.state = state
        self.firstSeen = firstSeen
        self.checkoutId = checkoutId
        self.customerId = customerId
        self.customerSource = customerSource
        self.isCustomerClaimed = isCustomerClaimed
        self.storefront = storefront
        self.periodChoice = periodChoice
        self.reporting = reporting
        self.endpoint = endpoint
        self.notes = notes
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
        endpoint: BaseURLStatus = .configured,
        notes: Set<TokenNote> = []
    ) {
        self.init(
            sequence: 0,
            token: token,
            text: text,
            state: state,
            firstSeen: firstSeen,
            checkoutId: checkoutId,
            customerId: customerId,
            customerSource: .stated,
            isCustomerClaimed: customerId != nil && firstSeen.source == .website,
            storefront: storefront,
            periodChoice: .undecided,
            reporting: .whenDue,
            endpoint: endpoint,
            notes: notes,
            reportedAt: nil
        )
    }

    /// Returns the stored token with what a later arrival adds to it.
    ///
    /// Each column is named, so that the compiler finds the place where a new one has to be decided.
    func merged(with other: StoredToken, contradicting: Bool) -> StoredToken {
        var (text, token) = (text, token)
        // Only the first arrival can mark a token as suspicious, because the clock has advanced since then.
        var notes = notes.union(other.notes.subtracting([.suspicious]))
        if contradicting {
            notes.insert(.contentContradiction)
        } else if text == nil, let delivered = other.text {
            text = delivered
            token = ExternalPurchaseToken(
                appAppleId: token.appAppleId,
                bundleId: token.bundleId,
                tokenCreationDate: token.tokenCreationDate,
                externalPurchaseId: token.externalPurchaseId,
                tokenType: token.tokenType ?? other.token.tokenType,
                tokenExpirationDate: token.tokenExpirationDate ?? other.token.tokenExpirationDate
            )
        }
        let isConfirmed = other.state == .confirmed && other.firstSeen.source == .notification
        // A person's decision that it is nobody's holds against public arrivals.
        let named = customerSource == .removed && other.isCustomerClaimed ? nil : other.customerId
        if differ(customerId, other.customerId) { notes.insert(.customerContradiction) }
        return StoredToken(
            sequence: sequence,
            token: token,
            text: text,
            state: isConfirmed ? .confirmed : state,
            firstSeen: firstSeen,
            checkoutId: checkoutId,
            customerId: customerId ?? named,
            customerSource: customerId == nil && named != nil ? .stated : customerSource,
            isCustomerClaimed: customerId == nil ? named != nil && other.isCustomerClaimed : isCustomerClaimed,
            storefront: storefront ?? other.storefront,
            periodChoice: periodChoice,
            reporting: reporting,
            endpoint: other.endpoint == .missing ? .missing : endpoint,
            notes: notes,
            reportedAt: reportedAt
        )
    }

    package var scope: ReportingScope {
        ReportingScope(bundleId: token.bundleId, environment: token.environment)
    }

    /// What a person reads about the token; the virtual column `flags` of the database is the same set.
    package var flags: Set<TokenFlag> {
        var flags = Set(notes.map { TokenFlag($0) })
        if customerSource == .sales { flags.insert(.customerFromSale) }
        if periodChoice == .chosen { flags.insert(.chosen) }
        if reporting == .onRequest { flags.insert(.reportRefused) }
        if endpoint == .missing { flags.insert(.noBaseURL) }
        return flags
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
        .init("customerClaim", in: .audit, .archive) { .text($0.isCustomerClaimed ? "claimed" : nil) },
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

/// How the customer of a token became known.
package enum CustomerSource: String, Hashable, Sendable, CaseIterable {
    /// An arrival or a person named the customer, or the token has none.
    case stated
    /// Only sales named the customer; the link ends when those sales do.
    case sales
    /// A person removed the customer: public arrivals name none any more, authenticated sources and sales may (TK-78).
    case removed
}

/// Whether a token was chosen among the tokens of its customer's period.
package enum TokenPeriodChoice: String, Hashable, Sendable, CaseIterable {
    case undecided
    /// The token receives the customer's sales of the period; the choice is permanent (RR-60).
    case chosen
}

/// The occasion on which a token without sales is reported.
package enum TokenReporting: String, Hashable, Sendable, CaseIterable {
    /// At its deadline, or when Apple requests it.
    case whenDue
    /// Only when Apple requests it: its report was refused and a person closed the review item.
    case onRequest
}

/// Whether the app had a base URL for the environment of a token when the token arrived.
package enum BaseURLStatus: String, Hashable, Sendable, CaseIterable {
    case configured
    /// The token is stored but not reported.
    case missing
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
        ["source": .string(source.rawValue), "at": .string(time.description)]
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

/// The token and the customer of a checkout: the first ones that an authenticated source named, else the first token
/// that a public one claims (TK-78).
package struct Checkout: Hashable, Sendable {
    package let checkoutId: CheckoutId
    package let bundleId: BundleId
    /// While ``tokenClaim`` is `contested`, the first token that claims the checkout; it does not count for more than the
    /// others.
    package var externalPurchaseId: ExternalPurchaseId?
    /// Named by an authenticated source or a sale; public arrivals name customers of tokens only.
    package var customerId: CustomerId?
    /// True while only sales link the token to the checkout; the link ends when those sales do.
    package var isTokenFromSale: Bool
    /// True while only sales link the customer to the checkout; the link ends when those sales do.
    package var isCustomerFromSale: Bool
    package var tokenClaim: TokenClaim

    /// Who says that the token belongs to the checkout (TK-78).
    package enum TokenClaim: String, Hashable, Sendable, CaseIterable {
        /// An authenticated source or a sale, or nobody while the checkout has no token.
        case authenticated
        /// Public arrivals of one token.
        case claimed
        /// Public arrivals of several tokens; the ledger stores every claim.
        case contested
        /// An authenticated source or a sale, after or before public arrivals of other tokens; the ledger stores their
        /// claims.
        case replaced
    }

    package init(
        checkoutId: CheckoutId,
        bundleId: BundleId,
        externalPurchaseId: ExternalPurchaseId? = nil,
        customerId: CustomerId? = nil,
        isTokenFromSale: Bool = false,
        isCustomerFromSale: Bool = false,
        tokenClaim: TokenClaim = .authenticated
    ) {
        self.checkoutId = checkoutId
        self.bundleId = bundleId
        self.externalPurchaseId = externalPurchaseId
        self.customerId = customerId
        self.isTokenFromSale = isTokenFromSale
        self.isCustomerFromSale = isCustomerFromSale
        self.tokenClaim = tokenClaim
    }
}

/// A token that a public arrival named for a checkout which has another one, or several (TK-78).
package struct CheckoutClaim: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    package let checkoutId: CheckoutId
    package let externalPurchaseId: ExternalPurchaseId

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        checkoutId: CheckoutId,
        externalPurchaseId: ExternalPurchaseId
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.checkoutId = checkoutId
        self.externalPurchaseId = externalPurchaseId
    }
}
