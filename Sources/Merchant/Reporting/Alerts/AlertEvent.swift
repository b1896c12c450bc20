import ExternalPurchaseCore
import Ledger
import Logging

/// An event that causes an alert: a row passed a step towards its due date, or a review item was opened (OB-51).
///
/// Tokens and sales are personal data (TK-77), so logs and messages contain only ``id``. `GET /v1/due` shows the same
/// identifier with the token or sale.
struct AlertEvent: Hashable, Sendable {
    enum Cause: Hashable, Sendable {
        case due(DeadlineEntry, DeadlineState)
        case review(ReviewItem)
    }

    let cause: Cause
    /// The identifier of the event; the same subject and step always have the same one.
    let id: String
    let crossedAt: Timestamp

    init(_ entry: DeadlineEntry, _ step: DeadlineState, crossedAt: Timestamp) {
        cause = .due(entry, step)
        id = Self.id(of: entry.subject, step)
        self.crossedAt = crossedAt
    }

    init(_ item: ReviewItem) {
        cause = .review(item)
        id = Self.id(of: item)
        crossedAt = item.openedAt
    }

    static func id(of subject: DeadlineSubject, _ step: DeadlineState) -> String {
        "\(subject.alertId)-\(step.alertName)"
    }

    /// The identifier of a review item: half of the SHA-256 over what it is about and when it was opened.
    ///
    /// The number of the item alone would not do: after an older copy of the ledger was restored, numbers are given again,
    /// and a receiver would take the alert of another item for a repetition.
    private static func id(of item: ReviewItem) -> String {
        let subject = item.subject.columns
        let parts = [
            item.bundleId.rawValue, item.kind.rawValue, subject.kind, subject.id, String(item.openedAt.milliseconds),
            String(item.sequence),
        ]
        return "attention-\(parts.joined(separator: "\n").utf8.sha256.hexadecimal.prefix(32))"
    }

    /// The name of the step: `overdue`, `2d` (days before the due date) or `opened`.
    var step: String {
        switch cause {
        case .due(_, let state): state.alertName
        case .review: "opened"
        }
    }

    var severity: AlertSeverity {
        switch cause {
        case .due(_, .overdue), .review: .error
        case .due: .warning
        }
    }

    /// The step towards a due date, for the audit log; nil for a review item.
    var deadline: AlertMark.Deadline? {
        guard case .due(let entry, let state) = cause else { return nil }
        let subject: AlertMark.Deadline.Subject =
            switch entry.subject.row {
            case .token(let token): .token(token.externalPurchaseId)
            case .sale(let sale): .lineItem(sale.lineItemId)
            }
        return AlertMark.Deadline(
            subject,
            of: entry.subject.bundleId,
            step: state.alertName,
            dueAt: entry.due?.moment
        )
    }

    func json(at now: Timestamp, settings: DeadlineSettings) -> JSONValue {
        var members: JSONObject = ["id": .string(id), "step": .string(step)]
        switch cause {
        case .due(let entry, _):
            members["kind"] = .string("due")
            members["about"] = .string(entry.subject.kind)
            members["bundleId"] = .string(entry.subject.bundleId.rawValue)
            members["environment"] = .string(entry.subject.environment.rawValue)
            members["dueAt"] = entry.due.map { .string($0.moment.description) } ?? .null
            members["daysLeft"] = entry.due.map { .integer(Int64($0.daysLeft(at: now))) } ?? .null
            members["sendAt"] = entry.sendMoment(settings).map { .string($0.description) } ?? .null
            members["heldFor"] = entry.subject.heldFor.map { .string($0) } ?? .null
            members["reason"] = .string(entry.reason)
        case .review(let item):
            members["kind"] = .string("attention")
            members["about"] = .string(item.subject.columns.kind)
            members["bundleId"] = .string(item.bundleId.rawValue)
            members["attention"] = .integer(item.sequence)
            members["reason"] = .string(item.kind.rawValue)
            members["openedAt"] = .string(item.openedAt.description)
        }
        return .object(members)
    }

    /// Writes one structured log line with subject, reason, due date and days left.
    func log(to logger: Logger, at now: Timestamp) {
        switch cause {
        case .due(let entry, let state):
            var metadata: Logger.Metadata = [
                "event": "\(id)", "what": "\(entry.subject.kind)", "app": "\(entry.subject.bundleId)",
                "environment": "\(entry.subject.environment.rawValue)", "step": "\(step)",
                "why": "\(entry.reason)",
            ]
            if let due = entry.due {
                metadata["due"] = "\(due.moment)"
                metadata["daysLeft"] = "\(due.daysLeft(at: now))"
            }
            if let held = entry.subject.heldFor { metadata["heldFor"] = "\(held)" }
            let isOverdue = state == .overdue
            logger.log(
                level: isOverdue ? .error : .warning,
                isOverdue ? "overdue and not reported" : "due soon and not reported",
                metadata: metadata
            )
        case .review(let item):
            logger.error(
                "a person is needed",
                metadata: [
                    "event": "\(id)", "what": "\(item.subject.columns.kind)", "app": "\(item.bundleId)",
                    "why": "\(item.kind.rawValue)", "since": "\(item.openedAt)",
                ]
            )
        }
    }
}

extension DeadlineState {
    var alertName: String {
        switch self {
        case .unconfirmed: "unconfirmed"
        case .open: "open"
        case .warned(let days): "\(days)d"
        case .overdue: "overdue"
        }
    }
}

extension DeadlineSubject {
    var kind: String { isToken ? "token" : "lineItem" }

    /// The identifier of the subject in alerts: half of the SHA-256 over kind, app and id, which reveals none of them.
    var alertId: String {
        let id =
            switch row {
            case .token(let token): token.externalPurchaseId.rawValue
            case .sale(let sale): sale.lineItemId.rawValue
            }
        return String("\(kind)\n\(bundleId)\n\(id)".utf8.sha256.hexadecimal.prefix(32))
    }
}
