/// The developer's own name of a line item, unique per app and environment (spec/04 section 5).
public struct LineItemId: Identifier {
    /// The text as received, at most 128 Unicode scalars in an accepted report.
    public let rawValue: String

    /// Takes any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
