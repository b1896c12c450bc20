extension Unicode.Scalar {
    /// True for blanks, those that do not break a line too, tabs, line ends and control characters.
    var isBlankOrControl: Bool {
        // Most text is ASCII, and the tables of Unicode take their time.
        if isASCII { return value <= 0x20 || value == 0x7F }
        return properties.isWhitespace || properties.generalCategory == .control
    }
}

extension String {
    /// The text without blanks and control characters at its ends.
    var trimmingWhitespace: String {
        let start = unicodeScalars.drop(while: \.isBlankOrControl)
        let end = start.lastIndex { !$0.isBlankOrControl }
        return end.map { String(start[...$0]) } ?? ""
    }
}
