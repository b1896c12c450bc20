import AppConfiguration
import ExternalPurchaseCore

extension ArtifactReader {
    /// Reads a built app and the bundles nested in it.
    ///
    /// An extension, watch app or App Clip is reported as a separate app if it uses any key or entitlement of external
    /// purchases.
    ///
    /// - Parameters:
    ///   - path: the folder `….app`.
    ///   - tree: the tree that contains it.
    ///   - beside: the files that were named together with the bundle.
    mutating func read(bundle path: TreePath, in tree: any FileTree, beside: Beside = Beside()) {
        var open = [(path: path, depth: 0)]
        var count = 0
        while let (path, depth) = open.popLast() {
            guard count <= limits.nestedApps else {
                let text = "It contains more than \(limits.nestedApps) apps and extensions; the others were not read"
                note(ArtifactNote(file: tree.displayPath(of: path), text: text))
                return
            }
            let bundle = AppBundle(path, in: tree)
            read(bundle, in: tree, isNested: count > 0, beside: count > 0 ? Beside() : beside)
            count += 1
            guard depth < Self.nestingLimit else { continue }
            open += bundle.nested(in: tree).reversed().map { ($0, depth + 1) }
        }
    }

    /// Reads every app of an archived build, the folder `….xcarchive`.
    ///
    /// The archive's own Info.plist does not belong to an app.
    mutating func read(archivedBuild path: TreePath, in tree: any FileTree, beside: Beside = Beside()) {
        let folder = path.appending("Products").appending("Applications")
        read(appsOf: folder, in: tree, of: tree.displayPath(of: path), beside: beside)
    }

    /// Reads every app of a package, such as an `.ipa`, without extracting it.
    mutating func read(package path: TreePath, in tree: any FileTree, beside: Beside = Beside()) {
        do throws(ConfigurationReadError) {
            let archive = ArchiveTree(try ZipArchive.open(tree.bytes(of: path)))
            let payload = TreePath("Payload")
            if archive.kind(at: payload) == .folder {
                read(appsOf: payload, in: archive, of: archive.displayPath(of: .root), beside: beside)
                return
            }
            // Simulator builds and archived builds are often distributed in plain zip files.
            let builds = try archive.entries(of: .root).filter { $0.name.hasSuffix(".xcarchive") }
            for build in builds { read(archivedBuild: TreePath(build.name), in: archive, beside: beside) }
            if builds.isEmpty {
                read(appsOf: .root, in: archive, of: archive.displayPath(of: .root), beside: beside)
            }
        } catch {
            report(error)
        }
    }

    private static let nestingLimit = 4

    private mutating func read(
        appsOf folder: TreePath,
        in tree: any FileTree,
        of container: String,
        beside: Beside
    ) {
        var apps: [TreePath] = []
        if tree.kind(at: folder) == .folder {
            do throws(ConfigurationReadError) {
                apps = try tree.entries(of: folder).filter { $0.kind == .folder }.map { folder.appending($0.name) }
                    .filter { $0.fileExtension == "app" }
            } catch {
                report(error)
                return
            }
        }
        guard !apps.isEmpty else {
            let place = folder == .root ? "it contains no .app" : "it contains no .app in \(folder.name)"
            report(ConfigurationReadError(cause: .notArtifact, file: container, reason: place))
            return
        }
        for app in apps.prefix(limits.nestedApps) {
            read(bundle: app, in: tree, beside: apps.count == 1 ? beside : Beside())
        }
    }

    private mutating func read(_ bundle: AppBundle, in tree: any FileTree, isNested: Bool, beside: Beside) {
        let display = tree.displayPath(of: bundle.path)
        guard tree.kind(at: bundle.infoPlist) == .file else {
            report(ConfigurationReadError(cause: .notArtifact, file: display, reason: "it contains no Info.plist"))
            return
        }
        var configuration = AppConfiguration(
            infoPlist: propertyList(bundle.infoPlist, in: tree),
            entitlements: beside.entitlements
        )
        if let infoPlist = configuration.infoPlist, let executable = executable(of: bundle, infoPlist, in: tree) {
            configuration.signedEntitlements = signedEntitlements(executable, in: tree)
        }
        configuration.profileEntitlements = beside.profile
        if beside.profile == nil, tree.kind(at: bundle.profile) == .file {
            configuration.profileEntitlements = profile(bundle.profile, in: tree)
        }
        for path in bundle.localizations(in: tree) { configuration.elsewhere += localizedKeys(path, in: tree) }
        guard configuration != AppConfiguration(), !isNested || KnownNames.areUsed(in: configuration) else { return }
        found(
            LintTarget(
                name: display,
                configuration: configuration,
                isBuilt: true,
                isPartlyUnreadable: configuration.infoPlist == nil,
                platform: bundle.platform(configuration.infoPlist)
            )
        )
    }

    /// Returns the executable that Info.plist names; nil with an error when it names none or a path outside the bundle.
    private mutating func executable(
        of bundle: AppBundle,
        _ infoPlist: PropertyListFile,
        in tree: any FileTree
    ) -> TreePath? {
        let reason: String
        switch infoPlist.member("CFBundleExecutable")?.node.value {
        case .string(let name) where !name.isEmpty && !name.contains("/") && name != "." && name != "..":
            let path = bundle.executables.appending(name)
            if tree.kind(at: path) == .file { return path }
            reason = "its executable \(name.clipped()) is not there, so its signature was not checked"
        case nil: reason = "its Info.plist names no executable, so its signature was not checked"
        default: reason = "CFBundleExecutable in its Info.plist is not the name of a file"
        }
        let display = tree.displayPath(of: bundle.path)
        report(ConfigurationReadError(cause: .notArtifact, file: display, reason: reason))
        return nil
    }
}
