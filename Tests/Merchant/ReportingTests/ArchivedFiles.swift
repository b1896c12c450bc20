import ExternalPurchaseCore
import Ledger

@testable import Reporting

/// The files of an archive, read by the format's description ("ustar Interchange Format" of POSIX.1).
struct ArchivedFiles {
    private(set) var names: [String] = []
    private var contents: [String: ArraySlice<UInt8>] = [:]
    /// The sizes of the blocks that were written.
    private(set) var blocks: [Int] = []
    /// What the archive says of itself.
    let summary: AuditArchive.Summary

    /// Makes the archive of an app for some months.
    init(
        of app: BundleId,
        from first: String = "2026-11",
        through last: String = "2026-11",
        rules: DeadlineRules = DeadlineRules(),
        settings: ReportingSettings = ReportingSettings(),
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        guard let archive = AuditArchive(of: app, from: first, through: last, rules: rules, settings: settings) else {
            throw .failed("no such months")
        }
        var (bytes, blocks): ([UInt8], [Int]) = ([], [])
        let made = try archive.write(ledger) { block, offset in
            // The header of a file comes after its content.
            let hole = max(0, offset + block.count - bytes.count)
            bytes += Array(repeating: 0xFF, count: hole)
            bytes.replaceSubrange(offset..<offset + block.count, with: block)
            blocks.append(block.count)
        }
        guard case .success(let summary) = made else { throw .failed("\(made)") }
        self.summary = summary
        self.blocks = blocks
        var rest = bytes[...]
        while let header = Self.next(512, of: &rest), header.first != 0 {
            let name = Self.text(header.prefix(100))
            guard let size = Int(Self.text(header.dropFirst(124).prefix(11)), radix: 8),
                let content = Self.next(size, of: &rest)
            else { throw .failed("the header of \(name)") }
            names.append(name)
            contents[name] = content
            _ = Self.next((512 - size % 512) % 512, of: &rest)
        }
        // The first of two blocks of zeros was the last header.
        guard rest.count == 512, bytes.count == summary.bytes else { throw .failed("the end of the archive") }
    }

    func bytes(_ name: String) -> [UInt8]? { contents[name].map { Array($0) } }

    func text(_ name: String) -> String { String(decoding: contents[name] ?? [], as: UTF8.self) }

    /// The first cell of each row of a table.
    func firstCells(_ name: String) -> [String] {
        text(name).split(separator: "\r\n").dropFirst().map { String($0.prefix { $0 != "," }) }
    }

    private static func next(_ count: Int, of rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String {
        String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }
}
