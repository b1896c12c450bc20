import AppConfiguration
import ExternalPurchaseCore

/// A line that sets a build setting.
struct BuildSetting: Hashable, Sendable {
    /// The name without its condition, such as `CODE_SIGN_ENTITLEMENTS`.
    let name: String
    /// The condition with its brackets, such as `[sdk=macosx*]`; nil if there is none.
    let condition: String?
    let value: String
    let file: String
    let position: SourcePosition

    /// - Parameter written: the name with its condition.
    init(written: String, value: String, file: String, position: SourcePosition) {
        if let bracket = written.firstIndex(of: "[") {
            name = String(written[..<bracket])
            condition = String(written[bracket...])
        } else {
            name = written
            condition = nil
        }
        self.value = value
        self.file = file
        self.position = position
    }

    private static let infoPlistKey = "INFOPLIST_KEY_"

    /// The external purchase key that the setting adds to a generated Info.plist, in any letter case; nil for other
    /// settings.
    var externalPurchaseKey: String? {
        guard name.hasPrefix(Self.infoPlistKey) else { return nil }
        let key = String(name.dropFirst(Self.infoPlistKey.count))
        return KnownNames.isExternalPurchaseKey(key) ? key : nil
    }
}

/// The build settings of one configuration of a target, in levels from the project's to the target's own.
///
/// Later levels take precedence.
struct BuildSettings {
    private var plain: [String: BuildSetting] = [:]
    private var conditional: [String: [BuildSetting]] = [:]
    /// The settings that Xcode defines, as far as this reader knows them.
    private let builtIn: [String: String]

    /// - Parameter builtIn: the values of `TARGET_NAME` and the like.
    init(builtIn: [String: String]) {
        self.builtIn = builtIn
    }

    /// A value contains a variable that the project does not define.
    struct Unresolved: Error, Hashable {
        let variable: String
    }

    /// Adds a level that takes precedence over the earlier ones.
    mutating func add(_ level: [BuildSetting]) {
        for setting in level {
            guard setting.condition == nil else {
                conditional[setting.name, default: []].removeAll { $0.condition == setting.condition }
                conditional[setting.name, default: []].append(setting)
                continue
            }
            // A plain value of a later level takes precedence over conditional values of an earlier level.
            conditional[setting.name]?.removeAll { $0.file != setting.file }
            guard setting.value.contains("$(inherited)") || setting.value.contains("${inherited}") else {
                plain[setting.name] = setting
                continue
            }
            let inherited = plain[setting.name]?.value ?? ""
            let value = setting.value.replacingAll("$(inherited)", with: inherited)
                .replacingAll("${inherited}", with: inherited)
            plain[setting.name] = BuildSetting(
                written: setting.name,
                value: value.count <= Self.valueLimit ? value : "",
                file: setting.file,
                position: setting.position
            )
        }
    }

    /// Returns the settings with a name: the plain one first, then the conditional ones.
    func settings(_ name: String) -> [BuildSetting] {
        [plain[name]].compactMap { $0 } + (conditional[name] ?? [])
    }

    /// Every setting that adds an external purchase key to a generated Info.plist.
    var externalPurchaseKeys: [BuildSetting] {
        let conditional = conditional.values.flatMap { $0 }
        return (Array(plain.values) + conditional).filter { $0.externalPurchaseKey != nil }.sorted { left, right in
            (left.file, left.position.line, left.name) < (right.file, right.position.line, right.name)
        }
    }

    /// Returns the plain value of a name with its variables replaced; nil without a value or with an unknown variable.
    func value(_ name: String) -> String? {
        guard let setting = plain[name] else { return builtIn[name] }
        return try? resolve(setting.value)
    }

    /// Returns what the build adds to Info.plist; nil when it is unknown whether there are other keys.
    ///
    /// Xcode adds the deployment target to every Info.plist, and the bundle id where `GENERATE_INFOPLIST_FILE` is `YES`.
    /// Without an Info.plist file and with that setting there is nothing else but settings `INFOPLIST_KEY_…` (CF-6).
    ///
    /// - Parameters:
    ///   - hasFile: true when the app has an Info.plist file.
    ///   - platform: the platform of the build, if the settings are for several.
    ///   - position: the position of the result if no setting has one.
    ///   - file: the project or description, for messages.
    func generatedInfoPlist(
        hasFile: Bool,
        platform: Platform? = nil,
        position: SourcePosition?,
        file: String
    ) -> PropertyListFile? {
        let generates = value("GENERATE_INFOPLIST_FILE")?.uppercased() == "YES"
        guard hasFile || generates, conditional["GENERATE_INFOPLIST_FILE"]?.isEmpty ?? true else { return nil }
        let setting = plain["GENERATE_INFOPLIST_FILE"]
        var members: [PropertyListMember] = []
        func add(_ key: String, _ name: String, text: String? = nil) {
            guard let setting = plain[name], let value = text ?? self.value(name), setting.file == file else { return }
            let node = PropertyListNode(.string(value), at: setting.position)
            members.append(PropertyListMember(key: key, keyPosition: setting.position, node: node))
        }
        if generates {
            let id = PropertyListNode(.string("$(PRODUCT_BUNDLE_IDENTIFIER)"), at: setting?.position)
            members.append(PropertyListMember(key: "CFBundleIdentifier", keyPosition: setting?.position, node: id))
        }
        for (key, names) in Self.deploymentTargets {
            for name in names where platform == nil || platform == name.platform {
                if !members.contains(where: { $0.key == key }) { add(key, name.setting) }
            }
        }
        let root = PropertyListNode(.dictionary(members), at: setting?.file == file ? setting?.position : position)
        return PropertyListFile(path: file, format: .buildSettings, root: root)
    }

    private static let deploymentTargets = [
        (
            "MinimumOSVersion",
            [
                (setting: "IPHONEOS_DEPLOYMENT_TARGET", platform: Platform.iOS), ("TVOS_DEPLOYMENT_TARGET", .tvOS),
                ("WATCHOS_DEPLOYMENT_TARGET", .watchOS), ("XROS_DEPLOYMENT_TARGET", .visionOS),
            ]
        ),
        ("LSMinimumSystemVersion", [("MACOSX_DEPLOYMENT_TARGET", .macOS)]),
    ]

    // MARK: Variables

    private static let valueLimit = 4096
    private static let depthLimit = 8

    /// Replaces the variables that the project or Xcode defines without a condition.
    func resolve(_ value: String) throws(Unresolved) -> String {
        try resolve(value, depth: 1)
    }

    private func resolve(_ value: String, depth: Int) throws(Unresolved) -> String {
        var result = ""
        var rest = value[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            guard let open = rest.first, open == "(" || open == "{" else {
                result += "$"
                continue
            }
            guard let close = rest.firstIndex(of: open == "(" ? ")" : "}") else {
                throw Unresolved(variable: "$\(rest)")
            }
            let name = String(rest[rest.index(after: rest.startIndex)..<close])
            let written = "$\(rest[...close])"
            rest = rest[rest.index(after: close)...]
            guard depth < Self.depthLimit, result.utf8.count <= Self.valueLimit,
                let replacement = replacement(name)
            else { throw Unresolved(variable: written) }
            result += try resolve(replacement, depth: depth + 1)
        }
        result += rest
        guard result.utf8.count <= Self.valueLimit else { throw Unresolved(variable: value) }
        return result
    }

    private func replacement(_ name: String) -> String? {
        if let value = builtIn[name] { return value }
        // A value that depends on a condition is unknown before the build.
        return conditional[name]?.isEmpty ?? true ? plain[name]?.value : nil
    }
}

extension String {
    fileprivate func replacingAll(_ part: String, with replacement: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            result += rest[..<range.lowerBound]
            result += replacement
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
