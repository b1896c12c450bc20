import ExternalPurchaseCore

/// The facts against which conditions of rates and channels are evaluated (OB-70).
struct ConditionFacts: Hashable, Sendable {
    /// The time for which windows other than tap windows are evaluated.
    var moment: Timestamp?
    /// The time for which tap windows are evaluated; for a renewal, the start of its subscription (OB-32).
    var windowMoment: Timestamp?
    /// The customer's events.
    var events: CustomerEvents = CustomerEvents()
    /// The ids of Apple's programmes in which the developer takes part.
    var developerProgrammes: Set<String> = []
    /// The paid days of the subscription before the event (RR-30); nil for other items.
    var daysOfPaidService: Int?
    /// The operating system version of the customer's device.
    var system: OSVersion?
    /// Whether a token exists.
    var hasToken: Bool = true
    /// How the days of windows are counted.
    var dayCount = DayCount()

    /// Whether a condition holds; unknown conditions and conditions on unknown facts do not hold.
    func holds(_ condition: ReportingProgramme.Condition) -> Bool {
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

    /// Whether a condition holds, or nothing is known that decides on it.
    ///
    /// That no event of a customer is recorded does not say that there was none: a link may lead past the landing address,
    /// and a later event says nothing of earlier ones, except that the first install was the first.
    func mayHold(_ condition: ReportingProgramme.Condition) -> Bool {
        func isUnseen(_ window: EventWindow?) -> Bool {
            guard let window else { return true }
            guard window.opened == nil else { return false }
            return window.event != .firstInstall || events.first(window.event, after: window.moment) == nil
        }
        return switch condition {
        case .withinDaysOf(let event, let days): holds(condition) || isUnseen(window(.days(days), of: event))
        case .withinMonthsOf(let event, let months): holds(condition) || isUnseen(window(.months(months), of: event))
        case .anyOf(let alternatives): alternatives.contains { mayHold($0) }
        case .osAtLeast, .osBelow: system == nil || holds(condition)
        case .unknown: true
        case .developerProgramme, .subscriptionAfterDays, .tokenAvailable, .noToken, .always: holds(condition)
        }
    }

    /// The window of an event for the sale; nil when the time is unknown.
    func window(_ length: EventWindow.Length, of event: ReportingProgramme.Event) -> EventWindow? {
        let judged = event == .linkTap ? windowMoment ?? moment : moment
        return judged.map { EventWindow(length, of: event, at: $0, events: events, counting: dayCount) }
    }
}
