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

    /// Reads a record; nil where there is none that can be read, or the backup that it names is gone.
    init?(path: String) {
        guard FileManager.default.fileExists(atPath: path), let bytes = try? InputFile.read(path),
            let object = try? JSONReader().read(bytes).objectValue, let file = object["file"]?.stringValue,
            let at = object["at"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) }),
            FileManager.default.fileExists(atPath: file)
        else { return nil }
        self.file = file
        self.head = object["head"]?.stringValue
        self.at = at
    }

    func write(to path: String) throws(CommandFailure) {
        let object: JSONValue = [
            "file": .string(file), "head": head.map { .string($0) } ?? .null, "at": .string(at.description),
        ]
        try PrivateFile.write(object.encoded() + [UInt8(ascii: "\n")], to: path)
    }
}
