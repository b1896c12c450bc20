import AppConfiguration

/// A code, URL or value contains a build variable, so that nothing can be said about it before the build.
///
/// Xcode puts the value in while building. What it will be depends on the target and its configuration; an empty
/// one leaves a URL that is refused without a word. In a built bundle nothing replaces a variable any more: there
/// it is an error.
///
/// Lint the built app too, or write the value out.
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
        // Whatever the build puts in, it stays a string: where another type belongs, that is the certain fault.
        guard case .string(let value) = subject.node.value, subject.shape.admits(subject.node.value), Self.isHit(value)
        else { return [] }
        return finding(
            "\(value) is a build variable; it was not checked",
            at: subject.location,
            hint: "Lint the built bundle.",
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
