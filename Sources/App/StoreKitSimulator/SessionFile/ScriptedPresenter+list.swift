import Synchronization

extension ScriptedPresenter {
    /// A script from a list; the last step repeats, and without any every sheet is answered with continue.
    ///
    /// - Parameter steps: one per sheet.
    public convenience init(steps: [Step]) {
        let list = StepList(steps)
        self.init(.decide { request in try await ScriptedPresenter(list.next()).answer(request) })
    }

    /// A script of answers; the last one repeats.
    ///
    /// - Parameter answers: one per sheet.
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
