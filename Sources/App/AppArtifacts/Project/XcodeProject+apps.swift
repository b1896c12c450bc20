import AppConfiguration
import ExternalPurchaseCore

extension XcodeProject {
    /// Returns the apps of the targets: one for each pair of Info.plist and entitlements that configurations use.
    ///
    /// - Returns: the apps in the order of targets and configurations, and notes on what could not be evaluated.
    func plannedApps(in tree: any FileTree) -> (apps: [PlannedApp], notes: [ArtifactNote]) {
        var apps: [PlannedApp] = []
        var notes: [ArtifactNote] = []
        var known: Set<ArtifactNote> = []
        var rest = configurations[...]
        while let target = rest.first?.target {
            var pairs: [Pair] = []
            while let configuration = rest.first, configuration.target == target {
                rest.removeFirst()
                for pair in self.pairs(
                    of: configuration,
                    in: tree,
                    noting: { note in
                        if known.insert(note).inserted { notes.append(note) }
                    }
                ) {
                    if let index = pairs.firstIndex(where: { $0.uses(pair) }) {
                        pairs[index].uses += pair.uses
                        pairs[index].app.elsewhere += pair.app.elsewhere.filter { key in
                            !pairs[index].app.elsewhere.contains(key)
                        }
                    } else {
                        pairs.append(pair)
                    }
                }
            }
            for pair in pairs where !pair.app.isEmpty {
                let name = target.clipped()
                let uses = pair.uses.map { $0.clipped() }.joined(separator: ", ").clipped(to: 1_024)
                for variant in pair.variants {
                    var app = pair.app
                    app.platform = variant.platform
                    app.described.generatedInfoPlist = variant.generatedInfoPlist
                    app.name = pairs.count == 1 ? name : "\(name) (\(uses))"
                    if pair.variants.count > 1, let platform = variant.platform {
                        app.name += " on \(platform.rawValue)"
                    }
                    apps.append(app)
                }
            }
        }
        return (apps, notes)
    }

    private struct Pair {
        var app: PlannedApp
        /// The platforms that the target is built for, each with what its build adds to Info.plist.
        var variants: [(platform: Platform?, generatedInfoPlist: PropertyListFile?)]
        /// The configurations that use the app, with the condition if there is one.
        var uses: [String]

        var files: [TreePath?] { [app.infoPlist, app.entitlements] }

        /// Configurations without an Info.plist file are one app only if all of them generate it, and those without
        /// entitlements only if none of them can have any.
        func uses(_ other: Pair) -> Bool {
            files == other.files && variants.map(\.platform) == other.variants.map(\.platform)
                && (app.described.generatedInfoPlist == nil) == (other.app.described.generatedInfoPlist == nil)
                && (app.described.entitlements == nil) == (other.app.described.entitlements == nil)
        }
    }

    private func pairs(
        of configuration: Configuration,
        in tree: any FileTree,
        noting note: (ArtifactNote) -> Void
    ) -> [Pair] {
        let settings = configuration.settings
        let elsewhere = settings.externalPurchaseKeys.compactMap { setting in
            setting.externalPurchaseKey.map { key in
                KeySetElsewhere(source: .buildSetting, key: key, file: setting.file, position: setting.position)
            }
        }
        let infoPlists = settings.settings("INFOPLIST_FILE")
        let entitlements = settings.settings("CODE_SIGN_ENTITLEMENTS")
        var conditions: [String?] = [nil]
        for setting in infoPlists + entitlements where !conditions.contains(setting.condition) {
            conditions.append(setting.condition)
        }
        let platforms = Self.platforms(of: settings)
        let own = conditions.compactMap { $0.flatMap(Self.platform(ofCondition:)) }
        let others = platforms.filter { !own.contains($0) }
        return conditions.map { condition in
            func path(_ candidates: [BuildSetting]) -> NamedFile {
                let setting =
                    candidates.first { $0.condition == condition } ?? candidates.first { $0.condition == nil }
                return setting.map { self.path($0, of: configuration, in: tree, noting: note) } ?? .none
            }
            var app = PlannedApp(name: configuration.target)
            app.target = configuration.target
            app.isApplication = configuration.isApplication
            app.infoPlist = path(infoPlists).path
            let only = condition.flatMap(Self.platform(ofCondition:)).flatMap { platforms.contains($0) ? $0 : nil }
            let built = only.map { [$0] } ?? (others.isEmpty ? platforms : others)
            var variants = (built.isEmpty ? [nil] : built.map(Optional.some)).map { platform in
                (platform: platform, generatedInfoPlist: nil as PropertyListFile?)
            }
            // A file that could not be determined proves nothing about its keys.
            if app.infoPlist != nil || infoPlists.allSatisfy({ $0.value.isEmpty }) {
                for index in variants.indices {
                    variants[index].generatedInfoPlist = settings.generatedInfoPlist(
                        hasFile: app.infoPlist != nil,
                        platform: variants.count > 1 ? variants[index].platform : nil,
                        position: configuration.position,
                        file: file
                    )
                }
                app.described.generatedInfoPlist = variants[0].generatedInfoPlist
            }
            let named = path(entitlements)
            app.entitlements = named.path
            app.elsewhere = elsewhere
            if !app.isEmpty {
                app.described.entitlements = noEntitlements(named, of: configuration, all: entitlements)
            }
            return Pair(
                app: app,
                variants: variants,
                uses: [condition.map { "\(configuration.name) \($0)" } ?? configuration.name]
            )
        }
    }

    /// Returns entitlements without any, where the settings prove that the app has none (CF-6); nil where they do not.
    private func noEntitlements(
        _ named: NamedFile,
        of configuration: Configuration,
        all settings: [BuildSetting]
    ) -> PropertyListFile? {
        let place: (file: String, position: SourcePosition?)
        switch named {
        case .missing(let setting): place = (setting.file, setting.position)
        case .none where configuration.isComplete && settings.allSatisfy(\.value.isEmpty):
            place = (file, configuration.position)
        case .none, .file, .unknown: return nil
        }
        let root = PropertyListNode(.dictionary([]), at: place.position)
        return PropertyListFile(path: place.file, format: .buildSettings, root: root)
    }

    /// What a setting says of a file.
    private enum NamedFile {
        case none
        case file(TreePath)
        /// The setting names a file that does not exist.
        case missing(BuildSetting)
        /// The value cannot be determined, or is outside of the folder.
        case unknown

        var path: TreePath? {
            if case .file(let path) = self { path } else { nil }
        }
    }

    /// Returns the file that a setting names, with a note when it cannot be determined or does not exist.
    private func path(
        _ setting: BuildSetting,
        of configuration: Configuration,
        in tree: any FileTree,
        noting note: (ArtifactNote) -> Void
    ) -> NamedFile {
        let value: String
        do throws(BuildSettings.Unresolved) {
            value = try configuration.settings.resolve(setting.value)
        } catch {
            let text =
                "\(setting.name.clipped()) of target \(configuration.target.clipped()) (\(configuration.name.clipped())) is "
                + "\(setting.value.clipped()); the value of \(error.variable.clipped()) is not in the project, so the file was not paired"
            note(ArtifactNote(file: setting.file, position: setting.position, text: text))
            return .unknown
        }
        guard !value.isEmpty else { return .none }
        let base = sourceRoot == .root ? "" : "\(sourceRoot)/"
        guard !value.hasPrefix("/"), let path = TreePath(normalizing: base + value) else {
            let text =
                "\(setting.name.clipped()) of target \(configuration.target.clipped()) names \(value.clipped()), which is outside of the "
                + "folder and was not read"
            note(ArtifactNote(file: setting.file, position: setting.position, text: text))
            return .unknown
        }
        guard tree.kind(at: path) == .file else {
            let text =
                "\(setting.name.clipped()) of target \(configuration.target.clipped()) names \(tree.displayPath(of: path).clipped(to: 1_024)), "
                + "which is not there"
            note(ArtifactNote(file: setting.file, position: setting.position, text: text))
            return .missing(setting)
        }
        return .file(path)
    }

    /// The platforms that a target is built for, in the order of the setting; empty when they are unknown.
    private static func platforms(of settings: BuildSettings) -> [Platform] {
        let supported = settings.value("SUPPORTED_PLATFORMS")?.split(separator: " ").compactMap { platform(String($0)) }
        guard let supported, !supported.isEmpty else {
            return settings.value("SDKROOT").flatMap { platform($0) }.map { [$0] } ?? []
        }
        return supported.reduce(into: []) { all, platform in
            if !all.contains(platform) { all.append(platform) }
        }
    }

    /// The platform of a condition such as `[sdk=macosx*]`.
    private static func platform(ofCondition condition: String) -> Platform? {
        guard let sdk = condition.firstRange(of: "[sdk=") else { return nil }
        return platform(String(condition[sdk.upperBound...]))
    }

    /// The platform of an SDK or of its simulator.
    private static func platform(_ sdk: String) -> Platform? {
        for (prefix, platform) in [
            ("iphone", Platform.iOS), ("macosx", .macOS), ("appletv", .tvOS), ("watch", .watchOS), ("xr", .visionOS),
        ] where sdk.hasPrefix(prefix) {
            return platform
        }
        return nil
    }
}
