/// An Apple operating system as named in availability tables.
public enum Platform: String, Hashable, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    /// iOS.
    case iOS
    /// iPadOS.
    case iPadOS
    /// Mac Catalyst.
    case macCatalyst
    /// macOS.
    case macOS
    /// tvOS.
    case tvOS
    /// watchOS.
    case watchOS
    /// visionOS.
    case visionOS
}

/// A version of an operating system or SDK: one to three numbers.
public struct OSVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number, 0 if omitted.
    public let minor: Int
    /// The third number, 0 if omitted.
    public let patch: Int

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - major: the first number.
    ///   - minor: the second number.
    ///   - patch: the third number.
    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads one to three numbers of at most six digits, separated by points; nil for any other text.
    ///
    /// - Parameter text: `17`, `17.5` or `17.5.1`.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy(\.isDigit) && part.utf8.count <= 6 ? Int(part) : nil
        }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    /// Orders number by number.
    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// `17.5`, or `17.5.1` if the third number is not 0.
    public var description: String { "\(major).\(minor)" + (patch == 0 ? "" : ".\(patch)") }
}
