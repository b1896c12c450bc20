import ExternalPurchaseCore

/// Consecutive rows of a file that are the lines of one order.
struct OrderLines: Sendable {
    /// The text that the rows share.
    let key: String
    /// The first row, from which a further one has what it leaves empty.
    let first: CSVReader.Record
    /// The line of each row, and the refund that the row tells.
    var lines: [(purchase: ProfileLayout.Draft, refund: ProfileLayout.Draft?)] = []
    /// True where a row is wrong.
    var isWrong = false

    init(key: String, first: CSVReader.Record) {
        self.key = key
        self.first = first
    }

    /// What is wrong with the rows of an order.
    struct Errors: Error {
        let list: [RowError]
    }

    /// The drafts of each sale: those of the order's lines, then its refunds.
    func sales() -> Result<[[ProfileLayout.Draft]], Errors> {
        var (purchases, errors) = purchases()
        let (refunds, wrongRefunds) = refunds()
        errors += wrongRefunds
        guard errors.isEmpty else { return .failure(Errors(list: errors)) }
        // The totals of lines are not that of the order.
        if purchases.count > 1, refunds.contains(where: { $0.values["refundOf"] != purchases[0].values["saleId"] }) {
            purchases[0].values["refundedTotal"] = nil
        }
        return .success([purchases] + refunds.map { [$0] })
    }

    /// The fields of an order; each line has its own product and amount.
    private static let shared = SalesColumns.fields.filter { field in
        field.path.first != "amount" && !SalesProfile.lineFields.contains(field.name) && field.name != "refundedTotal"
    }

    /// The lines; the first one has what any row says about the order.
    private func purchases() -> (lines: [ProfileLayout.Draft], errors: [RowError]) {
        guard var first = lines.first?.purchase else { return ([], []) }
        var errors: [RowError] = []
        for field in Self.shared {
            var known: (text: String, line: Int)?
            for line in lines.map(\.purchase) {
                guard let text = line.values[field.name] else { continue }
                guard let before = known else {
                    known = (text, line.line)
                    first.values[field.name] = text
                    first.titles[field.name] = line.titles[field.name]
                    continue
                }
                guard text != before.text else { continue }
                let title = line.titles[field.name].map { " (column '\($0)')" } ?? ""
                errors.append(
                    RowError(
                        line.line,
                        "\(field.name)\(title)",
                        "is \(text.quoted), and \(before.text.quoted) on line \(before.line): the order \(key.quoted) has one"
                    )
                )
            }
        }
        return ([first] + lines.dropFirst().map(\.purchase), errors)
    }

    /// The refunds that the rows tell: that of the order, or one of each line.
    ///
    /// The total is that of the line where the id of the refund has a column of the line. An id that is the same on all
    /// rows is that of the order's refund, whose total stands on the first row, or on several.
    private func refunds() -> (sales: [ProfileLayout.Draft], errors: [RowError]) {
        let told = lines.enumerated().compactMap { place, line in line.refund.map { (place, $0) } }
        let keys = Set(lines.map(\.purchase.refundKey))
        if lines.count > 1, keys.count == lines.count {
            let refunds = told.map { place, refund in
                var refund = refund
                refund.values["refundOf"] = refund.values["refundOf"].map { "\($0)/\(place + 1)" }
                return refund
            }
            return (refunds, [])
        }
        let total = lines.first?.refund
        let errors = told.compactMap { _, refund -> RowError? in
            if keys.count == 1, let total, refund.values == total.values { return nil }
            let sum = refund.values["refundedTotal"] ?? ""
            let other =
                keys.count > 1 ? "" : ", and the first row of the order has \(total?.values["refundedTotal"] ?? "none")"
            let title = refund.titles["refundedTotal"].map { " (column '\($0)')" } ?? ""
            return RowError(
                refund.line,
                "refundedTotal\(title)",
                "is \(sum)\(other): of which line the refund is cannot be told; refund.fields.saleId of a profile says it with "
                    + "a column that every line has another text in"
            )
        }
        return (total.map { [$0] } ?? [], errors)
    }
}
