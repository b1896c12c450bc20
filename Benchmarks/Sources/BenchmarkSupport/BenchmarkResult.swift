import Foundation

/// A measured figure beside its limit: the same work done by the least that could do it, measured in the same run.
///
/// ``print()`` writes it as a line of JSON that `./run bench` collects.
package struct BenchmarkResult: Encodable, Sendable {
    /// What the ratio must keep to.
    package enum Goal: Sendable {
        case atLeast(Double)
        case atMost(Double)
    }

    /// The name that selects the benchmark, such as `planner`.
    let benchmark: String
    /// What was measured, such as `10,000 sales of one app`.
    let title: String
    let value: Double
    let limit: Double
    /// The unit of value and limit, such as `µs`.
    let unit: String
    /// What the limit is, such as `reading its JSON`.
    let limitTitle: String
    let ratio: Double
    let atLeast: Double?
    let atMost: Double?

    /// - Parameter goal: nil for a figure that is only reported.
    package init(
        _ benchmark: String,
        _ title: String,
        value: Double,
        limit: Double,
        unit: String,
        of limitTitle: String,
        goal: Goal? = nil
    ) {
        self.benchmark = benchmark
        self.title = title
        self.value = value
        self.limit = limit
        self.unit = unit
        self.limitTitle = limitTitle
        ratio = value / limit
        (atLeast, atMost) =
            switch goal {
            case .atLeast(let least): (least, nil)
            case .atMost(let most): (nil, most)
            case nil: (nil, nil)
            }
    }

    /// Writes the line `RESULT {…}` to standard output.
    package func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Swift.print("RESULT \(String(decoding: try encoder.encode(self), as: UTF8.self))")
    }
}
