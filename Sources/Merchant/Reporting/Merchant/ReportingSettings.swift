package import ExternalPurchaseCore
package import ReportPlanning
package import ReportValidation

/// The settings of the merchant's side.
package struct ReportingSettings: Sendable {
    /// The settings of the rules by which reports are judged before they are sent (RR-95).
    package var rules = RuleSettings()
    /// True when reports are validated before they are sent (SA-75); tests switch it off to send wrong reports.
    package var isPreflightOn = true
    /// Setting `reporting.foreignCurrency` (RR-51).
    package var foreignCurrency = ForeignCurrency.automatic
    /// Setting `reporting.send`: false plans and judges reports, and writes and sends none.
    package var isSendingOn = true
    /// Setting `corrections.subscriptionFigures`: what happens when event, start or paid days of an accepted charge differ
    /// from those that all events known now give.
    package var subscriptionFigures = SubscriptionFigureCorrection.review
    /// Setting `unrecognized.wait` in milliseconds: how long a device may still deliver a token that only Apple has named,
    /// before it is answered as not recognised (NT-65).
    package var unrecognizedWait = Timestamp.day
    /// Setting `review.tokenWait` in milliseconds: how long a sale may wait for its token, or a refund for its purchase,
    /// before it becomes a review item (RR-66).
    package var tokenWait = Timestamp.day
    /// Setting `history.every` in milliseconds: how often the notification history is read (NT-68).
    package var historyEvery = 6 * 3_600_000 as Int64
    /// What visits of the landing address may store.
    package var landing = LandingSettings()
    /// Settings `clock.maxJump` and `clock.maxGap`: how far the machine's clock may be from where it should be.
    package var clockLimits = MachineClockCheck.Limits()
    /// Setting `ready.freeSpace` in bytes: with less free space where the ledger is the server is not ready.
    package var readyFreeSpace: Int64 = 64_000_000
    /// Due dates, how long a sale rests before it is reported, and the lead of token-only reports (RR-70 to RR-72).
    package var due = DeadlineSettings.defaults
    /// The reporting programmes.
    package var programmes = ProgrammeCatalog.builtIn
    /// Columns of month exports and their headers (OB-61).
    package var exportLayout = ExportLayout.standard
    /// The programmes of Apple's that the developer takes part in, `smallBusiness` and others, for estimates (OB-71).
    package var developerProgrammes: Set<String> = []
    /// Most items of one report (SA-4).
    package var limits = ReportLimits()

    /// How wrong figures of accepted charges are restated.
    package enum SubscriptionFigureCorrection: String, Hashable, Sendable, CaseIterable {
        /// A review item offers the restatement; a person confirms it.
        case review
        /// The restatement is sent without a person.
        case automatic
    }

    package typealias ForeignCurrency = ReportPlanning.ForeignCurrency

    package init() {}
}
