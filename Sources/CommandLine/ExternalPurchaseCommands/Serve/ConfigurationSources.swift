import CommandSupport
import ExternalPurchaseCore
import Foundation

/// The values of scalar keys that do not come from the file: flags win over environment variables.
struct ConfigurationSources {
    /// Where a value comes from.
    enum Origin: String {
        case flag, environment, file
        case standard = "default"
    }

    /// A value with its origin.
    struct Value: Equatable {
        let text: String
        let origin: Origin
        /// The flag or variable, for messages.
        let place: String
    }

    /// The keys of the file, without its settings, that may also come from flags and environment.
    static let scalarKeys = [
        "alerts.every", "alerts.first", "alerts.review", "alerts.scheduled", "alerts.webhook.secretFile",
        "alerts.webhook.url", "notifications.onlineChecks", "programmes",
    ]

    /// All keys that may come from flags and environment.
    static let keys = (scalarKeys + ServeSettings.names).sorted()

    private static let prefix = "EXTERNAL_PURCHASE_"
    /// The variables of other commands.
    private static let otherVariables: Set<String> = [
        "EXTERNAL_PURCHASE_KEY", "EXTERNAL_PURCHASE_KEY_ID", "EXTERNAL_PURCHASE_ISSUER_ID",
        "EXTERNAL_PURCHASE_BUNDLE_ID",
    ]

    /// The values by key.
    let values: [String: Value]

    /// Reads flags and environment.
    ///
    /// - Parameters:
    ///   - flags: the values of `--set`, as `NAME=VALUE`.
    ///   - environment: the variables of the process.
    /// - Throws: ``CommandSupport/CommandFailure`` for a key or a variable that does not exist.
    init(
        flags: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        var values: [String: Value] = [:]
        for flag in flags {
            let (name, text): (String, String)
            do throws(SettingError) {
                (name, text) = try SettingText.assignment(flag)
            } catch {
                throw .input("--set \(flag.shown()) is not NAME=VALUE, such as send.delay=2h")
            }
            guard Self.keys.contains(name) else {
                throw .input("--set: there is no \(name.shown()); known are \(Self.keys.joined(separator: ", "))")
            }
            let value = Value(text: text, origin: .flag, place: "--set \(name)")
            guard values.updateValue(value, forKey: name) == nil else {
                throw .input("--set: \(name) stands more than once")
            }
        }
        var variables = Self.otherVariables
        for name in Self.keys {
            let variable = Self.variable(of: name)
            variables.insert(variable)
            guard values[name] == nil, let text = environment[variable] else { continue }
            values[name] = Value(text: text, origin: .environment, place: variable)
        }
        if let unknown = environment.keys.filter({ $0.hasPrefix(Self.prefix) && !variables.contains($0) }).min() {
            throw .input(
                "\(unknown.shown(in: "")): there is no setting of this name; serve --config FILE --print-configuration lists the "
                    + "variables. Lists, keys and secrets come from files only"
            )
        }
        self.values = values
    }

    /// The environment variable of a key: `EXTERNAL_PURCHASE_HTTP_HEAD_TIMEOUT` for `http.headTimeout`.
    static func variable(of name: String) -> String {
        prefix + name.map { $0 == "." ? "_" : $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }
}
