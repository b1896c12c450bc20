public import ConfigurationLint
public import ExternalPurchaseCore

extension StoreKitSession {
    /// A finding on the app's use of StoreKit.
    ///
    /// Diagnostics never change a result (SK-100).
    public struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
        /// The id from section 10, or that of a lint rule (SK-101).
        public let id: String
        /// The severity.
        ///
        /// An error would fail on a device, a warning violates a usage rule, and a note informs.
        public let severity: Severity
        /// The member that was used, `ExternalPurchaseLink.open(url:)`.
        public let member: String?
        /// The time by the session's clock.
        public let time: Timestamp
        /// What was found.
        public let message: String
        /// How to correct it.
        public let hint: String?

        /// `warning: eligibility-not-checked: Check ExternalPurchaseLink.canOpen first`.
        public var description: String { "\(severity.rawValue): \(id): \(message)" + (hint.map { " (\($0))" } ?? "") }
    }
}

/// A diagnostic without a time, before the session records it.
struct PendingDiagnostic: Sendable {
    let id: String
    let severity: Severity
    var member: String?
    let message: String
    var hint: String?
    /// True for a diagnostic that a session records only once.
    var isOncePerSession = false
}

extension PendingDiagnostic {
    init(_ finding: Finding) {
        self.init(
            id: finding.rule,
            severity: finding.severity,
            message: finding.path.map { "\($0): \(finding.message)" } ?? finding.message,
            hint: finding.hint
        )
    }

    static func storefrontNotAlpha3(_ code: String) -> PendingDiagnostic {
        let suggestion = StorefrontCode.suggestion(for: code).map { "; did you mean \"\($0)\"?" } ?? ""
        return PendingDiagnostic(
            id: "storefront-not-alpha-3",
            severity: .error,
            message: "\"\(code)\" is not an alpha-3 code\(suggestion)"
        )
    }

    static let sessionNotSetUp = PendingDiagnostic(
        id: "session-not-set-up",
        severity: .warning,
        message: "The process-wide session was used before it was set up",
        hint:
            "Bind a session with run, or call StoreKitSession.bootstrap at launch; detached tasks inherit no session.",
        isOncePerSession: true
    )
}
