/// An operating system with a version, written `iOS 26.4`.
public struct SystemRelease: Hashable, Sendable, CustomStringConvertible {
    /// The operating system.
    public let platform: Platform
    /// The version.
    public let version: OSVersion

    /// Creates a system release.
    ///
    /// - Parameters:
    ///   - platform: the operating system.
    ///   - version: the version.
    public init(platform: Platform, version: OSVersion) {
        self.platform = platform
        self.version = version
    }

    /// Reads a name and a version, `iOS 26.4`.
    ///
    /// Case and blanks in the name are ignored.
    ///
    /// - Parameter text: the name, then one to three numbers.
    /// - Throws: ``SystemReleaseError``, which says what is wrong and how to correct it.
    public init(_ text: String) throws(SystemReleaseError) {
        let start = text.firstIndex { $0.isASCII && $0.isNumber } ?? text.endIndex
        let name = text[..<start].filter { !$0.isWhitespace }.lowercased()
        var numbers = text[start...]
        while numbers.last?.isWhitespace == true { numbers.removeLast() }
        guard let platform = Self.names[name] else { throw SystemReleaseError(text, unknownName: name) }
        guard let version = OSVersion(String(numbers)) else {
            throw SystemReleaseError(text, platform: platform, numbers: String(numbers))
        }
        self.init(platform: platform, version: version)
    }

    /// `iOS 26.4`.
    public var description: String {
        "\(platform == .macCatalyst ? "Mac Catalyst" : platform.rawValue) \(version)"
    }

    fileprivate static let names: [String: Platform] = {
        var names = Dictionary(uniqueKeysWithValues: Platform.allCases.map { ($0.rawValue.lowercased(), $0) })
        names["catalyst"] = .macCatalyst
        return names
    }()

    /// Marketing names, former names and SDK names.
    fileprivate static let otherNames: [String: Platform] = [
        "iphone": .iOS, "iphoneos": .iOS, "ipad": .iPadOS, "mac": .macOS, "osx": .macOS, "macosx": .macOS,
        "appletv": .tvOS, "appletvos": .tvOS, "applewatch": .watchOS, "xros": .visionOS, "visionpro": .visionOS,
    ]
}

/// Why a text is not an operating system with a version.
public struct SystemReleaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text as given.
    public let text: String
    /// What is wrong, in one clause.
    public let reason: String
    /// How to correct it, in one sentence.
    public let hint: String

    fileprivate init(_ text: String, unknownName name: String) {
        self.text = text
        let known = Platform.allCases.map(\.rawValue)
        if name.isEmpty {
            reason = "\(text.quoted) does not name an operating system"
            hint = "Write a name and a version, \"iOS 26.4\"."
        } else {
            reason = "\(text.quoted) is not an Apple operating system"
            let meant = SystemRelease.otherNames[name]?.rawValue ?? known.nearest(to: name)
            hint = meant.map { "Did you mean \"\($0)\"?" } ?? "Known are \(known.joined(separator: ", "))."
        }
    }

    fileprivate init(_ text: String, platform: Platform, numbers: String) {
        self.text = text
        reason =
            numbers.isEmpty
            ? "\(text.quoted) names no version" : "\(numbers.quoted) is not a system version"
        hint = "Write one to three numbers after the name, \"\(platform.rawValue) 26.4\"."
    }

    /// The reason followed by the hint.
    public var description: String { "\(reason). \(hint)" }
}
