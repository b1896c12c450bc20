/// Metrics in the text format of Prometheus, version 0.0.4.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct PrometheusText: Sendable {
    /// The type of a metric family.
    enum Kind: String, Sendable {
        case gauge
        case counter
    }

    /// One sample of a family.
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

    /// Adds a family of samples; a family without samples is left out.
    ///
    /// - Parameters:
    ///   - name: a name in snake case with its unit; the name of a counter ends in `_total`.
    ///   - kind: the type of the family.
    ///   - help: a description in one line.
    ///   - samples: the samples of the family.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        let lines = samples.map { sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            return "\(name)\(braces) \(Self.number(sample.value))\n"
        }
        // The lines are sorted so that two responses can be compared.
        text += lines.sorted().joined()
    }

    /// Escapes backslashes, line feeds and, in labels, quotes.
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
        // Whole numbers are written without a fraction, as is usual for counters.
        guard value == value.rounded(), abs(value) < 9e15 else { return "\(value)" }
        return String(Int64(value))
    }
}
