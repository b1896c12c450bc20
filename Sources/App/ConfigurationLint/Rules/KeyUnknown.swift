import ExternalPurchaseCore

/// A key looks like an external purchase key but is unknown to the systems.
///
/// StoreKit looks up keys and entitlements by their exact names. Other names are ignored without an error, so a
/// typing error disables the whole flow.
///
/// It is an error where a known name is near: at most two letters differ, some letters more or less stand at the end,
/// separators or case differ, or a part of `com.apple.developer.storekit.` is missing. Use the name in the hint, or
/// remove the key if it is obsolete.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseRegions</key>
/// <array><string>nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-10 (house).
struct KeyUnknown: Rule {
    static let id = "key-unknown"
    static let severity = Severity.warning

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        let name = subject.name
        guard !Self.names.contains(Array(name.utf8)), context.legacyEntitlements[Entitlement(rawValue: name)] == nil
        else { return [] }
        let near = Self.nearest(to: name, or: context.legacyEntitlements.keys.map(\.rawValue))
        let prefix = Self.prefixes.first { name.utf8.starts(with: $0.utf8) }
        guard prefix != nil || near != nil else { return [] }
        let kind = name.hasPrefix("SK") ? Self.keys : Self.entitlements
        return finding(
            "\(name) is not a known key",
            at: subject.location,
            hint: near.map { "Did you mean \($0)?" } ?? kind,
            severity: near == nil ? Self.severity : .error
        )
    }

    /// The known name that was probably meant.
    ///
    /// - Parameter legacy: the names that only the pack knows (CF-24).
    private static func nearest(to name: String, or legacy: [String]) -> String? {
        guard name.utf8.count <= longest else { return nil }
        let name = String(name.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        let all = known + legacy
        if let near = all.nearest(to: name), beginsAlike(name, near) { return near }
        let form = Form(name)
        let forms = legacy.isEmpty ? knownForms : all.map { ($0, Form($0)) }
        if let same = forms.first(where: { $0.1 == form }) { return same.0 }
        if form.isApples {
            let ends = forms.filter { $0.1.isApples }
            if let near = ends.map({ $0.1.letters }).nearest(to: form.letters) {
                return ends.first { $0.1.letters == near }?.0
            }
        }
        return all.filter { other in
            let (short, long) = other.utf8.count < name.utf8.count ? (other, name) : (name, other)
            return long.utf8.starts(with: short.utf8) && long.utf8.count - short.utf8.count <= 4
        }.max { $0.utf8.count < $1.utf8.count }
    }

    /// True unless the first letters differ and something else differs too.
    ///
    /// Keys of other vendors may be named like Apple's behind their own prefix.
    private static func beginsAlike(_ name: String, _ known: String) -> Bool {
        let name = Array(name.lowercased().utf8)
        let known = Array(known.lowercased().utf8)
        guard name.first != known.first else { return true }
        return name.dropFirst().elementsEqual(known.dropFirst()) || name.elementsEqual(known.dropFirst())
            || name.dropFirst().elementsEqual(known)
            || name.count == known.count && name[0] == known[1] && name[1] == known[0]
                && name.dropFirst(2).elementsEqual(known.dropFirst(2))
    }

    /// A name without case and separators, and for an entitlement without Apple's domain, of which parts are often left
    /// out.
    private struct Form: Hashable, Sendable {
        /// True when the name begins with Apple's domain.
        var isApples = false
        var letters: String

        init(_ name: String) {
            letters = String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
            for part in ["com", "apple", "developer", "storekit"] where letters.hasPrefix(part) {
                letters.removeFirst(part.count)
                if part != "com" { isApples = true }
            }
        }
    }

    private static let domain = "com.apple.developer.storekit."
    private static let prefixes = ["SKExternal", "\(domain)external-", "\(domain)custom-"]
    private static let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
    private static let knownForms = known.map { ($0, Form($0)) }
    private static let names = Set(known.map { Array($0.utf8) })

    private static let longest = (known.map(\.utf8.count).max() ?? 0) + 16

    /// The hints that list the known names, which are made once, because a file may have thousands of unknown keys.
    private static let keys = list("SKExternal")
    private static let entitlements = list(domain)

    private static func list(_ prefix: String) -> FindingText {
        "Known are \(whole: known.filter { $0.hasPrefix(prefix) }.joined(separator: ", "))."
    }
}
