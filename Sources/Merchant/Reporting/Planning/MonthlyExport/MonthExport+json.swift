import ExternalPurchaseCore

extension MonthExport {
    /// The members before the rows.
    ///
    /// Amounts are decimal text in units of their currency.
    var head: JSONObject {
        var programmeMembers: [JSONObject.Member] = [
            .init("id", .string(programme.id)), .init("title", .string(programme.title)),
            .init("effectiveFrom", .string(programme.effectiveFrom)),
        ]
        if let note = programme.effectiveNote { programmeMembers.append(.init("effectiveNote", .string(note))) }
        for figure in ["effectiveFrom", "calendar", "deadlineDays", "rates", "payment"] {
            guard let confidence = programme.confidence[figure] else { continue }
            programmeMembers.append(.init(figure + "Confidence", .string(confidence.words)))
        }
        return [
            "schemaVersion": .integer(1),
            "bundleId": .string(bundleId.rawValue),
            "programme": .object(JSONObject(programmeMembers)),
            "month": .object([
                ("id", .string(month.id)), ("calendar", .string(month.calendar.rawValue)),
                ("title", .string(month.description)), ("firstDay", .string(month.firstDay.description)),
                ("lastDay", .string(month.lastDay.description)),
            ]),
        ]
    }
}

extension ExportRow {
    /// The values of the CSV export with unchanged texts.
    func json(_ layout: ExportLayout) -> JSONValue {
        .object(
            layout.columns.map { column in
                switch cell(column.column) {
                case .text(let text), .figure(let text): (column.header, .string(text))
                case .empty: (column.header, .null)
                }
            }
        )
    }
}

extension Reconciliation {
    /// The reconciliation as JSON.
    var json: JSONValue {
        .object([
            ("sales", sales.json),
            ("days", .array(days.map { .object([("day", .string($0.day.description)), ("sales", $0.sales.json)]) })),
            (
                "tokens",
                .object([
                    ("made", .integer(Int64(tokens.made))),
                    (
                        "reported",
                        .object(
                            tokens.reported.sorted { $0.key.rawValue < $1.key.rawValue }
                                .map { ($0.key.rawValue, .integer(Int64($0.value))) }
                        )
                    ),
                    ("reportedByHand", .integer(Int64(tokens.reportedByHand))),
                    ("notReported", .integer(Int64(tokens.notReported))),
                ])
            ),
            ("reports", .integer(Int64(reports))),
            ("deadline", deadline.map { .string($0.description) } ?? .null),
            (
                "payment",
                .object([
                    ("due", payment.due.map { .string($0.description) } ?? .null),
                    ("reason", .string(payment.reason)),
                ])
            ),
            (
                "differences",
                .array(
                    differences.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("name", .string($0.name)),
                            ("message", .string($0.message)),
                        ])
                    }
                )
            ),
        ])
    }
}

extension Reconciliation.Sales {
    fileprivate var json: JSONValue {
        let counts = ExportRow.State.allCases.map { ($0.rawValue, JSONValue.integer(Int64(count[$0] ?? 0))) }
        return .object([
            ("count", .object(counts)),
            (
                "money",
                .array(
                    money.map { sum -> JSONValue in
                        func amount(_ value: Decimal) -> JSONValue { .string(sum.text(value)) }
                        return .object([
                            ("currency", .string(sum.currency)), ("bought", amount(sum.bought)),
                            ("refunded", amount(sum.refunded)), ("net", amount(sum.net)),
                            ("reportedNet", amount(sum.reportedNet)), ("notReported", amount(sum.notReported)),
                            ("refundsOfOthers", amount(sum.refundsOfOthers)),
                            ("refundedElsewhere", amount(sum.refundedElsewhere)),
                            ("estimate", sum.estimate.map(amount) ?? .null),
                            ("unknownEstimates", .integer(Int64(sum.unknownEstimates))),
                        ])
                    }
                )
            ),
        ])
    }
}

extension JSONValue {
    fileprivate static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { .init($0.0, $0.1) }))
    }
}
