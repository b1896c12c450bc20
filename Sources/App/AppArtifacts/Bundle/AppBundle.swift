import AppConfiguration
import ExternalPurchaseCore

/// The locations of the files in a built app, in the layout of iOS or macOS.
struct AppBundle {
    let path: TreePath
    let infoPlist: TreePath
    let profile: TreePath
    let executables: TreePath
    /// The folder that contains the nested bundles.
    private let content: TreePath
    private let isMac: Bool

    /// The folders with nested bundles, and the file extension of the bundles in each.
    private static let nested: [(folder: String, fileExtension: String)] = [
        ("AppClips", "app"), ("Extensions", "appex"), ("Library/LoginItems", "app"), ("PlugIns", "appex"),
        ("Watch", "app"),
    ]

    /// Determines the layout of a bundle.
    ///
    /// - Parameters:
    ///   - path: the folder `….app` or `….appex`.
    ///   - tree: the tree that contains it.
    init(_ path: TreePath, in tree: any FileTree) {
        self.path = path
        let contents = path.appending("Contents")
        isMac =
            tree.kind(at: path.appending("Info.plist")) != .file
            && tree.kind(at: contents) == .folder
        content = isMac ? contents : path
        infoPlist = content.appending("Info.plist")
        profile = content.appending(isMac ? "embedded.provisionprofile" : "embedded.mobileprovision")
        executables = isMac ? content.appending("MacOS") : content
    }

    /// Returns the nested extensions, watch apps and App Clips, in the order of their paths.
    func nested(in tree: any FileTree) -> [TreePath] {
        Self.nested.flatMap { folder, fileExtension -> [TreePath] in
            let folder = content.appending(folder)
            guard tree.kind(at: folder) == .folder, let entries = try? tree.entries(of: folder) else { return [] }
            return entries.filter { $0.kind == .folder }.map { folder.appending($0.name) }.filter {
                $0.fileExtension == fileExtension
            }
        }
    }

    /// Returns the localised Info.plist files in the bundle.
    func localizations(in tree: any FileTree) -> [TreePath] {
        let resources = isMac ? content.appending("Resources") : content
        guard let entries = try? tree.entries(of: resources) else { return [] }
        return entries.filter { $0.kind == .folder && $0.name.hasSuffix(".lproj") }
            .map { resources.appending($0.name).appending("InfoPlist.strings") }
            .filter { tree.kind(at: $0) == .file }
    }

    /// Returns Mac Catalyst for a bundle in the macOS layout that declares device families, which only apps from iOS
    /// do.
    func platform(_ infoPlist: PropertyListFile?) -> Platform? {
        isMac && infoPlist?.member("UIDeviceFamily") != nil ? .macCatalyst : nil
    }
}
