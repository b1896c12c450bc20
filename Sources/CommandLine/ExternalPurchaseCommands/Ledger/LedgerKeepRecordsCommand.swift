import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Reporting

struct LedgerKeepRecordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep-records",
        abstract: "Keep tokens and accepted reports beside the backup, which a restore imports.",
        discussion: """
            Writes into FOLDER records.json, for `ledger import`, and tokens.ndjson, whose lines are bodies of POST /v1/batch \
            with checkouts and customers. Run it every few minutes, also while the server runs: where nothing changed it \
            writes nothing, and what an interrupted run left is written by the next one. Records of a newer ledger than \
            this one are not replaced.
            """
    )

    @Argument(help: "The folder, which is created if it is missing.")
    var folder: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let kept = try KeptRecords(folder: folder)
        let state = try kept.state()
        let noted: [AuditHead] = [state?.head, state?.begun].compactMap { $0 }
        let isWhole = state?.begun == nil && kept.isThere
        let (head, contradiction) = try await ledger.read { ledger throws(LedgerError) -> (AuditHead?, String?) in
            for head in noted {
                if let found = try ledger.contradiction(of: head) { return (nil, found) }
            }
            return (try ledger.auditHead(), nil)
        }
        if let contradiction {
            throw CommandFailure.wrong(
                "FOLDER \(folder): its records are kept, because they are of another state than the ledger: "
                    + "\(contradiction). Import them into a restored ledger, then name another folder"
            )
        }
        guard !isWhole || head != state?.head else {
            report(KeptRecords.Summary(head: head), isNew: false)
            return
        }
        report(try await kept.write(ledger, after: state, upTo: head), isNew: true)
    }

    private func report(_ summary: KeptRecords.Summary, isNew: Bool) {
        switch format {
        case .json:
            let object = JSONValue.object([
                "folder": .string(folder), "changed": .bool(isNew),
                "tokens": isNew ? .integer(Int64(summary.tokens)) : .null,
                "reports": isNew ? .integer(Int64(summary.reports)) : .null,
                "head": summary.head.map { .string($0.text) } ?? .null,
            ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            let head = summary.head?.text ?? "nothing"
            StandardStreams.output(
                line: isNew
                    ? "\(folder): \(summary.tokens) tokens, \(summary.reports) reports; audit log up to \(head)"
                    : "\(folder): unchanged; audit log up to \(head)"
            )
        }
    }
}

/// The records of a ledger in a folder, from which a restored ledger gets back what its backup lacks.
struct KeptRecords {
    struct Summary: Sendable {
        var tokens = 0
        var reports = 0
        var head: AuditHead?
    }

    /// Of which entry of the audit log the files are.
    struct State: Equatable {
        /// That of the newest complete files.
        var head: AuditHead?
        /// That of files which were begun since; nil when they are complete.
        var begun: AuditHead?
    }

    /// The tokens of a body of `POST /v1/batch`.
    private static let batch = 500

    private let records: String
    private let tokens: String
    private let stateFile: String
    private let lock: FileLock

    /// Creates the folder, readable by its owner only, and excludes other runs.
    init(folder: String) throws(CommandFailure) {
        let path = URL(filePath: folder).standardizedFileURL.path
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .input("FOLDER \(folder): cannot be created; its parent folder must be writable")
        }
        (records, tokens, stateFile) = (path + "/records.json", path + "/tokens.ndjson", path + "/state.json")
        do throws(LedgerError) {
            lock = try FileLock(path: path + "/lock")
        } catch {
            if case .inUse = error { throw .otherSide("FOLDER \(folder): another run writes it") }
            throw .input("FOLDER \(folder): \(error)")
        }
    }

    /// Whether both files are there.
    var isThere: Bool { [records, tokens].allSatisfy(FileManager.default.fileExists) }

    /// What the last run noted; nil in a new folder.
    func state() throws(CommandFailure) -> State? {
        guard FileManager.default.fileExists(atPath: stateFile) else { return nil }
        guard let object = try InputFile.json(stateFile).objectValue else {
            throw .input("\(stateFile): is not what this command wrote; name another folder")
        }
        func head(_ name: String) -> AuditHead? { object[name]?.stringValue.flatMap { AuditHead(text: $0) } }
        return State(head: head("head"), begun: head("begun"))
    }

    private func note(_ state: State) throws(CommandFailure) {
        let object: JSONValue = [
            "head": state.head.map { .string($0.text) } ?? .null,
            "begun": state.begun.map { .string($0.text) } ?? .null,
        ]
        try PrivateFile.write(object.encoded() + [UInt8(ascii: "\n")], to: stateFile)
    }

    /// Replaces both files by those of the ledger as it is.
    func write(
        _ ledger: LedgerOptions,
        after state: State?,
        upTo head: AuditHead?
    ) async throws -> Summary {
        // An interrupted run is seen by its head, so that older files are not taken for these.
        try note(State(head: state?.head, begun: head))
        let (records, tokens) = (
            try UnfinishedFile(records, .text, option: "FOLDER"), try UnfinishedFile(tokens, .text, option: "FOLDER")
        )
        let paths = (records.temporary, tokens.temporary)
        let summary: Summary?
        do {
            summary = try await UnfinishedFile.whileRemoving([paths.0, paths.1]) {
                try await ledger.read { ledger throws(LedgerError) in
                    try Self.write(ledger, records: paths.0, tokens: paths.1)
                }
            }
        } catch {
            records.discard()
            tokens.discard()
            throw error
        }
        guard let summary, tokens.finish(), records.finish() else {
            records.discard()
            tokens.discard()
            throw CommandFailure.input("FOLDER \(self.records): cannot be written to its end")
        }
        try note(State(head: summary.head, begun: nil))
        return summary
    }

    /// Writes one state of the ledger; nil if a file cannot be written.
    private static func write(
        _ ledger: LedgerQueries,
        records: String,
        tokens: String
    ) throws(LedgerError) -> Summary? {
        guard let recordFile = BlockFile(records), let tokenFile = BlockFile(tokens) else { return nil }
        var summary = Summary(head: try ledger.auditHead())
        var batch: [JSONValue] = []
        func finishBatch() {
            guard !batch.isEmpty else { return }
            tokenFile.add(JSONValue.object(["items": .array(batch)]).encoded())
            tokenFile.add("\n".utf8)
            batch = []
        }
        recordFile.add(#"{"tokens":["#.utf8)
        try ledger.eachToken { stored throws(LedgerError) in
            let text = JSONValue.string(stored.token.encoded())
            recordFile.add((summary.tokens == 0 ? "" : ",").utf8)
            recordFile.add(text.encoded())
            summary.tokens += 1
            var token: JSONObject = ["token": text, "checkoutId": .string(stored.checkoutId.rawValue)]
            if let customer = stored.customerId { token["customerId"] = .string(customer.rawValue) }
            if let storefront = stored.storefront { token["storefront"] = .string(storefront.alpha3) }
            batch.append(["token": .object(token)])
            if batch.count == Self.batch { finishBatch() }
        }
        finishBatch()
        recordFile.add(#"],"reports":["#.utf8)
        try ledger.eachReport { report throws(LedgerError) in
            guard report.state == .accepted else { return }
            recordFile.add((summary.reports == 0 ? "" : ",").utf8)
            recordFile.add(report.body)
            summary.reports += 1
        }
        recordFile.add("]}\n".utf8)
        let isWritten = (recordFile.close(), tokenFile.close())
        return isWritten.0 && isWritten.1 ? summary : nil
    }
}

/// A file that is written in blocks; after a failed block nothing more is written.
private final class BlockFile {
    private let handle: FileHandle
    private var waiting: [UInt8] = []
    private var isWhole = true

    init?(_ path: String) {
        guard let handle = FileHandle(forWritingAtPath: path) else { return nil }
        self.handle = handle
    }

    func add(_ bytes: some Sequence<UInt8>) {
        waiting += bytes
        if waiting.count >= 1 << 18 { flush() }
    }

    /// Ends the file; returns false if it is not whole on the disk.
    func close() -> Bool {
        flush()
        do {
            try handle.synchronize()
            try handle.close()
            return isWhole
        } catch {
            return false
        }
    }

    private func flush() {
        do {
            if isWhole { try handle.write(contentsOf: Data(waiting)) }
        } catch {
            isWhole = false
        }
        waiting = []
    }
}
