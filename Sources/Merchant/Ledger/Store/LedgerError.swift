/// Why the ledger could not do what it was asked, by cause.
package enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another connection held the database longer than the busy timeout; trying again may help.
    case busy
    /// No space is left, on the disk or under a quota.
    case full
    /// The file is damaged or is not a ledger.
    case corrupt(String)
    /// A rule of the schema refused the row: a defect of the caller.
    case conflict(String)
    /// Another process has the ledger open.
    case inUse(path: String)
    /// The file's migrations are not those of this version.
    case historyDiffers(String)
    /// The file cannot be opened, read or written.
    case inaccessible(String)
    /// The question was given up before its end, because the server ends.
    case stopped
    /// Anything else, with the driver's code.
    case failed(String)

    package var description: String {
        switch self {
        case .busy: "the ledger is busy"
        case .full: "no space is left for the ledger"
        case .corrupt(let detail): "the ledger is damaged: \(detail)"
        case .conflict(let detail): "the ledger refused the row: \(detail)"
        case .inUse(let path): "\(path) is in use by another server"
        case .historyDiffers(let detail): "the ledger was made by another version: \(detail)"
        case .inaccessible(let detail): "the ledger cannot be used: \(detail)"
        case .stopped: "the question was given up, because the server ends"
        case .failed(let detail): "the ledger failed: \(detail)"
        }
    }
}
