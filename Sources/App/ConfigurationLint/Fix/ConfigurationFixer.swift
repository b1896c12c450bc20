package import AppConfiguration

/// Applies the edits that do not change the meaning, and lints again until no such edit is left (CF-73).
package struct ConfigurationFixer {
    /// A file with changed content.
    package struct FixedFile: Hashable, Sendable {
        /// The path as the caller gave it.
        package var path: String
        /// The content before the edits.
        package var original: [UInt8]
        /// The content after the edits.
        package var fixed: [UInt8]
    }

    /// The result of a run.
    package struct Outcome: Hashable, Sendable {
        /// The files with changed content, in the order of the configuration.
        package var files: [FixedFile] = []
        /// The corrected findings.
        ///
        /// The positions of those of later rounds refer to the text between the rounds.
        package var fixed: [Finding] = []
        /// The findings in the fixed files.
        var left: [Finding] = []
        /// Why files with fixable findings were not changed.
        package var refusals: [FixRefusal] = []
        /// The configuration of the fixed files.
        var configuration: AppConfiguration
    }

    // A code may need four rounds (blanks, three letters, a copy, a key) and a link three. More rounds would be an
    // endless loop.
    private static let rounds = 16

    private let options: LintOptions
    private let lint: (AppConfiguration) -> [Finding]

    /// Creates a fixer for all findings of the linter.
    ///
    /// - Parameter options: the settings of the linter.
    init(options: LintOptions = LintOptions()) {
        self.init(options: options) { ConfigurationLinter.findings(in: $0, options: options) }
    }

    /// Creates a fixer for selected findings, such as those that are not suppressed.
    ///
    /// - Parameters:
    ///   - options: the settings of the linter.
    ///   - lint: returns the findings in a configuration.
    package init(options: LintOptions, lint: @escaping (AppConfiguration) -> [Finding]) {
        self.options = options
        self.lint = lint
    }

    /// Fixes the files of an app in memory.
    ///
    /// Files without content in `contents`, such as those in an archive, are linted but not changed. If one file cannot
    /// be fixed, the others still are.
    ///
    /// - Parameters:
    ///   - configuration: the files as they were linted.
    ///   - contents: the content of each file that may be changed, by path.
    /// - Returns: the new contents, and the findings that were and were not corrected.
    package func fix(_ configuration: AppConfiguration, contents: [String: [UInt8]]) -> Outcome {
        var outcome = Outcome(configuration: configuration)
        var current = contents
        for _ in 0..<Self.rounds {
            let fixable = findings(in: outcome.configuration).filter { !$0.edits.isEmpty }
            let refused = Set(outcome.refusals.map(\.file))
            var hasChanged = false
            for file in outcome.configuration.editableFiles where !refused.contains(file.path) {
                let findings = fixable.filter { $0.file == file.path }
                guard !findings.isEmpty, let bytes = current[file.path] else { continue }
                do throws(FixRefusal) {
                    let edition = try PropertyListEditor(bytes, linted: file).applying(findings.map(\.edits))
                    guard edition.bytes != bytes, try outcome.configuration.replace(file, edition.bytes) else {
                        continue
                    }
                    current[file.path] = edition.bytes
                    outcome.fixed += edition.applied.map { findings[$0] }
                    hasChanged = true
                } catch {
                    outcome.refusals.append(error)
                }
            }
            guard hasChanged else { break }
        }
        outcome.left = findings(in: outcome.configuration)
        outcome.files = outcome.configuration.editableFiles.compactMap { file in
            guard let original = contents[file.path], let fixed = current[file.path], original != fixed else {
                return nil
            }
            return FixedFile(path: file.path, original: original, fixed: fixed)
        }
        return outcome
    }

    private func findings(in configuration: AppConfiguration) -> [Finding] {
        lint(configuration).withoutUnsafeEdits(in: configuration, options: options)
    }
}

extension AppConfiguration {
    /// The files that a person edits, each path once.
    fileprivate var editableFiles: [PropertyListFile] {
        let files = [infoPlist, entitlements].compactMap { $0 }
        return files.count == 2 && files[0].path == files[1].path ? [files[0]] : files
    }

    /// Replaces the content of a file.
    ///
    /// False when it is not one of the configuration's files.
    fileprivate mutating func replace(_ file: PropertyListFile, _ bytes: [UInt8]) throws(FixRefusal) -> Bool {
        guard let changed = try? PropertyListFile.parse(bytes, path: file.path) else {
            throw FixRefusal(.brokenResult, file: file.path, "the change would break it")
        }
        let isInfoPlist = infoPlist?.path == file.path
        let isEntitlements = entitlements?.path == file.path
        if isInfoPlist { infoPlist = changed }
        if isEntitlements { entitlements = changed }
        return isInfoPlist || isEntitlements
    }
}
