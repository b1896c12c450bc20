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
                var app = pair.app
                let name = target.clipped()
                let uses = pair.uses.map { $0.clipped() }.joined(separator: ", ").clipped(to: 1_024)
                app.name = pairs.count == 1 ? name : "\(name) (\(uses))"
                apps.append(app)
            }
        }
        return (apps, notes)
    }

    private struct Pair {
        var app: PlannedApp
        /// The configurations that use the app, with the condition if there is one.
        var uses: [String]

        var files: [TreePath?] { [app.infoPlist, app.entitlements] }

        /// Configurations without an Info.plist file are one app only if all of them generate it.
        func uses(_ other: Pair) -> Bool {
            files == other.files
                && (app.described.generatedInfoPlist == nil) == (other.app.described.generatedInfoPlist == nil)
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
        return conditions.map { condition in
            func path(_ candidates: [BuildSetting]) -> TreePath? {
                let setting =
                    candidates.first { $0.condition == condition } ?? candidates.first { $0.condition == nil }
                return setting.flatMap { self.path($0, of: configuration, in: tree, noting: note) }
            }
            var app = PlannedApp(name: configuration.target)
            app.target = configuration.target
            app.infoPlist = path(infoPlists)
            // A file that could not be determined proves nothing about its keys.
            if app.infoPlist != nil || infoPlists.allSatisfy({ $0.value.isEmpty }) {
                app.described.generatedInfoPlist = settings.generatedInfoPlist(
                    hasFile: app.infoPlist != nil,
                    position: configuration.position,
                    file: file
                )
            }
            app.entitlements = path(entitlements)
            app.elsewhere = elsewhere
            app.platform = settings.value("SDKROOT").flatMap(Self.platform)
            return Pair(app: app, uses: [condition.map { "\(configuration.name) \($0)" } ?? configuration.name])
        }
    }

    /// Returns the file that a setting names; nil with a note when it cannot be determined or does not exist.
    private func path(
        _ setting: BuildSetting,
        of configuration: Configuration,
        in tree: any FileTree,
        noting note: (ArtifactNote) -> Void
    ) -> TreePath? {
        let value: String
        do throws(BuildSettings.Unresolved) {
            value = try configuration.settings.resolve(setting.value)
        } catch {
            let text =
                "\(setting.name.clipped()) of target \(configuration.target.clipped()) (\(configuration.name.clipped())) is "
                + "\(setting.value.clipped()); the value of \(error.variable.clipped()) is not in the project, so the file was not paired"
            note(ArtifactNote(file: setting.file, position: setting.position, text: text))
            return nil
        }
        guard !value.isEmpty else { return nil }
        let base = sourceRoot == .root ? "" : "\(sourceRoot)/"
        guard !value.hasPrefix("/"), let path = TreePath(normalizing: base + value) else {
            let text =
                "\(setting.name.clipped()) of target \(configuration.target.clipped()) names \(value.clipped()), which is outside of the "
                + "folder and was not read"
            note(ArtifactNote(file: setting.file, position: setting.position, text: text))
            return nil
        }
        guard tree.kind(at: path) == .file else {
            let text =
                "\(setting.name.clipped()) of target \(configuration.target.clipped()) names \(tree.displayPath(of: path).clipped(to: 1_024)), "
                + "which is not there"
            note(ArtifactNote(file: setting.file, position: setting.position, text: text))
            return nil
        }
        return path
    }

    private static func platform(_ sdk: String) -> Platform? {
        for (prefix, platform) in [
            ("iphone", Platform.iOS), ("macosx", .macOS), ("appletv", .tvOS), ("watch", .watchOS), ("xr", .visionOS),
        ] where sdk.hasPrefix(prefix) {
            return platform
        }
        return nil
    }
}
