import AppStoreEmulator
import ExternalPurchaseCore
import Ledger
import Reporting
import ReportingServer

// Corrections of reported sales: dry run, confirmation, and the change of the reference model.
extension SimulatedWorld {
    func correct(_ correction: Action.Correction) async {
        let number = correction.sale
        guard let merchant, let sale = referenceModel.with({ $0.sales[number] }), sale.isAccepted, sale.isAcknowledged,
            case .paid(let payment) = sale.kind
        else { return }
        // Impossible corrections are requested as well and must be refused.
        let returned = payment.price - referenceModel.with { $0.left(of: number) }
        var fields: [JSONObject.Member] = []
        var (price, tax) = (payment.price, Int64(0))
        let action: String
        switch correction.way {
        case .restate(let share, let quantity):
            action = "restate"
            let market = referenceModel.with { $0.market(of: sale) }
            price = max(returned, payment.price * share / 1_000, 1)
            tax = price * market.taxRate / (10_000 + market.taxRate)
            fields = [
                .init("inclusive", .string(Self.decimal(price, market.digits))),
                .init("tax", .string(Self.decimal(tax, market.digits))), .init("quantity", .integer(quantity)),
            ]
        case .retract: action = "retract"
        case .undo: action = "undo"
        case .move(let difference):
            action = "move"
            let moment = sale.at + .milliseconds(difference)
            // Refunds must stay after the sale, and the date must be in the past by Apple's clock.
            guard moment < clock.now, returned == 0 else { return }
            fields = [.init("occurredAt", .string(moment.description))]
        }
        var members: JSONObject = [
            "bundleId": .string(Self.bundleId(sale.app).rawValue), "saleId": .string(sale.lineItemId),
            "action": .string(action), "requestedBy": .string("books"), "reason": .string("wrong"),
        ]
        if !fields.isEmpty { members["fields"] = .object(JSONObject(fields)) }
        let isPossible = if case .undo = correction.way { sale.isRetracted } else { !sale.isRetracted }
        guard let id = await planned(.object(members), by: merchant),
            await isConfirmed(id, of: sale, by: merchant)
        else { return }
        if !isPossible { report(.nonsenseIsRefused, "\(sale.lineItemId) was corrected as it must not be: \(action)") }
        referenceModel.with { $0.correct(number, correction.way, price: price, tax: tax) }
        await checkStored(referenceModel.with { $0.sales[number] } ?? sale)
    }

    /// Requests the dry run; returns nil when it cannot be confirmed.
    private func planned(_ body: JSONValue, by merchant: ReportingSystem) async -> CorrectionId? {
        do {
            let run = try await merchant.corrections.plan(
                CorrectionCommand(body: body, apps: merchant.apps, caller: .anybody)
            )
            return run.isAllowed ? run.correctionId : nil
        } catch {
            // The system does not know yet that a report was accepted whose response was lost.
            return nil
        }
    }

    private func isConfirmed(_ id: CorrectionId, of sale: ReferenceModel.Sale, by merchant: ReportingSystem) async
        -> Bool
    {
        do {
            let order = ConfirmationCommand(id, confirmedBy: "books")
            if case .confirmed = try await merchant.corrections.confirm(order) { return true }
            return false
        } catch {
            // The request may have been stored although its response was lost.
            let bundleId = Self.bundleId(sale.app)
            let stored = try? await ledger.read { ledger throws(LedgerError) in
                try ledger.correction(id, of: bundleId)?.confirmation != nil
            }
            return stored ?? false
        }
    }

    /// Confirms every proposed restatement of subscription figures, as a person would in the review.
    func confirmFigures(by merchant: ReportingSystem) async {
        guard seededDefect != .ignoresLateEvents else { return }
        let items =
            (try? await ledger.read { ledger throws(LedgerError) in
                try ledger.openReviewItems(LedgerPage(limit: 1_000))
            }) ?? []
        for item in items where item.kind == .subscriptionFigures && item.correctionId != nil {
            // Half are confirmed by the correction and half by the review item; both have the same effect.
            guard let id = item.correctionId, item.sequence.isMultiple(of: 2) else {
                _ = try? await merchant.review.decide(ReviewDecision(.retry, by: "books", note: ""), on: item.sequence)
                continue
            }
            _ = try? await merchant.corrections.confirm(ConfirmationCommand(id, confirmedBy: "books"))
        }
    }

    /// Checks the line items at Apple and in the ledger against the reference model (RR-80 to RR-84).
    func checkStanding() async {
        for (app, emulator) in emulators.enumerated() {
            for environment in AppStoreEnvironment.allCases {
                let bundleId = Self.bundleId(app)
                let items = await emulator.acceptedReports(of: bundleId, in: environment)
                    .flatMap { $0.lineItems ?? [] }
                let faults = referenceModel.with { referenceModel in
                    referenceModel.faults(in: items) { sale in
                        sale.app == app && referenceModel.world.customers[sale.customer].environment == environment
                    }
                }
                for fault in faults { report(.standsAsCorrected, fault) }
                await checkLedger(items, in: ReportingScope(bundleId: bundleId, environment: environment))
            }
        }
        let open = await read { ledger throws(LedgerError) in try ledger.openCorrections(LedgerPage(limit: 1_000)) }
        for correction in open ?? [] where correction.confirmation != nil {
            report(.standsAsCorrected, "correction \(correction.correctionId) was confirmed and is not done")
        }
    }

    /// Checks that the ledger's newest accepted version of each line item equals Apple's.
    private func checkLedger(_ items: [ReceivedLineItem], in scope: ReportingScope) async {
        var newest: [LineItemId: ReceivedLineItem] = [:]
        for item in items { if let id = item.lineItemId { newest[id] = item } }
        let ids = Set(newest.keys)
        let known = await read { ledger throws(LedgerError) in try ledger.newestAccepted(ids, in: scope) } ?? [:]
        for (id, item) in newest.sorted(by: { $0.key < $1.key }) where known[id]?.item.json != item.json {
            report(.standsAsCorrected, "\(id) stands in the ledger otherwise than at Apple")
        }
    }
}
