import ExternalPurchaseCore
import Ledger

/// Adds files to an archive, block by block, and writes nothing after the first failure.
struct ArchiveWriter {
    private(set) var tar: TarFile
    private(set) var files = 0
    private(set) var failure: ArchiveFailure?
    private var buffer: [UInt8] = []

    init(tar: TarFile) {
        self.tar = tar
    }

    mutating func add(_ name: String, _ content: some Collection<UInt8>) {
        tar.begin()
        put(content)
        end(name)
    }

    /// Adds a file whose bytes the closure puts.
    mutating func add(
        _ name: String,
        _ content: (inout ArchiveWriter) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        tar.begin()
        try content(&self)
        end(name)
    }

    mutating func put(_ bytes: some Collection<UInt8>) {
        guard failure == nil else { return }
        buffer += bytes
        if buffer.count >= ExportFile.blockSize { flush() }
    }

    mutating func finish() {
        attempt { tar throws(ArchiveFailure) in try tar.finish() }
    }

    private mutating func end(_ name: String) {
        flush()
        attempt { tar throws(ArchiveFailure) in try tar.end(name) }
        if failure == nil { files += 1 }
    }

    private mutating func flush() {
        attempt { [buffer] tar throws(ArchiveFailure) in try tar.put(buffer) }
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func attempt(_ body: (inout TarFile) throws(ArchiveFailure) -> Void) {
        guard failure == nil else { return }
        do throws(ArchiveFailure) {
            try body(&tar)
        } catch {
            failure = error
        }
    }
}

// Tables are files of comma-separated values.
extension ArchiveWriter {
    mutating func put(_ cells: [CSVText.Cell]) { put(CSVText.record(cells).utf8) }

    /// Puts a row for each record of a page, whose customers' pseudonyms are read together.
    mutating func put<Record>(
        _ records: [Record],
        _ fields: RecordFields<Record>,
        of app: BundleId,
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        let rows = records.map { fields.values(of: $0, in: .archive) }
        let customers = try ledger.customers(Set(rows.joined().compactMap(\.customerId)), of: app)
        let pseudonyms = Dictionary(uniqueKeysWithValues: customers.map { ($0.customerId, $0.pseudonym) })
        for row in rows { put(row.map { CSVText.Cell($0, naming: pseudonyms) }) }
    }
}

extension RecordValue {
    /// The customer whom the value names.
    fileprivate var customerId: CustomerId? {
        switch self {
        case .customer(let customer): customer
        case .sale(let sale): sale?.customerId
        case .text, .figure, .integer, .flag, .time, .texts, .json: nil
        }
    }
}

extension CSVText.Cell {
    static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .empty }
    static func time(_ moment: Timestamp?) -> Self { moment.map { .figure($0.description) } ?? .empty }

    fileprivate init(_ value: RecordValue, naming pseudonyms: [CustomerId: String]) {
        self =
            switch value {
            case .text(let text): .optional(text)
            case .figure(let text): text.map { .figure($0) } ?? .empty
            case .integer(let integer): integer.map { .figure(String($0)) } ?? .empty
            case .flag(let flag): .figure(flag ? "true" : "false")
            case .time(let time): .time(time)
            case .texts(let texts): .text(texts.sorted().joined(separator: " "))
            case .customer(let customer): .optional(customer.flatMap { pseudonyms[$0] })
            case .sale(let sale): .optional(sale?.json(naming: pseudonyms).text)
            case .json(let json): .optional(json?.text)
            }
    }
}

extension JSONValue {
    /// The value as JSON text.
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
