import ExternalPurchaseCore
import Ledger
import Testing

@testable import Reporting

/// A moment from RFC 3339; a text without time is midnight in UTC.
func moment(_ text: String) throws -> Timestamp {
    let full = text.contains("T") ? text : text + "T00:00:00Z"
    return try #require(Timestamp(rfc3339: full), "\(text)")
}

/// The last millisecond of a day in UTC, as RR-71 ends deadlines.
func endOfDay(_ text: String) throws -> Timestamp {
    try moment(text).advanced(by: .days(1) - .milliseconds(1))
}

func storefront(_ code: String) throws -> StorefrontCode { try #require(StorefrontCode(code)) }

let day = Duration.days(1)
let shop: BundleId = "com.example.shop"

/// The built-in programmes under the default settings; preparing them once keeps tests quick.
let builtInRules = DeadlineRules()

/// A row of a token that nothing holds.
func token(
    _ id: ExternalPurchaseId = "t",
    type: TokenType? = nil,
    created: String,
    expires: String? = nil,
    storefront code: String? = nil,
    taxCountries: [String] = []
) throws -> OpenRow {
    token(id, type, try moment(created), try expires.map(moment), try code.map(storefront), taxCountries)
}

func token(
    _ id: ExternalPurchaseId,
    _ type: TokenType?,
    _ createdAt: Timestamp,
    _ expiresAt: Timestamp? = nil,
    _ storefront: StorefrontCode? = nil,
    _ taxCountries: [String] = []
) -> OpenRow {
    .token(
        OpenToken(
            sequence: 1,
            bundleId: shop,
            externalPurchaseId: id,
            type: type,
            createdAt: createdAt,
            expiresAt: expiresAt,
            storefront: storefront,
            state: .confirmed,
            reporting: .whenDue,
            endpoint: .configured,
            firstSeen: FirstSeen(source: .website, time: createdAt),
            isKnownFromNotificationsOnly: false,
            isUnconfirmedVisit: false,
            taxCountries: taxCountries,
            customerId: nil,
            hasRefusedReport: false
        )
    )
}

/// A row of a sale that arrives at the moment of its creation.
func item(
    _ id: LineItemId = "i",
    created: String,
    on token: ExternalPurchaseId? = nil,
    kind: TokenType? = nil,
    storefront code: String? = nil,
    taxCountry: String? = nil
) throws -> OpenRow {
    let storefront = try code.map(storefront)
    return .sale(
        OpenSale(
            sequence: 1,
            bundleId: shop,
            environment: .production,
            lineItemId: id,
            occurredAt: try moment(created),
            receivedAt: try moment(created),
            token: token.map { OpenSale.Token(externalPurchaseId: $0, type: kind, storefront: storefront) },
            taxCountry: taxCountry,
            state: .planned,
            holdCauses: [],
            review: .open,
            flags: [],
            reportState: nil,
            customerId: nil,
            productId: nil
        )
    )
}

extension OpenRow {
    /// The entry of the row under the built-in rules.
    func entry(_ readiness: HoldClassifier.Readiness = .scheduled) -> DeadlineEntry {
        DeadlineSubject(row: self, readiness: readiness).entry(by: builtInRules)
    }
}
