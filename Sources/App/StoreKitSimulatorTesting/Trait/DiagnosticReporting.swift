import ConfigurationLint
import StoreKitSimulator

/// Which of a session's diagnostics fail the test.
public struct DiagnosticReporting: Hashable, Sendable {
    private let severities: Set<Severity>
    private let exceptions: Set<String>

    /// Those of severity error: what would fail on a device.
    public static let errors = errors(except: [])
    /// Errors and warnings: also what breaks a usage rule.
    public static let warnings = warnings(except: [])
    /// None.
    public static let off = DiagnosticReporting(severities: [], exceptions: [])

    /// Those of severity error, without some that the test expects.
    ///
    /// - Parameter ids: ids of diagnostics, `called-while-ineligible`.
    public static func errors(except ids: Set<String>) -> DiagnosticReporting {
        DiagnosticReporting(severities: [.error], exceptions: ids)
    }

    /// Errors and warnings, without some that the test expects.
    ///
    /// - Parameter ids: ids of diagnostics, `called-while-ineligible`.
    public static func warnings(except ids: Set<String>) -> DiagnosticReporting {
        DiagnosticReporting(severities: [.error, .warning], exceptions: ids)
    }

    func reports(_ diagnostic: StoreKitSession.Diagnostic) -> Bool {
        severities.contains(diagnostic.severity) && !exceptions.contains(diagnostic.id)
    }
}
