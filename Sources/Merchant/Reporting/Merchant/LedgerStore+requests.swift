import Ledger
import ServiceLifecycle

extension LedgerStore {
    /// Reads for a request.
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    func shortRead<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await read(body)
        } catch {
            throw .notStored(error)
        }
    }

    /// Reads what may take long; given up when the server is asked to end (``LedgerError/stopped``).
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await cancelWhenGracefulShutdown { try await self.read(body) }
        } catch {
            throw .notStored(error as? LedgerError ?? .stopped)
        }
    }
}
