import AppConfiguration

/// A property list in a profile or signature.
enum EmbeddedPropertyList {
    /// Parses the property list without lines and columns, because they would refer to a text that is not a file of its
    /// own.
    static func parse(
        _ bytes: [UInt8],
        path: String,
        of what: String
    ) throws(ConfigurationReadError) -> PropertyListFile {
        let file: PropertyListFile
        do {
            file = try PropertyListFile.parse(bytes, path: path)
        } catch {
            throw ConfigurationReadError(
                cause: .notArtifact,
                file: path,
                reason: "\(what) is not a readable property list: \(error.reason)"
            )
        }
        guard case .dictionary = file.root.value else {
            throw ConfigurationReadError(
                cause: .notArtifact,
                file: path,
                reason: "\(what) has \(file.root.value.typeNameWithArticle) at its root, not a dictionary"
            )
        }
        return PropertyListFile(path: path, format: .binary, root: file.root.withoutPositions)
    }
}

extension PropertyListNode {
    /// The node without lines and columns.
    var withoutPositions: PropertyListNode {
        switch value {
        case .array(let elements): PropertyListNode(.array(elements.map(\.withoutPositions)))
        case .dictionary(let members):
            PropertyListNode(
                .dictionary(members.map { PropertyListMember(key: $0.key, node: $0.node.withoutPositions) })
            )
        default: PropertyListNode(value)
        }
    }
}

extension PropertyListValue {
    /// True when both values are equal, regardless of the order of keys and of positions.
    ///
    /// The last of repeated keys counts, as in Apple's readers.
    func holdsSame(as other: PropertyListValue) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.value.holdsSame(as: $1.value) }
        case (.dictionary(let left), .dictionary(let right)):
            Self.entries(left).holdsSame(as: Self.entries(right))
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        default: self == other
        }
    }

    private static func entries(_ members: [PropertyListMember]) -> [[UInt8]: PropertyListValue] {
        Dictionary(members.map { (Array($0.key.utf8), $0.node.value) }, uniquingKeysWith: { $1 })
    }
}

extension [[UInt8]: PropertyListValue] {
    fileprivate func holdsSame(as other: Self) -> Bool {
        count == other.count && allSatisfy { key, value in other[key].map(value.holdsSame(as:)) ?? false }
    }
}
