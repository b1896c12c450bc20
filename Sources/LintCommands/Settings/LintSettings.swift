import AppArtifacts
import AppConfiguration
import CommandProgram
import ConfigurationLint
import ExternalPurchaseCore

/// What holds for a run: the options, and where they say nothing, the settings file.
struct LintSettings {
    var pack: RulePack
    var musicStreaming: MusicStreaming
    var platform: Platform?
    var isStrict: Bool
    var disabled: Set<String>
    var baseline: String?
    var reviewed: String?
    var excluded: [PathPattern]

    init(_ command: LintCommand) throws(CommandFailure) {
        let file = try SettingsFile(option: command.config)
        pack = command.rules.asOf == nil ? file.pack ?? .newest : try command.rules.pack()
        musicStreaming = command.rules.musicStreaming.map { $0 ? .yes : .no } ?? file.musicStreaming ?? .auto
        platform =
            try command.platform.map { name throws(CommandFailure) in try Self.platform(name, named: "--platform") }
            ?? file.platform
        isStrict = command.strict ?? file.strict ?? false
        for id in command.disable { _ = try RuleExplanation.rule(id, named: "--disable") }
        disabled = Set(command.disable + file.disable)
        baseline = command.baseline ?? file.baseline
        reviewed = command.reviewed
        excluded = file.exclude
    }

    static func platform(_ name: String, named source: String) throws(CommandFailure) -> Platform {
        let all = Platform.allCases
        if let platform = all.first(where: { $0.rawValue.lowercased() == name.lowercased() }) { return platform }
        throw .input(
            "\(source) '\(name.printable)' is not a platform; choose one of "
                + all.map(\.rawValue).joined(separator: ", ")
        )
    }

    /// Drops excluded files, and the apps that nothing is left of.
    func exclude(from inputs: inout ArtifactInputs) {
        guard !excluded.isEmpty else { return }
        func isExcluded(_ path: String) -> Bool { excluded.contains { $0.matches(path) } }
        var dropped: Set<String> = []
        func keep(_ file: inout PropertyListFile?) {
            guard let path = file?.path, isExcluded(path) else { return }
            dropped.insert(path)
            file = nil
        }
        for index in inputs.apps.indices {
            keep(&inputs.apps[index].configuration.infoPlist)
            keep(&inputs.apps[index].configuration.entitlements)
            keep(&inputs.apps[index].configuration.signedEntitlements)
            keep(&inputs.apps[index].configuration.profileEntitlements)
            inputs.apps[index].configuration.elsewhere.removeAll { isExcluded($0.file) }
        }
        inputs.apps.removeAll { app in
            app.configuration.files.isEmpty && app.configuration.elsewhere.isEmpty
        }
        inputs.errors.removeAll { isExcluded($0.file) }
        inputs.filesRead -= dropped.count
    }
}

extension AppConfiguration {
    /// The files that were read, each once.
    var files: [PropertyListFile] {
        [infoPlist, entitlements, signedEntitlements, profileEntitlements].compactMap { $0 }
    }
}
