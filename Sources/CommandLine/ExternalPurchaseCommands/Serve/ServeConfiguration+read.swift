import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import ReportValidation
import Reporting
import ReportingServer
import Yams

extension ServeConfiguration {
    /// Reads a configuration in YAML or in JSON, which is a subset of YAML.
    ///
    /// Unknown keys are refused with file, line and the known keys; file names in the configuration are relative to it.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - sources: values that replace those of the file; nil for the environment of the process.
    ///   - missing: collects the named files that cannot be read, in place of the first one's refusal.
    static func read(
        path: String,
        sources: ConfigurationSources? = nil,
        missing: MissingFiles? = nil
    ) throws(CommandFailure) -> ServeConfiguration {
        let values: [String: ConfigurationSources.Value]
        if let sources { values = sources.values } else { values = try ConfigurationSources().values }
        let bytes = InputFile.withoutMark(try InputFile.read(path))
        guard bytes.count <= 1 << 20 else { throw .input("\(path): more than 1 MiB is no configuration") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .input("\(path): is not UTF-8") }
        try InputFile.checkYAML(text, name: path)
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw .input(error.message(in: path))
        } catch {
            throw .input("\(path): is not YAML")
        }
        let reader = ServeConfigurationReader(file: path, missing: missing)
        guard let node else { throw .input("\(path): is empty; it needs 'apps'") }
        return try reader.configuration(node, replacing: values)
    }
}

/// The files that a configuration names and that cannot be read.
final class MissingFiles {
    /// A file that cannot be read.
    struct Fault {
        /// The refusal, with the place in the configuration.
        let message: String
        /// Whether the file is there, and this user may not read it.
        let isForbidden: Bool
    }

    fileprivate(set) var faults: [Fault] = []
}

/// Reads the nodes of a configuration; a fault names file, line and column.
struct ServeConfigurationReader {
    let file: String
    var missing: MissingFiles?

    func fail(_ node: Node, _ message: String) -> CommandFailure {
        let place = node.mark.map { ":\($0.line):\($0.column)" } ?? ""
        return .input("\(file)\(place): \(message)")
    }

    func configuration(
        _ node: Node,
        replacing values: [String: ConfigurationSources.Value]
    ) throws(CommandFailure) -> ServeConfiguration {
        let root = try mapping(
            node,
            "the file",
            keys: [
                "apps", "notifications", "alerts", "settings", "exports", "programmes", "developerProgrammes",
                "trustedProxies", "stripe", "payments", "rates", "webhooks", "signIn",
            ]
        )
        var programmesFile = try root["programmes"].map { node throws(CommandFailure) in
            try existingFile(node, "programmes")
        }
        if let value = values["programmes"] {
            programmesFile = try ServeConfigurationReader(file: value.place, missing: missing).existingFile(
                Node(value.text),
                "programmes"
            )
        }
        let catalog =
            try programmesFile.map { file throws(CommandFailure) in
                try file.read { path throws(CommandFailure) in try ProgrammeCatalog.read(path) }
            } ?? .builtIn
        guard let appsNode = root["apps"] else { throw fail(node, "'apps' is missing: the apps to report for") }
        let appNodes = try sequence(appsNode, "apps")
        guard !appNodes.isEmpty else { throw fail(appsNode, "'apps' is empty; name at least one app") }
        var apps: [ServeConfiguration.App] = []
        for (index, node) in appNodes.enumerated() {
            let app = try self.app(node, "apps[\(index)]", catalog)
            if apps.contains(where: { $0.bundleId == app.bundleId }) {
                throw fail(node, "apps[\(index)]: \(app.bundleId) stands more than once")
            }
            if let link = app.links.keys.first(where: { name in apps.contains { $0.links[name] != nil } }) {
                throw fail(
                    node,
                    "apps[\(index)]: the link '\(link)' belongs to another app; /out/\(link) can lead to one"
                )
            }
            apps.append(app)
        }
        var roots: [ConfiguredFile] = []
        var asksResponders = false
        if let notifications = root["notifications"] {
            let members = try mapping(notifications, "notifications", keys: ["roots", "onlineChecks"])
            if let list = members["roots"] {
                for (index, node) in try sequence(list, "notifications.roots").enumerated() {
                    roots.append(try existingFile(node, "notifications.roots[\(index)]"))
                }
            }
            if let node = members["onlineChecks"] {
                guard let value = node.bool else {
                    throw fail(node, "notifications.onlineChecks must be true or false")
                }
                asksResponders = value
            }
        }
        var settings: [String: String] = [:]
        if let node = root["settings"] {
            guard let members = node.mapping else { throw fail(node, "settings must be a map of names to values") }
            for (key, value) in members {
                let name = try keyText(key, "a name in settings")
                let text = try setting(value, name)
                settings[name] = name == "database.folder" && !text.isEmpty ? beside(text) : text
                if values[name] != nil { continue }
                do {
                    _ = try ServeSettings([name: text])
                } catch {
                    throw fail(value, error.message ?? "settings: \(name) is wrong")
                }
            }
        }
        var configuration = ServeConfiguration(
            apps: apps,
            notificationRoots: roots,
            asksResponders: asksResponders,
            exportColumns: try exportColumns(root["exports"]),
            programmesFile: programmesFile,
            catalog: catalog,
            developerProgrammes: Set(
                try names(
                    root["developerProgrammes"],
                    "developerProgrammes",
                    of: catalog.developerProgrammes,
                    what: "a programme for developers that a rate asks about"
                )
            ),
            settings: settings
        )
        if let node = root["trustedProxies"] {
            for (index, node) in try sequence(node, "trustedProxies").enumerated() {
                let address = try scalar(node, "trustedProxies[\(index)]")
                do {
                    try configuration.trustedProxies.insert(address)
                } catch {
                    throw fail(node, "trustedProxies[\(index)] \(address.shown()) \(error.message)")
                }
            }
        }
        if let node = root["signIn"] {
            configuration.signIn = try signIn(node, "signIn", trusting: configuration.trustedProxies)
        }
        if let node = root["alerts"] { try alerts(node, "alerts", &configuration) }
        if let node = root["rates"] {
            let members = try mapping(node, "rates", keys: ["file"], required: ["file"])
            configuration.ratesFile = try existingFile(members["file"] ?? node, "rates.file")
        }
        if let node = root["stripe"] {
            let bundleIds = Set(apps.map(\.bundleId))
            for (index, entry) in try sequence(node, "stripe").enumerated() {
                configuration.stripe.append(try stripe(entry, "stripe[\(index)]", bundleIds))
            }
        }
        if let node = root["payments"] {
            let bundleIds = Set(apps.map(\.bundleId))
            for (index, entry) in try sequence(node, "payments").enumerated() {
                let payment = try payment(entry, "payments[\(index)]", bundleIds)
                let other = configuration.payments.firstIndex { $0.hasOtherTerms(than: payment) }
                if let other {
                    throw fail(
                        entry,
                        "payments[\(index)] and payments[\(other)] are of one app, provider and environment: take, from and "
                            + "taxCountry must be the same"
                    )
                }
                configuration.payments.append(payment)
            }
        }
        if let node = root["webhooks"] {
            configuration.eventReceivers = try eventReceivers(node, Set(apps.map(\.bundleId)))
        }
        configuration.fileKeys = Self.keys(in: node)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try ServeConfigurationReader(file: value.place, missing: missing).replace(
                key,
                by: Node(value.text),
                in: &configuration
            )
            configuration.replaced[key] = value
        }
        return configuration
    }

    /// The paths of the scalar keys that the file has.
    private static func keys(in node: Node, below path: String = "") -> Set<String> {
        guard let mapping = node.mapping else { return [path] }
        return mapping.reduce(into: []) { keys, member in
            let name = member.key.scalar?.string ?? ""
            keys.formUnion(Self.keys(in: member.value, below: path.isEmpty ? name : "\(path).\(name)"))
        }
    }

    /// Replaces one value; messages name the flag or variable in place of the file.
    private func replace(
        _ key: String,
        by node: Node,
        in configuration: inout ServeConfiguration
    ) throws(CommandFailure) {
        switch key {
        case "programmes": break
        case "notifications.onlineChecks":
            guard let value = node.bool else { throw fail(node, "\(key) must be true or false") }
            configuration.asksResponders = value
        case "alerts.webhook.url":
            let url = try webhookAddress(node, key)
            var webhook = configuration.webhook ?? ServeConfiguration.Webhook(url: url)
            webhook.url = url
            configuration.webhook = webhook
        case "alerts.webhook.secretFile":
            let file = try existingFile(node, key, isSecret: true)
            guard configuration.webhook != nil else { throw fail(node, "\(key) needs alerts.webhook.url") }
            configuration.webhook?.secretFile = file
        case _ where ConfigurationSources.scalarKeys.contains(key):
            let name = Node(String(key.dropFirst("alerts.".count)))
            try alerts(.mapping(Node.Mapping([(name, node)])), "alerts", &configuration)
        default:
            let text = try scalar(node, key)
            do {
                _ = try ServeSettings([key: text])
            } catch {
                throw fail(node, error.message ?? "is wrong")
            }
            configuration.settings[key] = text
        }
    }

    /// The text of a setting.
    private func setting(_ node: Node, _ name: String) throws(CommandFailure) -> String {
        if let text = node.scalar?.string, node.null == nil { return text }
        let example = ServeSettings().text(of: name).map { " such as \($0)" } ?? ""
        let kind = node.null != nil ? "null" : node.sequence == nil ? "a map" : "a list"
        throw fail(node, "settings: \(name.shown(in: "")) must be a single value\(example), not \(kind)")
    }

    private func exportColumns(
        _ node: Node?
    ) throws(CommandFailure) -> [ServeConfiguration.ExportColumnName]? {
        guard let node, let list = try mapping(node, "exports", keys: ["columns"])["columns"] else { return nil }
        guard let members = list.mapping else {
            throw fail(list, "exports.columns must be a map of columns to headers, such as saleId: Order")
        }
        var columns: [ServeConfiguration.ExportColumnName] = []
        for (key, value) in members {
            let name = try keyText(key, "a column of exports.columns")
            let header = try scalar(value, "exports.columns.\(name.shown(in: ""))")
            do throws(ExportRefusal) {
                _ = try ExportLayout(named: [(name, header)])
            } catch {
                throw fail(key, "exports.columns: \(error.message)")
            }
            guard !header.isEmpty, !columns.contains(where: { $0.header == header || $0.column == name }) else {
                throw fail(
                    value,
                    "exports.columns.\(name.shown(in: "")): the header \(header.shown()) is empty or stands twice"
                )
            }
            columns.append(ServeConfiguration.ExportColumnName(column: name, header: header))
        }
        guard !columns.isEmpty else { throw fail(list, "exports.columns names no column; leave it out for all") }
        return columns
    }

    func address(
        _ node: Node,
        _ path: String,
        example: String = "http://127.0.0.1:8801"
    ) throws(CommandFailure) -> String {
        let text = try scalar(node, path)
        do {
            try HTTPAddress.check(text, path, example: example)
        } catch {
            throw fail(node, error.message ?? "\(path) is not an address")
        }
        return text
    }

    /// An address that paths are appended to.
    func baseAddress(
        _ node: Node,
        _ path: String,
        example: String = "http://127.0.0.1:8801"
    ) throws(CommandFailure) -> String {
        let text = try address(node, path, example: example)
        let parts = URLComponents(string: text)
        guard parts?.query == nil, parts?.fragment == nil else {
            throw fail(
                node,
                "\(path) \(text.shown()) must be an address without query and fragment, such as \(example)"
            )
        }
        return text
    }

    /// The path of a file or folder, which is relative to the configuration.
    func beside(_ name: String) -> String {
        let folder = URL(filePath: file).deletingLastPathComponent()
        return name.hasPrefix("/") ? name : folder.appending(path: name).path
    }

    /// The path of a file that can be read, with its place in the configuration.
    ///
    /// - Parameter isSecret: true for a file of a key or secret; a text that may be the secret itself is not part of the
    ///   message.
    func existingFile(
        _ node: Node,
        _ path: String,
        isSecret: Bool = false
    ) throws(CommandFailure) -> ConfiguredFile {
        let name = try scalar(node, path)
        guard !name.isEmpty else { throw fail(node, "\(path) is empty; name a file") }
        let resolved = beside(name)
        let shown = isSecret || name.mayBeSecretInsteadOfName ? NamedFile.shown(secretFile: resolved) : resolved
        var isFolder: ObjCBool = false
        let isReadable =
            FileManager.default.fileExists(atPath: resolved, isDirectory: &isFolder)
            && FileManager.default.isReadableFile(atPath: resolved)
        if !isReadable || isFolder.boolValue {
            let isForbidden = !isReadable && NamedFile.isForbidden(path: resolved)
            let fault =
                isReadable
                ? " is a folder; name a file"
                : isForbidden ? " cannot be read: it is there, and this user may not read it" : ": no such file"
            let failure = fail(node, "\(path): \(shown)\(fault)")
            guard let missing, let message = failure.message else { throw failure }
            missing.faults.append(MissingFiles.Fault(message: message, isForbidden: isForbidden))
        }
        let place = node.mark.map { ":\($0.line):\($0.column)" } ?? ""
        return ConfiguredFile(path: resolved, place: "\(file)\(place): \(path)")
    }

    /// The text of a value; a key without a value is null in YAML, and no text.
    func scalar(_ node: Node, _ path: String) throws(CommandFailure) -> String {
        guard node.null == nil else { throw fail(node, "\(path) must be a single value, not null") }
        return try keyText(node, path)
    }

    /// The text of a key, which keeps it whatever YAML takes the text for: `no` is Norway.
    func keyText(_ node: Node, _ path: String) throws(CommandFailure) -> String {
        guard let text = node.scalar?.string else { throw fail(node, "\(path) must be a single value") }
        return text
    }

    func sequence(_ node: Node, _ path: String) throws(CommandFailure) -> [Node] {
        guard let sequence = node.sequence else { throw fail(node, "\(path) must be a list") }
        return Array(sequence)
    }

    func mapping(
        _ node: Node,
        _ path: String,
        keys: [String],
        required: [String] = []
    ) throws(CommandFailure) -> [String: Node] {
        guard let mapping = node.mapping else {
            throw fail(node, "\(path) must be a map with \(keys.joined(separator: ", "))")
        }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            let name = try keyText(key, "a key of \(path)")
            guard keys.containsName(name) else {
                let nearest = name.mayBeSecret ? nil : keys.first { $0.lowercased() == name.lowercased() }
                let hint = nearest.map { "did you mean \($0)?" } ?? "known are \(keys.joined(separator: ", "))"
                throw fail(key, "\(path): unknown key \(name.shown()); \(hint)")
            }
            members[name] = value
        }
        for name in required where members[name] == nil {
            throw fail(node, "\(path): '\(name)' is missing")
        }
        return members
    }
}

extension YamlError {
    /// The message for a file that is not YAML, in one line with the parser's reason.
    func message(in path: String) -> String {
        switch self {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let place = context.map { ", \($0.text) in line \($0.mark.line), column \($0.mark.column)" } ?? ""
            return "\(path):\(mark.line):\(mark.column): is not YAML: \(problem)\(place)"
        case .reader(let problem, let offset, _, let yaml):
            guard let offset else { return "\(path): is not YAML: \(problem)" }
            let lines = yaml.prefix(offset).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            return "\(path):\(lines.count):\((lines.last?.count ?? 0) + 1): is not YAML: \(problem)"
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.prefix(10).map { "\($0.shown())" }.sorted().joined(separator: ", ")
            return "\(path):\(context.mark.line):\(context.mark.column): \(keys) stands more than once; keep one"
        default:
            return
                "\(path): is not YAML: \(String(describing: self).split(separator: "\n").first ?? "it cannot be read")"
        }
    }
}
