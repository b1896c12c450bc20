package import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A sale with the figures of its line item, as the month export sees it.
package struct ExportSale: Hashable, Sendable {
    /// The caller's own name of the sale.
    package let saleId: String
    package let lineItemId: LineItemId
    /// The line item's `creationDate`.
    package let createdAt: Timestamp
    /// What it is in the words of line items: `ONE_TIME_BUY`, `SUBSCRIPTION_START`, `RENEWAL`, `REFUND` and so on.
    package let event: String
    /// Nil for refunds.
    package let product: String?
    /// Nil for refunds.
    package let quantity: Int64?
    /// The figures of the line item, the net after all refunds that are not held; nil while they cannot be computed, and
    /// for a refund that is held.
    package let amounts: LineItemAmounts?
    /// Alpha-3.
    package let taxCountry: String?
    /// Nil for the state `no-token` (OB-63).
    package let token: ExternalPurchaseId?
    /// What is known of that token's type.
    package let tokenKind: ObligationOrigin.Token
    /// The storefront given at intake.
    package let storefront: StorefrontCode?
    /// The version of the customer's system.
    package let system: OSVersion?
    /// The start of an event, the buy of a refund.
    package let reference: LineItemId?
    /// Why a person has to act before it can be reported; nil when nobody has to.
    ///
    /// A missing token alone is no such reason.
    package let heldFor: String?
    /// What the merchant gave, where no line of a report can be made of it yet.
    package let given: GivenMoney?
    /// What the estimate needs beside the amounts.
    package let estimate: EstimateDetails

    /// Money as the merchant gave it, in units of the currency billed.
    package struct GivenMoney: Hashable, Sendable {
        package let currency: String
        /// Nil for a refund of which only a total was given.
        package let inclusive: Decimal?
        /// Nil while it is not known.
        package let tax: Decimal?

        package init(currency: String, inclusive: Decimal?, tax: Decimal?) {
            self.currency = currency
            self.inclusive = inclusive
            self.tax = tax
        }
    }

    /// What the estimate of a sale needs beside its amounts.
    package struct EstimateDetails: Hashable, Sendable {
        package let kind: EstimateSubject.Kind
        /// Nil when it is not known.
        package let flow: ReportingProgramme.Flow?
        package let daysOfPaidService: Int?
        package let events: CustomerEvents

        package init(
            kind: EstimateSubject.Kind = .buy,
            flow: ReportingProgramme.Flow? = nil,
            daysOfPaidService: Int? = nil,
            events: CustomerEvents = CustomerEvents()
        ) {
            self.kind = kind
            self.flow = flow
            self.daysOfPaidService = daysOfPaidService
            self.events = events
        }
    }

    package init(
        saleId: String,
        lineItemId: LineItemId,
        createdAt: Timestamp,
        event: String,
        product: String? = nil,
        quantity: Int64? = nil,
        amounts: LineItemAmounts?,
        taxCountry: String?,
        token: ExternalPurchaseId? = nil,
        tokenKind: ObligationOrigin.Token = .none,
        storefront: StorefrontCode? = nil,
        system: OSVersion? = nil,
        reference: LineItemId? = nil,
        heldFor: String? = nil,
        given: GivenMoney? = nil,
        estimate: EstimateDetails = EstimateDetails()
    ) {
        self.saleId = saleId
        self.lineItemId = lineItemId
        self.createdAt = createdAt
        self.event = event
        self.product = product
        self.quantity = quantity
        self.amounts = amounts
        self.taxCountry = taxCountry
        self.token = token
        self.tokenKind = tokenKind
        self.storefront = storefront
        self.system = system
        self.reference = reference
        self.heldFor = heldFor
        self.given = given
        self.estimate = estimate
    }

    /// True for a refund or chargeback.
    package var isRefund: Bool { estimate.kind == .refund }
}

/// A token as the month export sees it.
package struct ExportToken: Hashable, Sendable {
    package let id: ExternalPurchaseId
    /// Nil for a plain token.
    package let type: TokenType?
    package let createdAt: Timestamp
    package let storefront: StorefrontCode?
    /// The tax countries of the sales on it, alpha-3.
    package let taxCountries: [String]
    /// The version of the customer's system.
    package let system: OSVersion?

    package init(
        id: ExternalPurchaseId,
        type: TokenType?,
        createdAt: Timestamp,
        storefront: StorefrontCode? = nil,
        taxCountries: [String] = [],
        system: OSVersion? = nil
    ) {
        self.id = id
        self.type = type
        self.createdAt = createdAt
        self.storefront = storefront
        self.taxCountries = taxCountries
        self.system = system
    }
}

/// A report that Apple accepted, as the month export sees it.
package struct ExportReport: Hashable, Sendable {
    /// A line item as it was accepted.
    package struct Item: Hashable, Sendable {
        package let id: LineItemId
        package let createdAt: Timestamp
        package let taxExclusive: MilliUnits
        package let net: MilliUnits
        package let currency: String
        /// The start of an event, the buy of a refund.
        package let reference: LineItemId?
        /// True for a refund.
        package let isRefund: Bool
        /// True for `erroneouslySubmitted`.
        package let isRetracted: Bool

        package init(
            id: LineItemId,
            createdAt: Timestamp,
            taxExclusive: MilliUnits,
            net: MilliUnits,
            currency: String,
            reference: LineItemId? = nil,
            isRefund: Bool = false,
            isRetracted: Bool = false
        ) {
            self.id = id
            self.createdAt = createdAt
            self.taxExclusive = taxExclusive
            self.net = net
            self.currency = currency
            self.reference = reference
            self.isRefund = isRefund
            self.isRetracted = isRetracted
        }
    }

    package let requestIdentifier: RequestIdentifier
    package let token: ExternalPurchaseId
    package let status: ReportStatus
    package let acceptedAt: Timestamp
    package let items: [Item]

    package init(
        requestIdentifier: RequestIdentifier,
        token: ExternalPurchaseId,
        status: ReportStatus,
        acceptedAt: Timestamp,
        items: [Item] = []
    ) {
        self.requestIdentifier = requestIdentifier
        self.token = token
        self.status = status
        self.acceptedAt = acceptedAt
        self.items = items
    }
}

/// Everything of one app and environment that a month export draws on; what belongs elsewhere is left out by itself.
package struct ExportInput: Hashable, Sendable {
    package var bundleId: BundleId
    package var sales: [ExportSale]
    package var tokens: [ExportToken]
    /// In the order of acceptance.
    package var reports: [ExportReport]
    /// Sales submitted by hand, by sale id.
    package var handedInSales: [String: ManualSubmission]
    /// Tokens submitted by hand.
    package var handedInTokens: [ExternalPurchaseId: ManualSubmission]
    /// The programmes of Apple's that the developer takes part in.
    package var developerProgrammes: Set<String>

    package init(
        bundleId: BundleId,
        sales: [ExportSale] = [],
        tokens: [ExportToken] = [],
        reports: [ExportReport] = [],
        handedInSales: [String: ManualSubmission] = [:],
        handedInTokens: [ExternalPurchaseId: ManualSubmission] = [:],
        developerProgrammes: Set<String> = []
    ) {
        self.bundleId = bundleId
        self.sales = sales
        self.tokens = tokens
        self.reports = reports
        self.handedInSales = handedInSales
        self.handedInTokens = handedInTokens
        self.developerProgrammes = developerProgrammes
    }
}
