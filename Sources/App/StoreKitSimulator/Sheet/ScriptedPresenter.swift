import Synchronization

/// A presenter that answers from a script, one step per sheet; the last step repeats.
public final class ScriptedPresenter: SheetPresenter {
    /// What happens at a sheet.
    public enum Step: Sendable {
        /// The customer goes on.
        case `continue`
        /// The customer goes on and switches later reminders off (SK-67).
        case continueWithoutReminders
        /// The customer declines.
        case cancel
        /// The sheet cannot be shown.
        case fail(any Error)
        /// The next step happens that much later, in real time.
        indirect case delay(Duration, Step)
        /// No answer ever comes.
        case never
        /// Decided at the sheet.
        case decide(@Sendable (SheetRequest) async throws -> SheetAnswer)
    }

    private struct State {
        var steps: [Step]
        var requests: [SheetRequest] = []
    }

    private let state: Mutex<State>

    /// A script.
    ///
    /// - Parameter steps: one per sheet; without any every sheet is answered with continue.
    public init(_ steps: Step...) {
        state = Mutex(State(steps: steps))
    }

    /// The sheets shown so far.
    public var requests: [SheetRequest] { state.withLock { $0.requests } }

    /// Carries out the next step.
    ///
    /// - Parameter request: what the sheet says.
    /// - Returns: the step's answer.
    /// - Throws: the step's error.
    public func answer(_ request: SheetRequest) async throws -> SheetAnswer {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps.first ?? .continue
        }
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
            // Ends only when the session has stopped waiting and cancels the question.
            let (never, _) = AsyncStream.makeStream(of: SheetAnswer.self)
            for await answer in never { return answer }
            throw CancellationError()
        }
    }
}
