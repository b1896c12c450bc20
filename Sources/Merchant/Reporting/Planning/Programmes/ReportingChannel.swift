import ExternalPurchaseCore

/// The channel by which a sale or token is reported to Apple, with the reason (OB-60, OB-61).
struct ReportingChannel: Hashable, Sendable {
    enum Way: String, Hashable, Sendable, CaseIterable {
        /// In a report of the report API.
        case api
        /// In the manual export of the month.
        case manual
        /// None yet, because a token is missing (OB-63).
        case none
    }

    let way: Way
    /// The reason as text.
    let reason: String
}

extension ReportingProgramme {
    /// The channel of a sale or token under this programme.
    ///
    /// A token is reported by the API unless the programme's conditions require the manual channel for its system.
    /// Without a token the report API cannot be used; the sale then waits if the programme has no manual channel.
    ///
    /// - Parameters:
    ///   - hasToken: whether a token exists.
    ///   - system: the operating system version of the customer's device; nil if unknown.
    func channel(hasToken: Bool, system: OSVersion?) -> ReportingChannel {
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
