import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation
import Yams

/// The settings file of a project, `external-purchase-lint.yaml`.
struct SettingsFile: Equatable {
    /// The default file name, searched in the current folder.
    static let usualName = "external-purchase-lint.yaml"
    /// The maximum size in bytes; a larger file is not a settings file.
    private static let maximumBytes = 65_536

    var disable: [String] = []
    var strict: Bool?
    var musicStreaming: MusicStreaming?
    var legacyAllowedRegions: LegacyAllowedRegions?
    var pack: RulePack?
    var platform: Platform?
    /// The path relative to the current folder, as in the option.
    var baseline: String?
    var exclude: [PathPattern] = []

    /// Creates empty settings.
    init() {}

    /// Reads the named file, or the default file if it exists.
    init(option path: String?) throws(CommandFailure) {
        self.init()
        guard let path = path ?? (FileManager.default.fileExists(atPath: Self.usualName) ? Self.usualName : nil) else {
            return
        }
        let bytes = try InputFile.read(path)
        guard bytes.count <= Self.maximumBytes else {
            throw .input("\(path.printable): more than \(Self.maximumBytes / 1024) KiB; settings are a few lines")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("\(path.printable): is not UTF-8; save it as UTF-8")
        }
        try read(yaml: text, path: path)
    }

    mutating func read(yaml text: String, path: String) throws(CommandFailure) {
        try InputFile.checkYAML(text, name: path.printable)
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            let line = String(describing: error).split(separator: "\n").first.map(String.init) ?? "is not YAML"
            throw .input("\(path.printable): \(line.printable)")
        }
        guard let node, node.null == nil else { return }
        try SettingsReader(file: path).read(node, into: &self)
    }
}

/// Reads the settings from the YAML nodes of the file; errors contain their location.
private struct SettingsReader {
    let file: String

    private static let keys = [
        "disable", "strict", "musicStreaming", "legacyAllowedRegions", "asOf", "platform", "baseline", "exclude",
    ]

    private func fault(_ node: Node, _ message: String) -> CommandFailure {
        let place = node.mark.map { ":\($0.line):\($0.column)" } ?? ""
        return .input("\(file.printable)\(place): \(message)")
    }

    func read(_ root: Node, into settings: inout SettingsFile) throws(CommandFailure) {
        guard let mapping = root.mapping else {
            throw fault(root, "settings are keys with values, such as 'strict: true'")
        }
        for (keyNode, value) in mapping {
            let key = keyNode.string ?? ""
            switch key {
            case "disable":
                for node in try list(value, key) {
                    let id = try text(node, key)
                    do {
                        _ = try RuleExplanation.rule(id, named: key)
                    } catch {
                        throw fault(node, error.message ?? "")
                    }
                    settings.disable.append(id)
                }
            case "strict": settings.strict = try bool(value, key)
            case "musicStreaming": settings.musicStreaming = try musicStreaming(value, key)
            case "legacyAllowedRegions":
                guard let setting = Self.legacy(value) else { throw fault(value, "'\(key)' is byPack, on or off") }
                settings.legacyAllowedRegions = setting
            case "asOf":
                do {
                    settings.pack = try RulePackOptions.pack(asOf: text(value, key), named: key)
                } catch {
                    throw fault(value, error.message ?? "")
                }
            case "platform":
                do {
                    settings.platform = try LintSettings.platform(text(value, key), named: key)
                } catch {
                    throw fault(value, error.message ?? "")
                }
            case "baseline": settings.baseline = beside(try text(value, key))
            case "exclude":
                for node in try list(value, key) {
                    settings.exclude.append(PathPattern(try text(node, key), in: folder))
                }
            default:
                let hint =
                    Self.keys.nearest(to: key).map { "did you mean '\($0)'?" }
                    ?? "the keys are \(Self.keys.joined(separator: ", "))"
                throw fault(keyNode, "\(key.shown()) is not a key; \(hint)")
            }
        }
    }

    private var folder: String {
        file.lastIndex(of: "/").map { file[..<$0].isEmpty ? "/" : String(file[..<$0]) } ?? "."
    }

    private func beside(_ path: String) -> String {
        path.hasPrefix("/") || folder == "." ? path : folder + "/" + path
    }

    /// Reads a list, or a single text as a list of one element.
    private func list(_ node: Node, _ key: String) throws(CommandFailure) -> [Node] {
        if let sequence = node.sequence { return Array(sequence) }
        if node.scalar != nil, node.null == nil { return [node] }
        throw fault(node, "'\(key)' is a list, such as [a, b]")
    }

    private func text(_ node: Node, _ key: String) throws(CommandFailure) -> String {
        guard let text = node.scalar?.string, !text.isEmpty, node.null == nil else {
            throw fault(node, "'\(key)' needs a text")
        }
        return text
    }

    private func bool(_ node: Node, _ key: String) throws(CommandFailure) -> Bool {
        guard let bool = node.bool else { throw fault(node, "'\(key)' is true or false") }
        return bool
    }

    // YAML 1.1 parsers read `on` and `off` as Booleans.
    private static func legacy(_ node: Node) -> LegacyAllowedRegions? {
        if let bool = node.bool { return bool ? .on : .off }
        return node.scalar.flatMap { LegacyAllowedRegions.named($0.string) }
    }

    private func musicStreaming(_ node: Node, _ key: String) throws(CommandFailure) -> MusicStreaming {
        if let bool = node.bool { return bool ? .yes : .no }
        guard let setting = node.scalar.flatMap({ MusicStreaming.named($0.string) }) else {
            throw fault(node, "'\(key)' is yes, no or auto")
        }
        return setting
    }
}
