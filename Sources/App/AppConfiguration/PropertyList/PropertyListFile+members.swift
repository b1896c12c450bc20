extension PropertyListFile {
    /// The members of the root dictionary in the order of the file, including repeated keys; empty if the root is not a
    /// dictionary.
    public var members: [PropertyListMember] {
        guard case .dictionary(let members) = root.value else { return [] }
        return members
    }

    /// Returns the member of the root dictionary with that key.
    ///
    /// Of a repeated key this is the last one, as in Apple's readers.
    ///
    /// - Parameter key: the key, compared byte for byte.
    public func member(_ key: String) -> PropertyListMember? {
        members.last { $0.key.utf8.count == key.utf8.count && $0.key.utf8.elementsEqual(key.utf8) }
    }
}
