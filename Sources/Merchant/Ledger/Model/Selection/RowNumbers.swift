/// A set of the sequence numbers of a table's rows, with one bit for each row of the table.
package struct RowNumbers: Sendable {
    /// The bits of 65,536 numbers each, by the upper part of these numbers.
    private var parts: [Int64: [UInt64]] = [:]
    package private(set) var count = 0

    package init() {}

    package mutating func insert(_ number: Int64) {
        if contains(number) { return }
        let (place, bit) = Self.place(of: number)
        parts[number >> 16, default: Array(repeating: 0, count: 1_024)][place] |= bit
        count += 1
    }

    package func contains(_ number: Int64) -> Bool {
        let (place, bit) = Self.place(of: number)
        return parts[number >> 16].map { $0[place] & bit != 0 } ?? false
    }

    /// The numbers in ascending order, as many at a time as a page of rows has.
    package func pages(of limit: Int) -> UnfoldSequence<[Int64], Int64> {
        sequence(state: 0) { (last: inout Int64) -> [Int64]? in
            let page = numbers(after: last, limit)
            last = page.last ?? last
            return page.isEmpty ? nil : page
        }
    }

    private static func place(of number: Int64) -> (word: Int, bit: UInt64) {
        (Int(number & 0xFFFF) >> 6, 1 << UInt64(number & 63))
    }

    private func numbers(after last: Int64, _ limit: Int) -> [Int64] {
        var found: [Int64] = []
        for part in parts.keys.sorted() where part >= last >> 16 {
            for (place, word) in (parts[part] ?? []).enumerated() {
                var rest = word
                while rest != 0 {
                    let number = part << 16 | Int64(place << 6 | rest.trailingZeroBitCount)
                    rest &= rest - 1
                    if number > last { found.append(number) }
                    if found.count == limit { return found }
                }
            }
        }
        return found
    }
}
