import AppConfiguration
import ExternalPurchaseCore

/// A file that describes an app for a tool that generates the Xcode project: Expo's `app.json`, XcodeGen's
/// `project.yml`.
struct AppDescription {
    /// The apps that it describes.
    private(set) var apps: [PlannedApp] = []
    private(set) var notes: [ArtifactNote] = []
    /// The property lists that the tool generates from it, which are not checked a second time.
    private(set) var generated: Set<TreePath> = []
    /// The targets whose Info.plist or entitlements it contains.
    private(set) var targets: Set<String> = []

    /// The kinds of descriptions.
    enum Kind {
        case expo
        case xcodeGen
    }

    /// The kind of a file that is found by its name in a folder; nil for other files.
    static func kind(named name: String) -> Kind? {
        switch name {
        case "app.json", "app.config.json": .expo
        case "project.yml", "project.yaml": .xcodeGen
        default: nil
        }
    }

    /// Reads a description.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - kind: the tool that it is for.
    ///   - isNamed: true when a person named the file. A file that was found by its name only and describes no app, such
    ///     as the `app.json` of another tool, is not an error.
    ///   - tree: the tree that contains it.
    /// - Throws: the position of what cannot be read.
    init(_ path: TreePath, kind: Kind, isNamed: Bool, in tree: any FileTree) throws(ConfigurationReadError) {
        let file = tree.displayPath(of: path)
        let bytes: [UInt8]
        do throws(ConfigurationReadError) {
            bytes = try tree.read(path, limit: DescriptionLimit.bytes)
        } catch {
            guard error.cause == .tooLarge else { throw error }
            guard !isNamed else { throw DescriptionFault(error.reason, at: nil).error(in: file) }
            notes = [ArtifactNote(file: file, text: "It was not read: \(error.reason)")]
            return
        }
        do throws(DescriptionFault) {
            switch kind {
            case .expo:
                let root = try JSONDescriptionReader.root(bytes)
                let configuration = try ExpoConfiguration(root, path: path, in: tree)
                apps = [configuration.app].compactMap { $0 }
                notes = configuration.hints
            case .xcodeGen:
                guard let root = try YAMLDescriptionReader.root(bytes), root["targets"] != nil || root["include"] != nil
                else {
                    break
                }
                let project = try XcodeGenProject(root, path: path, in: tree)
                apps = project.apps
                notes = project.notes
                generated = project.generated
                targets = project.describedTargets
            }
        } catch {
            guard isNamed || Self.mayDescribe(bytes, kind) else { return }
            throw error.error(in: file)
        }
        if isNamed, apps.isEmpty {
            let reason =
                switch kind {
                case .expo: "it has no object expo with a configuration for iOS"
                case .xcodeGen: "it describes no app with an Info.plist or entitlements"
                }
            throw DescriptionFault(reason, at: nil).error(in: file)
        }
    }

    /// True when a damaged file is probably a description.
    private static func mayDescribe(_ bytes: [UInt8], _ kind: Kind) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case .expo: return text.contains("\"expo\"") || text.contains("infoPlist")
        case .xcodeGen: return text.contains("targets:")
        }
    }

    /// The members of a description as a property list.
    static func propertyList(
        _ node: PropertyListNode,
        named name: String,
        _ format: PropertyListFile.Format,
        in file: String
    ) throws(DescriptionFault) -> PropertyListFile {
        guard node.members != nil else {
            throw DescriptionFault("\(name) is \(node.value.typeNameWithArticle), not a dictionary", at: node.position)
        }
        return PropertyListFile(path: file, format: format, root: node)
    }
}
