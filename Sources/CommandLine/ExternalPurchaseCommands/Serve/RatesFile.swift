import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Logging
import Reporting
import ServiceLifecycle

/// The file of exchange rates that a configuration names (`rates.file`, RR-48): CSV with `date,from,to,rate,source`.
enum RatesFile {
    private static let columns = ["date", "from", "to", "rate", "source"]
    /// The largest number of rates; 200 currencies have as many in 25 years.
    private static let maximumCount = 2_000_000

    /// Reads the rates.
    ///
    /// - Throws: ``CommandSupport/CommandFailure`` with the line of the first fault.
    static func read(_ path: String) throws(CommandFailure) -> RateTable {
        if let reason = NamedFile.refusalOfRepeatedReading(path: path) { throw .input("\(path): \(reason)") }
        guard let file = FileHandle(forReadingAtPath: path) else { throw .input("\(path): cannot be read") }
        defer { try? file.close() }
        var csv = try CSVReader(file, name: path)
        var table = RateTable()
        var places: [Int]?
        while let item = try csv.next() {
            switch item {
            case .record(let record) where record.isBlank: continue
            case .record(let record):
                guard let known = places else {
                    places = try header(record, path)
                    continue
                }
                guard record.fields.count > known.max() ?? 0 else {
                    throw .input("\(path):\(record.line): has \(record.fields.count) fields, fewer than the header")
                }
                try add(known.map { record.fields[$0].trimmingBlanks }, of: "\(path):\(record.line)", to: &table)
                if table.count > maximumCount { throw .input("\(path): has more than \(maximumCount) rates") }
            case .faulty(let line, let message), .unreadable(let line, let message):
                throw .input("\(path):\(line): \(message)")
            }
        }
        guard places != nil else {
            throw .input("\(path): is empty; its first line is \(columns.joined(separator: ","))")
        }
        return table
    }

    private static func header(_ record: CSVReader.Record, _ path: String) throws(CommandFailure) -> [Int] {
        let titles = record.fields.map { $0.trimmingBlanks.lowercased() }
        let missing = columns.filter { !titles.contains($0) }
        guard missing.isEmpty else {
            throw .input(
                "\(path):\(record.line): has no column \(missing.joined(separator: ", ")); the first line is "
                    + columns.joined(separator: ",")
            )
        }
        return columns.compactMap { titles.firstIndex(of: $0) }
    }

    private static func add(_ fields: [String], of place: String, to table: inout RateTable) throws(CommandFailure) {
        let (date, from, to, rateText, source) = (fields[0], fields[1], fields[2], fields[3], fields[4])
        guard let asOf = Timestamp(rfc3339: date.utf8.count == 10 ? "\(date)T00:00:00Z" : date) else {
            throw .input(
                "\(place): date: is no date such as 2026-11-20 and no time such as 2026-11-20T16:00:00Z: \(date.quoted)"
            )
        }
        guard let currency = Currency.code(from) else {
            throw .input("\(place): from: is not a currency of ISO 4217 such as ISK: \(from.quoted)")
        }
        guard to == "EUR" || to == "USD" else {
            throw .input(
                "\(place): to: is neither EUR nor USD, into which other currencies are converted (RR-51): \(to.quoted)"
            )
        }
        guard currency.code != to else { throw .input("\(place): to: is the currency that is converted") }
        let fraction = rateText.split(separator: ".", maxSplits: 1).dropFirst().first?.utf8.count ?? 0
        guard let value = DecimalText.decimal(rateText), value > 0, value < 1_000_000_000, fraction <= 12,
            let rate = ExchangeRate(value.description)
        else {
            throw .input(
                "\(place): rate: is no decimal above 0 with at most 12 digits after the point, such as 0.0069: \(rateText.quoted)"
            )
        }
        guard (1...256).contains(source.unicodeScalars.count) else {
            throw .input(
                "\(place): source: has no text of 1 to 256 characters; Apple names Bloomberg as the source of rates"
            )
        }
        guard table.add(QuotedRate(rate: rate, source: source, asOf: asOf, to: to), from: currency.code) else {
            throw .input("\(place): date: has another rate from \(currency.code) to \(to) in a line before")
        }
    }
}

/// Reads the file of exchange rates again whenever it changes, and gives held sales the rates that they lack.
///
/// A file that is wrong changes nothing: the rates read before stay, the log says what is wrong, and `/health/ready`
/// shows it until the file is right.
struct RatesWatcher: Service {
    let path: String
    let rates: ExchangeRates
    let sales: SaleIntake
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    private static let interval = Duration.seconds(5)

    /// What tells one version of the file from another.
    private struct Version: Equatable {
        let modified: Date?
        let size: Int64?
        let node: UInt64?

        init(_ path: String) {
            let file = URL(filePath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            modified = attributes?[.modificationDate] as? Date
            size = (attributes?[.size] as? NSNumber)?.int64Value
            node = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var known: Version?
            var isOpen = true
            while !Task.isCancelled {
                let version = Version(path)
                if version != known {
                    known = version
                    if read() { isOpen = true }
                }
                if isOpen { isOpen = await !fill() }
                try? await sleep(Self.interval)
            }
        }
    }

    /// Reads the file; false if the rates stay as they were.
    private func read() -> Bool {
        do throws(CommandFailure) {
            let table = try RatesFile.read(path)
            rates.replace(by: table)
            logger.notice(
                "exchange rates were read",
                metadata: [
                    "file": "\(path)", "rates": "\(table.count)",
                    "newest": "\(table.newest.map(\.description) ?? "none")",
                ]
            )
            return true
        } catch {
            let problem = error.message ?? "\(path): cannot be read"
            rates.keep()
            logger.warning("exchange rates stay as they were: the file is wrong", metadata: ["error": "\(problem)"])
            return false
        }
    }

    /// Gives held sales their rates; false if the ledger stored nothing.
    private func fill() async -> Bool {
        do throws(RequestError) {
            let count = try await sales.fillRates()
            if count > 0 { logger.notice("held sales got an exchange rate", metadata: ["sales": "\(count)"]) }
            return true
        } catch {
            logger.warning("held sales wait for their exchange rates", metadata: ["error": "\(error)"])
            return false
        }
    }
}

extension ServeConfiguration {
    /// The rates of the configured file; nil without one.
    func exchangeRates() throws(CommandFailure) -> ExchangeRates? {
        guard let ratesFile else { return nil }
        return ExchangeRates(try ratesFile.read(RatesFile.read))
    }
}
