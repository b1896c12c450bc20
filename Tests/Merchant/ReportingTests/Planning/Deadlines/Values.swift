import ExternalPurchaseCore
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

func token(
    _ id: ExternalPurchaseId = "t",
    type: TokenType? = nil,
    created: String,
    expires: String? = nil,
    storefront code: String? = nil,
    taxCountries: [String] = [],
    received: String? = nil,
    isReported: Bool = false,
    heldFor: String? = nil
) throws -> DeadlineToken {
    DeadlineToken(
        id: id,
        bundleId: shop,
        type: type,
        createdAt: try moment(created),
        expiresAt: try expires.map(moment),
        storefront: try code.map(storefront),
        taxCountries: taxCountries,
        receivedAt: try received.map(moment),
        isReported: isReported,
        heldFor: heldFor
    )
}

func item(
    _ id: LineItemId = "i",
    created: String,
    settled: String? = nil,
    on token: ExternalPurchaseId? = nil,
    kind: ObligationOrigin.Token = .none,
    storefront code: String? = nil,
    taxCountry: String? = nil,
    isReported: Bool = false,
    heldFor: String? = nil
) throws -> DeadlineLineItem {
    DeadlineLineItem(
        id: id,
        bundleId: shop,
        createdAt: try moment(created),
        settledAt: try settled.map(moment),
        token: token,
        tokenKind: kind,
        storefront: try code.map(storefront),
        taxCountry: taxCountry,
        isReported: isReported,
        heldFor: heldFor
    )
}
