import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting
import ReportingServer

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

    @Option(help: "The app; may be left out when the configuration has one.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "The programme's id; by default the one of the app that is in force for the month.")
    var programme: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let now = try ledger.moment()
        let chosen = try await ledger.choice(month: month, bundleId: bundleId, programme: programme)
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
                let sum = "estimate \(line.estimate.map(line.text) ?? "–")"
                let estimate =
                    line.unknownEstimates == 0
                    ? sum : "\(sum) without \(line.unknownEstimates) lines that have none"
                let invoiced = line.billed.map { billed in
                    let parts = [("surcharge", billed.surcharge), ("tax", billed.tax)].filter { $0.1 != 0 }
                        .map { ", \($0.0) \(line.text($0.1))" }.joined()
                    let total = parts.isEmpty ? "" : "\(parts), total \(line.text(billed.total))"
                    return "invoiced \(line.text(billed.commission)), difference "
                        + (line.difference.map(line.text) ?? "–") + total
                }
                StandardStreams.output(
                    line: "\(line.currency): reported net \(line.text(line.reportedNet)), \(estimate), "
                        + (invoiced ?? "no invoice entered")
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

    @Option(help: "The app; may be left out when the configuration has one.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "The programme's id; by default the one of the app that is in force for the month.")
    var programme: String?

    @Option(help: "Apple's number of the invoice.")
    var invoice: String

    @Option(help: "The invoice's date, as 2026-11-15.")
    var issuedOn: String

    @Option(help: "The day by which Apple asks for the payment, as 2026-12-15.")
    var dueOn: String?

    @Option(help: "The number of the purchase order that the invoice names.")
    var purchaseOrder: String?

    @Option(help: "The currency, as EUR.")
    var currency: String

    @Option(help: "The commission in units of the currency, as 128.40; a credit has a minus: --amount=-3.20.")
    var amount: String

    @Option(help: "A surcharge beside the commission, such as that of a digital services tax.")
    var surcharge: String?

    @Option(help: "The tax of the invoice.")
    var tax: String?

    @Option(help: "The total, which must be the sum of commission, surcharge and tax.")
    var total: String?

    @Option(help: "Who enters it.")
    var by: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let now = try ledger.moment()
        let chosen = try await ledger.choice(month: month, bundleId: bundleId, programme: programme)
        let line = try command().line(of: chosen.app, programme: chosen.programme, at: now)
        let store = try await ledger.writer(orElse: "POST /v1/invoices does the same")
        let isNew: Bool
        do throws(RequestError) {
            isNew = try await InvoiceBook(rules: chosen.rules, settings: chosen.settings).enter(line, in: store).isNew
        } catch {
            try? store.close()
            if case .notStored(let error) = error { throw ledger.failure(error) }
            if case .invalid = error { throw failure(error) }
            throw CommandFailure.wrong(error.description)
        }
        try? store.close()
        StandardStreams.output(line: isNew ? "entered" : "was entered before")
    }

    /// The members of the body of `POST /v1/invoices`, with the options that give them.
    private var options: [(member: String, option: String, value: String?)] {
        [
            ("invoiceId", "--invoice", invoice), ("issuedOn", "--issued-on", issuedOn), ("dueOn", "--due-on", dueOn),
            ("purchaseOrder", "--purchase-order", purchaseOrder), ("currency", "--currency", currency),
            ("amount", "--amount", amount), ("surcharge", "--surcharge", surcharge), ("tax", "--tax", tax),
            ("total", "--total", total), ("by", "--by", by), ("month", "MONTH", month),
        ]
    }

    /// The failure that names the option of the first wrong member.
    private func failure(_ error: RequestError) -> CommandFailure {
        guard let fault = error.fieldErrors.first,
            let option = options.first(where: { "/\($0.member)" == fault.path })
        else { return .input(error.description) }
        return .input("\(option.option) \((option.value ?? "").clipped().printable): \(fault.message)")
    }

    /// Reads the options as the body of `POST /v1/invoices`, whose rules they share.
    ///
    /// - Throws: ``CommandFailure`` that names the first wrong option.
    private func command() throws(CommandFailure) -> InvoiceCommand {
        let members = options.compactMap { option in
            option.value.map { JSONObject.Member(option.member, .string($0)) }
        }
        do throws(RequestError) {
            return try InvoiceCommand(body: .object(JSONObject(members)), caller: .anybody)
        } catch {
            throw failure(error)
        }
    }
}
