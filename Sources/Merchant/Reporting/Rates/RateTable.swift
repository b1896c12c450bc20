package import ExternalPurchaseCore
package import Ledger

/// Exchange rates of currencies that Apple does not take, by time (RR-48).
package struct RateTable: Equatable, Sendable {
    private struct Pair: Hashable, Sendable {
        let from: String
        let to: String
    }

    /// The rates of each pair of currencies in the order of their times.
    private var rates: [Pair: [QuotedRate]] = [:]
    /// The number of rates.
    package private(set) var count = 0
    /// The time of the newest rate.
    package private(set) var newest: Timestamp?

    package init() {}

    /// Adds a rate.
    ///
    /// - Parameters:
    ///   - rate: the rate, with the currency into which it leads.
    ///   - from: the code of the currency that it converts.
    /// - Returns: false if there is a rate of the same currencies and time with another value.
    package mutating func add(_ rate: QuotedRate, from: String) -> Bool {
        let pair = Pair(from: from, to: rate.to ?? "")
        var list = rates[pair] ?? []
        let index = Self.index(in: list, after: rate.asOf)
        if index > 0, list[index - 1].asOf == rate.asOf { return list[index - 1] == rate }
        list.insert(rate, at: index)
        rates[pair] = list
        count += 1
        newest = max(newest ?? rate.asOf, rate.asOf)
        return true
    }

    /// The rate of a sale: the last one before it, else the first one after it, at most 48 hours away (RR-45).
    package func rate(from: String, to: String, at moment: Timestamp) -> QuotedRate? {
        let list = rates[Pair(from: from, to: to)] ?? []
        let index = Self.index(in: list, after: moment)
        let window = Duration.days(2)
        if index > 0, moment - window <= list[index - 1].asOf { return list[index - 1] }
        guard index < list.count, list[index].asOf <= moment + window else { return nil }
        return list[index]
    }

    /// The number of rates that are not later than a moment.
    private static func index(in list: [QuotedRate], after moment: Timestamp) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].asOf <= moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
