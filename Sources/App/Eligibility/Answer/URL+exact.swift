package import ExternalPurchaseCore

extension URL {
    /// Creates a URL from a text as it is; nil if a character would have to be escaped.
    ///
    /// From iOS 17 on `URL(string:)` escapes, and before that it never does.
    ///
    /// - Parameter text: the URL.
    package init?(exactly text: String) {
        if #available(iOS 17, tvOS 17, watchOS 10, *) {
            self.init(string: text, encodingInvalidCharacters: false)
        } else {
            self.init(string: text)
        }
    }
}
