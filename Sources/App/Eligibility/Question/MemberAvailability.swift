package import ExternalPurchaseCore

/// The members of StoreKit that need `#available`, or are deprecated, for an app with a given deployment target (SK-1,
/// SK-2).
///
/// This is what the compiler of an Apple SDK would diagnose.
package struct MemberAvailability: Hashable, Sendable {
    /// A property, method or case; for deprecations also a type.
    package struct Member: Hashable, Sendable {
        /// The name in the table of members, which distinguishes overloads.
        package let tableName: String
        /// The first system version with the member.
        package let first: OSVersion
        /// The version from which the member is deprecated; nil if it is not.
        package let deprecatedFrom: OSVersion?
        /// The name of the replacement in the table.
        package let replacement: String?

        /// The name without the suffix of an overload.
        package var name: String { Self.displayName(tableName) }

        /// The name as an app writes it, `ExternalPurchaseCustomLink.token(for: TokenType)`.
        package var signature: String { Self.signature(tableName) }

        /// The argument type that distinguishes the overload; nil when there is only one member of that name.
        package var overload: String? { Self.parts(tableName).overload }

        static func displayName(_ tableName: String) -> String { parts(tableName).name }

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
    /// The deployment target: the oldest system version that the app runs on.
    package let minimum: OSVersion
    /// The members that the oldest system version lacks, in the order of their versions.
    package let guarded: [Member]
    /// The members that the platform lacks in every version.
    package let missing: [String]
    /// The members and types that a later version deprecates, in the order of their names.
    package let deprecated: [Member]

    /// Reads the table of members.
    ///
    /// - Parameters:
    ///   - platform: the platform.
    ///   - minimum: the oldest system version that the app runs on.
    ///   - pack: the rule pack. Members that a later pack introduced are omitted.
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
        // A deprecation applies once its replacement exists.
        deprecated = members.map(\.1)
            .filter { $0.deprecatedFrom != nil && $0.replacement.map { known[$0] != nil } ?? true }
            .sorted { $0.tableName < $1.tableName }
    }

    /// True when Xcode warns of a deprecated member, because the deployment target has its replacement.
    package func warns(of member: Member) -> Bool { member.deprecatedFrom.map { $0 <= minimum } ?? false }
}

extension RegionTables.Member {
    /// True for types, which apps only use through their members.
    fileprivate var isType: Bool { kind == "struct" || kind == "enum" }
}

extension Platform {
    /// The name in an availability condition, where iPadOS uses the name of iOS.
    package var availabilityName: String { self == .iPadOS ? Platform.iOS.rawValue : rawValue }
}
