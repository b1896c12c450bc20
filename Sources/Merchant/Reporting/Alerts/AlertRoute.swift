package import Ledger

/// How much an alert matters.
package enum AlertSeverity: String, Hashable, Sendable, CaseIterable {
    /// A due date is near.
    case warning
    /// A due date is over, or a person is needed.
    case error
}

/// A receiver of alerts, with the way to it and what it gets.
package struct AlertRoute: Sendable {
    package let channel: AlertChannel
    package let severities: Set<AlertSeverity>
    package let receiver: any AlertReceiver

    package init(
        _ channel: AlertChannel,
        _ receiver: any AlertReceiver,
        severities: Set<AlertSeverity> = Set(AlertSeverity.allCases)
    ) {
        self.channel = channel
        self.severities = severities
        self.receiver = receiver
    }
}
