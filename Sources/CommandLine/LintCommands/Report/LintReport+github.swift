import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

extension LintReport {
    /// The findings as workflow commands of GitHub Actions, which annotate lines.
    ///
    /// See https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
    var gitHubAnnotations: String {
        findings.map { Self.command($0.finding) }.joined(separator: "\n")
    }

    private static func command(_ finding: Finding) -> String {
        let name =
            switch finding.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        var properties = ["file=\(property(checkoutPath(finding.file)))"]
        if let position = finding.position { properties += ["line=\(position.line)", "col=\(position.column)"] }
        properties.append("title=\(property(finding.rule))")
        let lines =
            [finding.message, finding.hint].compactMap { $0 }
            + finding.related.map { place in
                "\(place.file)\(place.position.map { ":\($0.line):\($0.column)" } ?? ""): \(place.message)"
            }
        let message = data(lines.map(\.printable).joined(separator: "\n"))
        return "::\(name) \(properties.joined(separator: ","))::\(message)"
    }

    /// The path relative to the checkout, which is the workflow's current folder.
    private static func checkoutPath(_ path: String) -> String {
        let relative = RelativePath.from(FileManager.default.currentDirectoryPath, to: path)
        return relative.hasPrefix("../") ? path : relative
    }

    private static func data(_ text: String) -> String {
        text.replacingOccurrences(of: "%", with: "%25")
            .replacingOccurrences(of: "\r", with: "%0D")
            .replacingOccurrences(of: "\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(of: ",", with: "%2C")
    }
}
