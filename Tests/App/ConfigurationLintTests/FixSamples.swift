import AppConfiguration
import ConfigurationLint
import Testing

/// A fixer over files in memory.
enum Fix {
    /// The findings of the linter.
    ///
    /// Repeated codes of arrays and repeated links of a country can be removed.
    static func findings(in configuration: AppConfiguration, options: LintOptions = LintOptions()) -> [Finding] {
        ConfigurationLinter.findings(in: configuration, options: options).map { finding in
            var finding = finding
            guard finding.edits.isEmpty, let root = configuration.member(of: finding) else { return finding }
            switch (finding.rule, root) {
            case ("country-duplicate", .array(let elements)):
                let code = finding.country?.lowercased()
                finding.edits = removals(elements) { $0.lowercased() == code }
            case ("multi-link-duplicate", .dictionary(let members)):
                guard let country = members.last(where: { $0.key == finding.country }),
                    case .array(let elements) = country.node.value,
                    let link = elements.compactMap(\.text).first(where: { link in
                        let count = elements.count { $0.text == link }
                        return finding.message.contains("lists \(link) \(count) times")
                    })
                else { break }
                finding.edits = removals(elements) { $0 == link }
            default: break
            }
            return finding
        }
    }

    private static func removals(_ elements: [PropertyListNode], of isCopy: (String) -> Bool) -> [FindingEdit] {
        elements.filter { $0.text.map(isCopy) == true }.dropFirst().map { FindingEdit(.element, "", at: $0.position) }
    }

    static func run(
        infoPlist: String,
        entitlements: String? = nil,
        options: LintOptions = LintOptions()
    ) throws -> ConfigurationFixer.Outcome {
        let info = Array(infoPlist.utf8)
        let rights = entitlements.map { Array($0.utf8) }
        let configuration = try AppConfiguration.parse(infoPlist: info, entitlements: rights)
        var contents = ["Info.plist": info]
        contents["App.entitlements"] = rights
        return ConfigurationFixer(options: options, lint: { findings(in: $0, options: options) })
            .fix(configuration, contents: contents)
    }

    /// Info.plist after the fix, unchanged when nothing was fixed.
    static func fixed(_ infoPlist: String, options: LintOptions = LintOptions()) throws -> String {
        let outcome = try run(infoPlist: infoPlist, options: options)
        try #require(outcome.refusals.isEmpty)
        return outcome.files.first.map { String(decoding: $0.fixed, as: UTF8.self) } ?? infoPlist
    }
}

extension AppConfiguration {
    fileprivate func member(of finding: Finding) -> PropertyListValue? {
        let file = finding.file == infoPlist?.path ? infoPlist : entitlements
        return finding.key.flatMap { file?.member($0)?.node.value }
    }
}

extension PropertyListNode {
    fileprivate var text: String? {
        if case .string(let text) = value { text } else { nil }
    }
}
