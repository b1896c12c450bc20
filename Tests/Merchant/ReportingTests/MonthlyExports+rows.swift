import ExternalPurchaseCore
import Ledger

@testable import Reporting

extension MonthlyExports {
    /// The rows of a month in the order in which they are handed on.
    func rows(_ month: MonthChoice, environment: AppStoreEnvironment = .production) async throws -> [ExportRow] {
        let (app, programmes) = try choice.exported(of: month)
        let export = LedgerExport(rules: rules, settings: settings, environment: environment)
        let now = dependencies.now()
        return try await store.read { ledger throws(LedgerError) in
            var rows: [ExportRow] = []
            let made = try export.month(month.month, programmes, of: app, now: now, in: ledger) { rows.append($0) }
            guard case .success(let exports) = made, exports.exports.map(\.rowCount).reduce(0, +) == rows.count else {
                throw .failed("the rows are not those of the exports")
            }
            return rows
        }
    }

    /// The file of a month as text.
    func text(
        _ format: ExportFormat,
        _ month: MonthChoice,
        environment: AppStoreEnvironment = .production
    ) async throws -> String {
        let file = try await file(format, month, environment: environment)
        let bytes = try file.bytes()
        guard bytes.count == file.size else { throw LedgerError.failed("\(bytes.count) bytes, not \(file.size)") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ExportFile {
    /// All bytes of the file.
    func bytes() throws(LedgerError) -> [UInt8] {
        var (blocks, bytes): (Blocks, [UInt8]) = (blocks, [])
        while let block = try blocks.next() { bytes += block }
        return bytes
    }
}
