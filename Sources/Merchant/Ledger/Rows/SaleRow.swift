import ExternalPurchaseCore

/// The columns of a sale.
enum SaleRow {
    typealias Column<Value> = RowColumn<StoredSale, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.sale.bundleId }
    static let saleId = Column("sale_id", .rawValue, written: .once) { $0.sale.saleId }
    static let lineItemId = Column("line_item_id", .rawValue, written: .once) { $0.lineItemId }
    static let takesBack = Column("takes_back", .optional(.rawValue), written: .once) { $0.sale.takenBack }
    static let customerId = Column("customer_id", .optional(.rawValue), written: .once) { $0.sale.customerId }
    static let subscriptionId = Column("subscription_id", .optional(.text), written: .once) {
        $0.sale.subscriptionName
    }
    static let occurredAt = Column("occurred_at", .time, written: .once) { $0.sale.occurredAt }
    static let content = Column("content", .json, written: .once) { $0.sale.json.withoutCustomer }
    static let receivedAt = Column("received_at", .time, written: .once) { $0.receivedAt }
    static let state = RowColumn<Attribution, _>("state", .rawValue, written: .always) { $0.state }
    static let externalPurchaseId = RowColumn<Attribution, _>(
        "external_purchase_id",
        .optional(.rawValue),
        written: .always
    ) { $0.externalPurchaseId }
    static let environment = RowColumn<Attribution, _>("environment", .optional(.rawValue), written: .always) {
        $0.externalPurchaseId?.environment
    }
    static let holdCauses = RowColumn<Attribution, _>("hold_causes", .closedSet(), written: .always) { $0.holdCauses }
    static let review = RowColumn<Attribution, _>("review", .rawValue, written: .always) { $0.review }
    static let dispatch = RowColumn<Attribution, _>("dispatch", .rawValue, written: .always) { $0.dispatch }
    static let subscriptionDecision = RowColumn<Attribution, _>(
        "subscription_decision",
        .rawValue,
        written: .always
    ) { $0.subscriptionDecision }
    static let origin = RowColumn<Attribution, _>("origin", .rawValue, written: .always) { $0.origin }
    static let notes = RowColumn<Attribution, _>("notes", .set(), written: .always) { $0.notes }
    static let partOf = Column("part_of", .optional(.rawValue), written: .once) { $0.partOf }
    static let checkoutId = Column("checkout_id", .optional(.rawValue), written: .once) { $0.sale.checkoutId }
    static let productId = Column("product_id", .optional(.text), written: .once) { $0.sale.purchase?.productId }
    /// Written by the insertion of a report.
    static let requestKey = Column("request_key", .optional(.text), written: .elsewhere) {
        $0.requestIdentifier?.key
    }
    /// Written by the insertion of a manual export.
    static let exportId = Column("export_id", .optional(.rawValue), written: .elsewhere) { $0.exportId }
    /// The number of versions in ``SaleVersionRow``, maintained by a trigger.
    static let version = Column("version", .count, written: .elsewhere) { $0.version }

    static let table = RowTable<StoredSale>(
        "sales",
        [
            sequence, bundleId, saleId, lineItemId, takesBack, customerId, subscriptionId, occurredAt, content,
            receivedAt, state.of { $0.attribution }, externalPurchaseId.of { $0.attribution },
            environment.of { $0.attribution }, holdCauses.of { $0.attribution }, review.of { $0.attribution },
            dispatch.of { $0.attribution }, subscriptionDecision.of { $0.attribution }, origin.of { $0.attribution },
            notes.of { $0.attribution }, partOf, checkoutId, productId, requestKey, exportId, version,
        ],
        // Foreign key of older rows, and what lists search by; written by triggers, and with the lines of an order.
        besides: ["keys_version", "arrival_customer_id", "retyped", "has_lines", "is_retracted"]
    )
    static let attribution = RowTable<Attribution>(
        "sales",
        [
            state, externalPurchaseId, environment, holdCauses, review, dispatch, subscriptionDecision, origin, notes,
        ]
    )
    .update(where: "bundle_id = ? AND sale_id = ? AND request_key IS NULL AND export_id IS NULL")

    /// The columns that ``record(_:)`` reads, including those of the report and of the newest version.
    static let selection =
        ([
            sequence, customerId, receivedAt, state, externalPurchaseId, holdCauses, review, dispatch,
            subscriptionDecision, origin, notes, exportId, version, partOf, content, lineItemId,
        ] as [any WritableColumn])
        .map { "sales.\($0.name)" }
        .joined(separator: ", ") + """
            , reports.request_identifier, iif(reports.withdrawn_at IS NULL, reports.state, 'withdrawn') AS report_state,
                newest.content AS newest_content, newest.line_item_id AS newest_line_item_id,
                newest.customer_id AS newest_customer_id, newest.change
            """

    /// The record of a row that was inserted, as it would be read; nil if its content could not be.
    static func inserted(_ sale: StoredSale, at sequence: Int64) -> StoredSale? {
        guard let content = try? JSONReader().read(sale.sale.json.text), let content = Sale(stored: content) else {
            return nil
        }
        var record = sale.with(content)
        record.sequence = sequence
        return record
    }

    /// Reads a row of ``Query/selectSales``.
    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredSale {
        let version = try version.read(from: row)
        let isNewer = version > 1
        return StoredSale(
            sequence: try sequence.read(from: row),
            sale: isNewer
                ? try row.sale(content: "newest_content", customer: "newest_customer_id")
                : try row.sale(content: content.name, customer: customerId.name),
            lineItemId: isNewer
                ? LineItemId(try row.text("newest_line_item_id")) : try lineItemId.read(from: row),
            receivedAt: try receivedAt.read(from: row),
            attribution: Attribution(
                state: try state.read(from: row),
                externalPurchaseId: try externalPurchaseId.read(from: row),
                holdCauses: try holdCauses.read(from: row),
                review: try review.read(from: row),
                dispatch: try dispatch.read(from: row),
                subscriptionDecision: try subscriptionDecision.read(from: row),
                origin: try origin.read(from: row),
                notes: try notes.read(from: row)
            ),
            requestIdentifier: try row.optionalText("request_identifier").flatMap { RequestIdentifier($0) },
            reportState: try row.optionalText("report_state") == nil ? nil : try row.known("report_state"),
            exportId: try exportId.read(from: row),
            version: version,
            isRetracted: try row.optionalText("change") == SaleVersion.Change.retracted.rawValue,
            partOf: try partOf.read(from: row)
        )
    }
}

extension SQLRow {
    /// Returns the sale of a content without its customer, which is in a column of its own.
    func sale(content: String, customer: String) throws(LedgerError) -> Sale {
        var json = try json(content)
        if case .object(var object) = json, let customer = try optionalText(customer) {
            object.members.append(.init("customerId", .string(customer)))
            json = .object(object)
        }
        guard let sale = Sale(stored: json) else { throw .corrupt("the content of a sale cannot be read") }
        return sale
    }
}

extension JSONValue {
    var withoutCustomer: JSONValue {
        guard case .object(var object) = self else { return self }
        object.members.removeAll { $0.key == "customerId" }
        return .object(object)
    }
}
