import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

/// Where the newest backup of a ledger is, in a file beside the ledger.
struct BackupRecord: Equatable {
    /// The absolute path of the backup.
    let file: String
    /// The newest entry of its audit log; nil for an empty ledger.
    let head: String?
    let at: Timestamp

    init(file: String, head: AuditHead?, at: Timestamp) {
        self.file = URL(filePath: file).standardizedFileURL.path
        self.head = head?.text
        self.at = at
    }

    /// What is known of the newest backup.
    enum Found: Equatable {
        case none
        /// The record, which cannot be read.
        case unreadable
        case made(BackupRecord)
    }

    /// Reads the record of the newest backup.
    static func read(_ path: String) -> Found {
        guard FileManager.default.fileExists(atPath: path) else { return .none }
        guard let bytes = try? InputFile.read(path), let object = try? JSONReader().read(bytes).objectValue,
            let file = object["file"]?.stringValue,
            let at = object["at"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) })
        else { return .unreadable }
        return .made(BackupRecord(file: file, head: object["head"]?.stringValue, at: at))
    }

    private init(file: String, head: String?, at: Timestamp) {
        (self.file, self.head, self.at) = (file, head, at)
    }

    /// Why the file of the backup is none, by its size and the head of SQLite's format; nil if it may be one.
    ///
    /// https://www.sqlite.org/fileformat2.html#the_database_header
    var fault: String? {
        guard FileManager.default.fileExists(atPath: file) else { return "is not there" }
        guard let handle = FileHandle(forReadingAtPath: file) else { return "cannot be read by this user" }
        defer { try? handle.close() }
        guard let head = try? handle.read(upToCount: 100), let end = try? handle.seekToEnd() else {
            return "cannot be read"
        }
        guard head.count == 100, head.starts(with: Data("SQLite format 3\0".utf8)) else { return "is no ledger" }
        let bytes = [UInt8](head)
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        let pages = bytes[28..<32].reduce(0) { $0 << 8 | UInt64($1) }
        return end < pages * UInt64(size == 1 ? 65_536 : size) ? "is cut off" : nil
    }

    func write(to path: String) throws(CommandFailure) {
        let object: JSONValue = [
            "file": .string(file), "head": head.map { .string($0) } ?? .null, "at": .string(at.description),
        ]
        try PrivateFile.write(object.encoded() + [UInt8(ascii: "\n")], to: path)
    }
}
