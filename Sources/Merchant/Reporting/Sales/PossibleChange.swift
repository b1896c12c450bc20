import ExternalPurchaseCore
package import Ledger

/// The change of a stored sale that a person can begin as things stand.
package enum PossibleChange: Hashable, Sendable {
    /// It can be withdrawn; a report that may be at Apple is waited for.
    case void
    /// Apple accepted it: it can be corrected by these actions, of which there may be none.
    case correction([CorrectionCommand.Action])
    /// Apple accepted a sale of several lines; each line is corrected by itself.
    case correctionOfLines([SaleId])
    /// Sales that stand take it back; they are withdrawn first.
    case takenBack(by: [SaleId])
    /// It is a line of a sale, with which it is changed.
    case lineOf(SaleId)
    /// Apple says that it has it, or what it depends on: a person decides about that first (RR-85).
    case reportedAlready(SaleId?)
    /// It was submitted by hand, which is withdrawn first.
    case submittedByHand(ManualExportId)
    /// Nothing of it is reported.
    case none

    /// Judges a sale as ``SaleChanges`` and ``CorrectionRequests`` do.
    fileprivate init(
        of receipt: SaleReceipt,
        settings: ReportingSettings,
        dependencies: ReportingDependencies,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        let sale = receipt.sale
        let place = try SalePlace(of: sale, in: ledger)
        if [.recorded, .void].contains(receipt.standing), place != .accepted {
            self = .none
            return
        }
        switch place {
        case .accepted:
            let lines = try ledger.lines(of: sale)
            guard lines.isEmpty else {
                self = .correctionOfLines(lines.map(\.sale.saleId))
                return
            }
            let preparation = CorrectionPreparation(settings: settings, uuid: dependencies.uuid)
            let present = try sale.whereItIs(in: ledger)
            self = .correction(try preparation.actions(for: present, now: now, in: ledger))
        case .handedOver(let export): self = .submittedByHand(export)
        case .reportedAlready(let atApple): self = .reportedAlready(atApple.sale?.sale.saleId)
        case .free, .here, .mayBeAtApple:
            if let whole = sale.partOf {
                self = .lineOf(whole)
                return
            }
            let live = try ledger.standingRefunds(of: sale)
            self = live.isEmpty ? .void : .takenBack(by: live.map(\.sale.saleId))
        }
    }
}

extension RecordLists {
    /// Returns the change of a sale that a person can begin as things stand.
    package func change(of receipt: SaleReceipt) async throws(RequestError) -> PossibleChange {
        let (settings, dependencies, now) = (settings, dependencies, dependencies.now())
        return try await store.shortRead { ledger throws(LedgerError) in
            try PossibleChange(of: receipt, settings: settings, dependencies: dependencies, now: now, in: ledger)
        }
    }
}
