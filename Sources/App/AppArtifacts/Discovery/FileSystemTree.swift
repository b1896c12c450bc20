package import AppConfiguration

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder of the file system as a file tree.
package struct FileSystemTree: FileTree {
    /// The path of the folder as given.
    let root: String
    private let realRoot: String?

    /// Creates the tree of a folder.
    ///
    /// - Parameter root: the path of the folder. It may itself be a symbolic link.
    init(root: String) {
        var root = root
        while root.utf8.count > 1, root.hasSuffix("/") { root.removeLast() }
        self.root = root.isEmpty ? "." : root
        realRoot = Self.realPath(self.root)
    }

    package func displayPath(of path: TreePath) -> String {
        if path == .root { return root }
        return root == "." ? path.text : systemPath(path)
    }

    package func entries(of folder: TreePath) throws(ConfigurationReadError) -> [FileTreeEntry] {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (folder == .root ? 0 : O_NOFOLLOW)
        let descriptor = open(systemPath(folder), flags)
        guard descriptor >= 0 else { throw refusal(folder) }
        guard let stream = fdopendir(descriptor) else {
            let error = refusal(folder)
            close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        var entries: [FileTreeEntry] = []
        while let found = readdir(stream) {
            guard let entry = Self.entry(found, in: descriptor) else { continue }
            entries.append(entry)
        }
        entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return entries
    }

    package func kind(at path: TreePath) -> FileTreeEntry.Kind? {
        guard let resolved = resolved(path) else { return nil }
        var status = stat()
        guard stat(resolved, &status) == 0 else { return nil }
        return Self.kind(status)
    }

    package func read(_ path: TreePath, limit: Int) throws(ConfigurationReadError) -> [UInt8] {
        let file = try file(path)
        guard file.count <= limit else {
            throw ConfigurationReadError(
                cause: .tooLarge,
                file: displayPath(of: path),
                reason: "it has more than \(limit / 1_048_576) MiB"
            )
        }
        return try file.read(limit: limit)
    }

    package func bytes(of path: TreePath) throws(ConfigurationReadError) -> any RandomAccessBytes {
        try file(path)
    }

    /// Opens a regular file.
    ///
    /// It never blocks, as opening a pipe would.
    private func file(_ path: TreePath) throws(ConfigurationReadError) -> SystemFile {
        let display = displayPath(of: path)
        var opened = open(systemPath(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        if opened < 0, errno == ELOOP {
            guard let target = resolved(path) else {
                throw ConfigurationReadError(
                    cause: .unreadable,
                    file: display,
                    reason: "it is a symbolic link to a path outside \(root), or nowhere"
                )
            }
            opened = open(target, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        }
        guard opened >= 0 else { throw refusal(path) }
        return try SystemFile(regular: opened, path: display)
    }

    // MARK: Paths

    private func systemPath(_ path: TreePath) -> String {
        if path == .root { return root }
        return root == "/" ? "/\(path.text)" : "\(root)/\(path.text)"
    }

    /// Returns the real path with all links resolved; nil when it is outside the root.
    private func resolved(_ path: TreePath) -> String? {
        guard let realRoot, let real = Self.realPath(systemPath(path)) else { return nil }
        let isBelow = real == realRoot || real.hasPrefix(realRoot == "/" ? "/" : realRoot + "/")
        return isBelow ? real : nil
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }

    private func refusal(_ path: TreePath) -> ConfigurationReadError {
        SystemFile.refusal(errno, path: displayPath(of: path))
    }

    // MARK: Entries

    private static func entry(_ found: UnsafeMutablePointer<dirent>, in folder: CInt) -> FileTreeEntry? {
        withUnsafeBytes(of: &found.pointee.d_name) { bytes -> FileTreeEntry? in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
            let count = strnlen(start, bytes.count)
            if count == 1 && start[0] == 0x2E || count == 2 && start[0] == 0x2E && start[1] == 0x2E { return nil }
            let nameBytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            guard let name = String(validating: nameBytes, as: UTF8.self) else {
                return FileTreeEntry(name: String(decoding: nameBytes, as: UTF8.self), kind: .other)
            }
            switch CInt(found.pointee.d_type) {
            case CInt(DT_REG): return FileTreeEntry(name: name, kind: .file)
            case CInt(DT_DIR): return FileTreeEntry(name: name, kind: .folder)
            case CInt(DT_LNK): return FileTreeEntry(name: name, kind: .symbolicLink)
            case CInt(DT_UNKNOWN):
                // Some file systems report no type with the name and require a separate call.
                var status = stat()
                guard fstatat(folder, start, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
                return FileTreeEntry(name: name, kind: kind(status))
            default: return FileTreeEntry(name: name, kind: .other)
            }
        }
    }

    private static func kind(_ status: stat) -> FileTreeEntry.Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .symbolicLink
        default: .other
        }
    }
}
