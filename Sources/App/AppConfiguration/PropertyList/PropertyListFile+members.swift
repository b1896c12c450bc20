extension PropertyListFile {
    /// The members of the root dictionary in the order of the file, repeated keys included; empty for another root.
    public var members: [PropertyListMember] {
        guard case .dictionary(let members) = root.value else { return [] }
        return members
    }

    /// The member of the root dictionary with that key; the last one when the key is repeated, as Apple's readers
    /// have it.
    ///
    /// - Parameter key: compared byte for byte.
    public func member(_ key: String) -> PropertyListMember? {
        members.last { $0.key.utf8.count == key.utf8.count && $0.key.utf8.elementsEqual(key.utf8) }
    }
}
