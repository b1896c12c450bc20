package import ExternalPurchaseCore

/// A property that must hold in every simulated world, regardless of injected faults.
package enum Invariant: String, Hashable, Sendable, CaseIterable {
    case acknowledgedIsStored = "what was acknowledged is in the ledger as it was said"
    case truthIsTaken = "what is true is not refused"
    case nonsenseIsRefused = "what cannot be true is refused"
    case soldOnce = "no transaction is reported twice"
    case onlyWhatWasSold = "nothing is reported that nobody paid or got back"
    case onItsToken = "a sale is reported on a token that may carry it"
    case moneyAsPaid = "the money reported is what the customer paid or got back"
    case netAsLeft = "the net is what is left of the sale"
    case ordersAreWhole = "the lines of an order go into one report"
    case returnsAddUp = "the sum of what is reported as given back is what went back"
    case factsAsSold = "the report says when, where, what and in which currency it was sold"
    case oneIdentifier = "a report keeps its identifier and its bytes over every attempt"
    case questionFirst = "a report of unknown fate is asked for before it is sent again"
    case oneAtATime = "reports of one app and environment go one after another"
    case appleHasIt = "what the ledger calls accepted is at Apple"
    case ledgerHasIt = "what Apple accepted is accepted in the ledger at last"
    case everySaleIsReported = "every sale that can be reported is accepted at last"
    case deadlinesFollowRows = "a stored deadline is the one that its token or sale has now"
    case dueDates = "every token is answered by its due date"
    case rightAnswer = "a report without items says of a token what is true"
    case unreportedIsAnswered = "a token that Apple calls unreported is reported"
    case unreportedIsUnreported = "Apple calls no token unreported that was reported"
    case appleIsHeard = "what Apple tells of is known at last, whatever got lost"
    case standsAsCorrected = "what stands at Apple and in the ledger is what is true after all corrections"
    case figuresFollowEvents = "event, start and paid days of a charge are those of all events in their order"
    case nothingForPersons = "nobody has to look at what went well"
    case feedHasAll = "who follows the feed of changes has the lists"
    case auditHolds = "the audit log's chain holds"
    case noSpinning = "the sender comes to rest"
}

/// An invariant that a scenario violated.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    package let invariant: Invariant
    package let at: Timestamp
    /// The actual and the expected state.
    package let detail: String

    package var description: String { "\(invariant.rawValue): \(detail)" }
}
