import AppArtifacts
import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// Finds and reads the Info.plist and the `.entitlements` file of the app at the paths of a command.
///
/// A path is one of the two files, an Xcode project, or a folder. The files are paired as `lint` pairs them, so that both
/// commands speak of the same app: by the targets of an Xcode project or of a description, and otherwise by folder and stem.
enum ConfigurationPaths {
    private static let bundles: Set<String> = ["app", "appex", "ipa", "xcarchive", "framework", "mobileprovision"]

    /// - Parameter platform: the platform of the device, whose files are read of an app for several.
    static func read(_ paths: [String], for platform: Platform) throws(CommandFailure) -> AppConfiguration {
        for path in paths { try check(path) }
        let inputs = ArtifactInputs.find(paths: paths)
        // A folder may also contain built products, which are not read here.
        let errors = inputs.errors.filter { error in
            let folder = paths.filter { error.file.hasPrefix($0) }.map(\.count).max() ?? 0
            return !error.file.dropFirst(folder).split(separator: "/").contains {
                bundles.contains(kind(of: String($0)))
            }
        }
        if let error = errors.first {
            let place = error.position.map { " (line \($0.line), column \($0.column))" } ?? ""
            throw .input("\(error.message.printable)\(place). \(error.hint)")
        }
        let apps = candidates(
            of: inputs.apps.filter { !$0.isBuilt && !files(of: $0).isEmpty },
            at: paths,
            for: platform == .iPadOS ? .iOS : platform
        )
        guard let app = apps.first else {
            let why = inputs.notes.first(where: \.isHint)?.description
            let names = paths.map(\.printable).joined(separator: ", ")
            throw .input(why?.printable ?? "\(names): holds neither an Info.plist nor an .entitlements file")
        }
        guard apps.count == 1 else {
            let names = apps.prefix(4).map {
                "\($0.name.printable) (\(files(of: $0).joined(separator: ", ").printable))"
            }
            let list = names.joined(separator: "; ") + (apps.count > 4 ? "; …" : "")
            throw .input("more than one app: \(list); name the Info.plist and the .entitlements file of one")
        }
        return app.configuration
    }

    private static func check(_ path: String) throws(CommandFailure) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .input("\(path): no such file or folder; name an Info.plist, an .entitlements file or their folder")
        }
        let kind = kind(of: path)
        if bundles.contains(kind) {
            throw .input("\(path): built products are not read; name the Info.plist and the .entitlements file")
        }
        guard isFolder.boolValue || ["plist", "entitlements", "pbxproj", "json", "yml", "yaml"].contains(kind) else {
            throw .input("\(path): is neither an Info.plist nor an .entitlements file; the name tells which it is")
        }
    }

    /// The apps that can be meant: of several, those that a project or description names, then those that are an application,
    /// then those with an external purchase key or entitlement, then those for the platform, then those in the named folder itself.
    private static func candidates(
        of apps: [LintTarget],
        at paths: [String],
        for platform: Platform
    ) -> [LintTarget] {
        let folders = paths.map { URL(filePath: $0).standardizedFileURL.path }
        let preferences: [(LintTarget) -> Bool] = [
            \.isTarget, \.isApplication, \.configuration.isConcerned, { $0.platform == platform },
            { app in
                files(of: app).contains { file in
                    folders.contains(URL(filePath: file).deletingLastPathComponent().standardizedFileURL.path)
                }
            },
        ]
        // A target for several platforms has the same files on each.
        var seen: Set<[String]> = []
        let preferred = preferences.reduce(apps) { apps, isPreferred in
            let preferred = apps.count > 1 ? apps.filter(isPreferred) : []
            return preferred.isEmpty ? apps : preferred
        }
        return preferred.filter { seen.insert(files(of: $0)).inserted }
    }

    private static func files(of app: LintTarget) -> [String] {
        [app.configuration.infoPlist, app.configuration.entitlements].compactMap { $0?.path }
    }

    private static func kind(of path: String) -> String { URL(filePath: path).pathExtension.lowercased() }
}
