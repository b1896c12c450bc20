package import ExternalPurchaseCore

/// How a sale or token reaches Apple, with the reason (OB-60, OB-61).
package struct ReportingChannel: Hashable, Sendable {
    package enum Way: String, Hashable, Sendable, CaseIterable {
        /// In a report.
        case api
        /// In the month's manual export.
        case manual
        /// Not yet: it waits for a token (OB-63).
        case none
    }

    package let way: Way
    /// In plain words.
    package let reason: String
}

extension ReportingProgramme {
    /// How a sale or token reaches Apple under this programme.
    ///
    /// A token can be reported unless the programme's conditions send its system to the manual channel. Without a token
    /// the report API is closed; a programme without a manual channel then leaves the sale waiting.
    ///
    /// - Parameters:
    ///   - hasToken: whether there is a token.
    ///   - system: the version of the customer's system, nil when it is not known.
    package func channel(hasToken: Bool, system: OSVersion?) -> ReportingChannel {
        var facts = ConditionFacts()
        facts.hasToken = hasToken
        facts.system = system
        let match = channel.first { facts.holds($0.when) }
        let hasManual = channel.contains { $0.channel == .manual }
        switch (match?.channel, hasToken) {
        case (.manual, true): return ReportingChannel(way: .manual, reason: Self.manualReason(system))
        case (_, true): return ReportingChannel(way: .api, reason: "there is a token")
        case (_, false) where hasManual:
            return ReportingChannel(way: .manual, reason: "no token, and \(id) has a manual channel")
        case (_, false):
            return ReportingChannel(way: .none, reason: "no token, and \(id) has no manual channel")
        }
    }

    private static func manualReason(_ system: OSVersion?) -> String {
        system.map { "OS \($0) is too old for the report API" } ?? "the programme asks for the manual channel"
    }
}
