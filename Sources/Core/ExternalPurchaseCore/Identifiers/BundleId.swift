/// The bundle id of an app, `com.example.shop`.
public struct BundleId: Identifier {
    /// The text as received.
    public let rawValue: String

    /// Creates an identifier from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
