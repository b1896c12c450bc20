/// The developer's own name of a line item, unique within an app and environment (spec/04 section 5).
public struct LineItemId: Identifier {
    /// The text as received.
    ///
    /// An accepted report has at most 128 Unicode scalars here.
    public let rawValue: String

    /// Creates an identifier from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
