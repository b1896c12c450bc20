public import AppConfiguration

/// The file is neither an XML nor a binary property list.
///
/// This rule is hit by reading: what cannot be read reaches no other rule.
enum PlistUnreadable {
    static let id = "plist-unreadable"
}

extension Finding {
    /// The finding that stands for a file that could not be read as a property list with a dictionary.
    ///
    /// - Parameter error: why the file could not be read; nil is the result when the file is missing or the system
    ///   refuses it, which says nothing about the app.
    public init?(_ error: ConfigurationReadError) {
        let rule: String
        switch error.cause {
        case .missing, .unreadable: return nil
        case .tooLarge, .notPropertyList: rule = PlistUnreadable.id
        case .notArtifact: rule = ArtifactUnreadable.id
        case .rootNotDictionary: rule = PlistRootNotDictionary.id
        }
        self.init(
            rule: rule,
            severity: .error,
            file: error.file,
            position: error.position,
            message: error.message,
            hint: error.hint
        )
    }
}
