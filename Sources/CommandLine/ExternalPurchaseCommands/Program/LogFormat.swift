import CommandSupport
import ExternalPurchaseCore
import Foundation
import Logging

/// The setting `log.format`.
enum LogFormat: String, CaseIterable, Sendable {
    /// Lines for people.
    case text
    /// One JSON object per line.
    case json
    /// Text on a terminal, JSON otherwise.
    case automatic

    /// The format of standard error; never `automatic`.
    var resolved: LogFormat {
        self == .automatic ? (isatty(STDERR_FILENO) == 0 ? .json : .text) : self
    }
}

extension Logger {
    /// Returns a logger that writes to standard error in a format.
    static func standardError(_ label: String, _ format: LogFormat) -> Logger {
        guard format.resolved == .json else { return .standardError(label) }
        return Logger(label: label) { label in
            JSONLogHandler(label: label, now: { Timestamp(Date()) }, write: { StandardStreams.error($0) })
        }
    }
}
