/// An app with nothing but its configuration.
public enum LintedApp {
    /// The country whose link Info.plist holds.
    public static let country = "nl"
}
