import ArgumentParser
import ExternalPurchaseCore

/// The kind of offer of an app, which determines its keys and entitlements (spec/01 sections 2 and 3).
enum APIFamily: String, CaseIterable, ExpressibleByArgument {
    /// Purchases inside the app with another payment provider.
    case inApp = "in-app"
    /// One fixed link per country.
    case link
    /// Up to five fixed links per country, of which older systems use the first.
    case multiLink = "multi-link"
    /// Links that the app chooses itself.
    case customLink = "custom-link"
    /// Links in music streaming apps.
    case streaming
    /// Links that the app chooses itself, in the regions that the entitlement lists.
    case allowedRegions = "allowed-regions"

    /// Parses this package's name or the API's own name.
    init?(argument: String) {
        switch argument {
        case "ExternalPurchase": self = .inApp
        case "ExternalPurchaseLink": self = .link
        case "ExternalPurchaseCustomLink": self = .customLink
        default: self.init(rawValue: argument.lowercased())
        }
    }

    /// The description of the offer.
    var words: String {
        switch self {
        case .inApp: "purchases within the app"
        case .link: "one fixed link per country"
        case .multiLink: "several fixed links per country"
        case .customLink: "links that the app chooses itself"
        case .streaming: "links of music streaming apps"
        case .allowedRegions: "links that the app chooses itself, as in Japan and Brazil"
        }
    }

    /// Whether links are declared in Info.plist.
    var needsLinks: Bool { self == .link || self == .multiLink }

    /// The countries that a rule pack lists for the family, for the interactive question.
    func countries(in pack: RulePack) -> [String] {
        switch self {
        case .inApp: pack.plistKeys[.externalPurchase]?.codes ?? []
        case .link: pack.plistKeys[.link]?.codes ?? []
        case .multiLink: pack.plistKeys[.multiLink]?.codes ?? []
        case .customLink:
            (pack.plistKeys[.customLinkRegions]?.codes ?? []) + Self.onlyAllowedRegions(in: pack).sorted()
        case .streaming: pack.plistKeys[.streamingRegions]?.codes ?? []
        case .allowedRegions: pack.entitlements[.allowedRegions]?.codes ?? []
        }
    }

    /// The region codes that custom links reach only through the entitlement.
    static func onlyAllowedRegions(in pack: RulePack) -> Set<String> {
        let listed = pack.entitlements[.allowedRegions]
        return Set(listed?.codes ?? [])
            .subtracting(listed?.contested ?? [])
            .subtracting(pack.plistKeys[.customLinkRegions]?.codes ?? [])
    }
}
