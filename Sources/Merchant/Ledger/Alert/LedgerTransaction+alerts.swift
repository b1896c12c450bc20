package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Remembers steps as told, with the message that tells them; both or neither, so that a restart neither repeats
    /// nor forgets.
    ///
    /// - Returns: the sequence of the message; 0 without one.
    /// - Throws: ``LedgerError/conflict(_:)`` for a step that was told before, and for a message without bytes.
    @discardableResult
    package func tell(_ marks: [AlertMark], by message: AlertMessage?) throws(LedgerError) -> Int64 {
        try perform(.recordAlerts(marks, message))
    }

    /// Records that a receiver took a message; its bytes are dropped.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when no message of that sequence waits.
    package func delivered(_ sequence: Int64, at time: Timestamp) throws(LedgerError) {
        try perform(.deliverAlert(sequence: sequence, at: time))
    }
}
