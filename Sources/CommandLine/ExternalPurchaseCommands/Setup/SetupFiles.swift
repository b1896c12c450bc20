import CommandSupport
import ExternalPurchaseCore
import Foundation
import LintCommands
import Yams

/// The files of a new configuration, which is checked before anything is written.
struct SetupFiles {
    private let folder: String
    /// The files to write by their name; the configuration is the last.
    private let files: [(name: String, content: [UInt8])]
    private let answers: SetupAnswers
    private let shownFolder: String

    /// - Throws: ``CommandSupport/CommandFailure`` for an answer that cannot work, exit code 2.
    init(_ answers: SetupAnswers, offer: AppOffer, folder: String) throws(CommandFailure) {
        try answers.check()
        self.answers = answers
        shownFolder = folder
        self.folder = URL(filePath: folder).standardizedFileURL.path
        var files: [(name: String, content: [UInt8])] = []
        func take(_ path: String) throws(CommandFailure) -> String {
            let name = URL(filePath: path).lastPathComponent
            guard !files.contains(where: { $0.name == name }), name != Self.configuration else {
                throw .input("\(path): two files would have the name \(name) in \(folder); rename one")
            }
            files.append((name, try InputFile.read(path, name: NamedFile.shown(secretFile: path))))
            return name
        }
        let (key, root) = (try take(answers.key), try take(answers.root))
        let secret = try answers.stripeSecret.map { path throws(CommandFailure) in try take(path) }
        let apiKey = try answers.stripeKey.map { path throws(CommandFailure) in try take(path) }
        let programmes = offer.programmes
        guard !programmes.isEmpty else {
            throw .input(
                "--api and --country: there is no programme for \(offer.name) in "
                    + "\(offer.countries.joined(separator: ", ")); docs/regions.md has what is offered where"
            )
        }
        let text = Self.text(answers, key: key, root: root, secret: secret, apiKey: apiKey, programmes: programmes)
        try Self.check(text, path: self.folder + "/" + Self.configuration)
        files.append((Self.configuration, Array(text.utf8)))
        self.files = files
    }

    static let configuration = "serve.yaml"

    private static func text(
        _ answers: SetupAnswers,
        key: String,
        root: String,
        secret: String?,
        apiKey: String?,
        programmes: [String]
    ) -> String {
        func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).encoded(), as: UTF8.self) }
        var lines = [
            "apps:",
            "  - bundleId: \(quoted(answers.bundleId))",
            "    appAppleId: \(quoted(answers.appAppleId))",
            "    key: {file: \(quoted(key)), keyId: \(quoted(answers.keyId)), issuerId: \(quoted(answers.issuerId))}",
        ]
        if let address = answers.baseURL {
            lines.append("    baseURL: {sandbox: \(quoted(address))}   # an emulator; without it reports go to Apple")
        }
        lines.append("    links:")
        lines += answers.shop.map { "      \(quoted($0.name)): \(quoted($0.url))" }
        lines.append("    programmes: [\(programmes.map(quoted).joined(separator: ", "))]")
        lines.append("notifications: {roots: [\(quoted(root))]}")
        if let secret {
            lines += [
                "stripe:", "  - bundleId: \(quoted(answers.bundleId))", "    signingSecretFile: \(quoted(secret))",
            ]
            if let apiKey { lines.append("    apiKeyFile: \(quoted(apiKey))") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The options by the beginning of the place of their text, which nobody has written yet.
    private static let options = [
        "apps[0].bundleId": "--bundle-id", "apps[0].appAppleId": "--app-apple-id",
        "apps[0].key.issuerId": "--issuer-id", "apps[0].baseURL.sandbox": "--base-url", "apps[0].links": "--shop",
    ]

    /// Reads the configuration as `serve` will, but for the files, which are not there yet.
    private static func check(_ text: String, path: String) throws(CommandFailure) {
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            throw .input("an answer has characters that a configuration cannot have")
        }
        guard let node else { return }
        do {
            _ = try ServeConfigurationReader(file: path, missing: MissingFiles()).configuration(node, replacing: [:])
        } catch {
            guard let message = error.message, let place = message.firstRange(of: "apps[0]."),
                case let fault = message[place.lowerBound...],
                let (member, option) = options.first(where: { fault.hasPrefix($0.key) })
            else { throw error }
            throw .input(option + fault.dropFirst(member.count))
        }
    }

    /// Writes the files, the configuration last, each readable by its owner only.
    ///
    /// - Parameter isForced: whether files with another content are replaced.
    func write(replacing isForced: Bool) throws(CommandFailure) {
        let known = files.filter { file in
            let path = "\(folder)/\(file.name)"
            guard FileManager.default.fileExists(atPath: path) else { return false }
            return FileManager.default.contents(atPath: path).map { [UInt8]($0) } != file.content
        }
        if let first = known.first, !isForced {
            throw .input("\(folder)/\(first.name): exists with another content; --force overwrites it")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .input("FOLDER \(shownFolder): cannot be created; its parent folder must be writable")
        }
        for file in files {
            let path = "\(folder)/\(file.name)"
            if isForced { try? FileManager.default.removeItem(atPath: path) }
            try PrivateFile.write(file.content, to: path)
        }
    }

    /// What comes next, with the addresses that others need.
    var next: String {
        let config = "\(folder)/\(Self.configuration)"
        let database = "sqlite:\(folder)/external-purchase.sqlite"
        var lines = ["wrote " + files.map { "\(folder)/\($0.name)" }.joined(separator: ", "), ""]
        lines += answers.shop.map { "the link of the app for \($0.url): \(answers.address)/out/\($0.name)" }
        lines.append("App Store Connect, server URL of notifications: \(answers.address)/v1/notifications")
        if answers.stripeSecret != nil {
            lines.append("Stripe, address of the endpoint: \(answers.address)/v1/webhooks/stripe")
            if answers.stripeKey == nil {
                lines.append(
                    "Stripe: without an API key (--stripe-key) events without their line items, such as every real one of "
                        + "Checkout, are held"
                )
            }
        }
        lines += [
            "",
            "external-purchase doctor --config \(config.shellWord) --database \(database.shellWord) "
                + "--public-address \(answers.address.shellWord)",
            "external-purchase serve --config \(config.shellWord) --database \(database.shellWord)",
            "external-purchase users set-password NAME --database \(database.shellWord)   # for the dashboard",
        ]
        return lines.joined(separator: "\n")
    }
}
