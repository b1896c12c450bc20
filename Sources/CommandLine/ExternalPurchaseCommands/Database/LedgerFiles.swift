import CommandSupport
import Foundation
import Ledger
import LedgerSQLite
import Reporting

/// The files of one server outside its ledger: the anchor and the visits that could not be stored.
struct LedgerFiles {
    /// The file with the newest known head of the audit log.
    let anchor: String
    /// The file with the visits that wait for the ledger.
    let spool: String
    /// The file that says where the newest backup is, and of which entry of the audit log.
    let backup: String
    /// The folder of these, for a ledger at a database server; nil for one in a file, beside which they are.
    let folder: String?

    /// - Parameters:
    ///   - database: the ledger.
    ///   - folder: the setting `database.folder`.
    init(of database: DatabaseAddress, folder: String) {
        let absolute = URL(filePath: folder).standardizedFileURL.path
        let base = database.absolutePath ?? absolute + "/ledger"
        anchor = LedgerAnchor.path(ofLedgerAt: base)
        spool = base + ".landing-spool"
        backup = base + ".last-backup"
        self.folder = database.absolutePath == nil ? absolute : nil
    }

    /// Creates the folder, readable by its owner only, and reserves it for this process.
    ///
    /// - Returns: the lock, until whose release another server is refused; nil for a ledger in a file.
    func reserve() throws(CommandFailure) -> FileLock? {
        guard let folder else { return nil }
        do {
            if !FileManager.default.fileExists(atPath: folder) {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700]
                )
            }
        } catch {
            throw .input("database.folder \(folder): cannot be created; its parent folder must exist and be writable")
        }
        do throws(LedgerError) {
            return try FileLock(path: folder + "/lock")
        } catch {
            if case .inUse = error {
                throw .otherSide("database.folder \(folder): another server uses it; each server needs one of its own")
            }
            throw .otherSide("database.folder \(folder): \(error)")
        }
    }
}
