import AppConfiguration

/// One line that sets a build setting.
struct BuildSetting: Hashable, Sendable {
    /// The name without condition, such as `CODE_SIGN_ENTITLEMENTS`.
    let name: String
    /// The condition with its brackets, such as `[sdk=macosx*]`; nil for none.
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

    /// The key that the setting puts into a generated Info.plist when it is one of external purchases, in any
    /// spelling of the letters' case.
    var externalPurchaseKey: String? {
        guard name.hasPrefix(Self.infoPlistKey) else { return nil }
        let key = String(name.dropFirst(Self.infoPlistKey.count))
        return KnownNames.isExternalPurchaseKey(key) ? key : nil
    }
}

/// The build settings of one configuration of a target: levels from the project's to the target's own, of which
/// later ones win.
struct BuildSettings {
    private var plain: [String: BuildSetting] = [:]
    private var conditional: [String: [BuildSetting]] = [:]
    /// The settings that Xcode brings, as far as this reader knows them.
    private let builtIn: [String: String]

    /// - Parameter builtIn: the values of `TARGET_NAME` and the like.
    init(builtIn: [String: String]) {
        self.builtIn = builtIn
    }

    /// A value that holds a variable whose value the project does not tell.
    struct Unresolved: Error, Hashable {
        let variable: String
    }

    /// Puts a level over those before it.
    mutating func add(_ level: [BuildSetting]) {
        for setting in level {
            guard setting.condition == nil else {
                conditional[setting.name, default: []].removeAll { $0.condition == setting.condition }
                conditional[setting.name, default: []].append(setting)
                continue
            }
            // A plain value of a higher level stands before conditional ones of a lower level.
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

    /// The settings of a name: the plain one first, then those under a condition.
    func settings(_ name: String) -> [BuildSetting] {
        [plain[name]].compactMap { $0 } + (conditional[name] ?? [])
    }

    /// Every setting that puts a key of external purchases into a generated Info.plist.
    var externalPurchaseKeys: [BuildSetting] {
        let conditional = conditional.values.flatMap { $0 }
        return (Array(plain.values) + conditional).filter { $0.externalPurchaseKey != nil }.sorted { left, right in
            (left.file, left.position.line, left.name) < (right.file, right.position.line, right.name)
        }
    }

    /// The plain value of a name with its variables filled in; nil without one or with an unknown variable.
    func value(_ name: String) -> String? {
        guard let setting = plain[name] else { return builtIn[name] }
        return try? resolve(setting.value)
    }

    // MARK: Variables

    private static let valueLimit = 4096
    private static let depthLimit = 8

    /// Fills in the variables that project or Xcode define without a condition.
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
        // A value that depends on a condition is not known before the build.
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
