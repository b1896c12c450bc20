import AppArtifacts
import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// The effective settings of a run: the options, and the settings file for options that are not given.
struct LintSettings {
    var pack: RulePack
    var musicStreaming: MusicStreaming
    var legacyAllowedRegions: LegacyAllowedRegions
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
        legacyAllowedRegions = file.legacyAllowedRegions ?? .byPack
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
            "\(source) \(name.shown()) is not a platform; choose one of "
                + all.map(\.rawValue).joined(separator: ", ")
        )
    }

    func excludes(_ path: String) -> Bool { excluded.contains { $0.matches(path) } }

    /// Removes excluded files from an app; returns whether any file is left.
    func keeps(_ app: inout LintTarget, dropped: inout Set<String>) -> Bool {
        guard !excluded.isEmpty else { return true }
        func keep(_ file: inout PropertyListFile?) {
            guard let path = file?.path, excludes(path) else { return }
            dropped.insert(path)
            file = nil
        }
        keep(&app.configuration.infoPlist)
        keep(&app.configuration.entitlements)
        keep(&app.configuration.signedEntitlements)
        keep(&app.configuration.profileEntitlements)
        app.configuration.elsewhere.removeAll { excludes($0.file) }
        return !app.configuration.files.isEmpty || !app.configuration.elsewhere.isEmpty
    }
}

extension AppConfiguration {
    /// The distinct files that were read.
    var files: [PropertyListFile] {
        [infoPlist, entitlements, signedEntitlements, profileEntitlements].compactMap { $0 }
    }
}
