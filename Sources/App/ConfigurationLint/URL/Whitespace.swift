extension Unicode.Scalar {
    /// True for blanks, including non-breaking ones, tabs, line ends and control characters.
    var isBlankOrControl: Bool {
        // Most text is ASCII, and looking up Unicode properties is slow.
        if isASCII { return value <= 0x20 || value == 0x7F }
        return properties.isWhitespace || properties.generalCategory == .control
    }
}

extension String {
    /// The text without blanks and control characters at both ends.
    var trimmingWhitespace: String {
        let start = unicodeScalars.drop(while: \.isBlankOrControl)
        let end = start.lastIndex { !$0.isBlankOrControl }
        return end.map { String(start[...$0]) } ?? ""
    }
}
