import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import ReportPlanning
import Reporting

struct LedgerInvoiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invoice",
        abstract: "Apple's invoices beside what was reported and estimated.",
        subcommands: [LedgerInvoiceShowCommand.self, LedgerInvoiceAddCommand.self],
        defaultSubcommand: LedgerInvoiceShowCommand.self
    )
}

struct LedgerInvoiceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "A month's reported net, estimate, invoices and their difference, by currency."
    )

    @Argument(help: "The month, as 2026-10.")
    var month: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The app; may be left out when the configuration has one.")
    var bundleId: String?

    @Option(help: "The programme's id; by default the one of the app that is in force for the month.")
    var programme: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let now = try ledger.moment()
        let chosen = try ledger.choice(month: month, bundleId: bundleId, programme: programme)
        let book = InvoiceBook(rules: chosen.rules, settings: chosen.settings)
        let wanted = month
        let result = try await ledger.read { ledger throws(LedgerError) in
            try book.account(month: wanted, programme: chosen.programme, of: chosen.app, now: now, in: ledger)
        }
        let account: InvoiceBook.Account
        switch result {
        case .success(let made): account = made
        case .failure(let refusal): throw CommandFailure.input(refusal.message)
        }
        switch format {
        case .json: StandardStreams.output(String(decoding: account.json.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(line: "\(account.programme.id), \(account.month), \(account.bundleId)")
            for line in account.lines {
                let sum = "estimate \(line.estimate.map { "\($0)" } ?? "–")"
                let estimate =
                    line.unknownEstimates == 0
                    ? sum : "\(sum) without \(line.unknownEstimates) lines that have none"
                let difference = line.difference.map { "\($0)" } ?? "–"
                let invoiced = line.invoiced.map { "invoiced \($0), difference \(difference)" } ?? "no invoice entered"
                StandardStreams.output(
                    line: "\(line.currency): reported net \(line.reportedNet), \(estimate), \(invoiced)"
                )
            }
            let due = account.payment.due.map { "pay by \($0)" } ?? "payment"
            StandardStreams.output(line: "\(due): \(account.payment.reason)")
        }
    }
}

struct LedgerInvoiceAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Enter what Apple's invoice says of a programme and month.",
        discussion: "The server must not be running; while it runs, POST /v1/invoices does the same."
    )

    @Argument(help: "The month, as 2026-10.")
    var month: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The app; may be left out when the configuration has one.")
    var bundleId: String?

    @Option(help: "The programme's id; by default the one of the app that is in force for the month.")
    var programme: String?

    @Option(help: "Apple's number of the invoice.")
    var invoice: String

    @Option(help: "The invoice's date, as 2026-11-15.")
    var issuedOn: String

    @Option(help: "The currency, as EUR.")
    var currency: String

    @Option(help: "The commission in units of the currency, as 128.40; a credit has a minus: --amount=-3.20.")
    var amount: String

    @Option(help: "Who enters it.")
    var by: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let now = try ledger.moment()
        let chosen = try ledger.choice(month: month, bundleId: bundleId, programme: programme)
        guard let day = CalendarDate(issuedOn) else {
            throw CommandFailure.input("--issued-on \(issuedOn): is not a day such as 2026-11-15")
        }
        guard Currency.code(currency) != nil else {
            throw CommandFailure.input("--currency \(currency): is not a currency such as EUR")
        }
        guard let decimal = DecimalText.decimal(amount) else {
            throw CommandFailure.input("--amount \(amount): is not a decimal such as 128.40")
        }
        guard !by.isEmpty, !invoice.isEmpty else {
            throw CommandFailure.input("--by and --invoice must not be empty")
        }
        let line = StoredInvoice(
            bundleId: chosen.app,
            invoiceId: invoice,
            programme: chosen.programme,
            month: month,
            issuedOn: day.description,
            currency: currency,
            amount: decimal,
            enteredAt: now,
            enteredBy: by
        )
        let store = try await ledger.writer(orElse: "POST /v1/invoices does the same")
        let isNew: Bool
        do throws(RequestError) {
            isNew = try await InvoiceBook(rules: chosen.rules, settings: chosen.settings).enter(line, in: store).isNew
        } catch {
            try? store.close()
            if case .notStored(let error) = error { throw ledger.failure(error) }
            throw CommandFailure.wrong(error.description)
        }
        try? store.close()
        StandardStreams.output(line: isNew ? "entered" : "was entered before")
    }
}
