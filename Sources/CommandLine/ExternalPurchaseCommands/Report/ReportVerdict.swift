import CommandSupport
import ExternalPurchaseCore
import ReportValidation

/// What the report endpoint would answer to one body, for people and for programs.
struct ReportVerdict {
    /// The file, or `-`.
    let file: String
    /// The body as read, nil for a malformed one.
    let report: ReceivedReport?
    /// The row of spec/04 section 6 that a malformed body breaks.
    let malformed: MalformedReport?
    /// All errors in the order of RR-2.
    let errors: [ReportError]
    /// The codes of rules that stay open, because only a history decides them.
    let notJudged: [Int]

    /// True when the endpoint would answer 200, as far as was judged.
    var isAccepted: Bool { malformed == nil && errors.isEmpty }

    /// Judges a body.
    ///
    /// Without a history the token counts as known and plain. An error that it still draws stands whatever was accepted
    /// before, but for E3, which says that something was not.
    ///
    /// - Parameters:
    ///   - file: the file, or `-`.
    ///   - body: its bytes.
    ///   - judge: the rules with their settings.
    ///   - history: what was before, nil for nothing known.
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
                let found = judge.validate(report, history: slice, now: machine).filter { $0.errorCode != .notFound }
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

    /// The verdict for programs.
    ///
    /// - Parameter isNamed: true to say which file it is about.
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

    /// The verdict for people: one line, and one for each error.
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
        if !notJudged.isEmpty {
            let codes = notJudged.map { "E\($0)" }.joined(separator: ", ")
            lines.append(style.dim("  not judged without --history: \(codes)"))
        }
        return lines.joined(separator: "\n")
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

    /// The place of the item that the error is about; nil for the report itself or where several could be meant.
    private func position(of error: ReportError) -> Int? {
        guard let entry = error.errorCode.entry, entry.lineItem != .absent, let items = report?.lineItems else {
            return nil
        }
        let reportMembers = ["requestIdentifier", "externalPurchaseId", "status"]
        guard let field = error.fieldName, !reportMembers.contains(field) else { return nil }
        let candidates = items.indices.filter { items[$0].lineItemId == error.lineItemId }
        // Of two copies E1 falls on the later (RR-5).
        if error.errorCode == .duplicateValue { return candidates.last }
        return error.lineItemId == nil && candidates.count > 1 ? nil : candidates.first
    }
}
