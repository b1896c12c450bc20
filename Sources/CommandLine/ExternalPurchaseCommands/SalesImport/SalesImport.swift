import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting
import ReportingServer

/// Imports the sales of a file: checks every row first, then stores the rows in their order.
///
/// A row is read and stored as the body of `POST /v1/sales`. Rows that are stored already are known, so a repetition
/// goes on where the last run ended.
struct SalesImport: Sendable {
    /// The file's name for messages.
    let name: String
    let mappings: [ColumnMapping]
    let apps: [BundleId: RegisteredApp]
    let progress: TerminalProgress

    /// The largest number of errors that are listed.
    static let mostErrors = 100
    /// The largest number of rows of one commit.
    static let rowsOfCommit = BatchIntake.maximumCount
    /// The approximate largest size of the rows of one commit, in bytes of JSON; `POST /v1/batch` takes 4 MiB.
    static let bytesOfCommit = 2 << 20

    /// A row of the file.
    struct Row: Sendable {
        let record: CSVReader.Record
        /// The body of `POST /v1/sales`.
        let body: JSONValue
        let command: SaleCommand
    }

    /// What became of a row.
    enum Result: Sendable {
        case stored(isNew: Bool, state: String, flags: [String])
        /// The row contradicts what is stored.
        case refused([FieldError])
    }

    /// Stores rows in one commit; the results are in their order.
    typealias Receiver = @Sendable ([Row]) async throws -> [Result]

    /// Checks every row without storing one.
    ///
    /// - Throws: ``CommandFailure`` for a file or header that cannot be read.
    func check(_ file: FileHandle, size: Int64) throws(CommandFailure) -> SalesImportSummary {
        var summary = SalesImportSummary()
        try eachRow(of: file) { row, offset throws(CommandFailure) in
            summary.rows += 1
            if case .failure(let errors) = row { summary.add(errors.list) }
            progress.show("checking: \(summary.rows) rows, \(Self.percent(offset, of: size))")
        }
        if summary.rows == 0 { throw .input("\(name): has no rows below its header") }
        return summary
    }

    /// Stores every row.
    ///
    /// - Parameter show: called with each row and its result.
    func store(
        _ file: FileHandle,
        size: Int64,
        into receiver: Receiver,
        show: (Row, Result) -> Void = { _, _ in }
    ) async throws -> SalesImportSummary {
        var summary = SalesImportSummary()
        var reader = try reader(of: file)
        var pending: [Row] = []
        var bytes = 0
        func flush() async throws {
            if pending.isEmpty { return }
            let results: [Result]
            do {
                results = try await receiver(pending)
            } catch let failure as CommandFailure where summary.rows > 0 {
                throw CommandFailure.otherSide(
                    "\(failure.message ?? ""); the first \(summary.rows) rows of \(name) are done, the same command goes on "
                        + "with the others"
                )
            }
            for (row, result) in zip(pending, results) {
                summary.add(row, result, columns: reader.columns)
                show(row, result)
            }
            pending.removeAll()
            bytes = 0
        }
        while let (row, offset) = try reader.next(self) {
            switch row {
            case .success(let row):
                pending.append(row)
                bytes += row.record.fields.reduce(256) { $0 + $1.utf8.count }
            case .failure(let errors):
                // The file changed after its check.
                summary.rows += 1
                summary.add(errors.list)
            }
            if pending.count == Self.rowsOfCommit || bytes >= Self.bytesOfCommit { try await flush() }
            progress.show("\(summary.rows) rows, \(Self.percent(offset, of: size))")
        }
        try await flush()
        return summary
    }

    private static func percent(_ offset: Int64, of size: Int64) -> String {
        "\(min(100, offset * 100 / max(1, size))) %"
    }

    // MARK: Reading

    /// The errors of a row.
    private struct RowErrors: Error {
        let list: [RowError]
    }

    /// Reads rows below the header.
    private struct RowReader {
        var csv: CSVReader
        let columns: SalesColumns

        /// Returns the next row that is not blank, and the number of bytes read; nil at the end.
        mutating func next(
            _ work: SalesImport
        ) throws(CommandFailure) -> (row: Swift.Result<Row, RowErrors>, offset: Int64)? {
            while let item = try csv.next() {
                switch item {
                case .record(let record) where record.isBlank: continue
                case .record(let record): return (work.row(record, columns), csv.offset)
                case .faulty(let line, let message):
                    return (.failure(RowErrors(list: [RowError(line, nil, message)])), csv.offset)
                case .unreadable(let line, let message): throw .input("\(work.name):\(line): \(message)")
                }
            }
            return nil
        }
    }

    private func reader(of file: FileHandle) throws(CommandFailure) -> RowReader {
        var csv = try CSVReader(file, name: name)
        var isEmpty = true
        while let item = try csv.next() {
            switch item {
            case .record(let header) where header.isBlank: isEmpty = false
            case .record(let header):
                let columns = try SalesColumns(header, mappings: mappings, apps: Array(apps.keys), name: name)
                return RowReader(csv: csv, columns: columns)
            case .faulty(let line, let message), .unreadable(let line, let message):
                throw .input("\(name):\(line): the header \(message)")
            }
        }
        throw .input(
            "\(name): \(isEmpty ? "is empty" : "has blank lines and separators only"); its first line must name the "
                + "columns, such as saleId,type,occurredAt"
        )
    }

    private func eachRow(
        of file: FileHandle,
        _ body: (Swift.Result<Row, RowErrors>, Int64) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var reader = try reader(of: file)
        while let (row, offset) = try reader.next(self) { try body(row, offset) }
    }

    private func row(_ record: CSVReader.Record, _ columns: SalesColumns) -> Swift.Result<Row, RowErrors> {
        guard record.fields.count == columns.count else {
            let message =
                "has \(record.fields.count) fields, the header has \(columns.count); a field with a separator in it "
                + "needs quotes"
            return .failure(RowErrors(list: [RowError(record.line, nil, message)]))
        }
        let body = columns.body(of: record)
        do throws(RequestError) {
            return .success(
                Row(record: record, body: body, command: try SaleCommand(body: body, apps: apps, caller: .anybody))
            )
        } catch {
            let errors = error.fieldErrors.map { columns.error(at: $0.path, $0.message, in: record) }
            return .failure(RowErrors(list: errors))
        }
    }
}

/// What an import did, or a dry run would do.
struct SalesImportSummary: Sendable {
    var rows = 0
    private(set) var new = 0
    private(set) var known = 0
    /// The first errors.
    private(set) var errors: [RowError] = []
    private(set) var errorCount = 0
    /// The number of rows with an error.
    private(set) var wrongRows = 0
    private(set) var newByType: [String: Int] = [:]
    /// The prices of new purchases and charges, tax included, by currency.
    private(set) var payments: [String: Decimal] = [:]
    private(set) var states: [String: Int] = [:]
    private(set) var flags: [String: Int] = [:]

    mutating func add(_ errors: [RowError]) {
        wrongRows += 1
        errorCount += errors.count
        self.errors += errors.prefix(SalesImport.mostErrors - self.errors.count)
    }

    mutating func add(_ row: SalesImport.Row, _ result: SalesImport.Result, columns: SalesColumns) {
        rows += 1
        switch result {
        case .refused(let faults):
            add(faults.map { columns.error(at: $0.path, $0.message, in: row.record) })
        case .stored(isNew: false, _, _):
            known += 1
        case .stored(isNew: true, let state, let flags):
            new += 1
            newByType[row.body.objectValue?["type"]?.stringValue ?? "", default: 0] += 1
            if let purchase = row.command.sale.purchase {
                payments[purchase.currency, default: 0] += purchase.inclusive
            }
            states[state, default: 0] += 1
            for flag in flags { self.flags[flag, default: 0] += 1 }
        }
    }

    /// The lines of the errors, and how many more there are.
    func errorLines(of file: String) -> [String] {
        let more = errorCount - errors.count
        return errors.map { $0.text(of: file) } + (more > 0 ? ["and \(more) more errors"] : [])
    }

    /// One line about what was stored.
    func text(of file: String, isDryRun: Bool) -> String {
        let types = newByType.isEmpty ? "" : " (\(Self.list(newByType)))"
        var parts = ["\(new) new\(isDryRun ? " would be stored" : " stored")\(types)", "\(known) known"]
        if wrongRows > 0 { parts.append("\(wrongRows) refused") }
        var text = "\(file): \(rows) rows: " + parts.joined(separator: ", ")
        if !payments.isEmpty {
            let sums = payments.sorted { $0.key < $1.key }.map {
                "\($0.key) \(Currency.text(of: $0.value, in: $0.key))"
            }
            text += "; payments \(sums.joined(separator: ", "))"
        }
        if !states.isEmpty { text += "; \(Self.list(states))" }
        if !flags.isEmpty { text += "; flags: \(Self.list(flags))" }
        return text + (isDryRun ? "; dry run, nothing was stored" : "")
    }

    func json(of file: String, isDryRun: Bool) -> JSONValue {
        func counts(_ counts: [String: Int]) -> JSONValue {
            .object(JSONObject(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer(Int64($0.value))) }))
        }
        let sums = payments.sorted { $0.key < $1.key }.map {
            JSONObject.Member($0.key, .string(Currency.text(of: $0.value, in: $0.key)))
        }
        return [
            "file": .string(file), "dryRun": .bool(isDryRun), "rows": .integer(Int64(rows)),
            "new": .integer(Int64(new)), "known": .integer(Int64(known)),
            "wrong": .integer(Int64(wrongRows)), "newByType": counts(newByType),
            "payments": .object(JSONObject(sums)), "states": counts(states),
            "flags": counts(flags), "errors": .array(errors.map(\.json)),
            "errorCount": .integer(Int64(errorCount)),
        ]
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}

extension RequestError {
    /// The errors of a sale by field; one of its content concerns the whole sale.
    var fieldErrors: [FieldError] {
        if case .invalid(let errors) = self { errors } else { [FieldError("/saleId", description)] }
    }
}
