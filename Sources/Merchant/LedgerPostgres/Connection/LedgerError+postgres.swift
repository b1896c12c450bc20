import Ledger

extension LedgerError {
    /// Creates the ledger error for an answer of the server, based on its SQLSTATE, never on its text.
    ///
    /// https://www.postgresql.org/docs/15/errcodes-appendix.html
    init(sqlState state: String, _ detail: String) {
        self =
            switch state {
            // Lock not available; serialisation failure and deadlock, which a closure that runs once cannot repeat.
            case "55P03", "40001", "40P01": .busy
            // Statement timeout or cancellation.
            case "57014": .busy
            case "53100", "53400": .full
            // A table or schema that is no longer there.
            case "42P01", "3F000": .inaccessible("\(detail) (\(state))")
            // A prepared statement whose table was changed; the connection is not used again.
            case "0A000": .inaccessible("\(detail) (\(state))")
            case "25006": .inaccessible("the server is read-only: \(detail)")
            case _ where ["08", "57", "53", "58", "28", "3D", "42501"].contains(where: state.hasPrefix):
                .inaccessible("\(detail) (\(state))")
            case _ where state.hasPrefix("23"): .conflict(detail)
            case _ where state.hasPrefix("XX"): .corrupt("\(detail) (\(state))")
            default: .failed("\(state): \(detail)")
            }
    }
}
