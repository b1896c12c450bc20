import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Take a customer's id out of the ledger; the figures and the audit log stay whole.",
        discussion: """
            Where the id stood, a pseudonym stands from now on, and nothing tells any more whose it was. The server must \
            not be running; while it runs, POST /v1/erasures does the same. Backups of the file are yours to delete.
            """
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The app.", transform: BundleId.reading)
    var bundleId: String

    @Option(help: "The customer's id, as it was given with tokens and sales.")
    var customer: String

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let store = try await ledger.writer(orElse: "POST /v1/erasures does the same")
        let erased: StoredCustomer?
        do {
            erased = try await CustomerErasure(store: store).erase(CustomerId(customer), of: BundleId(bundleId))
        } catch {
            try? store.close()
            throw ledger.failure(error)
        }
        try? store.close()
        guard let erased else {
            throw CommandFailure.wrong("--customer: \(bundleId) knows no customer of that id, or not any more")
        }
        switch format {
        case .json:
            let object =
                JSONValue.object([
                    "bundleId": .string(erased.bundleId.rawValue),
                    "pseudonym": .string(erased.pseudonym),
                    "erasedAt": erased.erasedAt.map { .string($0.description) } ?? .null,
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(line: "erased; \(erased.pseudonym) stands in its place")
        }
    }
}
