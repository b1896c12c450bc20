import ExternalPurchaseCore

extension Sale {
    /// The caller's id of the subscription, for the kinds of sale that have one.
    package var subscriptionName: String? { json.objectValue?["subscriptionId"]?.stringValue }
}
