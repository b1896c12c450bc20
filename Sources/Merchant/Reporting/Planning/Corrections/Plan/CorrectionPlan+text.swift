import ExternalPurchaseCore

extension CorrectionPlan {
    /// The dry run as text for a person.
    var text: String {
        var lines: [String] = []
        for (index, step) in steps.enumerated() {
            let number = steps.count == 1 ? "report" : "report \(index + 1) of \(steps.count)"
            lines.append("\(number) on token \(step.externalPurchaseId)")
            for item in step.items { lines += item.textLines.map { "  \($0)" } }
            if step.predictedErrors.isEmpty {
                lines.append("  Apple would accept it")
            } else {
                lines.append("  Apple would refuse it:")
                lines += step.predictedErrors.map { "    \($0.plainText)" }
            }
        }
        lines += warnings.map { "warning \($0.code.rawValue): \($0.reason)" }
        lines += refusals.map { "refused \($0.code.rawValue): \($0.reason)" }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension ItemCorrection {
    fileprivate var textLines: [String] {
        let words =
            switch action {
            case .restate: "restate \(item.lineItemId)"
            case .retract: "retract \(item.lineItemId)"
            case .undo: "undo the retraction of \(item.lineItemId)"
            case .report: "report \(item.lineItemId)"
            }
        let why =
            switch cause {
            case .requested: ""
            case .comesAlong(let id): ", because it references \(id)"
            case .replaces(let id): " in place of \(id)"
            case .suspended(let id): ", set aside while \(id) changes"
            }
        let shown = changes.filter { $0.field != "lineItemId" && $0.field != "netAmountTaxExclusive" }
        return [words + why]
            + shown.map { change in
                let old = before.map { $0.text(change.old, of: change.field) } ?? "none"
                return "  \(change.field): \(old) → \(item.text(change.new, of: change.field))"
            } + [netLine]
    }

    private var netLine: String {
        let new = item.amounts.text(item.amounts.netTaxExclusive)
        guard let before else { return "  net: \(new)" }
        let old = before.amounts.text(before.amounts.netTaxExclusive)
        return old == new ? "  net: \(new), as before" : "  net: \(old) → \(new)"
    }
}

extension LineItem {
    /// The value of a member as text: amounts in units of the currency, times in RFC 3339.
    fileprivate func text(_ value: JSONValue?, of field: String) -> String {
        guard let value else { return "none" }
        if let number = value.int64Value {
            switch field {
            case "amountTaxExclusive", "taxAmount", "amountTaxInclusive":
                return amounts.text(MilliUnits(number))
            case "creationDate", "subscriptionStartDate", "subscriptionEndDate":
                return Timestamp(milliseconds: number).description
            default:
                return String(number)
            }
        }
        return value.stringValue ?? value.formatted()
    }
}

extension LineItemAmounts {
    /// An amount with its currency, such as `8.256 EUR`.
    fileprivate func text(_ amount: MilliUnits) -> String {
        "\(amount.unitsText(in: reportingCurrency)) \(reportingCurrency)"
    }
}

extension ReportError {
    /// The error as text with the item and field that it names.
    var plainText: String {
        let item = lineItemId.map { " of \($0)" } ?? ""
        let field = fieldName.map { "\($0)\(item): " } ?? ""
        return "\(errorCode) \(field)\(errorMessage)"
    }
}
