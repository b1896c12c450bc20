import AppConfiguration
import ExternalPurchaseCore

/// Where the files of a built app lie, in the layout of iOS or in that of macOS.
struct AppBundle {
    let path: TreePath
    let infoPlist: TreePath
    let profile: TreePath
    let executables: TreePath
    /// The folder that holds extensions and the like, and the folders in it with the endings of what is in them.
    private let content: TreePath
    private let isMac: Bool

    private static let nested: [(folder: String, fileExtension: String)] = [
        ("AppClips", "app"), ("Extensions", "appex"), ("Library/LoginItems", "app"), ("PlugIns", "appex"),
        ("Watch", "app"),
    ]

    /// The layout of a bundle.
    ///
    /// - Parameters:
    ///   - path: the folder `….app` or `….appex`.
    ///   - tree: the tree that it is in.
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

    /// The extensions, watch apps and App Clips inside, in the order of their paths.
    func nested(in tree: any FileTree) -> [TreePath] {
        Self.nested.flatMap { folder, fileExtension -> [TreePath] in
            let folder = content.appending(folder)
            guard tree.kind(at: folder) == .folder, let entries = try? tree.entries(of: folder) else { return [] }
            return entries.filter { $0.kind == .folder }.map { folder.appending($0.name) }.filter {
                $0.fileExtension == fileExtension
            }
        }
    }

    /// The localised Info.plist files inside.
    func localizations(in tree: any FileTree) -> [TreePath] {
        let resources = isMac ? content.appending("Resources") : content
        guard let entries = try? tree.entries(of: resources) else { return [] }
        return entries.filter { $0.kind == .folder && $0.name.hasSuffix(".lproj") }
            .map { resources.appending($0.name).appending("InfoPlist.strings") }
            .filter { tree.kind(at: $0) == .file }
    }

    /// Mac Catalyst where a bundle of macOS names families of devices, which only apps from iOS do.
    func platform(_ infoPlist: PropertyListFile?) -> Platform? {
        isMac && infoPlist?.member("UIDeviceFamily") != nil ? .macCatalyst : nil
    }
}
