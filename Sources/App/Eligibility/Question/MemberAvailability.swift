package import ExternalPurchaseCore

/// What the compiler of an Apple SDK asks of an app that runs from some system on: which members of StoreKit need
/// `#available`, which are deprecated (SK-1, SK-2).
package struct MemberAvailability: Hashable, Sendable {
    /// A property, method or case; for deprecations also a type.
    package struct Member: Hashable, Sendable {
        /// The name in the table of members, which tells overloads apart.
        package let tableName: String
        /// The first system with the member.
        package let first: OSVersion
        /// The system from which it is deprecated, nil for a member that is not.
        package let deprecatedFrom: OSVersion?
        /// The successor, by its name in the table.
        package let replacement: String?

        /// The name without the mark of an overload.
        package var name: String { Self.displayName(tableName) }

        /// The name as an app writes it, `ExternalPurchaseCustomLink.token(for: TokenType)`.
        package var signature: String { Self.signature(tableName) }

        /// The argument type that tells the overload from others, nil where there is one member only.
        package var overload: String? { Self.parts(tableName).overload }

        package static func displayName(_ tableName: String) -> String { parts(tableName).name }

        package static func signature(_ tableName: String) -> String {
            let (name, overload) = parts(tableName)
            guard let overload, name.hasSuffix(":)") else { return name }
            return "\(name.dropLast()) \(overload))"
        }

        private static func parts(_ tableName: String) -> (name: String, overload: String?) {
            guard let mark = tableName.lastIndex(of: "-") else { return (tableName, nil) }
            return (String(tableName[..<mark]), String(tableName[tableName.index(after: mark)...]))
        }
    }

    /// The platform.
    package let platform: Platform
    /// The oldest system that the app runs on, the deployment target.
    package let minimum: OSVersion
    /// The members that the oldest system lacks, in the order of their versions.
    package let guarded: [Member]
    /// The members that the platform lacks on every system.
    package let missing: [String]
    /// The members and types that a later system deprecates, in the order of their names.
    package let deprecated: [Member]

    /// Reads the table of members.
    ///
    /// - Parameters:
    ///   - platform: the platform whose versions count.
    ///   - minimum: the oldest system that the app runs on.
    ///   - pack: members that came with a later rule pack are left out.
    package init(on platform: Platform, from minimum: OSVersion, pack: RulePack) {
        self.platform = platform
        self.minimum = minimum
        let known = RegionTables.builtIn.members.filter { $0.value.sincePack <= pack.id }
        let members = known.compactMap { name, member in
            member.availability[platform].map { first in
                (
                    isType: member.isType,
                    Member(
                        tableName: name,
                        first: first,
                        deprecatedFrom: member.deprecatedFrom,
                        replacement: member.replacement
                    )
                )
            }
        }
        guarded = members.filter { !$0.isType && $0.1.first > minimum }.map(\.1)
            .sorted { ($0.first, $0.tableName) < ($1.first, $1.tableName) }
        missing = known.filter { !$0.value.isType && $0.value.availability[platform] == nil }.map(\.key).sorted()
        // A deprecation counts once its successor is there.
        deprecated = members.map(\.1)
            .filter { $0.deprecatedFrom != nil && $0.replacement.map { known[$0] != nil } ?? true }
            .sorted { $0.tableName < $1.tableName }
    }

    /// Whether Xcode warns of a deprecated member: from the deployment target that has its successor on.
    package func warns(of member: Member) -> Bool { member.deprecatedFrom.map { $0 <= minimum } ?? false }
}

extension RegionTables.Member {
    /// True for what is used through its members only.
    fileprivate var isType: Bool { kind == "struct" || kind == "enum" }
}

extension Platform {
    /// The name in `#available`; iPadOS has none of its own.
    package var availabilityName: String { self == .iPadOS ? Platform.iOS.rawValue : rawValue }
}
