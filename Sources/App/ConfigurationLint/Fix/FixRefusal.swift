import AppConfiguration

/// Why a file is not fixed (CF-73).
package struct FixRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of cause.
    enum Cause: String, Hashable, Sendable {
        /// The file is a binary property list, which has no text to preserve.
        case binary
        /// The file is JSON, YAML or a project, which the editor of property lists does not change.
        case notPropertyList
        /// The file is UTF-16.
        case notUTF8
        /// The file is no longer the linted one.
        case changed
        /// An edit has no position, or no such element begins there.
        case noElement
        /// An edit does not fit the element: text for an array, or removal of a key.
        case unfitEdit
        /// The edited text would no longer be a property list.
        case brokenResult
    }

    /// The kind of cause.
    let cause: Cause
    /// The path of the file as the caller gave it.
    let file: String
    /// The position of the edit that is the cause, if there is one.
    let position: SourcePosition?
    /// What is wrong, in a clause that names neither file nor position.
    let reason: String

    init(_ cause: Cause, file: String, at position: SourcePosition? = nil, _ reason: String) {
        self.cause = cause
        self.file = file
        self.position = position
        self.reason = reason
    }

    /// What to do instead.
    var hint: String {
        switch cause {
        case .binary: "Fix the XML source that it is built from, or convert it with `plutil -convert xml1`."
        case .notPropertyList: "Change it by hand as the findings say."
        case .notUTF8: "Save it as UTF-8 first."
        case .changed: "Run the linter again."
        case .noElement, .unfitEdit, .brokenResult: "Change the file by hand."
        }
    }

    /// The position, reason and remedy, in a format that editors recognise.
    package var description: String {
        let location = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(location): error: \(file) is not fixed: \(reason). \(hint)"
    }
}
