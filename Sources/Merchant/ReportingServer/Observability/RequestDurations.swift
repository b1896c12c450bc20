import Synchronization

/// Histograms of the durations of requests, by route, method and class of status, as Prometheus text.
///
/// The labels are bounded: routes and their methods are those of the router, everything else is one row.
final class RequestDurations: Sendable {
    private struct Labels: Hashable, Comparable {
        let route: String
        let method: String
        let statusClass: String

        static func < (first: Self, second: Self) -> Bool {
            (first.route, first.method, first.statusClass) < (second.route, second.method, second.statusClass)
        }
    }

    private struct Histogram {
        /// The requests of each bucket, not cumulated; the last one is above all bounds.
        var counts = Array(repeating: 0, count: RequestDurations.bounds.count + 1)
        var sum = Duration.zero
    }

    /// The upper bounds of the buckets in seconds, with the text that Prometheus shows.
    private static let bounds: [(text: String, duration: Duration)] = [
        ("0.001", .milliseconds(1)), ("0.0025", .microseconds(2_500)), ("0.005", .milliseconds(5)),
        ("0.01", .milliseconds(10)), ("0.025", .milliseconds(25)), ("0.05", .milliseconds(50)),
        ("0.1", .milliseconds(100)), ("0.25", .milliseconds(250)), ("0.5", .milliseconds(500)), ("1", .seconds(1)),
        ("2.5", .milliseconds(2_500)), ("5", .seconds(5)), ("10", .seconds(10)),
    ]

    /// The route of requests that match no path.
    static let unmatched = "unmatched"

    private let histograms = Mutex<[Labels: Histogram]>([:])

    init() {}

    /// The label of a request whose route the router noted under `path`.
    static func route(of path: String?) -> String {
        guard let path, path.hasPrefix("/") else { return unmatched }
        return path
    }

    func record(route: String, method: String, status: Int, _ duration: Duration) {
        let labels = Labels(
            route: route,
            method: route == Self.unmatched ? "other" : method,
            statusClass: "\(status / 100)xx"
        )
        let bucket = Self.bounds.firstIndex { duration <= $0.duration } ?? Self.bounds.count
        histograms.withLock { histograms in
            histograms[labels, default: Histogram()].counts[bucket] += 1
            histograms[labels, default: Histogram()].sum += duration
        }
    }

    /// The histograms in the text format of Prometheus.
    var text: String {
        let name = "external_purchase_http_request_duration_seconds"
        var lines = [
            "# HELP \(name) Duration of requests until their response was ready.", "# TYPE \(name) histogram",
        ]
        for (labels, histogram) in histograms.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            let set = "route=\"\(labels.route)\",method=\"\(labels.method)\",status=\"\(labels.statusClass)\""
            var total = 0
            for (bound, count) in zip(Self.bounds.map(\.text) + ["+Inf"], histogram.counts) {
                total += count
                lines.append("\(name)_bucket{\(set),le=\"\(bound)\"} \(total)")
            }
            let (seconds, attoseconds) = histogram.sum.components
            let micros = String(attoseconds / 1_000_000_000_000)
            let fraction = String(repeating: "0", count: 6 - micros.count) + micros
            lines += ["\(name)_sum{\(set)} \(seconds).\(fraction)", "\(name)_count{\(set)} \(total)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
