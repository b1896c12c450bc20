import ExternalPurchaseCore

/// Splits events into groups that share no payment object.
enum StripeGroups {
    /// - Parameter events: the events, sorted; each group keeps their order.
    static func connected(_ events: [StripeEvent], fetched: StripeFetched) -> [[StripeEvent]] {
        var sets = DisjointSets()
        for request in fetched.answers.keys {
            for account in Set(events.map(\.account)) {
                sets.join(fetched.objectIds(of: request).map { Node(account: account, id: $0) })
            }
        }
        for event in events { sets.join(nodes(of: event)) }
        var order: [Int] = []
        var groups: [Int: [StripeEvent]] = [:]
        for event in events {
            let root = sets.root(of: nodes(of: event))
            if groups[root] == nil { order.append(root) }
            groups[root, default: []].append(event)
        }
        return order.compactMap { groups[$0] }
    }

    /// Objects of two accounts are never the same one.
    private struct Node: Hashable {
        let account: String?
        let id: StripeObjectId
    }

    private static func nodes(of event: StripeEvent) -> [Node] {
        var ids = event.objectIds
        if let id = event.objectId { ids.insert(id) }
        return ids.sorted().map { Node(account: event.account, id: $0) }
    }

    private struct DisjointSets {
        private var indices: [Node: Int] = [:]
        private var parents: [Int] = []

        mutating func join(_ nodes: [Node]) {
            guard let first = nodes.first else { return }
            let root = root(of: index(of: first))
            for node in nodes.dropFirst() { parents[self.root(of: index(of: node))] = root }
        }

        mutating func root(of nodes: [Node]) -> Int {
            guard let first = nodes.first else { return -1 }
            return root(of: index(of: first))
        }

        private mutating func index(of node: Node) -> Int {
            if let index = indices[node] { return index }
            indices[node] = parents.count
            parents.append(parents.count)
            return parents.count - 1
        }

        private mutating func root(of index: Int) -> Int {
            var root = index
            while parents[root] != root { root = parents[root] }
            var next = index
            while parents[next] != root {
                let parent = parents[next]
                parents[next] = root
                next = parent
            }
            return root
        }
    }
}
