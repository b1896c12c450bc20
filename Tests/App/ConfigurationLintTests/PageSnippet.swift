import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// An example of a rule's page: root members or complete files, each below a comment with the name of its file.
///
/// Without a comment the text belongs to Info.plist. Members of Info.plist get a bundle id, minimum OS and platform
/// unless they have their own; without entitlements there are the Boolean ones that the keys require (CF-76).
struct PageSnippet {
    private(set) var files: [String: String] = [:]
    /// True for an example without an entitlements file.
    private var isAlone = false
    private var packName = "2026-10"
    private var elsewhere: [KeySetElsewhere] = []

    init(_ block: String, language: String) {
        guard language == "xml" else {
            elsewhere = block.matches(of: /INFOPLIST_KEY_(\w+)/).map { match in
                KeySetElsewhere(source: .buildSetting, key: String(match.1), file: "App.xcconfig")
            }
            return
        }
        var file = "Info.plist"
        for line in block.split(separator: "\n") {
            if line.hasPrefix("<!-- "), line.hasSuffix(" -->") {
                let words = line.dropFirst(5).dropLast(4).components(separatedBy: ", ")
                file = words[0]
                if file == "Info.plist alone" {
                    file = "Info.plist"
                    isAlone = true
                }
                files[file] = ""
                if let pack = words.first(where: { $0.hasPrefix("rule pack ") }) {
                    packName = String(pack.dropFirst("rule pack ".count))
                }
            } else {
                files[file, default: ""] += line.trimmingCharacters(in: .whitespaces) + "\n"
            }
        }
    }

    /// The blocks below "Breaks it:" and "Right:", with the language that they are marked with.
    static func block(_ title: String, in explanation: String) -> (language: String, text: String)? {
        guard let start = explanation.range(of: "\n\(title):\n\n```") else { return nil }
        let rest = explanation[start.upperBound...]
        guard let lineEnd = rest.firstIndex(of: "\n"), let end = rest.range(of: "\n```\n") else { return nil }
        return (String(rest[..<lineEnd]), String(rest[rest.index(after: lineEnd)..<end.lowerBound]))
    }

    /// The findings of the linter in the example.
    func findings() throws -> [Finding] {
        guard let pack = RegionTables.builtIn.pack(packName) else { throw UnknownName(name: packName) }
        let known = [
            "Info.plist", "App.entitlements", "signed entitlements", "provisioning profile",
            "Info.plist of the reviewed build",
        ]
        if let stranger = files.keys.first(where: { !known.contains($0) }) { throw UnknownName(name: stranger) }
        let members = files["Info.plist"] ?? ""
        do throws(ConfigurationReadError) {
            var configuration = AppConfiguration(
                infoPlist: try Self.read(Self.completed(members), path: "Info.plist"),
                entitlements: try Self.read(
                    files["App.entitlements"] ?? Self.pairing(members),
                    path: "App.entitlements"
                )
            )
            configuration.signedEntitlements = try files["signed entitlements"].map {
                text throws(ConfigurationReadError) in
                try Self.read(text, path: "App")
            }
            configuration.profileEntitlements = try files["provisioning profile"].map {
                text throws(ConfigurationReadError) in
                try Self.read(text, path: "embedded.mobileprovision")
            }
            configuration.reviewedInfoPlist = try files["Info.plist of the reviewed build"].map {
                text throws(ConfigurationReadError) in
                try Self.read(Self.completed(text), path: "Reviewed/Info.plist")
            }
            configuration.elsewhere = elsewhere
            if isAlone { configuration.entitlements = nil }
            return ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack))
        } catch {
            return [Finding(error)].compactMap { $0 }
        }
    }

    private static func read(_ text: String, path: String) throws(ConfigurationReadError) -> PropertyListFile {
        let whole = text.hasPrefix("<plist") ? text : ConfigurationText.plist(text)
        return try PropertyListFile.parse(Array(expanded(whole).utf8), path: path)
    }

    private static func completed(_ members: String) -> String {
        guard !members.hasPrefix("<plist") else { return members }
        let baseline = [
            ("CFBundleIdentifier", "<string>com.acme.app</string>"),
            ("MinimumOSVersion", "<string>26.5</string>"),
            ("CFBundleSupportedPlatforms", "<array><string>iPhoneOS</string></array>"),
        ]
        let missing = baseline.filter { !members.contains("<key>\($0.0)</key>") }
        return missing.map { "<key>\($0.0)</key>\($0.1)" }.joined() + members
    }

    private static func pairing(_ members: String) -> String {
        let pairs: [(String, Entitlement)] = [
            ("SKExternalPurchase", .externalPurchase), ("SKExternalPurchaseLink", .link),
            ("SKExternalPurchaseMultiLink", .link), ("SKExternalPurchaseCustomLinkRegions", .link),
            ("SKExternalPurchaseLinkStreamingRegions", .streaming), ("SKExternalLinkAccount", .linkAccount),
        ]
        let needed = Set(pairs.filter { members.contains("<key>\($0.0)</key>") }.map(\.1.rawValue))
        return needed.sorted().map { "<key>\($0)</key><true/>" }.joined()
    }

    /// `A×975` stands for that many letters.
    private static func expanded(_ text: String) -> String {
        guard let mark = text.range(of: "A×") else { return text }
        let digits = text[mark.upperBound...].prefix { $0.isNumber }
        return text[..<mark.lowerBound] + String(repeating: "A", count: Int(digits) ?? 0) + text[digits.endIndex...]
    }

    struct UnknownName: Error {
        let name: String
    }
}
