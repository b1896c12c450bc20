import ExternalPurchaseCore
import Foundation
import ReportPlanning
import Reporting
import ReportingServer

/// The file of `serve --config`, read and checked.
struct ServeConfiguration: Equatable {
    /// An app of the merchant.
    struct App: Equatable {
        var bundleId: BundleId
        var appAppleId: Int64
        var key: Key
        /// Where each environment's reports go; an environment that is missing has no address, its tokens are held.
        var baseURL: [AppStoreEnvironment: String]
        /// Where each link of `/out/{link}` leads.
        var links: [String: LandingLink]
        /// Ids of programmes that the app takes part in: reporting programmes, or those of rule packs (OB-12).
        var programmes: [String]
    }

    /// The In-App Purchase key of an app.
    struct Key: Equatable {
        var file: String
        var keyId: String
        var issuerId: String
    }

    /// The receiver of alerts beside the log.
    struct Webhook: Equatable {
        var url: String
        /// Nil signs nothing.
        var secretFile: String?
    }

    /// A column of month exports and the header it gets.
    struct ExportColumnName: Equatable {
        var column: String
        var header: String
    }

    var apps: [App]
    /// Files of root certificates of notifications.
    var notificationRoots: [String]
    /// How often is looked for what has to be told.
    var alert = AlertSettings()
    /// Nil tells the log alone.
    var webhook: Webhook?
    /// Whether responders are asked about the certificates of notifications (NT-31).
    var asksResponders = false
    /// Columns of month exports with their headers, in order; nil leaves them as they are (OB-61).
    var exportColumns: [ExportColumnName]?
    /// A file of programmes that is laid over the built-in ones (OB-1).
    var programmesFile: String?
    /// The built-in programmes with the file laid over them.
    var catalog = ProgrammeCatalog.builtIn
    /// The programmes of Apple's that the developer takes part in (OB-71).
    var developerProgrammes: Set<String> = []
    /// Addresses of proxies whose `X-Forwarded-For` names the client.
    var trustedProxies: Set<String> = []
    /// Named settings.
    var settings: [String: String]

    /// Where each link of all apps leads.
    var links: [String: LandingLink] {
        Dictionary(apps.flatMap { $0.links.map { ($0.key, $0.value) } }) { first, _ in first }
    }

    /// Apple's own hosts (spec/04 section 1).
    static let appleBaseURL: [AppStoreEnvironment: String] = [
        .production: "https://api.storekit.apple.com",
        .sandbox: "https://api.storekit-sandbox.apple.com",
    ]
}
