/// A kind of event in scenarios, enabled or disabled by name.
package enum ScenarioKind: String, Hashable, Sendable, CaseIterable {
    case plainTokens = "plain-tokens"
    case transactionTokens = "transaction-tokens"
    case customLinkTokens = "custom-link-tokens"
    case sandbox
    case websites
    /// Tokens that arrive late, twice or never.
    case lateTokens = "late-tokens"
    /// Sales that are sent late or twice.
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
    /// Some worlds use SQLite for the ledger.
    case sqlite

    /// Starts, trials, renewals, changes of plan and charges inside a period.
    case subscriptions
    case cancellations
    case lapses
    /// Imports of line items that another system reported, with later subscription events and refunds.
    case imports
    /// Orders of several products.
    case orders
    /// Refunds that are sent as the sum of all refunds so far.
    case refundTotals = "refund-totals"
    /// Refunds and chargebacks that are sent before their purchase.
    case earlyRefunds = "early-refunds"
    /// Charges and ends of subscriptions that are sent late, twice or out of order.
    case shuffledEvents = "shuffled-events"
    /// Restatements, retractions, reverted retractions and changed dates of reported sales.
    case corrections
    /// Chargebacks that the merchant wins, told late and followed by further refunds of the money won back.
    case reversals
    /// Notifications of Apple about tokens, some of which are lost.
    case notifications
    /// Checks that every token has a report by its deadline (RR-70).
    case dueDates = "due-dates"
    /// A second server shares the ledger and takes over while the first one is down (SA-76 to SA-79).
    case servers

    /// Kinds that need features missing in this version.
    package static let ahead: Set<ScenarioKind> = []
    /// Failures that customers do not cause.
    package static let faults: Set<ScenarioKind> = [.appleFaults, .storeFaults, .crashes, .clockErrors]
    /// The default kinds.
    package static let usual = Set(allCases).subtracting(ahead).subtracting([.servers])
}
