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
    let form: Form
    let apps: [BundleId: RegisteredApp]
    let progress: TerminalProgress

    /// The largest number of errors that are listed.
    static let mostErrors = 100
    /// The largest number of rows of one commit.
    static let rowsOfCommit = BatchIntake.maximumCount
    /// The largest number of rows of one commit of a running server, whose other callers wait for it.
    static let rowsBesideOthers = 25
    /// The approximate largest size of the rows of one commit, in bytes of JSON; `POST /v1/batch` takes 4 MiB.
    static let bytesOfCommit = 2 << 20

    /// How the file is read.
    enum Form: Sendable {
        /// The columns have the names of fields, apart from those of `--map`.
        case columns([ColumnMapping])
        /// The columns are a provider's (`--profile`).
        case profile(SalesProfile, TaxDefaults)
    }

    /// A sale of the file.
    struct Row: Sendable {
        /// The line on which its row begins, of an order its first row.
        let line: Int
        /// The body of `POST /v1/sales`.
        let body: JSONValue
        let command: SaleCommand
        /// The approximate size of the body in bytes.
        let size: Int
        /// The place in an order with several payments; nil for any other sale.
        var place: OrderPayments.Place?
        /// Returns an error of the server's reader in the words of the file.
        let describe: @Sendable (FieldError) -> RowError
    }

    /// The number of rows whose sales a dry run shows before it stores any.
    static let rowsOfPreview = 5

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
            switch row {
            case .sale(let row):
                summary.rows += 1
                if summary.preview.count < Self.rowsOfPreview {
                    summary.preview.append(SalesImportSummary.Preview(line: row.line, sale: row.body))
                }
            case .leftOut(let line, let word):
                summary.leaveOut(word)
                if summary.preview.count < Self.rowsOfPreview {
                    summary.preview.append(SalesImportSummary.Preview(line: line, leftOut: word))
                }
            case .wrong(let errors):
                summary.rows += 1
                summary.add(errors)
            }
            progress.show("checking: \(summary.rows) rows, \(Self.percent(offset, of: size))")
        }
        if summary.rows == 0, summary.leftOut.isEmpty { throw .input("\(name): has no rows below its header") }
        return summary
    }

    /// Stores every row.
    ///
    /// - Parameters:
    ///   - most: the largest number of rows of one commit.
    ///   - receiver: stores them.
    ///   - show: called with each row and its result.
    func store(
        _ file: FileHandle,
        size: Int64,
        atOnce most: Int = rowsOfCommit,
        into receiver: Receiver,
        show: (Row, Result) -> Void = { _, _ in }
    ) async throws -> SalesImportSummary {
        var summary = SalesImportSummary()
        var reader = try reader(of: file)
        var pending: [Row] = []
        var bytes = 0
        // An order whose first payment is another one in the ledger has other ids there, and a refund that several payments
        // share is stored whole or not.
        var refused: (orders: Set<String>, refunds: Set<String>) = ([], [])
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
                summary.add(row, result)
                show(row, result)
                guard case .refused = result, let place = row.place else { continue }
                if place.isFirst { refused.orders.insert(place.order) }
                if let refund = place.sharedRefund { refused.refunds.insert(refund) }
            }
            pending.removeAll()
            bytes = 0
        }
        while let (row, offset) = try reader.next(self) {
            switch row {
            case .sale(let row):
                if let message = row.place.flatMap({ Self.refusal(of: $0, refused.orders, refused.refunds) }) {
                    summary.add(row, .refused([FieldError("/saleId", message)]))
                    break
                }
                pending.append(row)
                bytes += row.size
                if let place = row.place, place.isFirst || place.sharedRefund != nil { try await flush() }
            case .leftOut(_, let word):
                summary.leaveOut(word)
            case .wrong(let errors):
                // The file changed after its check.
                summary.rows += 1
                summary.add(errors)
            }
            if pending.count == most || bytes >= Self.bytesOfCommit { try await flush() }
            progress.show("\(summary.rows) rows, \(Self.percent(offset, of: size))")
        }
        try await flush()
        return summary
    }

    /// Why a sale is refused that depends on another one of the file.
    private static func refusal(
        of place: OrderPayments.Place,
        _ orders: Set<String>,
        _ refunds: Set<String>
    ) -> String? {
        if orders.contains(place.order) {
            return
                "belongs to the order \(place.order.quoted), whose first payment, on line \(place.firstLine), is refused; "
                + "a file with all payments of the order is imported"
        }
        guard let refund = place.sharedRefund, refunds.contains(refund) else { return nil }
        return "is a part of the refund \(refund.quoted), of which another part is refused"
    }

    private static func percent(_ offset: Int64, of size: Int64) -> String {
        "\(min(100, offset * 100 / max(1, size))) %"
    }

    // MARK: Reading

    /// What a row of the file gives.
    private enum Item {
        case sale(Row)
        /// A row that is no sale, with the provider's word for it.
        case leftOut(line: Int, String)
        case wrong([RowError])
    }

    private enum Layout {
        case columns(SalesColumns)
        case profile(ProfileLayout)

        var count: Int {
            switch self {
            case .columns(let columns): columns.count
            case .profile(let profile): profile.count
            }
        }
    }

    /// Reads the sales below the header.
    private struct RowReader {
        var csv: CSVReader
        let layout: Layout
        /// What was read and not returned yet.
        private var ready: [Item] = []
        private var isAtEnd = false
        /// The reversals of chargebacks, which are stored after the chargebacks whatever the order of the rows.
        private var reversals: [Item] = []
        /// The rows of the order that is being read, and its first record.
        private var order: OrderLines?
        /// The line on which each order began.
        private var begun: [EqualRefunds.Key: Int] = [:]
        private var payments: OrderPayments
        private var equalRefunds = EqualRefunds()

        /// The largest number of rows of an order, that of the lines of a request.
        private static let mostRowsOfOrder = 100

        init(csv: CSVReader, layout: Layout, payments: OrderPayments) {
            self.csv = csv
            self.layout = layout
            self.payments = payments
        }

        /// Returns the next item, and the number of bytes read; nil at the end.
        mutating func next(_ work: SalesImport) throws(CommandFailure) -> (item: Item, offset: Int64)? {
            while ready.isEmpty, !isAtEnd { try read(work) }
            return ready.isEmpty ? nil : (ready.removeFirst(), csv.offset)
        }

        private mutating func read(_ work: SalesImport) throws(CommandFailure) {
            guard let item = try csv.next() else {
                isAtEnd = true
                endOrder(work)
                if case .profile(let profile) = layout {
                    ready += payments.rest().map { work.item([$0.draft], profile, $0.place) }
                }
                ready += reversals
                reversals.removeAll()
                return
            }
            switch item {
            case .record(let record) where record.isBlank: break
            case .record(let record) where record.fields.count != layout.count:
                endOrder(work)
                let message =
                    "has \(record.fields.count) fields, the header has \(layout.count); a field with a separator in it "
                    + "needs quotes"
                ready.append(.wrong([RowError(record.line, nil, message)]))
            case .record(let record):
                switch layout {
                case .columns(let columns): ready.append(work.item(record, columns))
                case .profile(let profile): read(record, profile, work)
                }
            case .faulty(let line, let message):
                endOrder(work)
                ready.append(.wrong([RowError(line, nil, message)]))
            case .unreadable(let line, let message): throw .input("\(work.name):\(line): \(message)")
            }
        }

        private mutating func read(_ record: CSVReader.Record, _ profile: ProfileLayout, _ work: SalesImport) {
            let key = profile.orderKey(of: record)
            var record = record
            if let key, let order, order.key == key {
                record = profile.record(record, inheriting: order.first)
            } else {
                endOrder(work)
            }
            switch profile.read(record) {
            case .leftOut(let word): ready.append(.leftOut(line: record.line, word))
            case .wrong(let errors):
                order?.isWrong = true
                ready.append(.wrong(errors))
            case .sales(let drafts):
                guard let key, let draft = drafts.first, draft.type == "purchase" else {
                    endOrder(work)
                    return deliver(drafts, profile, work)
                }
                if order == nil {
                    order = OrderLines(key: key, first: record)
                    let text = EqualRefunds.Key(["": key])
                    if let line = begun[text] {
                        // Rows that are equal might be those of before, or further lines.
                        let message =
                            "the order \(key.quoted) begins on line \(line) already; its rows must follow each other, and stand "
                            + "in the file once"
                        ready.append(.wrong([RowError(record.line, "lines", message)]))
                        order?.isWrong = true
                    }
                    begun[text] = record.line
                }
                guard order?.lines.count ?? 0 < Self.mostRowsOfOrder else {
                    if order?.isWrong == false {
                        let message = "more than \(Self.mostRowsOfOrder) rows in a row have the order \(key.quoted)"
                        ready.append(.wrong([RowError(record.line, "lines", message)]))
                    }
                    order?.isWrong = true
                    return
                }
                order?.lines.append((draft, drafts.dropFirst().first))
            }
        }

        /// Makes sales of a row that is no line of an order.
        private mutating func deliver(
            _ drafts: [ProfileLayout.Draft],
            _ profile: ProfileLayout,
            _ work: SalesImport
        ) {
            for var draft in drafts {
                equalRefunds.number(&draft)
                if draft.type == "chargebackReversal" {
                    reversals.append(work.item([draft], profile))
                } else if let sales = payments.take(draft) {
                    ready += sales.map { work.item([$0.draft], profile, $0.place) }
                } else {
                    ready.append(work.item([draft], profile))
                }
            }
        }

        /// Makes a sale of the rows of an order.
        private mutating func endOrder(_ work: SalesImport) {
            guard let order, case .profile(let profile) = layout else { return }
            self.order = nil
            // An order without one of its lines would be another one.
            if order.isWrong { return }
            switch order.sales() {
            case .success(let sales): ready += sales.map { work.item($0, profile) }
            case .failure(let errors): ready.append(.wrong(errors.list))
            }
        }
    }

    private func reader(of file: FileHandle) throws(CommandFailure) -> RowReader {
        var (csv, layout) = try open(file)
        guard case .profile(let profile) = layout, profile.hasOrders else {
            return RowReader(csv: csv, layout: layout, payments: OrderPayments([:]))
        }
        var counts: [Int: OrderPayments.Count] = [:]
        while let item = try csv.next() {
            guard case .record(let record) = item, record.fields.count == profile.count,
                case .sales(let drafts) = profile.read(record)
            else { continue }
            for draft in drafts {
                guard let order = OrderPayments.order(of: draft) else { continue }
                counts[order.hashValue, default: OrderPayments.Count()].rows += 1
                if draft.paymentOfOrder != nil { counts[order.hashValue]?.payments += 1 }
            }
        }
        return RowReader(csv: try open(file).csv, layout: layout, payments: OrderPayments(counts))
    }

    /// Opens the file at its first row below the header.
    private func open(_ file: FileHandle) throws(CommandFailure) -> (csv: CSVReader, layout: Layout) {
        var (separator, encoding, skipped): (UInt8?, FileEncoding?, Int) = (nil, nil, 0)
        if case .profile(let profile, _) = form {
            (separator, encoding, skipped) = (profile.separator, profile.encoding, profile.skippedLines)
        }
        var csv = try CSVReader(file, name: name, separator: separator, encoding: encoding)
        var isEmpty = true
        while let item = try csv.next() {
            if skipped > 0 {
                skipped -= 1
                isEmpty = false
                if case .unreadable(let line, let message) = item { throw .input("\(name):\(line): \(message)") }
                continue
            }
            switch item {
            case .record(let header) where header.isBlank: isEmpty = false
            case .record(let header): return (csv, try layout(header))
            case .faulty(let line, let message), .unreadable(let line, let message):
                throw .input("\(name):\(line): the header \(message)")
            }
        }
        let example = if case .columns = form { ", such as saleId,type,occurredAt" } else { "" }
        throw .input(
            "\(name): \(isEmpty ? "is empty" : "has blank lines and separators only"); its first line must name the "
                + "columns\(example)"
        )
    }

    private func layout(_ header: CSVReader.Record) throws(CommandFailure) -> Layout {
        switch form {
        case .columns(let mappings):
            return .columns(try SalesColumns(header, mappings: mappings, apps: Array(apps.keys), name: name))
        case .profile(let profile, let taxes):
            return .profile(
                try ProfileLayout(header, profile: profile, taxes: taxes, apps: Array(apps.keys), name: name)
            )
        }
    }

    private func eachRow(
        of file: FileHandle,
        _ body: (Item, Int64) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var reader = try reader(of: file)
        while let (item, offset) = try reader.next(self) { try body(item, offset) }
    }

    private func item(_ record: CSVReader.Record, _ columns: SalesColumns) -> Item {
        item(
            columns.body(of: record),
            line: record.line,
            size: record.fields.reduce(256) { $0 + $1.utf8.count }
        ) { columns.error(at: $0.path, $0.message, in: record) }
    }

    /// The sale of a draft, or of the lines of an order.
    private func item(
        _ drafts: [ProfileLayout.Draft],
        _ profile: ProfileLayout,
        _ place: OrderPayments.Place? = nil
    ) -> Item {
        guard let first = drafts.first else { return .wrong([]) }
        var body = first.body(app: first.values["bundleId"] == nil ? profile.onlyApp : nil)
        if drafts.count > 1 {
            let parts: Set = ["productId", "quantity", "amount"]
            let lines = drafts.map { draft in
                JSONValue.object(JSONObject(draft.body(app: nil).members.filter { parts.contains($0.key) }))
            }
            body = JSONObject(body.members.filter { !parts.contains($0.key) })
            body["lines"] = .array(lines)
        }
        let size = drafts.reduce(0) { $0 + $1.values.reduce(256) { $0 + $1.value.utf8.count } }
        return item(.object(body), line: first.line, size: size, place: place) { error in
            let parts = error.path.split(separator: "/", omittingEmptySubsequences: true)
            guard parts.first == "lines", parts.count > 1, let index = Int(parts[1]), drafts.indices.contains(index)
            else {
                return first.error(at: error.path, error.message)
            }
            return drafts[index].error(at: parts.dropFirst(2).map { "/\($0)" }.joined(), error.message)
        }
    }

    private func item(
        _ body: JSONValue,
        line: Int,
        size: Int,
        place: OrderPayments.Place? = nil,
        describe: @escaping @Sendable (FieldError) -> RowError
    ) -> Item {
        do throws(RequestError) {
            let command = try SaleCommand(body: body, apps: apps, caller: .anybody)
            return .sale(Row(line: line, body: body, command: command, size: size, place: place, describe: describe))
        } catch {
            return .wrong(error.fieldErrors.map(describe))
        }
    }
}

/// What an import did, or a dry run would do.
struct SalesImportSummary: Sendable {
    /// What a row of the file gives.
    struct Preview: Sendable {
        let line: Int
        /// The sale as the body of `POST /v1/sales`; nil for a row that is left out.
        var sale: JSONValue?
        /// The provider's word of a row that is left out.
        var leftOut: String?
    }

    /// The number of sales.
    var rows = 0
    /// The number of rows that are no sales, by the provider's word.
    private(set) var leftOut: [String: Int] = [:]
    /// What the first rows give.
    var preview: [Preview] = []
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
    /// The new refunds and chargebacks as the file states them, by currency; one without a currency is not in it.
    private(set) var refunds: [String: Decimal] = [:]
    /// The number of new payments of Stripe that are named by their charge; by its intent the same payment is another sale.
    private(set) var namedByCharge = 0
    private(set) var states: [String: Int] = [:]
    private(set) var flags: [String: Int] = [:]

    /// Counts a row that is no sale.
    ///
    /// - Parameter word: the provider's word for it; of very many words, the later ones are counted together.
    mutating func leaveOut(_ word: String) {
        let isKnown = leftOut[word] != nil || leftOut.count < SalesImport.mostErrors
        leftOut[isKnown ? word : "(other)", default: 0] += 1
    }

    mutating func add(_ errors: [RowError]) {
        wrongRows += 1
        // The parts of a refund have one line.
        let errors = errors.filter { !self.errors.contains($0) }
        errorCount += errors.count
        self.errors += errors.prefix(SalesImport.mostErrors - self.errors.count)
    }

    mutating func add(_ row: SalesImport.Row, _ result: SalesImport.Result) {
        rows += 1
        switch result {
        case .refused(let faults):
            let remedy =
                "a file changes no stored sale, ledger sale amend does; another payment of the order needs saleId.further in "
                + "a profile"
            add(
                faults.map {
                    row.describe(FieldError($0.path, $0.message.replacing(RequestError.amendment, with: remedy)))
                }
            )
        case .stored(isNew: false, _, _):
            known += 1
        case .stored(isNew: true, let state, let flags):
            new += 1
            newByType[row.body.objectValue?["type"]?.stringValue ?? "", default: 0] += 1
            for purchase in row.command.sale.purchase.map({ [$0] }) ?? row.command.sale.lines ?? [] {
                payments[purchase.currency, default: 0] += purchase.inclusive
            }
            if let refund = row.command.sale.refund, let currency = refund.currency {
                refunds[currency, default: 0] += refund.refundedTotal ?? refund.inclusive
            }
            if let payment = row.command.sale.payment, ["ch_", "py_"].contains(where: payment.id.hasPrefix) {
                namedByCharge += 1
            }
            states[state, default: 0] += 1
            for flag in flags { self.flags[flag, default: 0] += 1 }
        }
    }

    /// The lines of the errors, and how many more there are.
    func errorLines(of file: String) -> [String] {
        let more = errorCount - errors.count
        return errors.sorted { $0.line < $1.line }.map { $0.text(of: file) }
            + (more > 0 ? ["and \(more) more errors"] : [])
    }

    /// One line about what was stored.
    func text(of file: String, isDryRun: Bool) -> String {
        let types = newByType.isEmpty ? "" : " (\(Self.list(newByType)))"
        var parts = ["\(new) new\(isDryRun ? " would be stored" : " stored")\(types)", "\(known) known"]
        if wrongRows > 0 { parts.append("\(wrongRows) refused") }
        var text = "\(file): \(rows) rows: " + parts.joined(separator: ", ")
        for (name, sums) in [("payments", payments), ("refunds", refunds)] where !sums.isEmpty {
            let sums = sums.sorted { $0.key < $1.key }.map { "\($0.key) \(Currency.text(of: $0.value, in: $0.key))" }
            text += "; \(name) \(sums.joined(separator: ", "))"
        }
        if !leftOut.isEmpty { text += "; left out: \(Self.list(leftOut))" }
        if !states.isEmpty { text += "; \(Self.list(states))" }
        if !flags.isEmpty { text += "; flags: \(Self.list(flags))" }
        if namedByCharge > 0 {
            text +=
                "; \(namedByCharge) named by the charge: an export with payment intents would give the same payments again"
        }
        return text + (isDryRun ? "; dry run, nothing was stored" : "")
    }

    func json(of file: String, isDryRun: Bool) -> JSONValue {
        func counts(_ counts: [String: Int]) -> JSONValue {
            .object(JSONObject(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer(Int64($0.value))) }))
        }
        func sums(_ sums: [String: Decimal]) -> JSONValue {
            .object(
                JSONObject(
                    sums.sorted { $0.key < $1.key }.map {
                        .init($0.key, .string(Currency.text(of: $0.value, in: $0.key)))
                    }
                )
            )
        }
        return [
            "file": .string(file), "dryRun": .bool(isDryRun), "rows": .integer(Int64(rows)),
            "new": .integer(Int64(new)), "known": .integer(Int64(known)),
            "wrong": .integer(Int64(wrongRows)), "leftOut": counts(leftOut), "newByType": counts(newByType),
            "payments": sums(payments), "refunds": sums(refunds), "states": counts(states),
            "flags": counts(flags), "errors": .array(errors.sorted { $0.line < $1.line }.map(\.json)),
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
