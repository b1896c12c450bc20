import AppConfiguration
import ExternalPurchaseCore

/// An app whose files are known by path but not read yet, so that a search through many folders needs little memory.
struct PlannedApp {
    /// The name of the app; empty to use the path of its first file.
    var name: String
    var infoPlist: TreePath?
    var entitlements: TreePath?
    /// An executable whose signature belongs to the app.
    var executable: TreePath?
    var profile: TreePath?
    var elsewhere: [KeySetElsewhere] = []
    /// The parts of the configuration that a description such as `project.yml` contains itself.
    var described = AppConfiguration()
    /// The description.
    var description: TreePath?
    /// The target of the project or description.
    var target: String?
    /// False for a target that is not the app itself, such as an extension.
    var isApplication = true
    var platform: Platform?

    init(name: String = "", infoPlist: TreePath? = nil, entitlements: TreePath? = nil) {
        self.name = name
        self.infoPlist = infoPlist
        self.entitlements = entitlements
    }

    /// The files in the order of precedence for naming the app.
    var files: [TreePath] { [infoPlist, entitlements, executable, profile].compactMap { $0 } }

    /// True when no file was found for the app.
    var isEmpty: Bool {
        files.isEmpty && elsewhere.isEmpty && described.infoPlist == nil && described.entitlements == nil
    }
}

/// An input to read in a folder.
enum PlannedInput {
    case app(PlannedApp)
    case bundle(TreePath)
    case archivedBuild(TreePath)
    case package(TreePath)
}
