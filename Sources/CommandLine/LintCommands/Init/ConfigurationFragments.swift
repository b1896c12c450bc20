import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// The property lists of a request as text.
struct ConfigurationFragments {
    /// The members for Info.plist without the bundle id; empty when there are none.
    let infoPlistMembers: [String]
    /// The members for the `.entitlements` file.
    let entitlementMembers: [String]
    private let bundleId: String

    init(_ request: InitRequest, pack: RulePack) {
        bundleId = request.bundleId
        var plist: [String] = []
        var entitlements: [String] = []
        func isTrue(_ entitlement: Entitlement) -> [String] { [Self.key(entitlement.rawValue), "<true/>"] }
        switch request.family {
        case .inApp:
            plist += [Self.key(PlistKey.externalPurchase.rawValue)] + Self.array(request.countries)
            entitlements += isTrue(.externalPurchase)
        case .link:
            plist += [Self.key(PlistKey.link.rawValue)] + Self.singleLinks(request)
            entitlements += isTrue(.link)
        case .multiLink:
            let members = request.countries.flatMap { [Self.key($0)] + Self.array(request.links[$0] ?? []) }
            plist += [Self.key(PlistKey.multiLink.rawValue)] + Self.dictionary(members)
            // Systems before iOS 17.5 and its counterparts read only this key (multi-link-without-fallback).
            plist += [Self.key(PlistKey.link.rawValue)] + Self.singleLinks(request)
            entitlements += isTrue(.link)
        case .customLink:
            let standalone = APIFamily.onlyAllowedRegions(in: pack)
            let listed = request.countries.filter { !standalone.contains($0) }
            let allowed = request.countries.filter(standalone.contains)
            if !listed.isEmpty {
                plist += [Self.key(PlistKey.customLinkRegions.rawValue)] + Self.array(listed)
                entitlements += isTrue(.link)
            }
            if !allowed.isEmpty {
                entitlements += [Self.key(Entitlement.allowedRegions.rawValue)] + Self.array(allowed)
            }
        case .streaming:
            plist += [Self.key(PlistKey.streamingRegions.rawValue)] + Self.array(request.countries)
            entitlements += isTrue(.streaming)
        case .allowedRegions:
            entitlements += [Self.key(Entitlement.allowedRegions.rawValue)] + Self.array(request.countries)
        }
        infoPlistMembers = plist
        entitlementMembers = entitlements
    }

    /// A complete Info.plist with the bundle id.
    var infoPlist: String {
        Self.file([Self.key("CFBundleIdentifier"), Self.string(bundleId)] + infoPlistMembers)
    }

    /// A complete `.entitlements` file.
    var entitlements: String { Self.file(entitlementMembers) }

    /// The members of both files, to paste into existing ones.
    var text: String {
        var parts: [String] = []
        if !infoPlistMembers.isEmpty { parts.append(Self.paste("Info.plist", infoPlistMembers)) }
        parts.append(Self.paste("App.entitlements", entitlementMembers))
        return parts.joined(separator: "\n")
    }

    /// The linter's findings in both files.
    func findings(pack: RulePack) throws(CommandFailure) -> [Finding] {
        let configuration: AppConfiguration
        do {
            configuration = try AppConfiguration.parse(
                infoPlist: Array(infoPlist.utf8),
                entitlements: Array(entitlements.utf8)
            )
        } catch {
            throw .input(error.message.printable)
        }
        return ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack))
    }

    private static func singleLinks(_ request: InitRequest) -> [String] {
        dictionary(request.countries.flatMap { [key($0), string(request.links[$0]?.first ?? "")] })
    }

    private static func key(_ text: String) -> String { "<key>\(text.plistEscaped)</key>" }
    private static func string(_ text: String) -> String { "<string>\(text.plistEscaped)</string>" }

    private static func array(_ texts: [String]) -> [String] {
        ["<array>"] + texts.map { "\t" + string($0) } + ["</array>"]
    }

    private static func dictionary(_ members: [String]) -> [String] {
        ["<dict>"] + members.map { "\t" + $0 } + ["</dict>"]
    }

    private static func file(_ members: [String]) -> String {
        // The header that Xcode writes.
        let head = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
            "<plist version=\"1.0\">", "<dict>",
        ]
        return (head + members.map { "\t" + $0 } + ["</dict>", "</plist>"]).joined(separator: "\n") + "\n"
    }

    private static func paste(_ name: String, _ members: [String]) -> String {
        (["<!-- \(name) -->"] + members).joined(separator: "\n") + "\n"
    }
}

extension String {
    /// The text escaped for an element of a property list.
    fileprivate var plistEscaped: String {
        reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
