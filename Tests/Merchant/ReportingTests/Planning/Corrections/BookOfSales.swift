import ExternalPurchaseCore
import Reporting

/// What was really sold and given back, kept beside the planner: plain rows, sums done anew each time.
struct BookOfSales {
    struct Row: Hashable {
        let id: LineItemId
        var token: ExternalPurchaseId
        var reference: LineItemId?
        let isRefund: Bool
        let isSubscription: Bool
        var date: Timestamp
        var exclusive: Int64
        var tax: Int64
        var country = "AUT"
        var currency = "EUR"
        var isLive = true
    }

    var rows: [LineItemId: Row] = [:]

    /// The live rows that reference one.
    func standing(on id: LineItemId) -> [Row] {
        rows.values.filter { $0.isLive && $0.reference == id }.sorted { $0.id < $1.id }
    }

    /// The row and all that stands on it, directly or not, each before what stands on it.
    func tree(of id: LineItemId) -> [Row] {
        guard let row = rows[id] else { return [] }
        return [row] + standing(on: id).flatMap { tree(of: $0.id) }
    }

    /// What is left of a buy.
    func net(of buy: LineItemId) -> Int64 {
        guard let row = rows[buy], row.isLive else { return 0 }
        var net = row.exclusive
        for refund in rows.values where refund.isLive && refund.isRefund && refund.reference == buy {
            net -= refund.exclusive
        }
        return net
    }

    func net(for row: Row) -> Int64 { net(of: row.isRefund ? row.reference ?? row.id : row.id) }

    /// The next free id after that of a retracted row.
    func successor(of id: LineItemId) -> LineItemId {
        let base = id.rawValue.split(separator: ".").first.map(String.init) ?? id.rawValue
        var number = 2
        while rows[LineItemId("\(base).\(number)")] != nil { number += 1 }
        return LineItemId("\(base).\(number)")
    }
}

extension SplitMix64 {
    mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
