import AppConfiguration

/// The relevant files of a folder and its subfolders, found by name.
struct FolderContents {
    /// Property lists of any kind.
    ///
    /// Their content determines which of them are an Info.plist.
    private(set) var propertyLists: [TreePath] = []
    private(set) var entitlements: [TreePath] = []
    private(set) var profiles: [TreePath] = []
    private(set) var localizations: [TreePath] = []
    private(set) var bundles: [TreePath] = []
    private(set) var archivedBuilds: [TreePath] = []
    private(set) var packages: [TreePath] = []
    private(set) var projects: [TreePath] = []
    /// Files that describe an app for a tool that generates the project.
    private(set) var descriptions: [TreePath] = []
    private(set) var notes: [ArtifactNote] = []
    private(set) var errors: [ConfigurationReadError] = []

    private let tree: any FileTree
    private let limits: DiscoveryLimits
    private var generators: [TreePath] = []
    private var entries = 0
    private var candidates = 0
    private var isFull = false

    /// Searches a tree.
    ///
    /// The search skips hidden folders, folders of dependencies and build results, and those whose property lists do
    /// not belong to apps. It does not follow symbolic links, because their targets in the tree are found anyway.
    ///
    /// - Parameters:
    ///   - tree: the tree to search.
    ///   - limits: the limits of the search.
    init(of tree: any FileTree, limits: DiscoveryLimits) {
        self.tree = tree
        self.limits = limits
        walk(.root, depth: 0)
        noteGenerators()
    }

    private static let skippedFolders: Set<String> = [
        "DerivedData", "Pods", "Carthage", "node_modules", "__MACOSX",
    ]
    private static let skippedExtensions: Set<String> = [
        "xcassets", "framework", "xcframework", "bundle", "dsym", "docc", "xcdatamodeld", "xcworkspace", "playground",
        "xctest", "storyboardc", "xcresult",
    ]

    private mutating func walk(_ folder: TreePath, depth: Int) {
        let listing: [FileTreeEntry]
        do throws(ConfigurationReadError) {
            listing = try tree.entries(of: folder)
        } catch {
            errors.append(error)
            return
        }
        for entry in listing {
            guard !isFull else { return }
            entries += 1
            guard entries <= limits.entries, candidates < limits.candidates else {
                isFull = true
                note(
                    .root,
                    "It contains more than a search visits; the search ended at \(folder.appending(entry.name))"
                )
                return
            }
            // Hidden files and folders belong to tools.
            if entry.name.utf8.first == UInt8(ascii: ".") { continue }
            switch entry.kind {
            case .folder: add(folder: folder.appending(entry.name), depth: depth)
            case .file: add(file: folder.appending(entry.name))
            case .other: passOver(folder.appending(entry.name))
            case .symbolicLink: break
            }
        }
    }

    private mutating func add(folder path: TreePath, depth: Int) {
        let name = path.name
        let fileExtension = path.fileExtension
        switch fileExtension {
        case "app", "appex": keep(path, in: \.bundles)
        case "xcarchive": keep(path, in: \.archivedBuilds)
        case "xcodeproj": keep(path, in: \.projects)
        default:
            guard !Self.skippedFolders.contains(name), !Self.skippedExtensions.contains(fileExtension) else { return }
            guard depth < limits.depth else {
                note(path, "It is deeper than \(limits.depth) folders and was not searched")
                return
            }
            walk(path, depth: depth + 1)
        }
    }

    private mutating func add(file path: TreePath) {
        switch path.fileExtension {
        case "json", "yml", "yaml":
            if AppDescription.kind(named: path.name) != nil { keep(path, in: \.descriptions) }
        case "swift", "js", "ts", "cjs", "mjs":
            if path.name == "Project.swift" || ExpoConfiguration.programs.contains(path.name) {
                keep(path, in: \.generators)
            }
        case "plist": keep(path, in: \.propertyLists)
        case "entitlements", "xcent": keep(path, in: \.entitlements)
        case "mobileprovision", "provisionprofile": keep(path, in: \.profiles)
        case "ipa": keep(path, in: \.packages)
        case "strings", "xcstrings":
            if LocalizedInfoPlist.isNamed(path.name) { keep(path, in: \.localizations) }
        default: break
        }
    }

    /// Adds a note when a pipe, device or undecodable name looks like a file of an app.
    private mutating func passOver(_ path: TreePath) {
        let extensions = ["plist", "entitlements", "mobileprovision", "provisionprofile", "ipa", "app"]
        guard extensions.contains(path.fileExtension) else { return }
        note(path, "It is not a regular file, or its name is not UTF-8; it was not read")
    }

    /// Adds a hint for each program that describes an app and whose result is not there.
    private mutating func noteGenerators() {
        let generated = Set(projects.map(\.folder))
        for path in generators where !generated.contains(path.folder) {
            guard path.name == "Project.swift" else {
                if let hint = ExpoConfiguration.hint(for: path, in: tree, projects: projects) { notes.append(hint) }
                continue
            }
            // A source file of an app may have that name too.
            guard tree.kind(at: path.folder.appending("Derived")) != .folder,
                let bytes = try? tree.read(path, limit: limits.fileBytes),
                String(decoding: bytes, as: UTF8.self).contains("import ProjectDescription")
            else { continue }
            let text = "Tuist's targets are not read; run `tuist generate --no-open` and lint the folder again"
            notes.append(ArtifactNote(file: tree.displayPath(of: path), text: text, isHint: true))
        }
    }

    private mutating func keep(_ path: TreePath, in list: WritableKeyPath<Self, [TreePath]>) {
        candidates += 1
        self[keyPath: list].append(path)
    }

    private mutating func note(_ path: TreePath, _ text: String) {
        notes.append(ArtifactNote(file: tree.displayPath(of: path), text: text))
    }
}
