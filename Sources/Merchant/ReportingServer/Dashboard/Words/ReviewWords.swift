import ExternalPurchaseCore
import Ledger
import Reporting

/// A kind of review item in words for people who know the sales and not the interface.
struct ReviewWords {
    let title: String
    /// What happened, as a sentence.
    let problem: String
    /// What a person can do, as a sentence.
    let wayOut: String
    /// The page that explains the kind step by step.
    let runbook: String
    /// The buttons of decisions, where the kind calls them otherwise than ``ReviewDecision/Action/label``.
    var labels: [ReviewDecision.Action: String] = [:]

    /// The words of every kind.
    static let all: [ReviewKind: ReviewWords] = [
        .reportRefused: ReviewWords(
            title: "Report refused",
            problem: "A report was refused, so that its sales are not at Apple.",
            wayOut: "Let the shop correct the sale that the reason is about, or withdraw it on its page; what is "
                + "corrected goes out by itself. If Apple has it already, take it as accepted. If the sale is right "
                + "and the cause is gone, send it again. Close the item only if nothing of it has to be reported.",
            runbook: "report-refused",
            labels: [.retry: "Send again"]
        ),
        .saleHeld: ReviewWords(
            title: "Sale held",
            problem: "The sale cannot be reported as it is.",
            wayOut: "When the shop has sent what is missing, the item closes by itself. Close it to leave the sale "
                + "out of the reports.",
            runbook: "sale-held",
            labels: [.retry: "Release the sale"]
        ),
        .keyRefused: ReviewWords(
            title: "Apple refuses the key",
            problem: "Apple refuses the key with which the app's reports are signed: nothing of the app is sent, and "
                + "everything is kept.",
            wayOut: "Let whoever runs the server put in a valid key, or send again once Apple takes the key.",
            runbook: "key-refused",
            labels: [.retry: "Send again"]
        ),
        .contradiction: ReviewWords(
            title: "Sources contradict each other",
            problem: "Two sources say different things about a token, a sale or its customer.",
            wayOut: "Find out which of the two is right. Apple's notifications are signed, so they are right about a "
                + "token. Where a sale can be moved to another token, move it, or close the item to leave it where "
                + "Apple has it; otherwise close the item with what you found.",
            runbook: "contradiction",
            labels: [.retry: "Move the sale"]
        ),
        .unreportedButAccepted: ReviewWords(
            title: "Apple misses a report that it accepted",
            problem: "Apple calls the token unreported, although it accepted the report of it.",
            wayOut: "Ask Apple's support with the bytes of the report and of the answer, which the token's page has. "
                + "Close the item with Apple's answer.",
            runbook: "unreported-but-accepted"
        ),
        .subscriptionFigures: ReviewWords(
            title: "Figures of a subscription differ",
            problem: "Charges of the subscription are at Apple with other figures than the events known now give.",
            wayOut: "Compare the difference with your payment provider. If the new figures are right, confirm them; "
                + "otherwise close the item, and what was reported stays.",
            runbook: "subscription-figures",
            labels: [.retry: "Confirm the correction", .resolve: "Keep what was reported"]
        ),
        .paymentEvent: ReviewWords(
            title: "Payments that could not be read",
            problem: "Events of the payment provider wait, because they could not be turned into sales.",
            wayOut: "Settle the reason that each event names, then apply it again on its page. The item closes by "
                + "itself when none is left.",
            runbook: "payment-event"
        ),
        .paymentWaiting: ReviewWords(
            title: "Payments that wait for more",
            problem: "Events of the payment provider have waited for more than a day for something that did not "
                + "arrive.",
            wayOut: "Look at what each event waits for, and ask whoever runs the shop to send it. The item closes by "
                + "itself when nothing waits any more.",
            runbook: "payment-waiting"
        ),
        .paymentsUnreferenced: ReviewWords(
            title: "Payments that name no purchase from the app",
            problem: "Many more payments of the last day than before do not say that their customer came from the app. "
                + "Nothing is reported of them.",
            wayOut:
                "Ask whoever runs the shop whether the checkout page still hands on what the landing page gives it. "
                + "When that works again, the item closes by itself.",
            runbook: "payments-unreferenced"
        ),
        .saleChanged: ReviewWords(
            title: "Change came too late",
            problem: "The shop changed the sale while its report was on the way, and Apple then had it.",
            wayOut: "If a correction waits for this sale, compare and confirm it. Otherwise settle the difference, "
                + "and close the item with a reason.",
            runbook: "sale-changed"
        ),
        .webhookParked: ReviewWords(
            title: "Another system does not take events",
            problem: "A receiver of events has not accepted one for three days. It is not sent any more, and later "
                + "events of the same record wait behind it.",
            wayOut: "Repair the receiver, have the parked events sent again, and close the item.",
            runbook: "webhook-parked"
        ),
    ]

    /// The words of a kind; those of a kind that this version does not know say nothing more than its name.
    static func of(_ kind: ReviewKind) -> ReviewWords {
        all[kind]
            ?? ReviewWords(
                title: Shown.words(kind.rawValue).capitalizedFirst,
                problem: "It waits for a person.",
                wayOut: "Settle the matter, then close the item with a reason.",
                runbook: "README"
            )
    }

    func label(of action: ReviewDecision.Action) -> String { labels[action] ?? action.label }
}

extension ReviewDecision.Action {
    /// The button of the decision.
    var label: String {
        switch self {
        case .retry: "Send again"
        case .accepted: "Apple has it"
        case .resolve: "Close the item"
        }
    }

    /// Whether the decision needs a reason.
    var needsNote: Bool { self == .resolve }
}

extension ReviewEntry {
    var words: ReviewWords { ReviewWords.of(item.kind) }

    /// What the item is about: the kind, and the sale with product, amount and date.
    var title: String {
        guard let sale = sales.first else { return words.title }
        let more = saleCount > 1 ? " and \(Shown.count(saleCount - 1, "other sale"))" : ""
        return "\(words.title): \(sale.sale.title)\(more)"
    }

    /// The causes of the hold that the item is about.
    private var causes: [HoldWords] {
        guard item.kind == .saleHeld, item.resolution == nil, let sale = sales.first, sale.standing == .held else {
            return []
        }
        return sale.attribution.holdCauses.sorted { $0.rawValue < $1.rawValue }.map(\.words)
    }

    /// What happened, as sentences.
    var problem: String {
        if !causes.isEmpty { return causes.map(\.problem).joined(separator: " ") }
        let reasons = Set((report?.errors ?? []).map(\.error.errorMessage)).sorted()
        guard item.kind == .reportRefused, let report, !reasons.isEmpty else { return words.problem }
        let refuser = report.errors.contains(where: \.isLocal) ? "The check before sending" : "Apple"
        return "\(refuser) refused the report: \(reasons.prefix(3).joined(separator: " "))"
    }

    /// What a person can do, as sentences.
    var wayOut: String {
        var seen: Set<String> = []
        let own = causes.map(\.wayOut).filter { seen.insert($0).inserted }
        if item.kind == .reportRefused, choices.isEmpty, item.resolution == nil {
            return "A part of the correction is at Apple, and the rest is refused as it is: nothing can be decided "
                + "here. Let whoever runs the server look at the report."
        }
        if item.kind == .subscriptionFigures, item.resolution == nil, !choices.contains(.retry) {
            return item.correctionId == nil
                ? "Apple takes no correction of these figures any more. Close the item, and what was reported stays."
                : "The correction cannot be sent as it was shown: its page says why. Close the item to keep what was "
                    + "reported."
        }
        return (own + [words.wayOut]).joined(separator: " ")
    }

    /// The page that explains the item step by step.
    var runbook: String {
        if item.kind == .saleHeld, sales.first?.attribution.holdCauses.contains(.tooLateToReport) == true {
            return "too-late-to-report"
        }
        return words.runbook
    }

    /// The customer of its sales or its token.
    var customer: String? { (sales.lazy.compactMap(\.sale.customerId).first ?? token?.customerId)?.rawValue }
}
