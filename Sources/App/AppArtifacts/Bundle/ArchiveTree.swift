import AppConfiguration

/// A zip archive as a file tree.
struct ArchiveTree: FileTree {
    private let archive: ZipArchive
    private let folders: [TreePath: [FileTreeEntry]]

    /// Creates the tree of an archive.
    ///
    /// - Parameter archive: the archive. Folders without an entry are inferred from the entries in them.
    init(_ archive: ZipArchive) {
        self.archive = archive
        var folders: [TreePath: [FileTreeEntry]] = [.root: []]
        for entry in archive.entries where Self.isShallow(entry.path) {
            let path = TreePath(entry.path)
            let kind: FileTreeEntry.Kind = entry.isSymbolicLink ? .symbolicLink : entry.isFolder ? .folder : .file
            if kind == .folder {
                Self.add(path, to: &folders)
            } else {
                Self.add(path.folder, to: &folders)
                folders[path.folder]?.append(FileTreeEntry(name: path.name, kind: kind))
            }
        }
        self.folders = folders.mapValues { entries in
            entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }

    /// True for paths of a usual depth.
    ///
    /// Hostile paths with thousands of folders are skipped.
    private static func isShallow(_ path: String) -> Bool {
        path.utf8.count <= 1024 && path.utf8.count { $0 == UInt8(ascii: "/") } < 32
    }

    /// Adds a folder and its parent folders.
    private static func add(_ folder: TreePath, to folders: inout [TreePath: [FileTreeEntry]]) {
        var missing: [TreePath] = []
        var ancestor = folder
        while folders[ancestor] == nil {
            missing.append(ancestor)
            ancestor = ancestor.folder
        }
        for path in missing.reversed() {
            folders[path] = []
            folders[path.folder]?.append(FileTreeEntry(name: path.name, kind: .folder))
        }
    }

    func displayPath(of path: TreePath) -> String {
        path == .root ? archive.path : "\(archive.path)/\(path)"
    }

    func entries(of folder: TreePath) throws(ConfigurationReadError) -> [FileTreeEntry] {
        guard let entries = folders[folder] else { throw missing(folder) }
        return entries
    }

    func kind(at path: TreePath) -> FileTreeEntry.Kind? {
        if folders[path] != nil { return .folder }
        guard let entry = archive.entry(path.text) else { return nil }
        return entry.isSymbolicLink ? .symbolicLink : .file
    }

    func read(_ path: TreePath, limit: Int) throws(ConfigurationReadError) -> [UInt8] {
        try archive.read(try file(path), limit: limit)
    }

    func bytes(of path: TreePath) throws(ConfigurationReadError) -> any RandomAccessBytes {
        try archive.stream(try file(path))
    }

    private func file(_ path: TreePath) throws(ConfigurationReadError) -> ZipEntry {
        guard let entry = archive.entry(path.text), !entry.isFolder else { throw missing(path) }
        return entry
    }

    private func missing(_ path: TreePath) -> ConfigurationReadError {
        ConfigurationReadError(cause: .notArtifact, file: displayPath(of: path), reason: "it is not in the archive")
    }
}
