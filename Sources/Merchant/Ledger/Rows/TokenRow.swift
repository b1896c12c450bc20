import ExternalPurchaseCore

/// The columns of a token.
enum TokenRow {
    typealias Column<Value> = RowColumn<StoredToken, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.token.bundleId }
    static let externalPurchaseId = Column("external_purchase_id", .rawValue, written: .once) {
        $0.token.externalPurchaseId
    }
    static let environment = Column("environment", .rawValue, written: .once) { $0.token.environment }
    static let appAppleId = Column("app_apple_id", .integer, written: .once) { $0.token.appAppleId }
    static let creationDate = Column("creation_date", .time, written: .once) { $0.token.tokenCreationDate }
    static let type = Column("token_type", .optional(.rawValue), written: .once) { $0.token.tokenType }
    static let expirationDate = Column("expiration_date", .optional(.time), written: .once) {
        $0.token.tokenExpirationDate
    }
    static let text = Column("text", .optional(.text), written: .once) { $0.text }
    static let state = Column("state", .rawValue, written: .always) { $0.state }
    static let source = Column("source", .rawValue, written: .once) { $0.firstSeen.source }
    static let firstSeen = Column("first_seen", .time, written: .once) { $0.firstSeen.time }
    static let checkoutId = Column("checkout_id", .rawValue, written: .once) { $0.checkoutId }
    static let customerId = Column("customer_id", .optional(.rawValue), written: .always) { $0.customerId }
    static let storefront = Column("storefront", .storefront, written: .always) { $0.storefront }
    static let customerSource = Column("customer_source", .rawValue, written: .always) { $0.customerSource }
    static let isCustomerClaimed = Column("customer_claimed", .flag, written: .always) { $0.isCustomerClaimed }
    static let periodChoice = Column("period_choice", .rawValue, written: .always) { $0.periodChoice }
    static let reporting = Column("reporting", .rawValue, written: .always) { $0.reporting }
    static let endpoint = Column("endpoint", .rawValue, written: .always) { $0.endpoint }
    static let notes = Column("notes", .set(), written: .always) { $0.notes }
    /// Written by a trigger when a report of the token is accepted.
    static let reportedAt = Column("reported_at", .optional(.time), written: .elsewhere) { $0.reportedAt }

    static let table = RowTable<StoredToken>(
        "tokens",
        [
            sequence, bundleId, externalPurchaseId, environment, appAppleId, creationDate, type, expirationDate, text,
            state, source, firstSeen, checkoutId, customerId, customerSource, isCustomerClaimed, storefront,
            periodChoice, reporting, endpoint, notes, reportedAt,
        ]
    )
    static let update = table.update(where: "bundle_id = ? AND external_purchase_id = ?")
    /// Adds the text's fields to a token that only notifications had named.
    static let completion = table.update(
        [text, type, expirationDate],
        where: "bundle_id = ? AND external_purchase_id = ? AND text IS NULL"
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredToken {
        StoredToken(
            sequence: try sequence.read(from: row),
            token: ExternalPurchaseToken(
                appAppleId: try appAppleId.read(from: row),
                bundleId: try bundleId.read(from: row),
                tokenCreationDate: try creationDate.read(from: row),
                externalPurchaseId: try externalPurchaseId.read(from: row),
                tokenType: try type.read(from: row),
                tokenExpirationDate: try expirationDate.read(from: row)
            ),
            text: try text.read(from: row),
            state: try state.read(from: row),
            firstSeen: FirstSeen(source: try source.read(from: row), time: try firstSeen.read(from: row)),
            checkoutId: try checkoutId.read(from: row),
            customerId: try customerId.read(from: row),
            customerSource: try customerSource.read(from: row),
            isCustomerClaimed: try isCustomerClaimed.read(from: row),
            storefront: try storefront.read(from: row),
            periodChoice: try periodChoice.read(from: row),
            reporting: try reporting.read(from: row),
            endpoint: try endpoint.read(from: row),
            notes: try notes.read(from: row),
            reportedAt: try reportedAt.read(from: row)
        )
    }
}
