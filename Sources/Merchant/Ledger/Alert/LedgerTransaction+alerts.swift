package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Records alert steps together with the message that reports them.
    ///
    /// Both are stored in one change, so that a restart neither repeats an alert nor loses one.
    ///
    /// - Returns: the sequence number of the message; 0 without a message.
    /// - Throws: ``LedgerError/conflict(_:)`` for a step that is already recorded, and for a message without a body.
    @discardableResult
    package func insertAlerts(_ marks: [AlertMark], by message: AlertMessage?) throws(LedgerError) -> Int64 {
        try perform(.recordAlerts(marks, message))
    }

    /// Records that a receiver accepted a message, and deletes the message's body.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when no undelivered message has that sequence number.
    package func delivered(_ sequence: Int64, at time: Timestamp) throws(LedgerError) {
        try perform(.deliverAlert(sequence: sequence, at: time))
    }
}
