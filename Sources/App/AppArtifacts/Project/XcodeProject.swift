import AppConfiguration
import ExternalPurchaseCore

/// The paths of the targets' Info.plist and entitlements in `project.pbxproj`.
///
/// Only explicit settings are used: those of the project, of the `.xcconfig` files that configurations name, and of the
/// targets, in the order in which Xcode applies them.
struct XcodeProject {
    /// One configuration of a target.
    struct Configuration {
        let target: String
        let name: String
        let settings: BuildSettings
        /// False when a file with settings could not be read, so that a setting that is not there may be in it.
        let isComplete: Bool
        /// False for an extension, a watch app, an App Clip, a framework and the like.
        let isApplication: Bool
        /// The position of the target's name, if known.
        var position: SourcePosition?
    }

    /// The limits of a project: settings of one level, and configurations of all targets.
    private enum Limit {
        static let settings = 2_000
        static let configurations = 4_000
        static let groupDepth = 64
        static let includes = 100
        static let includeDepth = 8
    }

    /// The path of `project.pbxproj` for messages.
    let file: String
    /// The folder that build settings are relative to.
    let sourceRoot: TreePath
    /// The configurations, by target and then in the order of the project.
    private(set) var configurations: [Configuration] = []
    private(set) var notes: [ArtifactNote] = []
    private(set) var errors: [ConfigurationReadError] = []
    /// The number of files that were read.
    private(set) var filesRead = 1

    private let tree: any FileTree
    private let limits: DiscoveryLimits
    private let objects: [String: OpenStepValue]
    private let parents: [String: String]
    private var levels: [TreePath: Level] = [:]

    /// The settings of one level; incomplete when a file with more of them could not be read.
    private struct Level {
        var settings: [BuildSetting] = []
        var isComplete = true
    }

    /// Reads a project.
    ///
    /// - Parameters:
    ///   - project: the folder `….xcodeproj`.
    ///   - tree: the tree that contains it.
    ///   - limits: the maximum size of files.
    /// - Throws: the reason why `project.pbxproj` could not be read; `notArtifact` when it is damaged.
    init(_ project: TreePath, in tree: any FileTree, limits: DiscoveryLimits) throws(ConfigurationReadError) {
        let path = project.appending("project.pbxproj")
        let file = tree.displayPath(of: path)
        let bytes = try tree.read(path, limit: limits.fileBytes)
        let root: OpenStepValue
        do throws(OpenStepPropertyList.Fault) {
            root = try OpenStepPropertyList.value(bytes)
        } catch {
            throw ConfigurationReadError(
                cause: .notArtifact,
                file: file,
                position: error.position,
                reason: error.reason
            )
        }
        self.tree = tree
        self.limits = limits
        self.file = file
        var objects: [String: OpenStepValue] = [:]
        var parents: [String: String] = [:]
        for member in root["objects"]?.members ?? [] {
            objects[member.key] = member.value
            for child in member.value["children"]?.texts ?? [] { parents[child] = member.key }
        }
        self.objects = objects
        self.parents = parents
        let description = root["rootObject"]?.text.flatMap { objects[$0] }
        let folder = description?["projectDirPath"]?.text ?? ""
        sourceRoot = TreePath(normalizing: "\(project.folder)/\(folder)".droppingFirstSlash) ?? project.folder
        guard let description else {
            throw ConfigurationReadError(
                cause: .notArtifact,
                file: file,
                reason: "its root object is missing, so it names no targets"
            )
        }
        readTargets(of: description, name: FileName(project.name).base)
    }

    // MARK: Targets

    private mutating func readTargets(of project: OpenStepValue, name projectName: String) {
        let own = buildConfigurations(of: project)
        var seen: Set<String> = []
        var targets: [(name: String, object: OpenStepValue)] = []
        for id in project["targets"]?.texts ?? [] where seen.insert(id).inserted {
            guard let target = objects[id], target["isa"]?.text == "PBXNativeTarget" else { continue }
            targets.append((target["name"]?.text ?? id, target))
        }
        targets.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (target, object) in targets {
            for (name, levels) in buildConfigurations(of: object) {
                guard configurations.count < Limit.configurations else {
                    let text = "It has more than \(Limit.configurations) configurations; the others were not read"
                    notes.append(ArtifactNote(file: file, text: text))
                    return
                }
                var settings = BuildSettings(builtIn: [
                    "SRCROOT": ".", "PROJECT_DIR": ".", "SOURCE_ROOT": ".", "PROJECT_NAME": projectName,
                    "TARGET_NAME": target, "TARGETNAME": target, "CONFIGURATION": name,
                ])
                let all = (own.first { $0.name == name }?.levels ?? []) + levels
                for level in all { settings.add(level.settings) }
                let type = object["productType"]?.text
                configurations.append(
                    Configuration(
                        target: target,
                        name: name,
                        settings: settings,
                        isComplete: all.allSatisfy(\.isComplete),
                        isApplication: type == nil || type == "com.apple.product-type.application"
                    )
                )
            }
        }
    }

    /// Returns the configurations of a project or target, each with the levels of its `.xcconfig` file and its own
    /// settings.
    private mutating func buildConfigurations(
        of object: OpenStepValue
    ) -> [(name: String, levels: [Level])] {
        let list = object["buildConfigurationList"]?.text.flatMap { objects[$0] }
        var configurations: [(name: String, levels: [Level])] = []
        for id in (list?["buildConfigurations"]?.texts ?? []).prefix(Limit.configurations) {
            guard let configuration = objects[id] else { continue }
            let settings = (configuration["buildSettings"]?.members ?? []).prefix(Limit.settings).map { member in
                BuildSetting(
                    written: member.key,
                    value: member.value.text ?? member.value.texts.joined(separator: " "),
                    file: file,
                    position: member.position
                )
            }
            configurations.append(
                (
                    configuration["name"]?.text ?? id,
                    [configurationFile(of: configuration), Level(settings: Array(settings))]
                )
            )
        }
        return configurations
    }

    // MARK: Configuration files

    private mutating func configurationFile(of configuration: OpenStepValue) -> Level {
        let path: TreePath?
        if let id = configuration["baseConfigurationReference"]?.text {
            path = filePath(id)
        } else if let anchor = configuration["baseConfigurationReferenceAnchor"]?.text,
            let relative = configuration["baseConfigurationReferenceRelativePath"]?.text
        {
            path = filePath(anchor).flatMap { TreePath(normalizing: "\($0)/\(relative)".droppingFirstSlash) }
        } else {
            return Level()
        }
        guard let path, tree.kind(at: path) == .file else {
            let name = path.map { tree.displayPath(of: $0) } ?? "a configuration file outside of the folder"
            note("It names \(name.clipped(to: 1_024)), which was not found; settings in it were not read")
            return Level(isComplete: false)
        }
        if let known = levels[path] { return known }
        var left = Limit.includes
        let level = level(of: path, includedBy: [], left: &left)
        levels[path] = level
        return level
    }

    /// Returns the settings of an `.xcconfig` file and of those that it includes, in the order in which Xcode applies them.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - parents: the files that include it, which it cannot include again.
    ///   - left: the number of files that may still be included.
    private mutating func level(of path: TreePath, includedBy parents: [TreePath], left: inout Int) -> Level {
        let display = tree.displayPath(of: path)
        let content: XcodeConfigurationFile
        do throws(ConfigurationReadError) {
            content = XcodeConfigurationFile(try tree.read(path, limit: limits.fileBytes), path: display)
        } catch {
            errors.append(error)
            return Level(isComplete: false)
        }
        filesRead += 1
        var level = Level()
        for line in content.lines {
            switch line {
            case .setting(let setting): level.settings.append(setting)
            case .include(let include):
                // Xcode looks beside the file, then in the folder of the project.
                let folders = [path.folder, sourceRoot]
                let found = folders.lazy.compactMap {
                    TreePath(normalizing: "\($0.text)/\(include.name)".droppingFirstSlash)
                }
                .first { !include.name.hasPrefix("/") && tree.kind(at: $0) == .file }
                if found == nil, include.isOptional { continue }
                let isPossible = left > 0 && parents.count < Limit.includeDepth
                if let found, isPossible, found != path, !parents.contains(found) {
                    left -= 1
                    let included = self.level(of: found, includedBy: parents + [path], left: &left)
                    level.settings += included.settings
                    level.isComplete = level.isComplete && included.isComplete
                } else {
                    let text = "It includes \(include.name.clipped()), which was not read"
                    notes.append(ArtifactNote(file: display, position: include.position, text: text))
                    level.isComplete = false
                }
            }
        }
        level.settings = Array(level.settings.prefix(Limit.settings))
        return level
    }

    /// Returns the path of a file or group, resolved through its parent groups; nil when it is outside the tree.
    private func filePath(_ id: String) -> TreePath? {
        var names: [String] = []
        var current: String? = id
        for _ in 0..<Limit.groupDepth {
            guard let key = current, let object = objects[key] else { break }
            if let path = object["path"]?.text { names.append(path) }
            switch object["sourceTree"]?.text {
            case "<group>", nil: current = parents[key]
            case "SOURCE_ROOT": current = nil
            default: return nil
            }
        }
        let parts = [sourceRoot.text] + names.reversed()
        return TreePath(normalizing: parts.joined(separator: "/").droppingFirstSlash)
    }

    private mutating func note(_ text: String) {
        let note = ArtifactNote(file: file, text: text)
        if notes.last != note { notes.append(note) }
    }
}

extension String {
    /// The text without the slash that joining to an empty root adds in front.
    fileprivate var droppingFirstSlash: String { hasPrefix("/") ? String(dropFirst()) : self }
}
