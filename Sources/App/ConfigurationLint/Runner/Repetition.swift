extension Sequence {
    /// Returns the groups of two or more elements with the same key, in the order of their first elements.
    func repeated<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
        var groups: [[Element]] = []
        var indices: [Key: Int] = [:]
        for element in self {
            let key = key(element)
            if let index = indices[key] {
                groups[index].append(element)
            } else {
                indices[key] = groups.count
                groups.append([element])
            }
        }
        return groups.filter { $0.count > 1 }
    }
}
