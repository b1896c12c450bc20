/// What is wrong, or worth knowing, at one place of a file of programmes.
package struct ProgrammeFault: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file; nil for the built-in programmes.
    package let file: String?
    /// The place, `programmes[2].rates[0].percent`; empty for the whole file.
    package let path: String
    /// What is wrong, and what would be right.
    package let message: String

    /// Place and message in one line.
    package var description: String {
        [file ?? "built-in programmes", path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// Why a file of programmes is refused: every fault at once.
package struct ProgrammeFileRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults in the order of the file; never empty.
    package let faults: [ProgrammeFault]

    /// The faults, one a line.
    package var description: String { faults.map(\.description).joined(separator: "\n") }
}
