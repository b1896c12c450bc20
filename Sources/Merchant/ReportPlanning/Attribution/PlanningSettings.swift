import ExternalPurchaseCore

/// The settings of planning, with the names and defaults of RR-95.
package struct PlanningSettings: Hashable, Sendable {
    /// Setting `rules.clockSkew`, in ms: how far in the future a date may be (E6, TK-75).
    package var clockSkew: Int64 = 5 * 60_000
    /// Setting `rules.creationDateLimit`, in ms: the maximum age of a line item (E27).
    package var creationDateLimit = 1_095 * Timestamp.day
    /// Setting `rules.restatementWindow`, in ms: the maximum age of an item for a restatement (E39).
    package var restatementWindow = 365 * Timestamp.day
    /// Setting `rules.refundWindow`, in ms: the maximum time between a buy and its refund (E40).
    package var refundWindow = 365 * Timestamp.day

    package init() {}
}
