package import AppConfiguration

/// Files and folders below one root: a folder of the file system, or an archive.
///
/// Nothing outside the root is ever read, whatever links and paths say.
package protocol FileTree {
    /// The path for messages, beginning with the path that was given for the root.
    func displayPath(of path: TreePath) -> String

    /// What a folder holds, in the order of the names' bytes; names that are not UTF-8 come last, as one entry each
    /// of the kind `other`.
    func entries(of folder: TreePath) throws(ConfigurationReadError) -> [FileTreeEntry]

    /// What is at the path, links followed; nil when there is nothing, or when links lead out of the root.
    func kind(at path: TreePath) -> FileTreeEntry.Kind?

    /// The content of a file.
    ///
    /// - Throws: `missing`, `unreadable`, or `tooLarge` when it has more bytes than the limit.
    func read(_ path: TreePath, limit: Int) throws(ConfigurationReadError) -> [UInt8]

    /// Opens a file of any size, to read pieces of it.
    func bytes(of path: TreePath) throws(ConfigurationReadError) -> any RandomAccessBytes
}

/// A name in a folder.
package struct FileTreeEntry: Hashable, Sendable {
    /// The kinds of things that a folder holds.
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
    package let name: String
    /// What it is.
    package let kind: Kind

    /// An entry of parts.
    ///
    /// - Parameters:
    ///   - name: the name, without a slash.
    ///   - kind: what it is.
    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
