import AppConfiguration
import ExternalPurchaseCore

/// The location of a rule's subject.
struct Location: Hashable, Sendable {
    let file: String
    var position: SourcePosition?
    var key: String?
    var path: String?
    var country: String?

    /// Returns the location of a nested node, one step further down the path.
    func inside(_ step: String, at position: SourcePosition?) -> Location {
        var location = self
        location.path = path.map { "\($0)/\(step)" } ?? step
        location.position = position
        return location
    }

    /// Creates an edit of the element at this location.
    func edit(_ extent: FindingEdit.Extent, _ replacement: String) -> FindingEdit {
        FindingEdit(extent, replacement, at: position)
    }
}

extension Location {
    /// Creates the location of a key at the root of a file.
    init(of member: PropertyListMember, in file: PropertyListFile) {
        self.init(
            file: file.path,
            position: member.keyPosition ?? member.node.position,
            key: member.key,
            path: member.key
        )
    }

    /// Creates the location of a file's root, for missing entries.
    init(rootOf file: PropertyListFile) {
        self.init(file: file.path, position: file.root.position)
    }

    /// Creates a reference to this location for a finding at another one.
    func related(_ message: FindingText) -> RelatedLocation {
        RelatedLocation(file: file, position: position, message: message.text)
    }
}

/// The kinds of files, which determine the keys that are read.
enum FileKind: Hashable, Sendable {
    case infoPlist
    case entitlements
}

/// A complete file.
struct WholeFile {
    let kind: FileKind
    let file: PropertyListFile
    /// True for the entitlements of the signed binary.
    var isSigned = false
}

/// A key at the root of a file.
struct RootKey {
    let kind: FileKind
    let name: String
    let location: Location
}

/// A dictionary whose keys must not repeat, with those of its keys that are checked.
struct KeyedMembers {
    let format: PropertyListFile.Format
    /// Each key with its location, in the order of the file.
    let keys: [(name: String, location: Location)]
}

/// A value with its required type.
struct TypedValue {
    enum Role: Hashable, Sendable {
        /// The value of a known Info.plist key.
        case plistKey
        /// The value of a known entitlement.
        case entitlement
        /// An element of an array or a value of a dictionary inside a known key.
        case element
    }
    let role: Role
    let node: PropertyListNode
    let shape: Shape
    let location: Location
}

/// A key or entitlement that lists regions, with its entry in the pack.
struct RegionList: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case plistKey(PlistKey)
        case entitlement(Entitlement)
    }
    let source: Source
    /// The region codes of the pack in lower case; nil if any country is allowed.
    let codes: [String]?
    let withdrawn: [String]
    let contested: [String]

    var name: String {
        switch source {
        case .plistKey(let key): key.rawValue
        case .entitlement(let entitlement): entitlement.rawValue
        }
    }

    func lists(_ code: String) -> Bool {
        codes?.contains(code) ?? (Country.region(code) != nil)
    }
}

/// A region code of a list, as written.
struct ListedCode {
    let code: String
    let list: RegionList
    let location: Location

    /// The code in lower case.
    ///
    /// From `country-alpha-3` on, rules ignore case (CF-72).
    var lowercased: String { code.lowercased() }
}

/// The codes of one list, for rules that compare them with each other.
struct ListedCodes {
    let codes: [ListedCode]
    let isArray: Bool
}

/// A link as written.
struct Link {
    let url: String
    let country: String
    let location: Location
    let address: WebAddress

    init(url: String, country: String, location: Location) {
        self.url = url
        self.country = country
        self.location = location
        address = WebAddress(splitting: url)
    }
}

/// The links of one country over both link keys (CF-41).
struct CountryLinks {
    let country: String
    /// The links of `SKExternalPurchaseMultiLink` in their order.
    let multiLinks: [InspectedLink]
    let multiLocation: Location?
    /// The string of `SKExternalPurchaseLink`.
    let single: String?
    let singleLocation: Location?
    /// True if up to five links are possible (CF-40).
    let isStreamingCode: Bool
    /// True if the pack allows only one link.
    let isSingleCode: Bool

    /// The strings of `SKExternalPurchaseMultiLink` in their order.
    var multi: [String] { multiLinks.compactMap(\.url) }
    /// The number of different URLs in the multi key.
    var differentInMulti: Int { Set(multi.map { Array($0.utf8) }).count }
    /// The number of different URLs over both keys.
    var different: Int { Set((multi + [single].compactMap { $0 }).map { Array($0.utf8) }).count }
}
