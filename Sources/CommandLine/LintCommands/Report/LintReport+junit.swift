import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore

extension LintReport {
    /// The findings as JUnit XML: a suite per app, a case per finding, and a passing case per file without findings.
    ///
    /// Errors and warnings are failures; notes are skipped cases, which CI systems show without counting them as
    /// failures.
    var junit: String {
        let suites = subjects.map(Suite.init)
        let total =
            "tests=\"\(suites.reduce(0) { $0 + $1.tests })\" failures=\"\(suites.reduce(0) { $0 + $1.failures })\""
        let head = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"external-purchase-lint\" \(total) errors=\"0\" time=\"0\">",
        ]
        return (head + suites.flatMap(\.lines) + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    /// The suite of one app.
    private struct Suite {
        var lines: [String] = []
        var tests = 0
        var failures = 0
        private var skipped = 0

        init(_ subject: Subject) {
            var cases: [String] = []
            for reported in subject.findings {
                cases += element(reported.finding)
            }
            let faulty = Set(subject.findings.map(\.finding.file))
            for file in subject.files where !faulty.contains(file) {
                tests += 1
                cases.append("    <testcase classname=\"\(file.xmlEscaped)\" name=\"no findings\" time=\"0\"/>")
            }
            let counts = "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\" time=\"0\""
            lines = ["  <testsuite name=\"\(subject.name.xmlEscaped)\" \(counts)>"] + cases + ["  </testsuite>"]
        }

        private mutating func element(_ finding: Finding) -> [String] {
            tests += 1
            let place = finding.position.map { ":\($0.line):\($0.column)" } ?? ""
            let name =
                finding.rule + (finding.path.map { " at \($0)" } ?? "")
                + (place.isEmpty ? "" : " (\(place.dropFirst()))")
            let open =
                "    <testcase classname=\"\(finding.file.xmlEscaped)\" name=\"\(name.xmlEscaped)\" time=\"0\">"
            let message = finding.message.xmlEscaped
            if finding.severity == .note {
                skipped += 1
                return [open, "      <skipped message=\"\(message)\"/>", "    </testcase>"]
            }
            failures += 1
            let lines =
                ["\(finding.file)\(place): \(finding.severity.rawValue): \(finding.message) [\(finding.rule)]"]
                + [finding.hint].compactMap { $0 }
                + finding.related.map { place in
                    "\(place.file)\(place.position.map { ":\($0.line):\($0.column)" } ?? ""): \(place.message)"
                }
            let text = lines.map(\.printable).joined(separator: "\n").xmlEscaped
            return [
                open, "      <failure type=\"\(finding.severity.rawValue)\" message=\"\(message)\">\(text)</failure>",
                "    </testcase>",
            ]
        }
    }
}

extension String {
    /// The text escaped for XML 1.0 content and attributes.
    ///
    /// Characters that XML does not allow are replaced by U+FFFD (https://www.w3.org/TR/xml/#charsets).
    var xmlEscaped: String {
        unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case "\t", "\r", "\n": escaped += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
