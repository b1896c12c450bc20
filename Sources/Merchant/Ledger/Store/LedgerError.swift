/// The cause of a failed ledger operation.
package enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another connection locked the database for longer than the busy timeout; a retry may succeed.
    case busy
    /// No space is left on the disk or within a quota.
    case full
    /// The ledger is damaged.
    case corrupt(String)
    /// The file is not a database of SQLite, or its header is overwritten.
    case notADatabase
    /// The schema or the row's state does not allow the change.
    case conflict(String)
    /// Another process has the ledger open.
    case inUse(path: String)
    /// The file's migrations differ from those of this version.
    case historyDiffers(String)
    /// The file cannot be opened, read or written.
    case inaccessible(String)
    /// Another server holds the lease under which the change was to be made; nothing is stored.
    case leaseLost(String)
    /// The query was cancelled because the server shuts down.
    case stopped
    /// Any other error, with the driver's code.
    case failed(String)

    package var description: String {
        switch self {
        case .busy: "the ledger is busy"
        case .full: "no space is left for the ledger"
        case .corrupt(let detail): "the ledger is damaged: \(detail)"
        case .notADatabase: "the file is not a SQLite database"
        case .conflict(let detail): "the ledger refused the row: \(detail)"
        case .inUse(let path): "\(path) is in use by another server"
        case .historyDiffers(let detail): "the ledger was made by another version: \(detail)"
        case .inaccessible(let detail): "the ledger cannot be used: \(detail)"
        case .leaseLost(let name): "another server has the lease \(name)"
        case .stopped: "the question was given up, because the server ends"
        case .failed(let detail): "the ledger failed: \(detail)"
        }
    }
}
