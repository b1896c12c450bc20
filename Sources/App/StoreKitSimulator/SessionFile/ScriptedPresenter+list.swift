extension ScriptedPresenter {
    /// Creates a presenter from a list of answers.
    ///
    /// The last one repeats.
    ///
    /// - Parameter answers: one answer per sheet; without answers no sheet is expected, and one that is shown fails and
    ///   records `sheet-not-expected`.
    public convenience init(answers: [SheetAnswer]) {
        self.init(steps: answers.map { answer in .decide { _ in answer } })
    }
}
