/// Figures in Prometheus' text format, version 0.0.4.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct PrometheusText: Sendable {
    /// What a figure means to whoever reads it.
    enum Kind: String, Sendable {
        case gauge
        case counter
    }

    /// One series of a family.
    struct Sample: Sendable {
        let labels: [(name: String, value: String)]
        let value: Double

        init(_ labels: [(name: String, value: String)], _ value: Double) {
            self.labels = labels
            self.value = value
        }

        init(_ labels: [(name: String, value: String)], _ value: Int) {
            self.init(labels, Double(value))
        }
    }

    private(set) var text = ""

    /// Adds a family of series; one without any is left out.
    ///
    /// - Parameters:
    ///   - name: in snake case with its unit, `_total` at the end of a counter.
    ///   - help: one line.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        let lines = samples.map { sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            return "\(name)\(braces) \(Self.number(sample.value))\n"
        }
        // Sorted, so that two answers can be compared.
        text += lines.sorted().joined()
    }

    /// A backslash, a line feed and, in labels, a quote are escaped.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        // Whole numbers without a fraction, as counters are written by everyone.
        guard value == value.rounded(), abs(value) < 9e15 else { return "\(value)" }
        return String(Int64(value))
    }
}
