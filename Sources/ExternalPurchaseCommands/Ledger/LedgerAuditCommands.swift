import ArgumentParser
import CommandProgram
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Reporting

struct LedgerAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Print the audit log, one JSON object a line.",
        discussion: "Each entry is chained to the one before by its hash; `ledger verify` follows the chain."
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Entries after this sequence.")
    var after: Int64 = 0

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var page = LedgerPage(after: after, limit: 500)
        let reader = try ledger.reader()
        while true {
            let current = page
            let entries: [AuditEntry]
            do {
                entries = try await reader.read { ledger throws(LedgerError) in try ledger.auditEntries(current) }
            } catch {
                throw CommandFailure.otherSide("--database sqlite:\(ledger.database.path): \(error)")
            }
            for entry in entries { StandardStreams.output(String(decoding: entry.json.encoded(), as: UTF8.self)) }
            guard entries.count == page.limit, let last = entries.last else { return }
            page.after = last.sequence
        }
    }
}

struct LedgerVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Follow the hash chain of the audit log to the first entry that is not what was written.",
        discussion:
            "A chain cannot show that its end was cut off: note the head that is printed, and give it as --head later."
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "A head noted earlier, as SEQUENCE:HASH; the log must still hold it.")
    var head: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let noted = try head.map(Self.head)
        let verdict = try await ledger.read { ledger throws(LedgerError) in try ledger.verifyAudit(expecting: noted) }
        let newest = verdict.head?.text
        switch format {
        case .json:
            let broken = verdict.broken.map { broken in
                JSONValue.object(
                    JSONObject([
                        .init("sequence", .integer(broken.sequence)), .init("reason", .string(broken.reason)),
                    ])
                )
            }
            let object = JSONValue.object(
                JSONObject([
                    .init("intact", .integer(verdict.intact)), .init("head", newest.map { .string($0) } ?? .null),
                    .init("broken", broken ?? .null),
                ])
            )
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            if let broken = verdict.broken {
                StandardStreams.output(
                    line: "broken at entry \(broken.sequence): \(broken.reason); \(verdict.intact) before it are intact"
                )
            } else {
                StandardStreams.output(line: "\(verdict.intact) entries are intact; head \(newest ?? "none")")
            }
        }
        if verdict.broken != nil { throw ExitCode(1) }
    }

    private static func head(_ text: String) throws(CommandFailure) -> AuditHead {
        guard let head = AuditHead(text: text) else {
            throw .input("--head \(text): is not a head such as 120:9f86d0…, as `ledger verify` prints it")
        }
        return head
    }
}
