import AppConfiguration

/// The apps to read in a folder, in the order of their names.
struct FolderPlan {
    private(set) var inputs: [PlannedInput] = []
    private(set) var notes: [ArtifactNote] = []
    private(set) var errors: [ConfigurationReadError] = []
    private(set) var filesRead = 0

    private let tree: any FileTree
    private let limits: DiscoveryLimits

    /// Plans a folder.
    ///
    /// The targets of Xcode projects claim their files first. The remaining files are grouped by folder and stem.
    ///
    /// - Parameters:
    ///   - contents: the files of the folder.
    ///   - tree: the tree of the folder.
    ///   - limits: the maximum size of files.
    init(_ contents: FolderContents, in tree: any FileTree, limits: DiscoveryLimits) {
        self.tree = tree
        self.limits = limits
        notes = contents.notes
        errors = contents.errors
        var apps: [PlannedApp] = []
        var generated: Set<TreePath> = []
        var described: [TreePath: Set<String>] = [:]
        for path in contents.descriptions {
            guard let kind = AppDescription.kind(named: path.name), let description = read(path, kind) else { continue }
            let hasProject = contents.projects.contains { $0.folder == path.folder }
            // The project has the targets whose files the description only names.
            apps += description.apps.filter { app in
                !hasProject || app.target.map(description.targets.contains) ?? true
            }
            generated.formUnion(description.generated)
            described[path.folder, default: []].formUnion(description.targets)
        }
        for project in contents.projects {
            let targets = described[project.folder] ?? []
            let all = projectApps(project)
            apps += all.filter { app in !(app.target.map(targets.contains) ?? false) }
            generated.formUnion(all.flatMap(\.files))
        }
        let claimed = Set(apps.flatMap(\.files)).union(generated)
        let loose = contents.propertyLists.filter { !claimed.contains($0) && isInfoPlist($0) }
        let pairing = FilePairing(
            infoPlists: loose,
            entitlements: contents.entitlements.filter { !claimed.contains($0) },
            profiles: contents.profiles,
            areNamed: false
        )
        apps += pairing.apps
        for path in pairing.unpaired {
            let text = "It was not paired with an app; name it together with the app's files to compare it"
            notes.append(ArtifactNote(file: tree.displayPath(of: path), text: text))
        }
        addLocalizations(contents.localizations, to: &apps)
        var sorted: [(key: TreePath, input: PlannedInput)] = apps.map {
            ($0.files.first ?? $0.description ?? .root, .app($0))
        }
        sorted += contents.bundles.map { ($0, .bundle($0)) }
        sorted += contents.archivedBuilds.map { ($0, .archivedBuild($0)) }
        sorted += contents.packages.map { ($0, .package($0)) }
        // Apps with the same file keep the order of their configurations.
        inputs = sorted.enumerated().sorted { left, right in
            left.element.key == right.element.key
                ? left.offset < right.offset : left.element.key < right.element.key
        }.map(\.element.input)
    }

    /// Plans only the targets of one project.
    ///
    /// - Parameters:
    ///   - project: the folder `….xcodeproj`.
    ///   - tree: the tree that contains it.
    ///   - limits: the maximum size of files.
    init(project: TreePath, in tree: any FileTree, limits: DiscoveryLimits) {
        self.tree = tree
        self.limits = limits
        inputs = projectApps(project).map(PlannedInput.app)
    }

    /// Plans only the apps of one description.
    ///
    /// - Parameters:
    ///   - description: the file, which a person named.
    ///   - kind: the tool that it is for.
    ///   - tree: the tree that contains it.
    ///   - limits: the maximum size of files.
    init(
        description: TreePath,
        kind: AppDescription.Kind,
        in tree: any FileTree,
        limits: DiscoveryLimits
    ) {
        self.tree = tree
        self.limits = limits
        inputs = (read(description, kind, isNamed: true)?.apps ?? []).map(PlannedInput.app)
    }

    private mutating func read(
        _ path: TreePath,
        _ kind: AppDescription.Kind,
        isNamed: Bool = false
    ) -> AppDescription? {
        do throws(ConfigurationReadError) {
            let description = try AppDescription(path, kind: kind, isNamed: isNamed, in: tree)
            if !description.apps.isEmpty { filesRead += 1 }
            notes += description.notes
            return description
        } catch {
            errors.append(error)
            return nil
        }
    }

    private mutating func projectApps(_ path: TreePath) -> [PlannedApp] {
        do throws(ConfigurationReadError) {
            let project = try XcodeProject(path, in: tree, limits: limits)
            filesRead += project.filesRead
            errors += project.errors
            let planned = project.plannedApps(in: tree)
            notes += project.notes + planned.notes
            return planned.apps
        } catch {
            errors.append(error)
            return []
        }
    }

    /// True for a property list that is an Info.plist by its name or by the keys at its root.
    private func isInfoPlist(_ path: TreePath) -> Bool {
        if FileName(path.name).isInfoPlist { return true }
        do throws(ConfigurationReadError) {
            let bytes = try tree.read(path, limit: limits.fileBytes)
            guard KnownNames.mayBeInfoPlist(bytes) else { return false }
            return KnownNames.isInfoPlist(try PropertyListFile.parse(bytes, path: path.text))
        } catch {
            // When it is read again as a file of an app, the error is reported. A large list of other data is not an
            // Info.plist.
            return error.cause != .tooLarge
        }
    }

    /// Adds the keys in localised Info.plist files to their apps.
    private mutating func addLocalizations(_ paths: [TreePath], to apps: inout [PlannedApp]) {
        guard !paths.isEmpty else { return }
        var owners: [TreePath: [Int]] = [:]
        for (number, app) in apps.enumerated() {
            for folder in Set(app.files.map(\.folder)) { owners[folder, default: []].append(number) }
        }
        for path in paths {
            let keys: [KeySetElsewhere]
            do throws(ConfigurationReadError) {
                let bytes = try tree.read(path, limit: limits.fileBytes)
                keys = try LocalizedInfoPlist.keys(in: bytes, path: tree.displayPath(of: path))
                filesRead += 1
            } catch {
                errors.append(error)
                continue
            }
            guard !keys.isEmpty else { continue }
            // A localised file belongs to the app with files in the nearest folder above it.
            var folder = path.folder
            while owners[folder] == nil, folder != .root { folder = folder.folder }
            if let numbers = owners[folder] {
                for number in numbers { apps[number].elsewhere += keys }
            } else {
                var app = PlannedApp(name: tree.displayPath(of: path))
                app.elsewhere = keys
                apps.append(app)
            }
        }
    }
}
