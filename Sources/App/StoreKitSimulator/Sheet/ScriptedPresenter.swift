import ExternalPurchaseCore

/// A presenter that answers sheets from a script, one step per sheet.
///
/// The last step repeats.
public final class ScriptedPresenter: SheetPresenter {
    /// What happens when a sheet is shown.
    public enum Step: Sendable {
        /// The customer continues.
        case `continue`
        /// The customer continues and turns off later reminders (SK-67).
        case continueWithoutReminders
        /// The customer declines.
        case cancel
        /// The sheet cannot be shown.
        case fail(any Error)
        /// The given step happens after a delay in real time.
        indirect case delay(Duration, Step)
        /// The sheet is never answered.
        case never
        /// A closure answers the sheet.
        case decide(@Sendable (SheetRequest) async throws -> SheetAnswer)
    }

    private struct State {
        var steps: [Step]
        var requests: [SheetRequest] = []
    }

    private let state: Lock<State>
    /// True for a script without steps.
    let expectsNoSheet: Bool

    /// Creates a presenter from steps.
    ///
    /// - Parameter steps: one step per sheet; without steps no sheet is expected, and one that is shown fails and
    ///   records `sheet-not-expected`.
    public convenience init(_ steps: Step...) { self.init(steps: steps) }

    /// Creates a presenter from a list of steps.
    ///
    /// The last step repeats.
    ///
    /// - Parameter steps: one step per sheet; without steps no sheet is expected, and one that is shown fails and
    ///   records `sheet-not-expected`.
    public init(steps: [Step]) {
        state = Lock(State(steps: steps))
        expectsNoSheet = steps.isEmpty
    }

    /// The sheets shown so far.
    public var requests: [SheetRequest] { state.withLock { $0.requests } }

    /// Performs the next step.
    ///
    /// - Parameter request: the sheet.
    /// - Returns: the answer of the step.
    /// - Throws: the error of the step.
    public func answer(_ request: SheetRequest) async throws -> SheetAnswer {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps.first
        }
        guard let step else { throw SheetNotExpected(request: request) }
        return try await answer(step, request)
    }

    private func answer(_ step: Step, _ request: SheetRequest) async throws -> SheetAnswer {
        switch step {
        case .continue: return .continue
        case .continueWithoutReminders: return .continueWithoutReminders
        case .cancel: return .cancel
        case .fail(let error): throw error
        case .decide(let decide): return try await decide(request)
        case .delay(let duration, let step):
            try await Task.sleep(for: duration)
            return try await answer(step, request)
        case .never:
            // This ends only when the session stops waiting and cancels the task.
            let (never, _) = AsyncStream.makeStream(of: SheetAnswer.self)
            for await answer in never { return answer }
            throw CancellationError()
        }
    }
}

/// A sheet was shown although the script has no steps.
struct SheetNotExpected: Error, CustomStringConvertible {
    let request: SheetRequest

    var description: String {
        "no sheet is expected, because the script has no steps; \(request.family) showed one of kind "
            + request.kind.rawValue
    }
}
