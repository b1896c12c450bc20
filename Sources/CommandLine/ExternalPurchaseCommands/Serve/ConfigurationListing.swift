import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import Payments
import Reporting
import ReportingServer

/// Every key of a configuration with its value, its default and where the value comes from.
struct ConfigurationListing {
    /// A key with its value.
    struct Row: Equatable {
        let key: String
        /// The value; nil where there is none.
        var value: String?
        var standard: String?
        var origin: ConfigurationSources.Origin
        /// The environment variable that sets the key; nil for keys that come from the file only.
        var variable: String?
    }

    let rows: [Row]

    init(_ configuration: ServeConfiguration) {
        rows = Self.lists(configuration) + Self.scalars(configuration) + Self.settings(configuration)
    }

    // MARK: The rows

    private static func settings(_ configuration: ServeConfiguration) -> [Row] {
        let standards = ServeSettings()
        return ServeSettings.settings.map { setting in
            let (name, standard) = (setting.name, setting.text(in: standards))
            return row(name, configuration.settings[name] ?? standard, standard, configuration, "settings.\(name)")
        }
    }

    private static func scalars(_ configuration: ServeConfiguration) -> [Row] {
        let (alert, standard) = (configuration.alert, ServeConfiguration.standardAlert)
        let texts: [(key: String, value: String?, standard: String?)] = [
            ("alerts.every", SettingText.text(of: alert.every), SettingText.text(of: standard.every)),
            ("alerts.first", String(alert.first), String(standard.first)),
            (
                "alerts.review", SettingText.text(ofSwitch: alert.includesReview),
                SettingText.text(ofSwitch: standard.includesReview)
            ),
            (
                "alerts.scheduled", SettingText.text(ofSwitch: alert.includesScheduled),
                SettingText.text(ofSwitch: standard.includesScheduled)
            ),
            ("alerts.webhook.secretFile", configuration.webhook?.secretFile.map { _ in secret }, nil),
            ("alerts.webhook.url", configuration.webhook.map { HTTPAddress.shownHost($0.url) }, nil),
            ("notifications.onlineChecks", String(configuration.asksResponders), "false"),
            ("programmes", configuration.programmesFile?.path, nil),
        ]
        return texts.map { row($0.key, $0.value, $0.standard, configuration, $0.key) }
    }

    /// What comes from the file only.
    private static func lists(_ configuration: ServeConfiguration) -> [Row] {
        var rows: [Row] = []
        func add(_ key: String, _ value: String?, _ standard: String? = nil) {
            let origin: ConfigurationSources.Origin = value == standard ? .standard : .file
            rows.append(Row(key: key, value: value, standard: standard, origin: origin, variable: nil))
        }
        func add(_ terms: ServeConfiguration.PaymentTerms, _ path: String) {
            for (id, product) in terms.products.sorted(by: { $0.key < $1.key }) {
                add("\(path).products.\(id)", product)
            }
            add("\(path).take", terms.take.rawValue, PaymentAccount.Take.referenced.rawValue)
            add("\(path).from", terms.from?.description)
            add("\(path).taxCountry", terms.taxCountry)
            for (country, rate) in terms.taxRates.sorted(by: { $0.key < $1.key }) {
                add("\(path).taxRates.\(country)", "\(rate)")
            }
        }
        for (index, app) in configuration.apps.enumerated() {
            let path = "apps[\(index)]"
            add("\(path).bundleId", app.bundleId.rawValue)
            add("\(path).appAppleId", String(app.appAppleId))
            add("\(path).key.file", secret)
            add("\(path).key.keyId", app.key.keyId)
            add("\(path).key.issuerId", app.key.issuerId)
            for environment in AppStoreEnvironment.allCases {
                add(
                    "\(path).baseURL.\(environment.rawValue)",
                    app.baseURL[environment].map(HTTPAddress.shown),
                    ServeConfiguration.appleBaseURL[environment]
                )
            }
            for (name, link) in app.links.sorted(by: { $0.key < $1.key }) {
                add("\(path).links.\(name)", link.url + (link.allowsPaths ? " (paths: on)" : ""))
            }
            add("\(path).programmes", list(app.programmes), "")
            let policy = app.policy
            for (code, entry) in policy.storefronts.sorted(by: { $0.key.alpha3 < $1.key.alpha3 }) {
                add("\(path).policy.storefronts.\(code)", text(entry))
            }
            add("\(path).policy.default", text(policy.standard), text(PurchasePolicy.open.standard))
            add(
                "\(path).policy.maxAge",
                SettingText.text(of: policy.maxAge),
                SettingText.text(of: PurchasePolicy.standardMaxAge)
            )
        }
        for (index, stripe) in configuration.stripe.enumerated() {
            let path = "stripe[\(index)]"
            add("\(path).bundleId", stripe.bundleId.rawValue)
            add("\(path).account", stripe.account)
            add("\(path).signingSecretFile", secret)
            add("\(path).apiKeyFile", stripe.apiKeyFile.map { _ in secret })
            add("\(path).baseURL", HTTPAddress.shown(stripe.baseURL), ServeConfiguration.Stripe.defaultBaseURL)
            add(stripe.terms, path)
        }
        for (index, payment) in configuration.payments.enumerated() {
            let path = "payments[\(index)]"
            add("\(path).provider", payment.provider.rawValue)
            add("\(path).bundleId", payment.bundleId.rawValue)
            add("\(path).secretFile", secret)
            add("\(path).environment", payment.environment.rawValue, AppStoreEnvironment.production.rawValue)
            add(payment.terms, path)
        }
        for (index, receiver) in configuration.eventReceivers.enumerated() {
            let path = "webhooks[\(index)]"
            add("\(path).name", receiver.name)
            add("\(path).url", HTTPAddress.shownHost(receiver.url))
            add("\(path).secretFile", secret)
            add("\(path).types", list(receiver.types), "")
            add("\(path).apps", list(receiver.apps.map(\.rawValue)), "")
            add("\(path).allowPrivate", String(receiver.allowsPrivate), "false")
        }
        let all = list(AlertSeverity.allCases.map(\.rawValue).sorted())
        if let webhook = configuration.webhook {
            add("alerts.webhook.format", webhook.format.rawValue, AlertWebhook.Format.json.rawValue)
            add("alerts.webhook.severities", list(webhook.severities.map(\.rawValue).sorted()), all)
        }
        if let mail = configuration.mail {
            add("alerts.mail.to", list(mail.to))
            add("alerts.mail.from", mail.from)
            add("alerts.mail.sendmail", mail.sendmail, ServeConfiguration.Mail.standardProgram)
            add("alerts.mail.severities", list(mail.severities.map(\.rawValue).sorted()), all)
        }
        add("rates.file", configuration.ratesFile?.path)
        add("notifications.roots", list(configuration.notificationRoots.map(\.path)), "")
        add("trustedProxies", list(configuration.trustedProxies.texts), "")
        add("signIn.proxyHeader", configuration.signIn.proxyHeader)
        if let oidc = configuration.signIn.oidc {
            add("signIn.oidc.issuer", HTTPAddress.shown(oidc.issuer))
            add("signIn.oidc.clientId", oidc.clientId)
            add("signIn.oidc.clientSecretFile", secret)
            for (group, role) in oidc.roles.sorted(by: { $0.key < $1.key }) {
                add("signIn.oidc.roles.\(group)", role.rawValue)
            }
        }
        add("developerProgrammes", list(configuration.developerProgrammes.sorted()), "")
        let columns = configuration.exportColumns.map { $0.map { "\($0.column): \($0.header)" } }
        add("exports.columns", columns.map(list))
        return rows
    }

    private static func text(_ entry: PurchasePolicy.Entry) -> String {
        "offered: \(entry.isOffered), requestsTokens: \(entry.requestsTokens)"
            + (entry.message.map { ", message: \($0)" } ?? "")
    }

    private static func list(_ values: [String]) -> String { values.joined(separator: ", ") }

    /// Stands for the file of a secret.
    private static let secret = "<set>"

    private static func row(
        _ key: String,
        _ value: String?,
        _ standard: String?,
        _ configuration: ServeConfiguration,
        _ fileKey: String
    ) -> Row {
        let isInFile = configuration.fileKeys.contains(fileKey)
        return Row(
            key: key,
            value: value,
            standard: standard,
            origin: configuration.replaced[key]?.origin ?? (isInFile ? .file : .standard),
            variable: ConfigurationSources.variable(of: key)
        )
    }

    // MARK: Output

    /// Rows of text: key, value, default and origin.
    var text: String {
        rows.map { row in
            let origin = row.origin == .environment ? "environment \(row.variable ?? "")" : row.origin.rawValue
            let standard = row.origin == .standard ? "" : "; default \(row.standard.map(Self.quoted) ?? "none")"
            return "\(row.key) = \(row.value.map(Self.quoted) ?? "none")  (\(origin)\(standard))".printable
        }.joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "none" : text }

    var json: JSONValue {
        .array(
            rows.map { row in
                [
                    "key": .string(row.key), "value": row.value.map { .string($0) } ?? .null,
                    "default": row.standard.map { .string($0) } ?? .null,
                    "source": .string(row.origin.rawValue),
                    "variable": row.variable.map { .string($0) } ?? .null,
                ]
            }
        )
    }
}
