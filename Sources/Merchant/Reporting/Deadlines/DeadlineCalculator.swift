import ExternalPurchaseCore
package import Ledger

/// Computes the deadlines of rows that are not reported yet (spec/05 section 10, spec/07 section 4).
package struct DeadlineCalculator: Sendable {
    package let rules: DeadlineRules
    /// The time to wait for a device to deliver a token that only a notification has named (NT-65).
    let unrecognizedWait: Duration
    /// Decides which rows need a person.
    let classifier: HoldClassifier
    /// Identifies the computation; calculators with the same version compute the same deadlines.
    package let version: String

    /// The revision of the computation below; when it changes, the server computes all stored deadlines again.
    private static let revision = 3

    package init(
        rules: DeadlineRules,
        unrecognizedWait: Duration = .days(1),
        classifier: HoldClassifier = HoldClassifier()
    ) {
        self.rules = rules
        self.unrecognizedWait = unrecognizedWait
        self.classifier = classifier
        let settings = [
            rules.settings.sendLead, rules.settings.sendDelay, unrecognizedWait, classifier.tokenWait,
        ].map(\.wholeMilliseconds)
        let text =
            ([Int64(Self.revision)] + settings).map(String.init).joined(separator: " ") + "\n" + rules.fingerprint
        version = text.utf8.sha256.hexadecimal
    }

    /// Computes the deadline of an open row; nil if the row is not due.
    package func deadline(of row: OpenRow) -> StoredDeadline? {
        switch row {
        case .token(let token): deadline(of: token)
        case .sale(let sale): deadline(of: sale)
        }
    }

    private func deadline(of open: OpenToken) -> StoredDeadline? {
        let readiness = classifier.readiness(of: open)
        if readiness == .closed { return nil }
        return StoredDeadline(
            subject: StoredDeadline.Subject(isLineItem: false, sequence: open.sequence),
            bundleId: open.bundleId,
            environment: open.externalPurchaseId.environment,
            readiness: readiness.stored,
            isUnconfirmed: open.isUnconfirmedVisit,
            createdAt: open.createdAt,
            dueAt: rules.deadline(of: open)?.moment,
            // A token with a refused report is reported after a person has decided about the refusal.
            sendAt: open.hasRefusedReport ? nil : answerMoment(of: open),
            reviewAt: nil
        )
    }

    private func deadline(of open: OpenSale) -> StoredDeadline? {
        // Blocked apps and waiting times are applied when the deadline is read; at the arrival no wait is over.
        let arrival = open.receivedAt - .milliseconds(1)
        let readiness = classifier.readiness(of: open, blockedApps: [:], now: arrival)
        if readiness == .closed { return nil }
        let due = rules.deadline(of: .sale(open))?.moment
        let isSentByItself = readiness == .scheduled && open.token != nil && open.reportState == nil
        return StoredDeadline(
            subject: StoredDeadline.Subject(isLineItem: true, sequence: open.sequence),
            bundleId: open.bundleId,
            environment: open.environment,
            readiness: readiness.stored,
            isUnconfirmed: false,
            createdAt: open.occurredAt,
            dueAt: due,
            sendAt: isSentByItself
                ? Deadline.sendMoment(
                    ofItemSettledAt: open.receivedAt,
                    due: due,
                    delay: rules.settings.sendDelay
                ) : nil,
            reviewAt: classifier.reviewMoment(of: open, readiness)
        )
    }

    /// The time at which the first report of a token is sent if nothing was sold with it (RR-72).
    func answerMoment(of open: OpenToken) -> Timestamp {
        let moment = answerMomentOfDelivered(open)
        guard open.isKnownFromNotificationsOnly else { return moment }
        return max(moment, open.firstSeen.time + unrecognizedWait)
    }

    /// The same time for a token that its device has delivered.
    func answerMomentOfDelivered(_ open: OpenToken) -> Timestamp {
        // Tax countries of sales do not matter, because this report is for tokens without sales.
        var open = open
        open.taxCountries = []
        return rules.deadline(of: open)?.sendMomentOfTokenReport(lead: rules.settings.sendLead) ?? open.createdAt
    }

    // MARK: Rows of the due list

    /// Builds the due list's subject of an open row; nil if the row is not due.
    ///
    /// - Parameters:
    ///   - row: the open row.
    ///   - blockedApps: the apps of which nothing is sent, each with the reason.
    ///   - now: the current time, which decides what has waited too long.
    func subject(of row: OpenRow, blockedApps: [BundleId: String], at now: Timestamp) -> DeadlineSubject? {
        let (readiness, answerAt): (HoldClassifier.Readiness, Timestamp?) =
            switch row {
            case .token(let token):
                (classifier.readiness(of: token, blockedApps: blockedApps), answerMoment(of: token))
            case .sale(let sale): (classifier.readiness(of: sale, blockedApps: blockedApps, now: now), nil)
            }
        return readiness == .closed ? nil : DeadlineSubject(row: row, readiness: readiness, answerAt: answerAt)
    }
}

extension HoldClassifier.Readiness {
    /// The stored form of the readiness; closed rows have no deadline.
    fileprivate var stored: StoredDeadline.Readiness {
        switch self {
        case .scheduled, .closed: .scheduled
        case .waiting: .waiting
        case .needsReview: .review
        }
    }
}
