extension Unicode.Scalar {
    /// True for blanks, tabs, line ends and control characters.
    var isBlankOrControl: Bool { self == " " || properties.generalCategory == .control }
}

extension String {
    /// The text without blanks and control characters at its ends.
    var trimmingWhitespace: String {
        let start = unicodeScalars.drop(while: \.isBlankOrControl)
        let end = start.lastIndex { !$0.isBlankOrControl }
        return end.map { String(start[...$0]) } ?? ""
    }
}
