import CommandSupport
import ExternalPurchaseCore
import ReportValidation

/// The predicted response of the report endpoint to one body, as text and as JSON.
struct ReportVerdict {
    /// The name of the file, or `-`.
    let file: String
    /// The decoded body; nil for a malformed one.
    let report: ReceivedReport?
    /// The row of spec/04 section 6 that a malformed body violates.
    let malformed: MalformedReport?
    /// All errors in the order of RR-2.
    let errors: [ReportError]
    /// The codes of rules that were not evaluated, because they need a history.
    let notJudged: [Int]

    /// True when the endpoint would respond with 200, as far as the rules were evaluated.
    var isAccepted: Bool { malformed == nil && errors.isEmpty }

    /// Validates a body.
    ///
    /// Without a history, the token counts as known, and its type is not. Errors found this way apply to any history; E3,
    /// which is about something that is not accepted, and E37, which is about the type, stay open.
    ///
    /// - Parameters:
    ///   - file: the name of the file, or `-`.
    ///   - body: its bytes.
    ///   - judge: the rules with their settings.
    ///   - history: the history before the report; nil if unknown.
    ///   - machine: the machine's time.
    init(file: String, body: [UInt8], judge: ReportValidator, history: ReportHistory?, machine: Timestamp) {
        self.file = file
        do throws(MalformedReport) {
            let report = try ReceivedReport.read(body)
            self.report = report
            malformed = nil
            if let history {
                errors = judge.validate(report, history: history.slice(for: report), now: history.now ?? machine)
                notJudged = []
            } else {
                var slice = HistorySlice()
                slice.token = KnownToken(
                    creationDate: Timestamp(milliseconds: 0),
                    tokenType: nil,
                    expirationDate: nil
                )
                let found = judge.validate(report, history: slice, now: machine).filter {
                    ![.notFound, .duplicateTokenStatusNotAllowed].contains($0.errorCode)
                }
                errors = found
                notJudged = ReportValidator.rulesNeedingHistory.filter { code in
                    !found.contains { $0.errorCode.rawValue == code }
                }
            }
        } catch {
            report = nil
            malformed = error
            errors = []
            notJudged = []
        }
    }

    /// The result as JSON.
    ///
    /// - Parameter isNamed: true to include the name of the file.
    func json(isNamed: Bool) -> JSONValue {
        var members: [JSONObject.Member] = isNamed ? [.init("file", .string(file))] : []
        members += [
            .init("accepted", .bool(isAccepted)),
            .init("malformed", malformed.map { .string($0.rule.rawValue) } ?? .null),
            .init("message", malformed.map { .string($0.reason) } ?? .null),
            .init("errors", .array(errors.map(\.json))),
            .init("notJudged", .array(notJudged.map { .integer(Int64($0)) })),
        ]
        return .object(JSONObject(members))
    }

    /// The result as text: one line, and one for each error.
    func text(_ style: TerminalStyle) -> String {
        let name = file == "-" ? "standard input" : file.printable
        if let malformed {
            return "\(name): " + style.red("malformed") + " (\(malformed.rule.rawValue)): \(malformed.reason)"
        }
        var lines: [String] = []
        if errors.isEmpty {
            lines.append("\(name): " + style.green(notJudged.isEmpty ? "accepted" : "nothing wrong by itself"))
        } else {
            let count = errors.count == 1 ? "1 error" : "\(errors.count) errors"
            lines.append("\(name): " + style.red("refused with \(count)"))
            lines += errors.map { "  " + line($0) }
        }
        lines += remarks.map { "  note: \($0.printable)" }
        if !notJudged.isEmpty {
            let codes = notJudged.map { "E\($0)" }.joined(separator: ", ")
            lines.append(style.dim("  not judged without --history: \(codes)"))
        }
        return lines.joined(separator: "\n")
    }

    /// Values that no rule without a history refuses, and that cannot be what they should be.
    private var remarks: [String] {
        var remarks: [String] = []
        if let id = report?.externalPurchaseId?.rawValue, !id.isUUID, !id.hasPrefix("SANDBOX_") {
            switch Result(catching: { () throws(TokenDecodingError) in try ExternalPurchaseToken.decode(id) }) {
            case .success(let decoded):
                let right = decoded.token.externalPurchaseId
                remarks.append("externalPurchaseId is the whole token; the id in it is \(right)")
            case .failure(let error):
                let cause = error.cause.map { ": \($0)" } ?? ""
                remarks.append("externalPurchaseId is neither a UUID nor SANDBOX_ and a UUID\(cause)")
            }
        }
        for (index, item) in (report?.lineItems ?? []).enumerated() {
            guard let country = item.taxCountry, Country.alpha3(country) == nil,
                let meant = Country.meant(by: country)
            else { continue }
            remarks.append("lineItems[\(index)].taxCountry is \"\(country)\"; \(meant.alpha3) would be right")
            if remarks.count > 20 { break }
        }
        return remarks
    }

    private func line(_ error: ReportError) -> String {
        let name = error.errorCode.entry.map { " \($0.name)" } ?? ""
        var place = error.fieldName ?? ""
        var members: JSONObject? = report?.json.objectValue
        if let index = position(of: error) {
            place = "lineItems[\(index)].\(place)"
            members = report?.lineItems?[index].json.objectValue
        }
        let value = error.fieldName.flatMap { members?[$0] }.map { String(decoding: $0.encoded(), as: UTF8.self) }
        let id = error.lineItemId.map { JSONValue.string($0.rawValue).encoded() }
        let item = id.map { "item \(String(decoding: $0, as: UTF8.self)), " } ?? ""
        let remark = item + (value.map { "which is \($0)" } ?? "which is missing")
        return "\(error.errorCode)\(name): \(error.errorMessage) See \(place) (\(remark))."
    }

    /// The index of the item that the error is about; nil for the report itself or an ambiguous item.
    private func position(of error: ReportError) -> Int? {
        guard let entry = error.errorCode.entry, entry.lineItem != .absent, let items = report?.lineItems else {
            return nil
        }
        let reportMembers = ["requestIdentifier", "externalPurchaseId", "status"]
        guard let field = error.fieldName, !reportMembers.contains(field) else { return nil }
        let candidates = items.indices.filter { items[$0].lineItemId == error.lineItemId }
        // E1 is reported for the later of two equal items (RR-5).
        if error.errorCode == .duplicateValue { return candidates.last }
        return error.lineItemId == nil && candidates.count > 1 ? nil : candidates.first
    }
}
