import ExternalPurchaseCore
import Ledger
import ReportPlanning

extension LedgerDue {
    /// Everything that is not reported yet with its due date, one at a time and in no order.
    ///
    /// - Parameter now: the clock, for what waits too long.
    func eachOpen(
        at now: Timestamp,
        in ledger: any LedgerQueries,
        _ body: (DueSubject, Timestamp?) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var moments = DueMoments(rules: rules)
        let blocks = try ledger.blocks()
        try ledger.eachOpenToken(of: nil) { open throws(LedgerError) in
            guard let token = subject(open, blocks: blocks) else { return }
            try body(.token(token), moments.moment(of: token))
        }
        try ledger.eachOpenSale(of: nil) { open throws(LedgerError) in
            guard let item = subject(open, blocks: blocks, at: now) else { return }
            try body(.lineItem(item), moments.moment(of: item))
        }
    }
}
