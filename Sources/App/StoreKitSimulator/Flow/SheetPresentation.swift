import Foundation

/// Asks the presenter of a session, and waits for the answer for a limited time.
struct SheetPresentation: Sendable {
    let presenter: (any SheetPresenter)?
    let timeout: Duration
    /// Makes the error of a sheet that cannot be shown, from a sentence and its cause.
    let failure: @Sendable (String, (any Error)?) -> StoreKitError

    func answer(_ request: SheetRequest) async throws -> SheetAnswer {
        guard let presenter else { throw failure("No presenter is set.", nil) }
        let (answers, continuation) = AsyncStream.makeStream(of: Result<SheetAnswer, any Error>.self)
        let failure = failure
        let asking = Task {
            do {
                continuation.yield(.success(try await presenter.answer(request)))
            } catch {
                continuation.yield(.failure(failure("The presenter failed.", error)))
            }
        }
        let timeout = timeout
        let waiting = Task {
            try await Task.sleep(for: timeout)
            let message = "The presenter gave no answer within \(timeout); see SessionInputs.presenterTimeout."
            continuation.yield(.failure(failure(message, nil)))
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await answer in answers { return try answer.get() }
        throw failure("The flow's task was cancelled.", nil)
    }
}
