package import AppConfiguration

/// What the paths of a command line hold: the apps, and what could not be read.
package struct ArtifactInputs: Hashable, Sendable {
    /// The apps: those of the files named together first, then path by path, each in the order of the names.
    package var apps: [LintTarget] = []
    /// One error for each file, archive or folder that could not be read; the rest was read nevertheless.
    package var errors: [ConfigurationReadError] = []
    /// The number of different property lists, profiles and executables that were read.
    package var filesRead = 0
    /// What was recognised and left alone, such as a build setting with an unknown variable.
    package var notes: [ArtifactNote] = []

    /// Nothing found yet.
    package init() {}
}

/// Something that was recognised and not followed, so that a clean result is not taken for more than it is.
package struct ArtifactNote: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file or folder.
    package let file: String
    /// The place in the file, where known.
    package let position: SourcePosition?
    /// One sentence without a full stop, which does not name the file.
    package let text: String

    /// A note on a file.
    ///
    /// - Parameters:
    ///   - file: the path of the file or folder.
    ///   - position: the place in the file.
    ///   - text: one sentence without a full stop, which does not name the file.
    package init(file: String, position: SourcePosition? = nil, text: String) {
        self.file = file
        self.position = position
        self.text = text
    }

    /// Place and sentence, in the form that editors jump to.
    package var description: String {
        let location = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(location): note: \(text)"
    }
}

/// What a search reads and walks at most, so that no folder or archive exhausts memory or time.
package struct DiscoveryLimits: Hashable, Sendable {
    /// The bytes of a property list or project file; the readers' own limit for property lists is the same.
    package var fileBytes = 16 * 1024 * 1024
    /// How deep folders are entered.
    package var depth = 64
    /// The number of files and folders that a search visits at most.
    package var entries = 2_000_000
    /// How many files, bundles and projects are kept for reading.
    package var candidates = 200_000
    /// How many extensions, watch apps and App Clips of one bundle are read.
    package var nestedApps = 256

    /// The limits of a search on the command line.
    package init() {}

    /// The limits that the command line uses.
    package static let standard = DiscoveryLimits()
}
