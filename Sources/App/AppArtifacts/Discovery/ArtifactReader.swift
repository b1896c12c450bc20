import AppConfiguration

/// Reads planned apps one after another, and collects errors and notes.
struct ArtifactReader {
    /// The files that were named beside a bundle or package and belong to its app.
    struct Beside {
        var entitlements: PropertyListFile?
        var profile: PropertyListFile?
    }

    let limits: DiscoveryLimits
    private(set) var result = ArtifactInputs()
    private let visit: (LintTarget) -> Void
    private var known: Set<ConfigurationReadError> = []
    private var knownNotes: Set<ArtifactNote> = []

    init(limits: DiscoveryLimits, visit: @escaping (LintTarget) -> Void) {
        self.limits = limits
        self.visit = visit
    }

    /// Passes an app to the visitor.
    func found(_ app: LintTarget) { visit(app) }

    /// Adds an error, once.
    mutating func report(_ error: ConfigurationReadError) {
        if known.insert(error).inserted { result.errors.append(error) }
    }

    /// Adds a note, once.
    mutating func note(_ note: ArtifactNote) {
        if knownNotes.insert(note).inserted { result.notes.append(note) }
    }

    // MARK: Files

    /// Reads a property list with a dictionary at its root; nil with an error otherwise.
    mutating func propertyList(_ path: TreePath, in tree: any FileTree) -> PropertyListFile? {
        attempt { limits throws(ConfigurationReadError) in
            let display = tree.displayPath(of: path)
            let file = try PropertyListFile.parse(try tree.read(path, limit: limits.fileBytes), path: display)
            guard case .dictionary = file.root.value else {
                throw ConfigurationReadError(
                    cause: .rootNotDictionary,
                    file: display,
                    position: file.root.position,
                    reason: file.root.value.typeNameWithArticle
                )
            }
            return file
        }
    }

    /// Reads the entitlements that a provisioning profile allows; nil with an error when it is damaged.
    mutating func profile(_ path: TreePath, in tree: any FileTree) -> PropertyListFile? {
        attempt { _ throws(ConfigurationReadError) in
            try ProvisioningProfile.read(tree.bytes(of: path)).entitlements
        }
    }

    /// Reads the entitlements in the signature of an executable; nil with a note when it is not signed, and nil with an
    /// error when it is damaged.
    mutating func signedEntitlements(_ path: TreePath, in tree: any FileTree) -> PropertyListFile? {
        let signature = attempt { _ throws(ConfigurationReadError) in
            try MachOFile.read(tree.bytes(of: path)).signature
        }
        switch signature {
        case .signed(let entitlements): return entitlements
        case .unsigned:
            let text = "It is not signed, so there are no entitlements in a signature to check"
            note(ArtifactNote(file: tree.displayPath(of: path), text: text))
            return nil
        case nil: return nil
        }
    }

    /// Reads the external purchase keys in a localised Info.plist.
    mutating func localizedKeys(_ path: TreePath, in tree: any FileTree) -> [KeySetElsewhere] {
        attempt { limits throws(ConfigurationReadError) in
            let bytes = try tree.read(path, limit: limits.fileBytes)
            return try LocalizedInfoPlist.keys(in: bytes, path: tree.displayPath(of: path))
        } ?? []
    }

    /// Reads the external purchase keys in an `.xcconfig` file.
    mutating func configurationKeys(_ path: TreePath, in tree: any FileTree) -> [KeySetElsewhere] {
        attempt { limits throws(ConfigurationReadError) in
            let display = tree.displayPath(of: path)
            let file = XcodeConfigurationFile(try tree.read(path, limit: limits.fileBytes), path: display)
            return file.settings.compactMap { setting in
                setting.externalPurchaseKey.map { key in
                    KeySetElsewhere(source: .buildSetting, key: key, file: display, position: setting.position)
                }
            }
        } ?? []
    }

    private mutating func attempt<Value>(
        _ read: (DiscoveryLimits) throws(ConfigurationReadError) -> Value
    ) -> Value? {
        do throws(ConfigurationReadError) {
            let value = try read(limits)
            result.filesRead += 1
            return value
        } catch {
            report(error)
            return nil
        }
    }

    // MARK: Planned apps

    /// Searches a folder and reads its apps.
    mutating func read(folder tree: any FileTree) {
        let plan = FolderPlan(FolderContents(of: tree, limits: limits), in: tree, limits: limits)
        read(plan, in: tree)
        if plan.inputs.isEmpty, plan.errors.isEmpty {
            let text = "It contains no Info.plist, entitlements, app or package"
            note(ArtifactNote(file: tree.displayPath(of: .root), text: text))
        }
    }

    /// Reads the apps of a plan.
    mutating func read(_ plan: FolderPlan, in tree: any FileTree) {
        plan.errors.forEach { report($0) }
        plan.notes.forEach { note($0) }
        result.filesRead += plan.filesRead
        var files = SharedFiles(plan.inputs)
        for input in plan.inputs {
            switch input {
            case .app(let app): read(app, in: tree, files: &files)
            case .bundle(let path): read(bundle: path, in: tree)
            case .archivedBuild(let path): read(archivedBuild: path, in: tree)
            case .package(let path): read(package: path, in: tree)
            }
        }
    }

    /// Reads the apps of files that were named together.
    ///
    /// - Parameter elsewhere: the keys in other named files. Without any app, they form one of their own.
    mutating func read(_ apps: [PlannedApp], in tree: any FileTree, elsewhere: [KeySetElsewhere]) {
        var apps = apps
        if apps.isEmpty, !elsewhere.isEmpty { apps = [PlannedApp(name: elsewhere[0].file)] }
        for index in apps.indices { apps[index].elsewhere += elsewhere }
        var files = SharedFiles(apps.map(PlannedInput.app))
        for app in apps { read(app, in: tree, files: &files) }
    }

    private mutating func read(_ planned: PlannedApp, in tree: any FileTree, files: inout SharedFiles) {
        var configuration = planned.described
        func value(
            _ path: TreePath?,
            _ read: (inout ArtifactReader, TreePath) -> PropertyListFile?
        ) -> PropertyListFile? {
            path.flatMap { path in files.value(path) { read(&self, path) } }
        }
        if let path = planned.infoPlist {
            configuration.infoPlist = value(path) { $0.propertyList($1, in: tree) }
            // A generated Info.plist proves nothing about a file that could not be read.
            if configuration.infoPlist == nil { configuration.generatedInfoPlist = nil }
        }
        if let path = planned.entitlements {
            configuration.entitlements = value(path) { $0.propertyList($1, in: tree) }
        }
        configuration.profileEntitlements = value(planned.profile) { $0.profile($1, in: tree) }
        configuration.signedEntitlements = value(planned.executable) { $0.signedEntitlements($1, in: tree) }
        configuration.elsewhere = planned.elsewhere
        // If no file of an app could be read, the errors explain why.
        var read = configuration
        read.generatedInfoPlist = nil
        if read.entitlements?.format == .buildSettings { read.entitlements = nil }
        guard read != AppConfiguration() else { return }
        let first = (planned.files.first ?? planned.description).map { tree.displayPath(of: $0) } ?? ""
        found(
            LintTarget(
                name: planned.name.isEmpty ? first : planned.name,
                configuration: configuration,
                isBuilt: planned.executable != nil,
                isPartlyUnreadable: planned.infoPlist != nil && configuration.infoPlist == nil
                    || planned.entitlements != nil && configuration.entitlements == nil,
                isTarget: planned.target != nil || planned.description != nil,
                isApplication: planned.isApplication,
                platform: planned.platform
            )
        )
    }
}

/// Files that several apps share.
///
/// Each is stored until the last app was read, so that it is read only once.
private struct SharedFiles {
    private var uses: [TreePath: Int] = [:]
    private var held: [TreePath: PropertyListFile?] = [:]

    init(_ inputs: [PlannedInput]) {
        for case .app(let app) in inputs {
            for file in app.files { uses[file, default: 0] += 1 }
        }
        uses = uses.filter { $0.value > 1 }
    }

    mutating func value(_ path: TreePath, read: () -> PropertyListFile?) -> PropertyListFile? {
        guard let left = uses[path] else { return read() }
        let value = held[path] ?? read()
        uses[path] = left - 1
        held[path] = left > 1 ? .some(value) : nil
        return value
    }
}
