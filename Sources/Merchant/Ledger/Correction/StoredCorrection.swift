package import ExternalPurchaseCore

/// The id of a correction, given by the caller that requests it, unique per app.
package struct CorrectionId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A correction from the wish to its reports (RR-80 to RR-84).
package struct StoredCorrection: Hashable, Sendable {
    /// The place in the order of arrival, from 1; 0 before it is stored.
    package var sequence: Int64
    package let correctionId: CorrectionId
    package let bundleId: BundleId
    package let requestedBy: String
    package let reason: String
    package let requestedAt: Timestamp
    /// What was asked for.
    package let request: JSONValue
    /// What the newest dry run showed: changes and predicted verdicts.
    package var dryRun: JSONValue?
    package var confirmation: CorrectionStep?
    /// Set when its reports are accepted or when it was given up; the note says which.
    package var closing: CorrectionStep?
    /// Its reports in the order of sending.
    package var reports: [CorrectionReport]

    package init(
        sequence: Int64 = 0,
        correctionId: CorrectionId,
        bundleId: BundleId,
        requestedBy: String,
        reason: String,
        requestedAt: Timestamp,
        request: JSONValue,
        dryRun: JSONValue? = nil,
        confirmation: CorrectionStep? = nil,
        closing: CorrectionStep? = nil,
        reports: [CorrectionReport] = []
    ) {
        self.sequence = sequence
        self.correctionId = correctionId
        self.bundleId = bundleId
        self.requestedBy = requestedBy
        self.reason = reason
        self.requestedAt = requestedAt
        self.request = request
        self.dryRun = dryRun
        self.confirmation = confirmation
        self.closing = closing
        self.reports = reports
    }
}

/// A step of a correction: who took it, when, with which words.
package struct CorrectionStep: Hashable, Sendable {
    package let at: Timestamp
    package let by: String
    package let note: String

    package init(at: Timestamp, by: String, note: String = "") {
        self.at = at
        self.by = by
        self.note = note
    }
}

/// A report that a correction became.
package struct CorrectionReport: Hashable, Sendable {
    package let environment: AppStoreEnvironment
    package let requestIdentifier: RequestIdentifier

    package init(environment: AppStoreEnvironment, requestIdentifier: RequestIdentifier) {
        self.environment = environment
        self.requestIdentifier = requestIdentifier
    }
}

/// What can be asked about corrections.
package protocol CorrectionQueries {
    func correction(_ id: CorrectionId, of bundleId: BundleId) throws(LedgerError) -> StoredCorrection?
    func corrections(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredCorrection]
    /// Those that are not closed.
    func openCorrections(_ page: LedgerPage) throws(LedgerError) -> [StoredCorrection]
}
