import AppConfiguration

/// The root of the file is not a dictionary, so that it holds no keys.
struct PlistRootNotDictionary: Rule {
    static let id = "plist-root-not-dictionary"
    static let severity = Severity.error

    func findings(for subject: WholeFile, in context: LintContext) -> [Finding] {
        let root = subject.file.root
        if case .dictionary = root.value { return [] }
        return finding(
            "The root of \(subject.file.path) is \(root.value.typeNameWithArticle), not a dictionary",
            at: Place(file: subject.file.path, position: root.position),
            hint: "Wrap the content in `<dict>`."
        )
    }
}
