import AppConfiguration

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ArtifactInputs {
    /// Reads the files, bundles and folders that the paths of a command line name.
    ///
    /// Files named together belong to one app. If there are two Info.plists, they belong to two apps, each with the
    /// files of the same folder or stem. Entitlements or a profile named beside one bundle or package belong to its
    /// app. Folders are searched.
    ///
    /// - Parameters:
    ///   - paths: files, bundles, packages, archived builds, Xcode projects and folders, in any order.
    ///   - limits: the limits of the search.
    /// - Returns: the apps and errors. A path that does not exist is an error with the cause `missing`.
    package static func find(paths: [String], limits: DiscoveryLimits = .standard) -> ArtifactInputs {
        var apps: [LintTarget] = []
        var inputs = find(paths: paths, limits: limits) { apps.append($0) }
        inputs.apps = apps
        return inputs
    }

    /// Reads the files, bundles and folders that the paths of a command line name, and passes one app at a time to a
    /// closure, so that the memory use does not grow with the number of apps.
    ///
    /// - Parameters:
    ///   - paths: files, bundles, packages, archived builds, Xcode projects and folders, in any order.
    ///   - limits: the limits of the search.
    ///   - visit: receives each app, in the order of `apps`.
    /// - Returns: everything except the apps.
    package static func find(
        paths: [String],
        limits: DiscoveryLimits = .standard,
        visit: (LintTarget) -> Void
    ) -> ArtifactInputs {
        withoutActuallyEscaping(visit) { visit in
            var reading = ArtifactReader(limits: limits, visit: visit)
            let named = NamedPaths(paths, limits: limits, reading: &reading)
            named.read(into: &reading)
            return reading.result
        }
    }
}

/// The paths of a command line, grouped by kind.
private struct NamedPaths {
    private var files = NamedFiles()
    private var loose: [ArtifactKind: [TreePath]] = [:]
    private var containers: [Container] = []

    private enum Container {
        case package(TreePath)
        case bundle(FileSystemTree)
        case archivedBuild(FileSystemTree)
        case project(String)
        case description(String, AppDescription.Kind)
        case folder(FileSystemTree)

        /// True if entitlements that are named beside it belong to its app.
        var isBuilt: Bool {
            switch self {
            case .package, .bundle, .archivedBuild: true
            case .project, .description, .folder: false
            }
        }
    }

    init(_ paths: [String], limits: DiscoveryLimits, reading: inout ArtifactReader) {
        for path in Set(paths.map { TreePath($0) }).sorted() {
            do throws(ConfigurationReadError) {
                try add(path, limits: limits)
            } catch {
                reading.report(error)
            }
        }
    }

    private mutating func add(_ path: TreePath, limits: DiscoveryLimits) throws(ConfigurationReadError) {
        var status = stat()
        guard !path.text.utf8.contains(0), stat(path.text, &status) == 0 else {
            throw SystemFile.refusal(path.text.utf8.contains(0) ? EINVAL : errno, path: path.text)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            containers.append(Self.container(path))
            return
        }
        try files.add(path, limit: limits.fileBytes)
        let content = try files.bytes(of: path)
        let head = try content.bytes(at: 0, count: min(content.count, ArtifactKind.headSize))
        let kind: ArtifactKind
        if let known = ArtifactKind(head: head, name: path.name) {
            kind = known
        } else if let file = try? PropertyListFile.parse(files.read(path, limit: limits.fileBytes), path: path.text) {
            kind = ArtifactKind(file)
        } else {
            // Reading it as an Info.plist reports the error.
            kind = .infoPlist
        }
        switch kind {
        case .package: containers.append(.package(path))
        case .project: containers.append(.project(path.folder.text))
        case .description(let kind): containers.append(.description(path.text, kind))
        default: loose[kind, default: []].append(path)
        }
    }

    private static func container(_ path: TreePath) -> Container {
        let tree = FileSystemTree(root: path.text)
        let fileExtension = FileName(TreePath(tree.root).name).fileExtension
        let isMacBundle =
            tree.kind(at: TreePath("Contents/Info.plist")) == .file
            && tree.kind(at: TreePath("Contents/MacOS")) == .folder
        if ["app", "appex"].contains(fileExtension) || isMacBundle { return .bundle(tree) }
        if fileExtension == "xcarchive" || tree.kind(at: TreePath("Products/Applications")) == .folder {
            return .archivedBuild(tree)
        }
        if fileExtension == "xcodeproj" || tree.kind(at: TreePath("project.pbxproj")) == .file {
            return .project(tree.root)
        }
        return .folder(tree)
    }

    func read(into reading: inout ArtifactReader) {
        var entitlements = loose[.entitlements] ?? []
        var profiles = loose[.profile] ?? []
        let infoPlists = loose[.infoPlist] ?? []
        // Beside one built app, single files are its source and its profile.
        var beside = ArtifactReader.Beside()
        if containers.count(where: \.isBuilt) == 1 {
            if entitlements.count == 1 { beside.entitlements = reading.propertyList(entitlements[0], in: files) }
            if profiles.count == 1 { beside.profile = reading.profile(profiles[0], in: files) }
            if infoPlists.isEmpty {
                if entitlements.count == 1 { entitlements = [] }
                if profiles.count == 1 { profiles = [] }
            }
        }
        let pairing = FilePairing(
            infoPlists: infoPlists,
            entitlements: entitlements,
            profiles: profiles,
            executables: loose[.executable] ?? [],
            areNamed: true
        )
        for path in pairing.unpaired {
            let text = "Several apps were named, so it is unknown which one it belongs to; it was not compared"
            reading.note(ArtifactNote(file: path.text, text: text))
        }
        reading.read(pairing.apps, in: files, elsewhere: keysElsewhere(&reading))
        for container in containers {
            switch container {
            case .package(let path): reading.read(package: path, in: files, beside: beside)
            case .bundle(let tree): reading.read(bundle: .root, in: tree, beside: beside)
            case .archivedBuild(let tree): reading.read(archivedBuild: .root, in: tree, beside: beside)
            case .project(let path):
                let (name, tree) = Self.tree(of: path)
                reading.read(FolderPlan(project: name, in: tree, limits: reading.limits), in: tree)
            case .description(let path, let kind):
                let (name, tree) = Self.tree(of: path)
                reading.read(FolderPlan(description: name, kind: kind, in: tree, limits: reading.limits), in: tree)
            case .folder(let tree): reading.read(folder: tree)
            }
        }
    }

    private func keysElsewhere(_ reading: inout ArtifactReader) -> [KeySetElsewhere] {
        var keys: [KeySetElsewhere] = []
        for path in loose[.localization] ?? [] { keys += reading.localizedKeys(path, in: files) }
        for path in loose[.configurationFile] ?? [] { keys += reading.configurationKeys(path, in: files) }
        return keys
    }

    /// The folder of a project or description, which its paths are relative to, with its name there.
    private static func tree(of path: String) -> (name: TreePath, tree: FileSystemTree) {
        let path = TreePath(path)
        let isAbsolute = path.text.hasPrefix("/") && path.folder == .root
        return (TreePath(path.name), FileSystemTree(root: isAbsolute ? "/" : path.folder.text))
    }
}
