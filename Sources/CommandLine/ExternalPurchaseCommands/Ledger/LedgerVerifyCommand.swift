import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Check the file, and follow the hash chain of the audit log to the first entry that is not what was written.",
        discussion: """
            A chain cannot show that its end is missing, as in an older copy: that shows against a head that was noted \
            elsewhere. The server keeps one beside its ledger (FILE.anchor), or in database.folder of --config, which is used unless another one is named; \
            `ledger backup`, `ledger archive` and this command print one.
            """
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "A head noted earlier, as SEQUENCE:HASH; the log must still hold it.")
    var head: String?

    @Option(help: "A file that holds such a head; by default the one beside the ledger, where there is one.")
    var anchor: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if head != nil, anchor != nil { throw ValidationError("--head and --anchor exclude each other") }
    }

    /// The results of a verification.
    private struct Findings {
        var noted: (head: AuditHead, source: String)?
        var faults: [String] = []
        /// Nil when the file is too damaged to read.
        var chain: AuditVerdict?

        var isWhole: Bool { faults.isEmpty && chain != nil && chain?.broken == nil }
    }

    func run() async throws {
        var findings = Findings(noted: try noted())
        do {
            try await check(&findings)
        } catch .corrupt(let detail) {
            findings.faults.append(detail)
        } catch .notADatabase {
            findings.faults.append("it is not a SQLite database, or its header is overwritten")
        } catch {
            throw ledger.failure(error)
        }
        switch format {
        case .json: StandardStreams.output(String(decoding: Self.json(findings).encoded(), as: UTF8.self))
        case .text: for line in Self.lines(findings) { StandardStreams.output(line) }
        }
        if !findings.isWhole { throw ExitCode(1) }
    }

    private func check(_ findings: inout Findings) async throws(LedgerError) {
        let progress = TerminalProgress(isQuiet: global.quiet)
        defer { progress.end() }
        let reader = try await ledger.database.reader()
        // The file is checked while the chain is followed, because each of them reads most of it.
        let other = try await ledger.database.reader()
        let faults = Task { await Self.faults(other) }
        let expected = findings.noted?.head
        let chain: Result<AuditVerdict, LedgerError>
        do throws(LedgerError) {
            chain = .success(
                try await reader.read { ledger throws(LedgerError) in
                    // A damaged entry is found, and named, where the chain reaches it.
                    let total = (try? ledger.auditHead()).map { Int($0.sequence) }
                    return try ledger.verifyAudit(expecting: expected) { done in
                        progress.show(Int(done), of: total, "entries")
                    }
                }
            )
        } catch {
            chain = .failure(error)
        }
        findings.faults = try await progress.show("checking the file") { await faults.value }.get()
        findings.chain = try chain.get()
    }

    private static func faults(_ reader: any LedgerReader) async -> Result<[String], LedgerError> {
        do throws(LedgerError) {
            return .success(try await reader.fileFaults())
        } catch {
            return .failure(error)
        }
    }

    private func noted() throws(CommandFailure) -> (head: AuditHead, source: String)? {
        if let head {
            guard let parsed = AuditHead(text: head) else {
                throw .input("--head \(head): is not a head such as 120:9f86d0…, as `ledger verify` prints it")
            }
            return (parsed, "--head")
        }
        let path: String
        if let anchor { path = anchor } else { path = try ledger.files().anchor }
        do throws(UnreadableAnchor) {
            if let head = try LedgerAnchor.read(path) { return (head, path) }
        } catch {
            throw .input("--anchor \(error)")
        }
        if let anchor { throw .input("--anchor \(anchor): no such file") }
        return nil
    }

    private static func lines(_ findings: Findings) -> [String] {
        var lines = findings.faults.map { "the file is damaged: \($0)" }
        guard let chain = findings.chain else {
            return lines + ["the audit log cannot be read: take another copy of the ledger"]
        }
        if let broken = chain.broken {
            lines.append("broken at entry \(broken.sequence): \(broken.reason); \(chain.intact) before it are intact")
        } else {
            lines.append("\(chain.intact) entries are intact; head \(chain.head?.text ?? "none")")
        }
        guard chain.broken == nil else { return lines }
        if let noted = findings.noted {
            lines.append(
                "up to entry \(noted.head.sequence), which \(noted.source) noted, nothing is missing; "
                    + "whether later entries are missing cannot be seen"
            )
        } else {
            lines.append(
                "whether entries behind the last one are missing, as in an older copy, cannot be seen: "
                    + "give a head that was noted elsewhere with --head or --anchor"
            )
        }
        return lines
    }

    private static func json(_ findings: Findings) -> JSONValue {
        let chain = findings.chain
        let broken = chain?.broken.map { broken in
            JSONValue.object([
                "sequence": .integer(broken.sequence), "reason": .string(broken.reason),
            ])
        }
        return [
            "intact": .integer(chain?.intact ?? 0),
            "head": (chain?.head?.text).map { .string($0) } ?? .null,
            "broken": broken ?? .null,
            "fileFaults": .array(findings.faults.map { .string($0) }),
            "noted": (findings.noted?.head.text).map { .string($0) } ?? .null,
        ]
    }
}
