import ExternalPurchaseCore

/// Moments in whole seconds beside tokens, whose creation dates have milliseconds.
///
/// Payment providers state whole seconds, rounded down. The purchase of a customer who pays in the second in which the
/// token was created would otherwise precede the token, and Apple refuses such a line item (E36).
extension Timestamp {
    /// The last moment that this one can stand for: the end of its second if it has no fraction of a second.
    var upperBound: Timestamp {
        milliseconds % 1_000 == 0 ? advanced(by: .milliseconds(999)) : self
    }

    /// Returns the moment itself, or the creation date of a token that was created later in the same whole second.
    func countedAfter(creation: Timestamp?) -> Timestamp {
        guard let creation, self < creation, creation <= upperBound else { return self }
        return creation
    }
}
