import ConfigurationLint
import StoreKitSimulator

/// The diagnostics of a session that fail the test.
public struct DiagnosticReporting: Hashable, Sendable {
    private let severities: Set<Severity>
    private let exceptions: Set<String>

    /// Diagnostics of severity error, which would fail on a device.
    public static let errors = errors(except: [])
    /// Errors and warnings.
    ///
    /// Warnings are violations of usage rules.
    public static let warnings = warnings(except: [])
    /// No diagnostics.
    public static let off = DiagnosticReporting(severities: [], exceptions: [])

    /// Diagnostics of severity error, except some that the test expects.
    ///
    /// - Parameter ids: the ids of expected diagnostics, such as `called-while-ineligible`.
    public static func errors(except ids: Set<String>) -> DiagnosticReporting {
        DiagnosticReporting(severities: [.error], exceptions: ids)
    }

    /// Errors and warnings, except some that the test expects.
    ///
    /// - Parameter ids: the ids of expected diagnostics, such as `called-while-ineligible`.
    public static func warnings(except ids: Set<String>) -> DiagnosticReporting {
        DiagnosticReporting(severities: [.error, .warning], exceptions: ids)
    }

    func reports(_ diagnostic: StoreKitSession.Diagnostic) -> Bool {
        severities.contains(diagnostic.severity) && !exceptions.contains(diagnostic.id)
    }

    /// True when the test expects a diagnostic, or none of them fails it.
    func expects(_ id: String) -> Bool { severities.isEmpty || exceptions.contains(id) }
}
