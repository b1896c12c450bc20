/// An error or note about one location in a programme file.
package struct ProgrammeFault: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file; nil for the built-in programmes.
    let file: String?
    /// The path, such as `programmes[2].rates[0].percent`; empty for the complete file.
    let path: String
    /// The problem and its remedy.
    let message: String

    /// File, path and message in one line.
    package var description: String {
        [file ?? "built-in programmes", path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// The error of an invalid programme file, with all its faults.
package struct ProgrammeFileRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults in file order; never empty.
    let faults: [ProgrammeFault]

    /// The faults, one per line.
    package var description: String { faults.map(\.description).joined(separator: "\n") }
}
