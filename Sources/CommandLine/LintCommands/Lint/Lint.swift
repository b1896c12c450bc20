import AppArtifacts
import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// Creates a report from paths: finds and reads files, runs the rules, applies exclusions.
struct Lint {
    let settings: LintSettings
    let progress: TerminalProgress

    /// Lints everything at the paths, one app at a time, so that memory does not grow with their number.
    ///
    /// - Throws: an error when there is nothing to lint.
    func report(on paths: [String]) throws(CommandFailure) -> LintReport {
        var report = LintReport(pack: settings.pack, isStrict: settings.isStrict)
        let rest = try visit(paths) { app in
            // --fix writes property lists only (CF-73).
            let descriptions = app.configuration.files.filter { $0.format == .json || $0.format == .yaml }.map(\.path)
            let findings = findings(in: app).map { finding in
                guard descriptions.contains(finding.file) else { return finding }
                var finding = finding
                finding.edits = []
                return finding
            }
            report.add(app, findings)
            progress.show("\(report.subjects.count) apps checked")
        }
        progress.end()
        report.filesRead = rest.filesRead
        report.notes = rest.notes.filter { !$0.isHint }.map(\.description)
        report.hints = rest.notes.filter(\.isHint).map(\.description)
        report.add(rest.errors, disabled: settings.disabled)
        return report
    }

    /// Calls the body with each app at the paths, without files excluded by the settings.
    ///
    /// - Returns: all other inputs.
    func visit(_ paths: [String], _ body: (LintTarget) -> Void) throws(CommandFailure) -> ArtifactInputs {
        for path in paths where !FileManager.default.fileExists(atPath: path) {
            throw .input(
                "\(path.printable): no such file or folder; name an Info.plist, an .entitlements file, a built "
                    + "product or a folder"
            )
        }
        progress.show("reading…")
        var dropped: Set<String> = []
        var count = 0
        var kept: [LintTarget] = []
        var rest = ArtifactInputs.find(paths: paths) { app in
            var app = app
            guard settings.keeps(&app, dropped: &dropped) else { return }
            count += 1
            // The app of the reviewed property list is only known after all apps are read.
            if settings.reviewed == nil { body(app) } else { kept.append(app) }
        }
        rest.filesRead -= dropped.count
        rest.errors.removeAll { settings.excludes($0.file) }
        guard count > 0 || !rest.errors.isEmpty else {
            let names = paths.map(\.printable).joined(separator: ", ")
            let hint = rest.notes.first(where: \.isHint)?.description
            let why =
                !dropped.isEmpty
                ? "all is excluded" : hint?.printable ?? "there is no Info.plist, .entitlements file or built product"
            throw .input("\(names): nothing to check; \(why)")
        }
        if let reviewed = settings.reviewed {
            try Self.attach(reviewed, to: &kept)
            kept.forEach(body)
        }
        return rest
    }

    func options(for app: LintTarget) -> LintOptions {
        var options = LintOptions(pack: settings.pack, musicStreaming: settings.musicStreaming, built: app.isBuilt)
        options.legacyAllowedRegions = settings.legacyAllowedRegions
        options.platform = settings.platform ?? app.platform
        return options
    }

    func findings(in app: LintTarget) -> [Finding] {
        ConfigurationLinter.findings(in: app.configuration, options: options(for: app))
            .filter { !settings.disabled.contains($0.rule) }
            // A file that cannot be read was found.
            .filter { !app.isPartlyUnreadable || $0.rule != "other-file-missing" }
            .map { finding in
                // Of a built product the signature is what decides, so that without one nothing is proved.
                guard settings.isStrict, app.isBuilt, finding.rule == "other-file-missing" else { return finding }
                var finding = finding
                finding.severity = .warning
                return finding
            }
    }

    /// Assigns the reviewed property list to the only app, or to those with its bundle id.
    private static func attach(_ path: String, to apps: inout [LintTarget]) throws(CommandFailure) {
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
