import ExternalPurchaseCore
import Ledger
import Reporting

/// The timeline of a token, from Apple's creation of it to Apple's answers.
///
/// The rows of the ledger say what was stored, the audit log what happened besides: taps, repeated arrivals, and attempts
/// whose answer a later one replaced.
struct TokenTimeline {
    let record: TokenDetail
    let now: Timestamp

    var view: TimelineView {
        var events = [created, stored] + fromAudit
        events += record.sales.map(sale)
        events += record.notifications.map(notification)
        for report in record.reports { events += self.events(of: report) }
        for item in record.review { events += Self.events(of: item) }
        let sorted = events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
        let isCut = record.audit.count == TokenDetail.limit || record.sales.count == TokenDetail.limit
        return TimelineView(
            events: sorted,
            note: isCut ? "Only the first \(TokenDetail.limit) sales and entries of the audit log are read." : nil
        )
    }

    private var created: TimelineEvent {
        let at = record.token.token.tokenCreationDate
        return TimelineEvent(at: at, title: at > now ? "The date that the token names" : "Apple created the token")
    }

    private var stored: TimelineEvent {
        let token = record.token
        let source =
            switch token.firstSeen.source {
            case .app: "sent by the app or the shop"
            case .website: "named by a visit of a landing address"
            case .notification: "named by a notification of Apple"
            case .imported: "imported from another system"
            }
        return TimelineEvent(
            at: token.firstSeen.time,
            title: "Token stored",
            tone: .info,
            details: ["\(source); its checkout is \(token.checkoutId.rawValue)"]
        )
    }

    /// The entries that no row of the ledger tells.
    private var fromAudit: [TimelineEvent] {
        record.audit.compactMap { entry in
            let content = (try? JSONReader().read(entry.content))?.objectValue
            func text(_ name: String) -> String? { content?[name]?.stringValue }
            switch entry.kind {
            case "link-tapped":
                let at = content?["tappedAt"]?.int64Value.map { Timestamp(milliseconds: $0) } ?? entry.time
                return TimelineEvent(
                    at: at,
                    title: "Tap: visit of the landing address \(text("link") ?? "")",
                    tone: .info
                )
            case "token-seen":
                let source = text("source").map(Shown.words) ?? "unknown"
                let isContradiction = content?["contradictionSHA256"] != nil
                return TimelineEvent(
                    at: content?["seenAt"]?.int64Value.map { Timestamp(milliseconds: $0) } ?? entry.time,
                    title: isContradiction ? "Token arrived again with another content" : "Token arrived again",
                    tone: isContradiction ? .bad : .none,
                    details: ["source: \(source)"]
                )
            case "token-completed":
                return TimelineEvent(at: entry.time, title: "The token's text arrived", tone: .info)
            case "customer-settled":
                return TimelineEvent(
                    at: entry.time,
                    title: "A person settled whose token it is",
                    details: [[text("by"), text("reason")].compactMap(\.self).joined(separator: ": ")]
                )
            case "report-changed": return attempt(entry, text)
            default: return nil
            }
        }
    }

    /// A step of a report whose row has a later state by now.
    private func attempt(_ entry: AuditEntry, _ text: (String) -> String?) -> TimelineEvent? {
        guard let state = text("state").flatMap(ReportState.init(rawValue:)),
            let id = text("requestIdentifier").flatMap({ RequestIdentifier($0) })
        else { return nil }
        let report = record.reports.first { $0.requestIdentifier.key == id.key }
        let link = PageLink(report?.title ?? "Report", PagePath.report(report?.requestIdentifier ?? id))
        let conclusion = [text("conclusion")].compactMap(\.self)
        switch state {
        case .sending: return TimelineEvent(at: entry.time, title: "Sent to Apple", tone: .info, links: [link])
        case .unknown:
            return TimelineEvent(
                at: entry.time,
                title: "No conclusive answer from Apple",
                tone: .wait,
                links: [link],
                details: conclusion
            )
        case .written:
            return TimelineEvent(
                at: entry.time,
                title: "To be sent again",
                tone: .wait,
                links: [link],
                details: conclusion
            )
        case .withdrawn:
            return TimelineEvent(
                at: entry.time,
                title: "Report withdrawn by a person",
                links: [link],
                details: conclusion
            )
        case .accepted, .needsAttention: return nil
        }
    }

    private func sale(_ sale: StoredSale) -> TimelineEvent {
        let parts = [
            sale.sale.amountText, "dated \(Shown.time(sale.sale.occurredAt, seconds: true))",
            sale.sale.saleId.rawValue,
        ]
        return TimelineEvent(
            at: sale.receivedAt,
            title: "\(Shown.words(sale.sale.typeName).capitalizedFirst) stored",
            tone: .info,
            links: [PageLink(sale.sale.name, PagePath.sale(sale.sale.saleId.rawValue))],
            details: [parts.compactMap(\.self).joined(separator: " · ")]
        )
    }

    private func notification(_ notification: StoredNotification) -> TimelineEvent {
        let name = [notification.type.rawValue, notification.subtype?.rawValue].compactMap(\.self).joined(
            separator: " "
        )
        return TimelineEvent(
            at: notification.receivedAt,
            title: "Apple notified: \(name)",
            tone: notification.subtype?.rawValue == "UNREPORTED" ? .wait : .info,
            links: [
                PageLink(notification.title, PagePath.of("notifications", notification.uuid.rawValue))
            ],
            details: [notification.effect?.detail].compactMap(\.self)
        )
    }

    /// A report is usually written and passed to the network in one commit.
    private func title(ofWriting report: StoredReport) -> String {
        if report.isImported { return "Report imported" }
        let written = record.audit.first { entry in
            guard entry.kind == "report-written", let content = (try? JSONReader().read(entry.content))?.objectValue
            else { return false }
            return content["requestIdentifier"]?.stringValue == report.requestIdentifier.key
                && content["state"]?.stringValue == ReportState.sending.rawValue
        }
        return written == nil ? "Report written" : "Report written and sent to Apple"
    }

    private func events(of report: StoredReport) -> [TimelineEvent] {
        let link = PageLink(report.title, PagePath.report(report.requestIdentifier))
        let path = PagePath.report(report.requestIdentifier)
        let items = report.sentItems.count
        let what = items > 0 ? "with \(Shown.count(items, "line item"))" : "without line items"
        var events = [
            TimelineEvent(
                at: report.writtenAt,
                title: title(ofWriting: report),
                tone: .info,
                links: [link],
                details: ["\(report.status.rawValue) \(what)"],
                payloads: [PayloadView(label: "JSON sent", bytes: report.body, download: path + "/sent")]
            )
        ]
        guard let answer = report.answer else { return events }
        let title =
            switch report.state {
            case .accepted: "Apple accepted the report"
            case .needsAttention, .withdrawn: "The report was refused"
            case .written, .sending, .unknown: "Last answer of Apple"
            }
        let tone: Tone =
            switch report.state {
            case .accepted: .good
            case .needsAttention, .withdrawn: .bad
            case .written, .sending, .unknown: .wait
            }
        let status = answer.status.map { "status \($0): " } ?? ""
        events.append(
            TimelineEvent(
                at: answer.receivedAt,
                title: title,
                tone: tone,
                links: [link],
                details: [status + answer.conclusion]
                    + report.errors.map { ReportPages.words(of: $0) },
                payloads: [PayloadView(label: "JSON received", bytes: answer.body, download: path + "/received")]
            )
        )
        return events
    }

    static func events(of item: ReviewItem) -> [TimelineEvent] {
        let words = ReviewWords.of(item.kind)
        let link = PageLink(item.resolution == nil ? "What to do" : "The item", "/review/\(item.sequence)")
        var events = [
            TimelineEvent(
                at: item.openedAt,
                title: "Needs review: \(words.title)",
                tone: item.resolution == nil ? .bad : .wait,
                links: [link],
                details: [words.problem]
            )
        ]
        if let resolution = item.resolution {
            events.append(
                TimelineEvent(
                    at: resolution.resolvedAt,
                    title: "Review closed by \(resolution.by)",
                    tone: .good,
                    links: [link],
                    details: resolution.note.isEmpty ? [] : [resolution.note]
                )
            )
        }
        return events
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
