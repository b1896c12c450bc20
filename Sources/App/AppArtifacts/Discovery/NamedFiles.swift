import AppConfiguration

/// The files that a person named individually, under the paths as written.
///
/// Symbolic links are followed, because the person chose them, and a pipe is read to its end.
struct NamedFiles: FileTree {
    private var piped: [TreePath: [UInt8]] = [:]

    /// Reads a pipe, which can be read only once.
    ///
    /// It does nothing for a regular file.
    mutating func add(_ path: TreePath, limit: Int) throws(ConfigurationReadError) {
        let file = try SystemFile(named: path.text)
        if !file.isRegular { piped[path] = try file.read(limit: limit) }
    }

    func displayPath(of path: TreePath) -> String { path.text }

    func entries(of folder: TreePath) -> [FileTreeEntry] { [] }

    func kind(at path: TreePath) -> FileTreeEntry.Kind? { .file }

    func read(_ path: TreePath, limit: Int) throws(ConfigurationReadError) -> [UInt8] {
        if let bytes = piped[path] { return bytes }
        return try SystemFile(named: path.text).read(limit: limit)
    }

    func bytes(of path: TreePath) throws(ConfigurationReadError) -> any RandomAccessBytes {
        if let bytes = piped[path] { return MemoryBytes(bytes, path: path.text) }
        return try SystemFile(named: path.text)
    }
}
