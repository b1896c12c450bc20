import AppConfiguration
import CommandSupport
import Foundation

/// Finds and reads the Info.plist and the `.entitlements` file at the paths of a command.
///
/// A path is one of the two files, or a folder that contains them. Subfolders are searched only if the folder itself
/// contains neither file.
enum ConfigurationPaths {
    private static let unsearched: Set<String> = ["build", "DerivedData", "Pods", "Carthage", "node_modules"]
    private static let bundles: Set<String> = ["app", "appex", "ipa", "xcarchive", "framework", "mobileprovision"]

    static func read(_ paths: [String]) throws(CommandFailure) -> AppConfiguration {
        var files = Files()
        for path in paths { files.add(try found(at: path)) }
        let infoPlist = try only(files.infoPlists, "Info.plist")
        let entitlements = try only(files.entitlements, ".entitlements file")
        do {
            return try AppConfiguration.read(infoPlist: infoPlist, entitlements: entitlements)
        } catch {
            let place = error.position.map { " (line \($0.line), column \($0.column))" } ?? ""
            throw .input("\(error.message)\(place). \(error.hint)")
        }
    }

    private struct Files {
        var infoPlists: [String] = []
        var entitlements: [String] = []

        var isEmpty: Bool { infoPlists.isEmpty && entitlements.isEmpty }

        mutating func add(_ other: Files) {
            infoPlists += other.infoPlists.filter { !infoPlists.contains($0) }
            entitlements += other.entitlements.filter { !entitlements.contains($0) }
        }

        mutating func add(_ path: String, named name: String) {
            if name == "Info.plist" || name.hasSuffix("-Info.plist") { infoPlists.append(path) }
            if name.lowercased().hasSuffix(".entitlements") { entitlements.append(path) }
        }
    }

    private static func found(at path: String) throws(CommandFailure) -> Files {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .input("\(path): no such file or folder; name an Info.plist, an .entitlements file or their folder")
        }
        let kind = URL(filePath: path).pathExtension.lowercased()
        if bundles.contains(kind) {
            throw .input("\(path): built products are not read; name the Info.plist and the .entitlements file")
        }
        guard isFolder.boolValue else {
            switch kind {
            case "entitlements": return Files(entitlements: [path])
            case "plist": return Files(infoPlists: [path])
            default:
                throw .input("\(path): is neither an Info.plist nor an .entitlements file; the name tells which it is")
            }
        }
        return try search(path)
    }

    private static func search(_ folder: String) throws(CommandFailure) -> Files {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw .input("\(folder): cannot be read; name a folder that this user may read")
        }
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        var files = Files()
        for name in names.sorted() { files.add(prefix + name, named: name) }
        if files.isEmpty {
            for relative in below(folder).sorted() {
                files.add(prefix + relative, named: relative.split(separator: "/").last.map(String.init) ?? relative)
            }
        }
        if files.isEmpty { throw .input("\(folder): holds neither an Info.plist nor an .entitlements file") }
        return files
    }

    /// The paths below a folder, except output folders of builds and package managers.
    private static func below(_ folder: String) -> [String] {
        guard let enumerator = FileManager.default.enumerator(atPath: folder) else { return [] }
        var paths: [String] = []
        while let relative = enumerator.nextObject() as? String {
            let name = relative.split(separator: "/").last.map(String.init) ?? relative
            let kind = URL(filePath: name).pathExtension.lowercased()
            if name.hasPrefix(".") || unsearched.contains(name) || bundles.contains(kind) {
                enumerator.skipDescendants()
            } else {
                paths.append(relative)
            }
        }
        return paths
    }

    private static func only(_ files: [String], _ kind: String) throws(CommandFailure) -> String? {
        guard files.count < 2 else {
            let list = files.prefix(4).joined(separator: ", ") + (files.count > 4 ? ", …" : "")
            throw .input("more than one \(kind): \(list); name the one of the app's target")
        }
        return files.first
    }
}
