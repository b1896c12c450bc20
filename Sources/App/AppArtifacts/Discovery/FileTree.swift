package import AppConfiguration

/// Files and folders below a root: a folder of the file system, or an archive.
///
/// Nothing outside the root is ever read, regardless of links and paths.
package protocol FileTree {
    /// Returns the path for messages, beginning with the path that was given for the root.
    func displayPath(of path: TreePath) -> String

    /// Returns the content of a folder in the order of the names' bytes.
    ///
    /// Each name that is not UTF-8 is an entry of kind `other` at the end.
    func entries(of folder: TreePath) throws(ConfigurationReadError) -> [FileTreeEntry]

    /// Returns the kind of the item at a path, following links; nil when there is none, or when links lead outside the
    /// root.
    func kind(at path: TreePath) -> FileTreeEntry.Kind?

    /// Reads the content of a file.
    ///
    /// - Throws: `missing`, `unreadable`, or `tooLarge` when it has more bytes than the limit.
    func read(_ path: TreePath, limit: Int) throws(ConfigurationReadError) -> [UInt8]

    /// Opens a file of any size, to read pieces of it.
    func bytes(of path: TreePath) throws(ConfigurationReadError) -> any RandomAccessBytes
}

/// An entry of a folder.
package struct FileTreeEntry: Hashable, Sendable {
    /// The kind of an entry.
    package enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, not followed.
        case symbolicLink
        /// A pipe, a device, a socket, or a name that is not UTF-8.
        case other
    }

    /// The name, without a slash.
    let name: String
    /// The kind.
    let kind: Kind
}
