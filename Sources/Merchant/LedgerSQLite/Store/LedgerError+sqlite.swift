import ExternalPurchaseCore
import GRDB
import Ledger

extension LedgerError {
    /// Creates the ledger error for an error of the driver, based on its code, never on its text.
    init(translating error: any Error) {
        if let error = error as? LedgerError {
            self = error
            return
        }
        if error is CancellationError {
            self = .stopped
            return
        }
        guard let error = error as? DatabaseError else {
            self = .failed(String(describing: error))
            return
        }
        let detail = error.message ?? error.resultCode.description
        self =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_INTERRUPT: .stopped
            case .SQLITE_CORRUPT: .corrupt(detail)
            case .SQLITE_NOTADB: .notADatabase
            case .SQLITE_CONSTRAINT: .conflict(detail)
            case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .inaccessible(detail)
            default: .failed("\(error.extendedResultCode.rawValue): \(detail)")
            }
    }
}
