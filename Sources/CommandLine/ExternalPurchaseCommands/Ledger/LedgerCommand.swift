import ArgumentParser

/// `ledger …`: reads and changes the merchant's database.
///
/// Reading commands also work while the server runs; commands that change the database need exclusive access.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Look into the ledger: what is due, what goes where, the audit log; keep and purge its records.",
        subcommands: [
            LedgerDueCommand.self, LedgerPlanCommand.self, LedgerExportCommand.self,
            LedgerSaleCommand.self, LedgerReviewCommand.self, LedgerAuditCommand.self, LedgerVerifyCommand.self,
            LedgerReconcileCommand.self, LedgerBackupCommand.self, LedgerKeepRecordsCommand.self,
            LedgerCopyCommand.self,
            LedgerImportCommand.self, LedgerImportSalesCommand.self,
            LedgerSubmittedCommand.self, LedgerInvoiceCommand.self,
            LedgerArchiveCommand.self, LedgerEraseCommand.self,
            LedgerPurgeCommand.self, LedgerProgrammesCommand.self,
        ]
    )
}
