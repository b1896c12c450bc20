/// The bundle id of an app, `com.example.shop`.
public struct BundleId: Identifier {
    /// The text as received.
    public let rawValue: String

    /// Creates an identifier from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The largest size of a bundle id of an app in bytes.
    private static let maximumBytes = 255

    /// Returns what is wrong with the text of an app's bundle id; nil if nothing is.
    ///
    /// Tokens and reports that arrive are kept with any text; what a person or a program states is checked.
    package static func fault(in text: String) -> String? {
        let isRight =
            (1...maximumBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isDigit || $0 == 0x2D || $0 == 0x2E }
            && !text.split(separator: ".", omittingEmptySubsequences: false).contains("")
        return isRight ? nil : "\(text.shown()) is not a bundle id; one looks like com.example.shop"
    }
}
