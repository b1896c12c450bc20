import Ledger
import ServiceLifecycle

extension LedgerStore {
    /// Runs a read for a request.
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    func shortRead<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await read(body)
        } catch {
            throw .notStored(error)
        }
    }

    /// Runs a read that may take long.
    ///
    /// It ends at its next query (``LedgerError/stopped``) when the client has gone and when the server shuts down.
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await cancelWhenGracefulShutdown {
                try await ClientPresence.cancelWhenClientLeaves { try await self.read(body) }
            }
        } catch {
            throw .notStored(error as? LedgerError ?? .stopped)
        }
    }
}
