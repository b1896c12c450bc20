import AppConfiguration
import ExternalPurchaseCore

/// The targets of an XcodeGen specification with their Info.plist members, entitlements and build settings.
///
/// See https://github.com/yonaskolb/XcodeGen/blob/master/Docs/ProjectSpec.md.
struct XcodeGenProject {
    private(set) var apps: [PlannedApp] = []
    private(set) var notes: [ArtifactNote] = []
    /// The property lists that XcodeGen writes from the specification.
    private(set) var generated: Set<TreePath> = []
    /// The targets whose Info.plist or entitlements are in the specification.
    private(set) var describedTargets: Set<String> = []

    /// What the specification and the files that it includes say together; without positions where another file does.
    private let root: PropertyListNode
    /// The folder of the project, which build settings are relative to.
    private let folder: TreePath
    private let tree: any FileTree
    /// The file whose targets are read, and its path for messages.
    private var path: TreePath
    private var file: String

    private enum Limit {
        static let targets = 1_000
        static let configurations = 20
        static let templateDepth = 8
        static let includes = 100
        static let includeDepth = 8
    }

    /// A specification with its place.
    private struct Part {
        let root: PropertyListNode
        let path: TreePath
        let file: String
    }

    init(_ root: PropertyListNode, path: TreePath, in tree: any FileTree) throws(DescriptionFault) {
        let file = tree.displayPath(of: path)
        var parts = [Part(root: root, path: path, file: file)]
        let notes = Self.addIncludes(of: parts[0], depth: 1, in: tree, to: &parts)
        self.tree = tree
        self.path = path
        self.file = file
        self.notes = notes
        folder = path.folder
        // The file that includes another one overrides it.
        let included = parts.dropFirst().map(\.root.withoutPositions)
        let whole = included.reversed().reduce(PropertyListNode(.dictionary([]))) { Self.merge($0, $1, depth: 1) }
        self.root = Self.merge(whole, root, depth: 1)
        var left = Limit.targets
        for part in parts {
            self.path = part.path
            self.file = part.file
            for member in part.root["targets"]?.members ?? [] where left > 0 {
                left -= 1
                try read(member.key, position: member.keyPosition, target: merged(member.node, depth: 1))
            }
        }
    }

    /// Reads the files that a specification includes; returns notes on those that cannot be read.
    private static func addIncludes(
        of part: Part,
        depth: Int,
        in tree: any FileTree,
        to parts: inout [Part]
    ) -> [ArtifactNote] {
        var notes: [ArtifactNote] = []
        for include in part.root["include"].map({ $0.elements ?? [$0] }) ?? [] {
            let name = include.text ?? include["path"]?.text ?? ""
            let path = TreePath(normalizing: part.path.folder == .root ? name : "\(part.path.folder)/\(name)")
            guard let path, !parts.contains(where: { $0.path == path }) else { continue }
            guard parts.count < Limit.includes, depth < Limit.includeDepth, tree.kind(at: path) == .file,
                let bytes = try? tree.read(path, limit: DescriptionLimit.bytes),
                let root = try? YAMLDescriptionReader.root(bytes)
            else {
                let text =
                    "It includes \(name.clipped()), which was not read; run `xcodegen generate` and lint the project"
                notes.append(ArtifactNote(file: part.file, position: include.position, text: text, isHint: true))
                continue
            }
            let included = Part(root: root, path: path, file: tree.displayPath(of: path))
            parts.append(included)
            notes += addIncludes(of: included, depth: depth + 1, in: tree, to: &parts)
        }
        return notes
    }

    // MARK: Targets

    private mutating func read(
        _ name: String,
        position: SourcePosition?,
        target: PropertyListNode
    ) throws(DescriptionFault) {
        let type = target["type"]?.text ?? "application"
        guard type.hasPrefix("application") || type.contains("extension") else { return }
        var base = PlannedApp(name: name.clipped())
        base.target = name
        base.isApplication = type == "application"
        base.description = path
        if let info = target["info"] {
            base.described.infoPlist = try propertyList(info, named: "info")
        }
        if let entitlements = target["entitlements"] {
            base.described.entitlements = try propertyList(entitlements, named: "entitlements")
        }
        if base.described.infoPlist != nil || base.described.entitlements != nil { describedTargets.insert(name) }
        let platforms = Self.platforms(of: target)
        var known: [PlannedApp] = []
        for configuration in configurations(of: target) {
            var settings = BuildSettings(builtIn: [
                "SRCROOT": ".", "PROJECT_DIR": ".", "TARGET_NAME": name, "TARGETNAME": name,
                "CONFIGURATION": configuration ?? "Release",
            ])
            settings.add(self.settings(root["settings"], configuration))
            settings.add(self.settings(target["settings"], configuration))
            var app = base
            if app.described.infoPlist == nil {
                app.infoPlist = existing(settings.value("INFOPLIST_FILE"), of: folder) ?? infoPlist(inSourcesOf: target)
            }
            if app.described.entitlements == nil {
                app.entitlements = existing(settings.value("CODE_SIGN_ENTITLEMENTS"), of: folder)
            }
            app.elsewhere = settings.externalPurchaseKeys.compactMap { setting in
                setting.externalPurchaseKey.map { key in
                    KeySetElsewhere(source: .buildSetting, key: key, file: file, position: setting.position)
                }
            }
            guard !app.isEmpty, !known.contains(where: { $0.files == app.files && $0.elsewhere == app.elsewhere })
            else {
                continue
            }
            if app.entitlements == nil, app.described.entitlements == nil {
                app.described.entitlements = noEntitlements(target, settings, position)
            }
            if let configuration, !known.isEmpty { app.name = "\(name.clipped()) (\(configuration.clipped()))" }
            known.append(app)
            for platform in platforms {
                var variant = app
                variant.platform = Self.platform(platform)
                variant.described.generatedInfoPlist = generatedInfoPlist(app, settings, target, platform, position)
                if platforms.count > 1, let platform { variant.name += " on \(platform.clipped())" }
                apps.append(variant)
            }
        }
    }

    /// Returns entitlements without any, where the specification proves that the target has none (CF-6); nil where a file of
    /// settings or an include was not read, or the value depends on what is not known.
    private func noEntitlements(
        _ target: PropertyListNode,
        _ settings: BuildSettings,
        _ position: SourcePosition?
    ) -> PropertyListFile? {
        let named = settings.settings("CODE_SIGN_ENTITLEMENTS")
        let isNone = named.allSatisfy(\.value.isEmpty)
        // A plain value that is known names no file that is there.
        let isMissing =
            named.count == 1 && settings.value("CODE_SIGN_ENTITLEMENTS").flatMap { inside($0, of: folder) } != nil
        guard isNone || isMissing, root["configFiles"] == nil, target["configFiles"] == nil,
            !notes.contains(where: \.isHint)
        else { return nil }
        let place = isNone ? position : named.first?.position
        return PropertyListFile(
            path: file,
            format: .buildSettings,
            root: PropertyListNode(.dictionary([]), at: place)
        )
    }

    /// Returns `info` or `entitlements` of a target as a property list.
    ///
    /// The file at its path is written from it.
    private mutating func propertyList(
        _ node: PropertyListNode,
        named name: String
    ) throws(DescriptionFault) -> PropertyListFile {
        if let name = node["path"]?.text ?? node.text, let file = inside(name, of: path.folder) {
            generated.insert(file)
        }
        let properties = node["properties"] ?? PropertyListNode(.dictionary([]), at: node.position)
        return try AppDescription.propertyList(properties, named: "\(name).properties", .yaml, in: file)
    }

    /// Returns what the build adds: XcodeGen writes the bundle id into each Info.plist, and Xcode the deployment target.
    private func generatedInfoPlist(
        _ app: PlannedApp,
        _ settings: BuildSettings,
        _ target: PropertyListNode,
        _ platform: String?,
        _ position: SourcePosition?
    ) -> PropertyListFile? {
        let hasFile = app.infoPlist != nil || app.described.infoPlist != nil
        let own = settings.generatedInfoPlist(
            hasFile: hasFile,
            platform: Self.platforms(of: target).count > 1 ? Self.platform(platform) : nil,
            position: position,
            file: file
        )
        guard own != nil || hasFile else { return nil }
        var members = own?.members ?? []
        if app.described.infoPlist != nil, !members.contains(where: { $0.key == "CFBundleIdentifier" }) {
            let id = PropertyListNode(.string("$(PRODUCT_BUNDLE_IDENTIFIER)"), at: position)
            members.append(PropertyListMember(key: "CFBundleIdentifier", keyPosition: position, node: id))
        }
        let platform = platform ?? "iOS"
        let key = platform == "macOS" ? "LSMinimumSystemVersion" : "MinimumOSVersion"
        let version = [target["deploymentTarget"], root["options"]?["deploymentTarget"]].lazy.compactMap { node in
            (node?[platform] ?? node).flatMap { node in node.members == nil ? node : nil }
        }.first
        if let version, let text = version.setting, !members.contains(where: { $0.key == key }) {
            let node = PropertyListNode(.string(text), at: version.position)
            members.append(PropertyListMember(key: key, keyPosition: version.position, node: node))
        }
        return PropertyListFile(
            path: file,
            format: .yaml,
            root: PropertyListNode(.dictionary(members), at: own?.root.position ?? position)
        )
    }

    /// The names of the platforms that a target is built for; nil for an unknown one.
    private static func platforms(of target: PropertyListNode) -> [String?] {
        let node = target["supportedDestinations"] ?? target["platform"]
        let names = (node?.elements ?? []).compactMap(\.text).filter { platform($0) != nil }
        return names.isEmpty ? [node?.text] : names
    }

    private static func platform(_ name: String?) -> Platform? {
        switch name {
        case "iOS": .iOS
        case "macOS": .macOS
        case "tvOS": .tvOS
        case "watchOS": .watchOS
        case "visionOS": .visionOS
        default: nil
        }
    }

    // MARK: Templates

    /// Returns a target with the members of its templates that it does not set itself.
    private func merged(_ target: PropertyListNode, depth: Int) -> PropertyListNode {
        guard depth <= Limit.templateDepth, let names = target["templates"]?.elements else { return target }
        var result = PropertyListNode(.dictionary([]), at: target.position)
        for name in names.prefix(Limit.targets) {
            guard let name = name.text, let template = root["targetTemplates"]?[name] else { continue }
            result = Self.merge(result, merged(template, depth: depth + 1), depth: 1)
        }
        return Self.merge(result, target, depth: 1)
    }

    private static func merge(_ base: PropertyListNode, _ over: PropertyListNode, depth: Int) -> PropertyListNode {
        guard depth <= DescriptionLimit.depth, let first = base.members, let second = over.members else { return over }
        let names = Set(second.map(\.key))
        let members =
            first.filter { !names.contains($0.key) }
            + second.map { member in
                guard let inherited = base[member.key] else { return member }
                let node = merge(inherited, member.node, depth: depth + 1)
                return PropertyListMember(key: member.key, keyPosition: member.keyPosition, node: node)
            }
        return PropertyListNode(.dictionary(members), at: over.position)
    }

    // MARK: Settings

    /// Returns the configurations with settings of their own; nil stands for every other one.
    private func configurations(of target: PropertyListNode) -> [String?] {
        var names: [String?] = [nil]
        for node in [root["settings"], target["settings"]] {
            for member in node?["configs"]?.members ?? [] where names.count < Limit.configurations {
                if !names.contains(member.key) { names.append(member.key) }
            }
        }
        return names.count > 1 ? Array(names.dropFirst()) : names
    }

    /// Returns the settings of a level: its groups, its base, and those of the configuration.
    private func settings(_ node: PropertyListNode?, _ configuration: String?, depth: Int = 1) -> [BuildSetting] {
        guard let node, depth <= Limit.templateDepth else { return [] }
        var settings: [BuildSetting] = []
        let hasParts = ["base", "configs", "groups"].contains { node[$0] != nil }
        guard hasParts else { return Self.settings(node.members, in: file) }
        for group in node["groups"]?.elements ?? [] {
            settings += self.settings(
                group.text.flatMap { root["settingGroups"]?[$0] },
                configuration,
                depth: depth + 1
            )
        }
        settings += Self.settings(node["base"]?.members, in: file)
        for member in node["configs"]?.members ?? [] {
            guard let configuration, member.key.lowercased() == configuration.lowercased() else { continue }
            settings += Self.settings(member.node.members, in: file)
        }
        return settings
    }

    private static func settings(_ members: [PropertyListMember]?, in file: String) -> [BuildSetting] {
        (members ?? []).prefix(2_000).compactMap { member in
            guard let value = member.node.setting else { return nil }
            return BuildSetting(
                written: member.key,
                value: value,
                file: file,
                position: member.keyPosition ?? SourcePosition(line: 1, column: 1)
            )
        }
    }

    // MARK: Files

    private func inside(_ text: String, of folder: TreePath) -> TreePath? {
        guard !text.hasPrefix("/") else { return nil }
        return TreePath(normalizing: folder == .root ? text : "\(folder)/\(text)")
    }

    private func existing(_ text: String?, of folder: TreePath) -> TreePath? {
        guard let text, !text.isEmpty, let path = inside(text, of: folder), tree.kind(at: path) == .file else {
            return nil
        }
        return path
    }

    /// Returns the Info.plist in a source folder, which XcodeGen takes when no setting names one.
    private func infoPlist(inSourcesOf target: PropertyListNode) -> TreePath? {
        let sources = target["sources"].map { $0.elements ?? [$0] } ?? []
        return sources.prefix(100).lazy.compactMap { source in
            (source.text ?? source["path"]?.text).flatMap { existing("\($0)/Info.plist", of: path.folder) }
        }.first
    }
}
