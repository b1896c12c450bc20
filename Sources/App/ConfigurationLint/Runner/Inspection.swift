import AppConfiguration
import ExternalPurchaseCore

/// A configuration with the findings of every rule, assigned to the entries they are about.
///
/// The linter collects all findings; ``UsableConfiguration`` omits the entries with errors. Both use the same
/// inspection (CF-50).
struct Inspection {
    /// Findings about a file, or about a key that is not read.
    var findings: [Finding] = []
    /// The known keys and entitlements that are read.
    ///
    /// Of a repeated key this is the last copy.
    var keys: [InspectedKey] = []
    /// Findings about the copies of repeated keys that are not read.
    var superseded: [Finding] = []
    /// Findings about the number of links of a country.
    var counts: [Finding] = []
    /// Findings about several files.
    ///
    /// They concern keys, never an entry that the runtime would omit.
    var together: [Finding] = []

    /// Returns all findings by file, in the order of their positions.
    func flattened(files: [String]) -> [Finding] {
        let all = findings + superseded + keys.flatMap(\.allFindings) + counts + together
        let ranks = Dictionary(
            files.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        return all.enumerated().sorted { left, right in
            order(left.element, left.offset, ranks) < order(right.element, right.offset, ranks)
        }
        .map(\.element)
    }

    private func order(_ finding: Finding, _ offset: Int, _ ranks: [String: Int]) -> (Int, Int, Int, Int) {
        let file = ranks[finding.file] ?? ranks.count
        return (file, finding.position?.line ?? 0, finding.position?.column ?? 0, offset)
    }
}

/// A known key or entitlement with its content.
struct InspectedKey {
    let source: RegionList.Source
    let member: PropertyListMember
    let shape: Shape
    let location: Location
    /// True for an entitlement of the signed binary.
    var isSigned = false
    /// Findings about the key as a whole.
    var findings: [Finding] = []
    /// The entries of the key, including every copy of a repeated code.
    var entries: [InspectedEntry] = []

    var allFindings: [Finding] {
        findings + entries.flatMap { $0.findings + $0.links.flatMap(\.findings) }
    }
}

/// An element of an array of codes, or a member of a dictionary by code.
struct InspectedEntry {
    /// The code as written; nil for an element that is not a string.
    let code: String?
    let location: Location
    /// Findings about the code, and about the type of its value.
    var findings: [Finding] = []
    /// True when the value of a dictionary has the right type.
    var hasRightType = true
    /// The links of a dictionary's value; one for a single string.
    var links: [InspectedLink] = []
}

/// A link with its findings.
struct InspectedLink {
    /// The link as written; nil for an element that is not a string.
    let url: String?
    let location: Location
    var findings: [Finding] = []
}

extension Sequence<Finding> {
    var hasError: Bool { contains { $0.severity == .error } }
    var errors: [Finding] { filter { $0.severity == .error } }
}
