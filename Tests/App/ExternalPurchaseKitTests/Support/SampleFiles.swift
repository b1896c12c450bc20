import AppConfiguration

/// The configurations of the truth table as an app's files, each with the entitlement that it requires.
enum SampleFiles: String, CaseIterable {
    case P, L, M, C, S, A

    private var info: String {
        func list(_ key: String, _ codes: [String]) -> String {
            "<key>\(key)</key><array>\(codes.map { "<string>\($0)</string>" }.joined())</array>"
        }
        func links(_ body: (String) -> String) -> String {
            "<dict>" + ["de", "ru"].map { "<key>\($0)</key>" + body("<string>\(Self.page($0))</string>") }.joined()
                + "</dict>"
        }
        return switch self {
        case .P: list("SKExternalPurchase", ["de", "kr"])
        case .L: "<key>SKExternalPurchaseLink</key>" + links { $0 }
        case .M: "<key>SKExternalPurchaseMultiLink</key>" + links { "<array>\($0)</array>" }
        case .C: list("SKExternalPurchaseCustomLinkRegions", ["de"])
        case .S: list("SKExternalPurchaseLinkStreamingRegions", ["de", "is"])
        case .A: ""
        }
    }

    static func page(_ region: String) -> String { "https://shop.acme.example/\(region)" }

    private var entitlement: (key: String, value: String) {
        let prefix = "com.apple.developer.storekit."
        return switch self {
        case .P: (prefix + "external-purchase", "<true/>")
        case .L, .M, .C: (prefix + "external-purchase-link", "<true/>")
        case .S: (prefix + "external-purchase-link-streaming", "<true/>")
        case .A:
            (
                prefix + "custom-purchase-link.allowed-regions",
                "<array><string>br</string><string>de</string><string>jp</string></array>"
            )
        }
    }

    static func configuration(_ samples: [SampleFiles], entitled: Bool = true) throws -> AppConfiguration {
        let info = "<key>CFBundleIdentifier</key><string>com.acme.app</string>" + samples.map(\.info).joined()
        var entitlements: [String: String] = [:]
        for sample in samples where entitled { entitlements[sample.entitlement.key] = sample.entitlement.value }
        let text = entitlements.sorted { $0.key < $1.key }.map { "<key>\($0)</key>\($1)" }.joined()
        return try AppConfiguration.parse(
            infoPlist: Array("<plist version=\"1.0\"><dict>\(info)</dict></plist>".utf8),
            entitlements: Array("<plist version=\"1.0\"><dict>\(text)</dict></plist>".utf8)
        )
    }
}
