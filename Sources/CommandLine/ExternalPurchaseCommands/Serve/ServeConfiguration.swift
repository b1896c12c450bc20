import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import Payments
import Reporting
import ReportingServer

/// The validated content of the file of `serve --config`.
struct ServeConfiguration: Equatable {
    /// An app of the merchant.
    struct App: Equatable {
        var bundleId: BundleId
        var appAppleId: Int64
        var key: Key
        /// The base URLs for reports by environment; tokens of a missing environment are held.
        var baseURL: [AppStoreEnvironment: String]
        /// The destination of each link `/out/{link}`.
        var links: [String: LandingLink]
        /// The ids of the app's programmes: reporting programmes, or those of rule packs (OB-12).
        var programmes: [String]
        /// What `GET /v1/policy` answers (OB-100).
        var policy = PurchasePolicy.open
    }

    /// The In-App Purchase key of an app.
    struct Key: Equatable {
        var file: ConfiguredFile
        var keyId: String
        var issuerId: String
    }

    /// The receiver of alerts in addition to the log.
    struct Webhook: Equatable {
        var url: String
        /// If nil, messages are not signed.
        var secretFile: ConfiguredFile?
        var format = AlertWebhook.Format.json
        var severities = Set(AlertSeverity.allCases)
    }

    /// The mail to which alerts go; the key `alerts.mail`.
    struct Mail: Equatable {
        static let standardProgram = "/usr/sbin/sendmail"

        var to: [String]
        var from: String
        /// The program that takes mail, by its absolute path.
        var sendmail = standardProgram
        var severities = Set(AlertSeverity.allCases)
    }

    /// The ways to sign in to the dashboard beside the passwords of its users.
    struct SignIn: Equatable {
        /// The header in which a trusted proxy names the user.
        var proxyHeader: String?
        var oidc: OpenID?
    }

    /// An OpenID Connect provider.
    struct OpenID: Equatable {
        var issuer: String
        var clientId: String
        /// The secret is the first line.
        var clientSecretFile: ConfiguredFile
        /// The role of the members of each group.
        var roles: [String: UserRole]
    }

    /// An account of Stripe whose events belong to an app.
    struct Stripe: Equatable {
        static let defaultBaseURL = "https://api.stripe.com"

        var bundleId: BundleId
        /// The connected account; nil for the account of the webhook endpoint itself.
        var account: String?
        /// The secret on the first line; a second one is being rotated out.
        var signingSecretFile: ConfiguredFile
        var apiKeyFile: ConfiguredFile?
        var baseURL = Self.defaultBaseURL
        var terms = PaymentTerms()
    }

    /// Another provider's account, or the shop's own endpoint, whose payments belong to an app.
    struct Payment: Equatable {
        var provider: PaymentProvider
        var bundleId: BundleId
        /// The secret on the first line; a second one is being rotated out.
        var secretFile: ConfiguredFile
        /// Where an account's events do not say it.
        var environment = AppStoreEnvironment.production
        var terms = PaymentTerms()

        /// Whether another entry of the app would report the same payments otherwise; each has its own products and rates.
        func hasOtherTerms(than other: Payment) -> Bool {
            guard provider == other.provider, bundleId == other.bundleId, environment == other.environment else {
                return false
            }
            return terms.take != other.terms.take || terms.from != other.terms.from
                || terms.taxCountry != other.terms.taxCountry
        }
    }

    /// How the payments of an account are reported.
    struct PaymentTerms: Equatable {
        /// The reported products by the provider's ids of prices or products.
        var products: [String: String] = [:]
        /// The tax country where a payment has no address.
        var taxCountry: String?
        /// The tax in per cent by country, where the provider computed none.
        var taxRates: [String: Decimal] = [:]
        /// Which payments belong to external purchases.
        var take = PaymentAccount.Take.referenced
        /// Payments of objects that were created before are not used.
        var from: Timestamp?

        func account(_ bundleId: BundleId, _ account: String? = nil) -> PaymentAccount {
            PaymentAccount(
                bundleId: bundleId,
                account: account,
                products: products,
                taxCountry: taxCountry,
                taxRates: taxRates,
                take: take,
                from: from
            )
        }
    }

    /// A column of month exports with its header.
    struct ExportColumnName: Equatable {
        var column: String
        var header: String
    }

    var apps: [App]
    /// The files with root certificates for notifications.
    var notificationRoots: [ConfiguredFile]
    /// The settings of alerts, such as the interval of their check.
    var alert = AlertSettings()
    static let standardAlert = AlertSettings()
    /// If nil, alerts go to no webhook.
    var webhook: Webhook?
    /// If nil, alerts go to nobody by mail.
    var mail: Mail?
    /// Who gets events; the key `webhooks`.
    var eventReceivers: [EventReceiver] = []
    /// Whether OCSP responders are queried about the certificates of notifications (NT-31).
    var asksResponders = false
    /// Columns of month exports with their headers, in order; nil means the default columns (OB-61).
    var exportColumns: [ExportColumnName]?
    /// A file of programmes that is merged over the built-in ones (OB-1).
    var programmesFile: ConfiguredFile?
    /// The built-in programmes merged with the file.
    var catalog = ProgrammeCatalog.builtIn
    /// The file of exchange rates of currencies that Apple does not take (RR-48).
    var ratesFile: ConfiguredFile?
    /// The ids of Apple's programmes in which the developer takes part (OB-71).
    var developerProgrammes: Set<String> = []
    /// Addresses of proxies whose `X-Forwarded-For` header is trusted.
    var trustedProxies = TrustedProxies()
    var signIn = SignIn()
    var stripe: [Stripe] = []
    var payments: [Payment] = []
    /// Settings by name.
    var settings: [String: String]
    /// The paths of the scalar keys in the file.
    var fileKeys: Set<String> = []
    /// The values that replaced those of the file, by key.
    var replaced: [String: ConfigurationSources.Value] = [:]

    /// The destinations of the links of all apps.
    var links: [String: LandingLink] {
        Dictionary(apps.flatMap { $0.links.map { ($0.key, $0.value) } }) { first, _ in first }
    }

    /// A file that the configuration names.
    struct UsedFile {
        let file: ConfiguredFile
        /// What the file is, for messages.
        let what: String
        /// Whether the file is a key or a secret, which others may not read.
        var isSecret = true
    }

    /// Every file that the configuration names.
    var files: [UsedFile] {
        var files = apps.map { UsedFile(file: $0.key.file, what: "the key of \($0.bundleId)") }
        files += notificationRoots.map { UsedFile(file: $0, what: "a root certificate", isSecret: false) }
        files += payments.map {
            UsedFile(file: $0.secretFile, what: "the secret of \($0.provider.title) for \($0.bundleId)")
        }
        for stripe in stripe {
            files.append(
                UsedFile(file: stripe.signingSecretFile, what: "Stripe's signing secret for \(stripe.bundleId)")
            )
            if let key = stripe.apiKeyFile {
                files.append(UsedFile(file: key, what: "Stripe's API key for \(stripe.bundleId)"))
            }
        }
        if let oidc = signIn.oidc {
            files.append(UsedFile(file: oidc.clientSecretFile, what: "the client secret of signIn.oidc"))
        }
        files += eventReceivers.map { UsedFile(file: $0.secretFile, what: "the secret of the receiver \($0.name)") }
        if let file = webhook?.secretFile { files.append(UsedFile(file: file, what: "the webhook's secret")) }
        if let file = programmesFile {
            files.append(UsedFile(file: file, what: "the file of programmes", isSecret: false))
        }
        if let file = ratesFile {
            files.append(UsedFile(file: file, what: "the file of exchange rates", isSecret: false))
        }
        return files
    }

    /// Apple's own hosts (spec/04 section 1).
    static let appleBaseURL: [AppStoreEnvironment: String] = [
        .production: "https://api.storekit.apple.com",
        .sandbox: "https://api.storekit-sandbox.apple.com",
    ]
}
