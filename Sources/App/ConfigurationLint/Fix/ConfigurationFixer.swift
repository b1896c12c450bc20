package import AppConfiguration

/// Repairs what can be repaired without altering meaning, and lints again until nothing of that kind is left (CF-73).
package struct ConfigurationFixer {
    /// A file whose content changes.
    package struct FixedFile: Hashable, Sendable {
        /// The path as the caller gave it.
        package var path: String
        /// The content before.
        package var original: [UInt8]
        /// The content after.
        package var fixed: [UInt8]
    }

    /// What came of a run.
    package struct Outcome: Hashable, Sendable {
        /// The files whose content changes, in the order of the configuration.
        package var files: [FixedFile] = []
        /// The findings that were repaired; those of later rounds have places of the text between the rounds.
        package var fixed: [Finding] = []
        /// The findings about the fixed files.
        package var left: [Finding] = []
        /// Why files with repairable findings were not changed.
        package var refusals: [FixRefusal] = []
        /// The configuration of the fixed files.
        package var configuration: AppConfiguration
    }

    // A code may need four rounds (blanks, three letters, a copy, a key), a link three; more would be a loop.
    private static let rounds = 16

    private let options: LintOptions
    private let lint: (AppConfiguration) -> [Finding]

    /// A fixer for the findings of the linter.
    ///
    /// - Parameter options: what the linter is told beside the files.
    package init(options: LintOptions = LintOptions()) {
        self.init(options: options) { ConfigurationLinter.findings(in: $0, options: options) }
    }

    /// A fixer for chosen findings, such as those that are not suppressed.
    ///
    /// - Parameters:
    ///   - options: what the linter is told beside the files.
    ///   - lint: the findings about a configuration.
    package init(options: LintOptions, lint: @escaping (AppConfiguration) -> [Finding]) {
        self.options = options
        self.lint = lint
    }

    /// Repairs the files of an app in memory.
    ///
    /// Files without content in `contents`, such as those inside an archive, are linted and not changed. A file that
    /// is refused leaves the others to be fixed.
    ///
    /// - Parameters:
    ///   - configuration: the files as they were linted.
    ///   - contents: the content of each file that may be changed, by path.
    /// - Returns: the new contents, and what was and was not repaired.
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

    /// Puts a file's new content in its place; false when it is none of the files.
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
