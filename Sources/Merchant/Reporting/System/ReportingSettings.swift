import ExternalPurchaseCore
package import ReportValidation

/// The settings of the reporting system.
package struct ReportingSettings: Sendable {
    /// The settings of the rules that reports are validated against before they are sent (RR-95).
    package var rules = RuleSettings()
    /// If true, reports are validated before they are sent (SA-75); tests turn it off to send wrong reports.
    package var isPreflightOn = true
    /// The setting `reporting.foreignCurrency` (RR-51).
    package var foreignCurrency = ForeignCurrency.automatic
    /// The setting `reporting.send`: if false, sales are planned, but no report is written or sent.
    package var isSendingOn = true
    /// The setting `corrections.subscriptionFigures`.
    ///
    /// It decides what happens if event, start or paid days of an accepted charge differ from the figures that all
    /// known events give.
    package var subscriptionFigures = CorrectionMode.review
    /// The setting `corrections.payments`.
    ///
    /// It decides what happens if Apple accepted a refund that a payment provider later says has failed or was voided.
    package var paymentCorrections = CorrectionMode.review
    /// The setting `corrections.fourEyes`: if true, who asks for a correction does not confirm it.
    package var needsFourEyes = false
    /// The setting `subscriptions.resumeWithin`, 0 to 60 days.
    ///
    /// A charge that begins a period at most so long after the end of its subscription continues it (RR-33).
    package var resumeWithin = Duration.zero
    /// The setting `unrecognized.wait`.
    ///
    /// It is the time to wait for a device to deliver a token that only a notification has named, before the token is
    /// reported as not recognised (NT-65).
    package var unrecognizedWait = Duration.days(1)
    /// The setting `review.tokenWait`.
    ///
    /// It is the time that a sale may wait for its token, or a refund for its purchase, before a review item is opened
    /// (RR-66).
    package var tokenWait = Duration.days(1)
    /// The setting `history.every`: the interval between reads of the notification history (NT-68).
    package var historyEvery = Duration.hours(6)
    /// Limits for the data that visits of the landing address store.
    package var landing = LandingSettings()
    /// The settings `clock.maxJump` and `clock.maxGap`: the accepted deviations of the machine's clock.
    package var clockLimits = MachineClockCheck.Limits()
    /// The setting `ready.freeSpace` in bytes: with less free space on the ledger's disk, the server is not ready.
    package var readyFreeSpace: Int64 = 64_000_000
    /// The settings of deadlines (RR-70 to RR-72).
    ///
    /// They include due dates, the delay before a sale is reported, and the lead of token-only reports.
    package var due = DeadlineSettings.defaults
    /// The reporting programmes.
    package var programmes = ProgrammeCatalog.builtIn
    /// The columns and headers of month exports (OB-61).
    package var exportLayout = ExportLayout.standard
    /// Apple's programmes that the developer takes part in, such as `smallBusiness`, for estimates (OB-71).
    package var developerProgrammes: Set<String> = []
    /// The setting `commission.window`: the unit of the days in which a sale after a tap counts, for estimates (OB-72).
    package var commissionWindow = DayCount.Unit.calendarDays
    /// How servers that share a ledger divide the work.
    var leases = LeaseSettings()
    /// The size limits of a report (SA-4).
    var limits = ReportLimits()

    /// The ways to correct what Apple accepted.
    package enum CorrectionMode: String, Hashable, Sendable, CaseIterable {
        /// The correction is planned, and a person confirms it.
        case review
        /// The correction is sent without confirmation.
        case automatic
    }

    package init() {}
}
