import AppConfiguration
import ExternalPurchaseCore

/// An entitlement has different values in the source, the signature or the profile.
///
/// The system reads the signature: regions that only the source lists are disabled. With regions that the profile
/// does not allow, the app can be neither installed nor uploaded. `*` in a profile covers every region; the order of
/// regions has no meaning.
///
/// Make the values equal: add the regions to the `.entitlements` file and to the profile, and build again.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>br</string><string>jp</string></array>
/// <!-- provisioning profile -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// <!-- provisioning profile -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>br</string><string>jp</string></array>
/// ```
///
/// Follows: CF-1, CF-22 (house).
struct EntitlementValueDiffers: Rule {
    static let id = "entitlement-value-differs"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let configuration = subject.configuration
        return context.entitlements.flatMap { name -> [Finding] in
            let source = subject.entitlement(name, in: configuration.entitlements)
            let signed = subject.entitlement(name, in: configuration.signedEntitlements)
            var findings: [Finding] = []
            if let source, let signed, source.meaning != signed.meaning, !source.hasVariable, !signed.hasVariable {
                findings += difference(name, source, signed)
            }
            if name.isRegionList, let used = configuration.signedEntitlements == nil ? source : signed,
                let granted = subject.entitlement(name, in: configuration.profileEntitlements), used.counts,
                granted.value != .bool(false), !used.hasVariable, !granted.covers(used)
            {
                findings += difference(name, used, granted)
            }
            return findings
        }
    }

    private func difference(
        _ name: Entitlement,
        _ one: DeclaredKey<Entitlement>,
        _ other: DeclaredKey<Entitlement>
    ) -> [Finding] {
        finding(
            "\(name): \(whole: one.words) in \(whole: one.location.file), \(whole: other.words) in \(whole: other.location.file)",
            at: one.location,
            hint: "Make them equal.",
            related: [other.location.related("\(whole: other.words) is here")]
        )
    }
}

extension DeclaredKey<Entitlement> {
    /// The meaning of the value, without positions and without the order of a list.
    fileprivate enum Meaning: Hashable {
        case boolean(Bool)
        case strings(Set<String>)
        case other(String)
    }

    fileprivate var meaning: Meaning {
        switch value {
        case .bool(let isTrue): .boolean(isTrue)
        case .array: .strings(Set(strings))
        default: .other(words)
        }
    }

    fileprivate var hasVariable: Bool { strings.contains(where: UnresolvedVariable.isHit) }

    /// True when the regions of a profile include those of another file.
    fileprivate func covers(_ used: DeclaredKey) -> Bool {
        strings.contains("*") || Set(used.strings).isSubset(of: strings)
    }

    private var strings: [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements):
            elements.compactMap { element in
                if case .string(let text) = element.value { text } else { nil }
            }
        default: []
        }
    }

    fileprivate var words: String {
        switch value {
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .string(let text): return "\"\(text.clipped())\""
        case .array:
            let shown = strings.prefix(12).map { $0.clipped() }.joined(separator: ", ")
            guard !strings.isEmpty else { return "no region" }
            return strings.count > 12 ? "\(shown) and \(strings.count - 12) more" : shown
        default: return value.typeNameWithArticle
        }
    }
}
