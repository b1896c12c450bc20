import AppStoreEmulator
import ExternalPurchaseCore
import Ledger
import Reporting

// The former system that reported before this one, and the import of its reports.
extension SimulatedWorld {
    /// The customer pays, and the former system reports the sale at once.
    func payFormerly(_ payment: Action.Payment) async {
        // Skipped if the scenario does not import the sale, because it would then exist only at Apple.
        guard let token = payment.token, let id = referenceModel.with({ $0.tokenNumbers[token] }),
            scenario.steps.contains(where: { $0.action == .adopt(token: token, app: payment.app) })
        else { return }
        var sale = ReferenceModel.Sale(
            number: payment.sale,
            customer: payment.customer,
            app: payment.app,
            at: clock.now,
            kind: .paid(payment)
        )
        sale.named = id
        let identifier = freshIdentifier()
        guard let body = referenceModel.with({ [sale] in $0.formerBody(of: sale, as: identifier.text) }) else { return }
        // The charge is added to its subscription before its figures are computed.
        referenceModel.with { [sale] in $0.add(sale) }
        let now = clock.now
        referenceModel.with {
            $0.reportedFormerly(
                ReferenceModel.FormerReport(sale: sale.number, token: id, body: body),
                key: identifier.key,
                at: now
            )
        }
        // The former system's reports are sent without faults.
        _ = await emulators[payment.app].answer("DELETE", "/emulator/v1/faults")
        if let problem = await transports[payment.app].sendFormerly(body.encoded()) {
            report(.truthIsTaken, "the report of \(sale.lineItemId) by the system before was refused: \(problem)")
        }
    }

    /// Imports all reports of a token, with the shop's subscription ids.
    func adopt(token number: Int, app: Int) async {
        guard let id = referenceModel.with({ $0.tokenNumbers[number] }),
            let token = referenceModel.with({ $0.tokens[id] })
        else {
            return
        }
        let reports = referenceModel.with { $0.formerReports(on: id) }
        var names: JSONObject = [:]
        for report in reports {
            guard case .paid(let payment)? = referenceModel.with({ $0.sales[report.sale]?.kind }),
                let charge = payment.charge,
                charge.event == .start, seededDefect != .importsWithoutNames
            else { continue }
            names["s\(report.sale)"] = .string("subscription\(charge.subscription)")
        }
        let file =
            JSONValue.object([
                "tokens": .array([.string(token.text)]), "reports": .array(reports.map(\.body)),
                "subscriptions": .object(names),
            ])
        let work = LedgerImport(
            apps: [
                Self.bundleId(app): LedgerImport.App(
                    appAppleId: Self.appAppleId(app),
                    environments: [.sandbox, .production]
                )
            ],
            settings: ReportingSettings(),
            dependencies: importReportingDependencies
        )
        noteTrouble()
        stop()
        do {
            // The import runs twice, as after an interrupted first run.
            _ = try await work.run(file.encoded(), into: ledger)
            let again = try await work.run(file.encoded(), into: ledger)
            if again.newReports + again.newSales > 0 {
                report(.soldOnce, "the same file was imported twice, and the second time too changed something")
            }
            let moment = clock.merchantNow
            referenceModel.with { $0.imported(id, at: moment) }
        } catch {
            report(.truthIsTaken, "the import for app \(app) was refused: \(error)")
        }
        restart()
    }
}
