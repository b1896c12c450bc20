/// The request on whose behalf a task writes to a ledger.
package enum LedgerRequest {
    /// The id that the log line of the request has; nil for work that no request waits for.
    ///
    /// Every entry of the audit log that the task causes has it as `requestId`.
    @TaskLocal package static var id: String?
}
