import AppConfiguration
import ExternalPurchaseCore

/// The links of a country differ from those of the build that App Review reviewed.
///
/// The destination URLs in Info.plist must at all times equal those in the binary that was submitted for review.
/// Changed, added and removed addresses all count, in either of the two link keys.
///
/// Submit the change for review before it ships. To move a page, redirect on the server, so that the address in the
/// app does not change.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist of the reviewed build -->
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl/spring</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist of the reviewed build -->
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-5 (documented).
struct LinkURLChanged: Rule {
    static let id = "link-url-changed"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard let file = subject.configuration.infoPlist, let reviewed = subject.configuration.reviewedInfoPlist else {
            return []
        }
        let now = DeclaredLinks(file)
        let then = DeclaredLinks(reviewed)
        return (now.countries + then.countries.filter { now.urls[$0] == nil }).flatMap { country in
            let urls = now.urls[country] ?? []
            let reviewedURLs = then.urls[country] ?? []
            guard bytes(urls) != bytes(reviewedURLs), !(urls + reviewedURLs).contains(where: UnresolvedVariable.isHit)
            else { return [Finding]() }
            var location = now.locations[country] ?? now.anyKey ?? Location(rootOf: file)
            location.country = country
            let other = then.locations[country] ?? Location(rootOf: reviewed)
            return finding(
                "The links for \(country) differ from the reviewed build",
                at: location,
                hint: "Submit the change for review first.",
                related: [other.related("the reviewed build has \(whole: sentence(reviewedURLs))")]
            )
        }
    }

    // URLs are compared as strings, byte for byte (CF-42).
    private func bytes(_ urls: [String]) -> Set<[UInt8]> { Set(urls.map { Array($0.utf8) }) }

    private func sentence(_ urls: [String]) -> String {
        let shown = urls.prefix(5).map { $0.clipped(to: FindingText.valueBytes) }.joined(separator: ", ")
        guard !urls.isEmpty else { return "no link for it" }
        return urls.count > 5 ? "\(shown) and \(urls.count - 5) more" : shown
    }
}

/// The links of each country as written in `SKExternalPurchaseLink` and `SKExternalPurchaseMultiLink`, valid or not.
private struct DeclaredLinks {
    var countries: [String] = []
    var urls: [String: [String]] = [:]
    var locations: [String: Location] = [:]
    var anyKey: Location?

    init(_ file: PropertyListFile) {
        for key in [PlistKey.multiLink, .link] {
            guard let member = file.member(key.rawValue), case .dictionary(let members) = member.node.value else {
                continue
            }
            let keyLocation = Location(of: member, in: file)
            anyKey = anyKey ?? keyLocation
            // Of a repeated country the last copy counts.
            let last = Dictionary(members.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
            var seen: Set<String> = []
            for country in members.map(\.key) where seen.insert(country).inserted {
                guard let member = last[country] else { continue }
                if urls[country] == nil { countries.append(country) }
                urls[country, default: []] += Self.strings(member.node.value)
                if locations[country] == nil {
                    locations[country] = keyLocation.inside(country, at: member.keyPosition)
                }
            }
        }
    }

    private static func strings(_ value: PropertyListValue) -> [String] {
        switch value {
        case .string(let url): [url]
        case .array(let elements): elements.flatMap { strings($0.value) }
        default: []
        }
    }
}
