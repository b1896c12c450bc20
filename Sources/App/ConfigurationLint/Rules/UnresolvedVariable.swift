import AppConfiguration

/// A code, URL or value contains a build variable, so it cannot be checked before the build.
///
/// Xcode inserts the value when it builds. The value depends on the target and its configuration; an empty one
/// results in a URL that is refused without an error. In a built bundle no variable is replaced any more, so it is an
/// error there.
///
/// Lint the built app too, or write the value literally.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://$(SHOP_HOST)/nl</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-75 (house).
struct UnresolvedVariable: Rule {
    static let id = "unresolved-variable"
    static let severity = Severity.warning

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        // The build can only insert a string, so a value of another required type is certainly wrong.
        guard case .string(let value) = subject.node.value, subject.shape.admits(subject.node.value), Self.isHit(value)
        else { return [] }
        return finding(
            "\(value) is a build variable; it was not checked",
            at: subject.location,
            hint: context.options.built ? "Define the variable and build again." : "Lint the built bundle.",
            severity: context.options.built ? .error : Self.severity
        )
    }

    /// True when the text contains `$(…)` or `${…}`.
    static func isHit(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let lastParenthesis = bytes.lastIndex(of: UInt8(ascii: ")")) ?? -1
        let lastBrace = bytes.lastIndex(of: UInt8(ascii: "}")) ?? -1
        return bytes.indices.dropLast().contains { index in
            guard bytes[index] == UInt8(ascii: "$") else { return false }
            switch bytes[index + 1] {
            case UInt8(ascii: "("): return lastParenthesis > index
            case UInt8(ascii: "{"): return lastBrace > index
            default: return false
            }
        }
    }
}
