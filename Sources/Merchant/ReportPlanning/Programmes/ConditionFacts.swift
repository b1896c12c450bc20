package import ExternalPurchaseCore

/// What the conditions of rates and channels ask about (OB-70).
package struct ConditionFacts: Hashable, Sendable {
    /// The moment that windows other than a tap's are judged at.
    package var moment: Timestamp?
    /// The moment that tap windows are judged at: of a renewal its subscription's start (OB-32).
    package var windowMoment: Timestamp?
    /// When things happened.
    package var events: CustomerEvents
    /// The programmes of Apple's that the developer takes part in.
    package var developerProgrammes: Set<String>
    /// Paid days of the subscription before the event (RR-30); nil for other items.
    package var daysOfPaidService: Int?
    /// The customer's system.
    package var system: OSVersion?
    /// Whether there is a token.
    package var hasToken: Bool

    package init(
        moment: Timestamp? = nil,
        windowMoment: Timestamp? = nil,
        events: CustomerEvents = CustomerEvents(),
        developerProgrammes: Set<String> = [],
        daysOfPaidService: Int? = nil,
        system: OSVersion? = nil,
        hasToken: Bool = true
    ) {
        self.moment = moment
        self.windowMoment = windowMoment
        self.events = events
        self.developerProgrammes = developerProgrammes
        self.daysOfPaidService = daysOfPaidService
        self.system = system
        self.hasToken = hasToken
    }

    /// Whether a condition holds; what is not known does not hold, nor does an unknown condition.
    package func holds(_ condition: ReportingProgramme.Condition) -> Bool {
        switch condition {
        case .withinDaysOf(let event, let days): window(.days(days), of: event)?.isInside ?? false
        case .withinMonthsOf(let event, let months): window(.months(months), of: event)?.isInside ?? false
        case .developerProgramme(let id): developerProgrammes.contains(id)
        case .subscriptionAfterDays(let days): daysOfPaidService.map { $0 >= days } ?? false
        case .anyOf(let alternatives): alternatives.contains { holds($0) }
        case .osAtLeast(let version): system.map { $0 >= version } ?? false
        case .osBelow(let version): system.map { $0 < version } ?? false
        case .tokenAvailable: hasToken
        case .noToken: !hasToken
        case .always: true
        case .unknown: false
        }
    }

    /// The window of an event as seen from the sale, nil when no moment is known.
    package func window(_ length: EventWindow.Length, of event: ReportingProgramme.Event) -> EventWindow? {
        let judged = event == .linkTap ? windowMoment ?? moment : moment
        return judged.map { EventWindow(length, of: event, at: $0, events: events) }
    }
}
