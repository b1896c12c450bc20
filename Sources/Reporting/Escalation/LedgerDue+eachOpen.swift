import ExternalPurchaseCore
import Ledger
import Obligations

extension LedgerDue {
    /// Everything that is not reported yet with its due date, in no order.
    func eachOpen(
        in ledger: any LedgerReading,
        _ body: (DueSubject, Timestamp?) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try list(in: ledger).eachSubject(body)
    }
}
