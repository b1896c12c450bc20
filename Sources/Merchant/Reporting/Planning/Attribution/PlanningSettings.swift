import ExternalPurchaseCore

/// The settings of planning, with the names and defaults of RR-95.
package struct PlanningSettings: Hashable, Sendable {
    /// Setting `rules.clockSkew`: how far in the future a date may be (E6, TK-75).
    var clockSkew = Duration.minutes(5)
    /// Setting `rules.creationDateLimit`: the maximum age of a line item (E27).
    var creationDateLimit = Duration.days(1_095)
    /// Setting `rules.restatementWindow`: the maximum age of an item for a restatement (E39).
    var restatementWindow = Duration.days(365)
    /// Setting `rules.refundWindow`: the maximum time between a buy and its refund (E40).
    var refundWindow = Duration.days(365)
    /// Setting `subscriptions.resumeWithin`: how long after its end a subscription may go on with its count (RR-33).
    var resumeWithin = Duration.zero

    /// Setting `reporting.foreignCurrency`: into which currency rates must lead (RR-51).
    var foreignCurrency = ForeignCurrency.automatic

    init() {}
}
