import AppConfiguration
import ExternalPurchaseCore

/// An app whose files are known by path and not yet read, so that a search through many folders holds little.
struct PlannedApp {
    /// What to call the app; empty to call it by its first file.
    var name: String
    var infoPlist: TreePath?
    var entitlements: TreePath?
    /// An executable whose signature belongs to the app.
    var executable: TreePath?
    var profile: TreePath?
    var elsewhere: [KeySetElsewhere] = []
    var platform: Platform?

    init(name: String = "", infoPlist: TreePath? = nil, entitlements: TreePath? = nil) {
        self.name = name
        self.infoPlist = infoPlist
        self.entitlements = entitlements
    }

    /// The files in the order in which an app is named by them.
    var files: [TreePath] { [infoPlist, entitlements, executable, profile].compactMap { $0 } }

    /// True when nothing was found for the app.
    var isEmpty: Bool { files.isEmpty && elsewhere.isEmpty }
}

/// What is to be read at one place of a folder.
enum PlannedInput {
    case app(PlannedApp)
    case bundle(TreePath)
    case archivedBuild(TreePath)
    case package(TreePath)
}
