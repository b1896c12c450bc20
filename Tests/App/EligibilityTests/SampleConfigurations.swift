import ConfigurationLint
import ExternalPurchaseCore

/// The configurations of the truth table, each with the Boolean entitlement that it requires.
enum Sample: String, CaseIterable {
    case P, L, M, C, S, A

    func add(to configuration: inout UsableConfiguration) {
        let plist = UsableConfiguration.Evidence(file: "Info.plist")
        let entitlements = UsableConfiguration.Evidence(file: "App.entitlements")
        func link(_ region: String) -> UsableConfiguration.Link {
            .init(url: "https://shop.acme.example/\(region)", evidence: plist)
        }
        switch self {
        case .P:
            configuration.entitlements[.externalPurchase] = entitlements
            configuration.regions[.externalPurchase] = ["de": plist, "kr": plist]
        case .L:
            configuration.entitlements[.link] = entitlements
            configuration.singleLinks = ["de": link("de"), "ru": link("ru")]
        case .M:
            configuration.entitlements[.link] = entitlements
            configuration.multiLinks = ["de": [link("de")], "ru": [link("ru")]]
        case .C:
            configuration.entitlements[.link] = entitlements
            configuration.regions[.customLinkRegions] = ["de": plist]
        case .S:
            configuration.entitlements[.streaming] = entitlements
            configuration.regions[.streamingRegions] = ["de": plist, "is": plist]
        case .A:
            configuration.entitlements[.allowedRegions] = entitlements
            configuration.allowedRegions = ["br": entitlements, "de": entitlements, "jp": entitlements]
        }
    }
}

extension UsableConfiguration {
    init(_ samples: [Sample]) {
        self.init()
        for sample in samples { sample.add(to: &self) }
    }
}
