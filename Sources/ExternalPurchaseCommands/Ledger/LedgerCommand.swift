import ArgumentParser

/// `ledger …`: what the merchant's side knows, read from its database, also while the server runs; `import`,
/// `attention retry` and `attention resolve` need the database for themselves.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Look into the ledger: what is due, what goes where, the audit log.",
        subcommands: [
            LedgerDueCommand.self, LedgerPlanCommand.self, LedgerExportCommand.self,
            LedgerAttentionCommand.self, LedgerAuditCommand.self, LedgerVerifyCommand.self, LedgerImportCommand.self,
        ]
    )
}
