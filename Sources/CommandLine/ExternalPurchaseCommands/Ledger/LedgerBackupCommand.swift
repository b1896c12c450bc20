import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the ledger into one file, also while the server runs.",
        discussion: """
            The copy is one consistent state, checked and on the disk before it takes its name; a backup of that name is \
            replaced then. Note the head that is printed: `ledger verify --head` shows against it whether entries are \
            missing from a ledger.
            """
    )

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let source = ledger.database.absolutePath else {
            let address = "\(ledger.database)".replacing("postgres://", with: "postgres://USER@")
            throw CommandFailure.input(
                "--database \(ledger.database): PostgreSQL copies its own ledgers, also while servers write: "
                    + "pg_dump --format=custom --file=FILE --schema=SCHEMA '\(address)'"
            )
        }
        try FileKind.check(replacing: file, with: .database, name: "FILE \(file)")
        try ledger.checkOutput(file, as: "FILE")
        guard ledger.database.fault == nil, FileManager.default.fileExists(atPath: source) else {
            throw ledger.failure(.inaccessible("there is no such file"))
        }
        var isFolder: ObjCBool = false
        let folder = URL(filePath: file).standardizedFileURL.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure.input("FILE \(file): the folder \(folder) does not exist")
        }
        guard !FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) || !isFolder.boolValue else {
            throw CommandFailure.input("FILE \(file): is a folder; name a file in it")
        }
        let progress = TerminalProgress(isQuiet: global.quiet)
        let copy: (head: AuditHead?, size: Int64)
        let (database, target) = (ledger.database, file)
        do {
            copy = try await UnfinishedFile.whileRemoving([PartialFile.path(of: target)]) {
                try await database.backup(to: target) { part in
                    progress.show("copying: \(Int(part * 100)) %")
                }
            }
        } catch {
            progress.end()
            if case LedgerError.inUse = error {
                throw CommandFailure.input(
                    "FILE \(file): is the ledger of a running server, or another backup is writing it; name another file"
                )
            }
            throw CommandFailure.otherSide("ledger backup \(file): \(error)")
        }
        progress.end()
        do throws(CommandFailure) {
            try BackupRecord(file: file, head: copy.head, at: Timestamp(Date())).write(to: try ledger.files().backup)
        } catch {
            // The backup is whole; only `doctor` does not learn of it.
            StandardStreams.error("warning: \(error.message ?? "the time of the backup cannot be noted")")
        }
        switch format {
        case .json:
            let object =
                JSONValue.object([
                    "file": .string(file), "bytes": .integer(copy.size),
                    "head": copy.head.map { .string($0.text) } ?? .null,
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(line: "\(file): \(copy.size) bytes; audit log up to \(copy.head?.text ?? "nothing")")
        }
    }
}
