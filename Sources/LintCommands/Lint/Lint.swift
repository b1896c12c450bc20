import AppArtifacts
import AppConfiguration
import CommandProgram
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// The way from paths to a report: find, read, judge, leave out.
struct Lint {
    let settings: LintSettings
    let progress: LintProgress

    /// Judges everything below the paths.
    ///
    /// - Throws: when there is nothing to judge at all.
    func report(on paths: [String]) throws(CommandFailure) -> LintReport {
        progress.show("reading…")
        let inputs = try inputs(paths)
        var report = LintReport(pack: settings.pack, isStrict: settings.isStrict)
        report.filesRead = inputs.filesRead
        report.notes = inputs.notes.map(\.description)
        report.take(inputs.errors, disabled: settings.disabled)
        for (index, app) in inputs.apps.enumerated() {
            progress.show("\(index) of \(inputs.apps.count) apps checked")
            report.take(app, findings(in: app))
        }
        progress.end()
        return report
    }

    /// What the paths hold, without what the settings exclude.
    func inputs(_ paths: [String]) throws(CommandFailure) -> ArtifactInputs {
        for path in paths where !FileManager.default.fileExists(atPath: path) {
            throw .input(
                "\(path.printable): no such file or folder; name an Info.plist, an .entitlements file, a built "
                    + "product or a folder"
            )
        }
        var inputs = ArtifactInputs.find(paths: paths)
        settings.exclude(from: &inputs)
        guard !inputs.apps.isEmpty || !inputs.errors.isEmpty else {
            let names = paths.map(\.printable).joined(separator: ", ")
            throw .input("\(names): nothing to check; there is no Info.plist, .entitlements file or built product")
        }
        if let reviewed = settings.reviewed { try Self.attach(reviewed, to: &inputs.apps) }
        return inputs
    }

    func options(for app: AppUnderLint) -> LintOptions {
        var options = LintOptions(pack: settings.pack, musicStreaming: settings.musicStreaming, built: app.isBuilt)
        options.platform = settings.platform ?? app.platform
        return options
    }

    func findings(in app: AppUnderLint) -> [Finding] {
        ConfigurationLinter.findings(in: app.configuration, options: options(for: app))
            .filter { !settings.disabled.contains($0.rule) }
    }

    /// Gives the reviewed plist to the app it belongs to: the only one, else those with its bundle id.
    private static func attach(_ path: String, to apps: inout [AppUnderLint]) throws(CommandFailure) {
        let found = ArtifactInputs.find(paths: [path])
        if let error = found.errors.first {
            throw .input("--reviewed \(error.message.printable). \(error.hint)")
        }
        guard let plist = found.apps.lazy.compactMap(\.configuration.infoPlist).first else {
            throw .input("--reviewed \(path.printable): holds no Info.plist; name the one of the reviewed build")
        }
        if apps.count == 1 {
            apps[0].configuration.reviewedInfoPlist = plist
            return
        }
        let id = plist.member("CFBundleIdentifier")?.node.value
        var isUsed = false
        for index in apps.indices {
            guard let id, apps[index].configuration.infoPlist?.member("CFBundleIdentifier")?.node.value == id else {
                continue
            }
            apps[index].configuration.reviewedInfoPlist = plist
            isUsed = true
        }
        guard isUsed || apps.isEmpty else {
            throw .input(
                "--reviewed \(path.printable): its bundle id is none of the \(apps.count) apps that were found; "
                    + "check that app by itself"
            )
        }
    }
}
