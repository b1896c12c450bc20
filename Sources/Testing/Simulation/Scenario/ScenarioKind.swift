/// A kind of event that stories may contain, switched on or off by its name.
package enum ScenarioKind: String, Hashable, Sendable, CaseIterable {
    case plainTokens = "plain-tokens"
    case transactionTokens = "transaction-tokens"
    case customLinkTokens = "custom-link-tokens"
    case sandbox
    case websites
    /// Tokens that arrive late, twice or never.
    case lateTokens = "late-tokens"
    /// Sales that are told late or twice.
    case lateSales = "late-sales"
    case foreignCurrencies = "foreign-currencies"
    /// Sales without tax, tax country or rate.
    case missingFacts = "missing-facts"
    case refunds
    case chargebacks
    case nonsense
    case appleFaults = "apple-faults"
    case storeFaults = "store-faults"
    case crashes
    case clockErrors = "clock-errors"
    /// Some worlds keep the ledger in SQLite.
    case sqlite

    /// Starts, trials, renewals, changes of plan and charges inside a period.
    case subscriptions
    case cancellations
    case lapses
    /// Line items that another system reported are imported, and their subscriptions and refunds go on.
    case imports
    /// Sales of several products.
    case orders
    /// Refunds that are told as the sum of all refunds so far.
    case refundTotals = "refund-totals"
    /// Refunds and chargebacks that are told before their purchase.
    case earlyRefunds = "early-refunds"
    /// Charges and ends of subscriptions that are told late, twice, and not in their order.
    case shuffledEvents = "shuffled-events"
    /// Restatements, retractions, undone ones and other dates of what was reported.
    case corrections
    /// Chargebacks that the merchant wins back.
    case reversals
    /// Apple tells of tokens, and some of it gets lost.
    case notifications
    /// Every token has a report by its due date (RR-70).
    case dueDates = "due-dates"

    /// What asks for more than this version of the merchant's side does.
    package static let ahead: Set<ScenarioKind> = []
    /// What goes wrong by no fault of customers.
    package static let faults: Set<ScenarioKind> = [.appleFaults, .storeFaults, .crashes, .clockErrors]
    /// What runs unless it is said otherwise.
    package static let usual = Set(allCases).subtracting(ahead)
}
