package import ExternalPurchaseCore

/// The data that decide when a sale must be reported, for a sale in no accepted report and no manual export.
///
/// Sales that only record an event of a subscription are not open sales.
package struct OpenSale: Hashable, Sendable {
    /// The data of the token on which a sale is reported.
    package struct Token: Hashable, Sendable {
        package let externalPurchaseId: ExternalPurchaseId
        /// Nil for a plain token.
        package let type: TokenType?
        package let storefront: StorefrontCode?

        package init(externalPurchaseId: ExternalPurchaseId, type: TokenType?, storefront: StorefrontCode?) {
            self.externalPurchaseId = externalPurchaseId
            self.type = type
            self.storefront = storefront
        }
    }

    /// The sequence number in order of arrival, from 1.
    package let sequence: Int64
    package let bundleId: BundleId
    /// The environment in which the sale counts (``StoredSale/environment``).
    package let environment: AppStoreEnvironment
    /// The line item of the newest version.
    package let lineItemId: LineItemId
    package let occurredAt: Timestamp
    package let receivedAt: Timestamp
    /// Nil while the sale has no token.
    package let token: Token?
    /// The tax country of the newest version, ISO 3166-1 alpha-3; of a refund that of what it takes back.
    package let taxCountry: String?
    package let state: SaleState
    package let holdCauses: Set<HoldCause>
    package let review: SaleReview
    /// What a person reads about the sale.
    package let flags: Set<SaleFlag>
    /// The state of the report that holds the sale; nil if no report does.
    package let reportState: ReportState?
    package let customerId: CustomerId?
    package let productId: String?

    package init(
        sequence: Int64,
        bundleId: BundleId,
        environment: AppStoreEnvironment,
        lineItemId: LineItemId,
        occurredAt: Timestamp,
        receivedAt: Timestamp,
        token: Token?,
        taxCountry: String?,
        state: SaleState,
        holdCauses: Set<HoldCause>,
        review: SaleReview,
        flags: Set<SaleFlag>,
        reportState: ReportState?,
        customerId: CustomerId?,
        productId: String?
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.environment = environment
        self.lineItemId = lineItemId
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.token = token
        self.taxCountry = taxCountry
        self.state = state
        self.holdCauses = holdCauses
        self.review = review
        self.flags = flags
        self.reportState = reportState
        self.customerId = customerId
        self.productId = productId
    }

    /// The open row of a sale.
    package init(_ stored: StoredSale, on token: StoredToken?) {
        self.init(
            sequence: stored.sequence,
            bundleId: stored.sale.bundleId,
            environment: stored.environment,
            lineItemId: stored.lineItemId,
            occurredAt: stored.sale.occurredAt,
            receivedAt: stored.receivedAt,
            token: token.map { token in
                Token(
                    externalPurchaseId: token.token.externalPurchaseId,
                    type: token.token.tokenType,
                    storefront: token.storefront
                )
            },
            taxCountry: stored.sale.purchase?.taxCountry,
            state: stored.attribution.state,
            holdCauses: stored.attribution.holdCauses,
            review: stored.attribution.review,
            flags: stored.attribution.flags,
            reportState: stored.reportState,
            customerId: stored.sale.customerId,
            productId: stored.sale.purchase?.productId
        )
    }
}
