import Synchronization

extension ScriptedPresenter {
    /// Creates a presenter from a list of steps.
    ///
    /// The last step repeats; without steps every sheet is answered with `continue`.
    ///
    /// - Parameter steps: one step per sheet.
    public convenience init(steps: [Step]) {
        let list = StepList(steps)
        self.init(.decide { request in try await ScriptedPresenter(list.next()).answer(request) })
    }

    /// Creates a presenter from a list of answers.
    ///
    /// The last one repeats.
    ///
    /// - Parameter answers: one answer per sheet.
    public convenience init(answers: [SheetAnswer]) {
        self.init(steps: answers.map { answer in .decide { _ in answer } })
    }
}

private final class StepList: Sendable {
    private let steps: Mutex<[ScriptedPresenter.Step]>

    init(_ steps: [ScriptedPresenter.Step]) {
        self.steps = Mutex(steps)
    }

    func next() -> ScriptedPresenter.Step {
        steps.withLock { steps in steps.count > 1 ? steps.removeFirst() : steps.first ?? .continue }
    }
}
