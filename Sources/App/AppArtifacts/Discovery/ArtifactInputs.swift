package import AppConfiguration

/// The apps found at the paths of a command line, and the errors.
package struct ArtifactInputs: Hashable, Sendable {
    /// The apps: first that of the files named together, then those of each path in the order of their names.
    package var apps: [LintTarget] = []
    /// One error for each file, archive or folder that could not be read.
    ///
    /// Everything else was read nevertheless.
    package var errors: [ConfigurationReadError] = []
    /// The number of different property lists, profiles and executables that were read.
    package var filesRead = 0
    /// Inputs that were recognised but not evaluated, such as a build setting with an unknown variable.
    package var notes: [ArtifactNote] = []

    /// Creates an empty result.
    init() {}
}

/// An input that was recognised but not evaluated, so that a result without findings is not misunderstood.
package struct ArtifactNote: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file or folder.
    let file: String
    /// The position in the file, if known.
    var position: SourcePosition?
    /// One sentence without a full stop, which does not name the file.
    let text: String
    /// True when the text names the command that makes the input readable; a run shows it without `--verbose`.
    package var isHint = false

    /// The position and text, in a format that editors recognise.
    package var description: String {
        let location = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(location): note: \(text)"
    }
}

/// The limits of a search, so that no folder or archive can exhaust memory or time.
package struct DiscoveryLimits: Hashable, Sendable {
    /// The maximum size of a property list or project file in bytes, equal to the readers' own limit for property
    /// lists.
    var fileBytes = 16 * 1024 * 1024
    /// The maximum depth of folders.
    var depth = 64
    /// The maximum number of files and folders to visit.
    var entries = 2_000_000
    /// The maximum number of files, bundles and projects to read.
    var candidates = 200_000
    /// The maximum number of extensions, watch apps and App Clips to read in one bundle.
    var nestedApps = 256

    /// Creates the default limits.
    init() {}

    /// The limits that the command line uses.
    static let standard = DiscoveryLimits()
}
