import AppConfiguration

/// One dictionary of an XML file has the same key twice.
///
/// Readers keep different copies: nobody can say what the app declares.
struct PlistDuplicateKey: Rule {
    static let id = "plist-duplicate-key"
    static let severity = Severity.error

    func findings(for subject: KeyedMembers, in context: LintContext) -> [Finding] {
        guard subject.format == .xml else { return [] }
        return subject.keys.repeated { Array($0.name.utf8) }.flatMap { same in
            let last = same[same.count - 1]
            return finding(
                "\(last.name) appears \(same.count) times in one dictionary; readers keep different ones",
                at: last.place,
                hint: "Merge the entries."
            )
        }
    }
}
