import ExternalPurchaseCore
import Ledger
import Obligations

extension LedgerDue {
    /// Everything that is not reported yet with its due date, one at a time and in no order.
    func eachOpen(
        in ledger: any LedgerReading,
        _ body: (DueSubject, Timestamp?) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var moments = DueMoments(rules: rules)
        let refusedKeys = try appsWithRefusedKey(in: ledger)
        try ledger.eachOpenToken(of: nil) { open throws(LedgerError) in
            let token = subject(open, refusedKeys: refusedKeys)
            try body(.token(token), moments.moment(of: token))
        }
        try ledger.eachOpenSale(of: nil) { open throws(LedgerError) in
            let item = subject(open, refusedKeys: refusedKeys)
            try body(.lineItem(item), moments.moment(of: item))
        }
    }
}
