import ExternalPurchaseCore

/// The settings that planning reads, with the names and defaults of RR-95.
package struct PlanningSettings: Hashable, Sendable {
    /// Setting `rules.clockSkew`, in milliseconds: how far ahead of the clock a date may lie (E6, TK-75).
    package var clockSkew: Int64 = 5 * 60_000
    /// Setting `rules.creationDateLimit`, in milliseconds: how old a line item may be (E27).
    package var creationDateLimit = 1_095 * Timestamp.day
    /// Setting `rules.restatementWindow`, in milliseconds (E39).
    package var restatementWindow = 365 * Timestamp.day
    /// Setting `rules.refundWindow`, in milliseconds (E40).
    package var refundWindow = 365 * Timestamp.day

    package init() {}
}
